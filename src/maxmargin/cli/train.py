"""The verb `train`: from a data file to a model file."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from time import perf_counter
from typing import Any, ClassVar

import click
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from maxmargin import Status
from maxmargin.cli.bar import FitBar
from maxmargin.cli.cluster import cluster_option
from maxmargin.cli.columns import (
    as_floats,
    check_cells,
    check_empty,
    check_finite,
    check_missing,
    check_resolution,
    check_words,
    counting_columns,
    rows_of,
    warn_of_counting,
)
from maxmargin.cli.inputs import (
    Number,
    data_argument,
    data_file,
    dialect_options,
    format_option,
    id_option,
    names_option,
    no_target_option,
    quiet_option,
    rows_for,
    target_option,
    with_columns,
)
from maxmargin.cli.judge import Judge, show_classes
from maxmargin.cli.machine import Command, MachineOptions, machine_options
from maxmargin.cli.modelfile import ModelFormat, write_model
from maxmargin.cli.outputs import Content, check_output, force_option
from maxmargin.cli.preparation import is_missing, steps_for, without_missing
from maxmargin.cli.search import SEARCH_FOLDS, Search, fold_scores
from maxmargin.cli.summary import describe, describe_task, end, ending_of, report_fit
from maxmargin.cli.task import FEW_CLASSES, Task, as_target, detect_task
from maxmargin.cli.terminal import BOLD, Terminal, counted
from maxmargin.data.files import Block, DataFile, Dialect, FileError, Format
from maxmargin.data.files.format import format_of_name
from maxmargin.data.files.table import is_text

_REMEDY = "give --missing fill to fill it, or --missing drop to leave the rows out"
#: What a search may take of the time limit; the rest is for the model itself.
_SEARCH_SHARE = 0.5
_LEAST_SECONDS = 1e-3


#: What the verbs that learn take: which columns, which task, which machine, how to prepare.
_OPTIONS: list[Any] = [
    target_option(
        "Target column of a table: a name, or a number from 1. Default: the last; none with --task "
        "one-class."
    ),
    no_target_option,
    id_option,
    names_option("--drop", "Columns to leave out."),
    names_option("--categorical", "Columns of numbers to take as categories."),
    click.option(
        "--task",
        type=click.Choice([task.value for task in Task]),
        help="What to learn. Default: classes if the target is text or has at most 50 whole "
        "numbers.",
    ),
    machine_options,
    click.option(
        "--standardize/--no-standardize",
        default=None,
        help="Scale columns to mean 0 and standard deviation 1. Default: for tables only.",
    ),
    click.option(
        "--missing",
        type=click.Choice(["error", "fill", "drop"]),
        default="error",
        show_default=True,
        help="Missing values: refuse them, fill them (median, most frequent) or drop their rows.",
    ),
]


def training_options(command: Command) -> Command:
    """Give a verb the options of all that learn.

    Parameters
    ----------
    command : callable
        The verb.

    Examples
    --------
    >>> callable(training_options(lambda: None))
    True
    """
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command()
@data_argument
@click.option(
    "-o",
    "--output",
    metavar="MODEL",
    help="The model file; - is standard output. Default: DATA's name with .maxmargin, in the "
    "current folder.",
)
@training_options
@click.option("--auto", is_flag=True, help="Search C and gamma by cross-validation.")
@click.option(
    "--folds",
    type=click.IntRange(2),
    metavar="K",
    help="Also score by K-fold cross-validation; with --auto the search is made anew in each fold.",
)
@click.option("--test", metavar="FILE", help="Also score on the rows of another file.")
@click.option("--report", is_flag=True, help="Show the confusion matrix also of over 10 classes.")
@click.option(
    "--time-limit",
    type=Number(0, above=True),
    metavar="SECONDS",
    help="Stop then and keep the model; with --auto half of it is for the search.",
)
@click.option(
    "--on-interrupt",
    type=click.Choice(["keep", "discard", "ask"]),
    help="What Ctrl-C does with the model so far. Default: ask in a terminal, else discard.",
)
@format_option
@dialect_options
@cluster_option
@force_option
@quiet_option
def train(cluster: str | None, **options: Any) -> None:
    """Train a support vector machine on DATA and write it to a model file.

    DATA is LIBSVM text, CSV, TSV, Parquet or NPZ, compressed (gzip, bzip2, xz) or not; - is
    standard input. Text columns become categories. The model file remembers scaling, categories
    and the name of the target, so that predict takes data of the same form. Where a limit or Ctrl-C
    has stopped the fit and the model is kept, the last line says so and the exit status is 6; where
    it is not kept, nothing is written and the status is 130.

    \b
    maxmargin train iris.csv --target species --folds 5
    maxmargin train a9a.txt -C 10 -g 0.05 -o a9a.maxmargin
    maxmargin train houses.parquet --target price --auto --missing fill --test sold.parquet
    maxmargin train sensors.csv --task one-class --nu 0.05 --id serial
    maxmargin train --cluster local:2 --linear --target clicks 'part-*.parquet' -o ads.maxmargin
    maxmargin train preise.csv --delimiter ";" --decimal , --encoding latin-1 --na -
    zcat clicks.gz | maxmargin train - --format libsvm --linear -o clicks.maxmargin
    """
    machine = MachineOptions.taken_from(options)
    if cluster is None:
        Training(machine=machine, **options).run()
    else:
        from maxmargin.cli.cluster_training import ClusterTraining

        ClusterTraining(machine=machine, **options).run_on(cluster)


@dataclass(frozen=True)
class Training:
    """What `train` was asked to do; the fields are its options."""

    #: Whether all rows are seen at once.
    _whole: ClassVar[bool] = True
    machine: MachineOptions
    data: str
    output: str | None
    target: str | None
    no_target: bool
    row_id: str | None
    drop: Sequence[str]
    categorical: Sequence[str]
    task: str | None
    standardize: bool | None
    missing: str
    auto: bool
    folds: int | None
    test: str | None
    report: bool
    time_limit: float | None
    on_interrupt: str | None
    format: Format | None
    dialect: Dialect
    force: bool
    quiet: bool

    def run(self) -> None:
        """Check, read, prepare, search, fit, write and score, and say so."""
        self._check()
        terminal, file = self._terminal(), self._file()
        block, task, X, y = self._read(file, terminal)
        test = self._test_file(X, y, block.target)
        pipeline, began = self._pipeline(X, task, y), perf_counter()
        search = self._searching(task)
        stopped = [] if search is None else self._search(search, pipeline, X, y, terminal)
        model = self._fit(pipeline, X, y, began)
        stopped += ending_of(_machine(model))
        if not self.quiet:
            report_fit(_machine(model), None if y is None else model.score(X, y), terminal)
        self._write(model, self._notes(block, task, file.name), terminal)
        if not self.quiet:
            self._score_folds(pipeline, X, y, task, search, terminal)
            self._score_test(model, test, terminal)
        end(stopped, terminal)

    def _write(self, model: Any, notes: dict[str, Any], terminal: Terminal) -> None:
        write_model(model, self._output, ModelFormat.MAXMARGIN, notes)
        if self._output != "-":
            size = Path(self._output).stat().st_size
            terminal.line(f"written to {terminal.marked(self._output, BOLD)}, {size:,} bytes")

    def _read(
        self, file: DataFile, terminal: Terminal
    ) -> tuple[Block, Task, Any, NDArray[Any] | None]:
        """Return the rows, what is to be learnt, and both as they are learnt from."""
        block = self._chosen(file.read(), file.name)
        task, reason = self._task(block, file.name)
        self.machine.check(task)
        X, y = self._complete(block, task, file.name)
        self._check_target(y, task, block.target, file.name)
        terminal.line(f"{file.name}: {describe(X, X.shape[0])}")
        terminal.line(describe_task(task, reason, y, block.target))
        return block, task, X, y

    def _check(self) -> None:
        """Refuse what does not go together, before anything is read."""
        task = None if self.task is None else Task(self.task)
        self.machine.check(task)
        if self.target is not None and self.no_target:
            raise click.UsageError("--target and --no-target exclude each other")
        if self.no_target and task is not Task.ONE_CLASS:
            raise click.UsageError("--no-target is for --task one-class, which needs none")
        scored = {"--auto": self.auto, "--folds": self.folds, "--test": self.test}
        for option, value in scored.items():
            if value and task is Task.ONE_CLASS:
                raise click.UsageError(f"{option} needs a target to score by; one-class has none")
        if self.report and not self.folds and self.test is None:
            raise click.UsageError("--report is for --folds and --test")
        check_output(self._output, Content.MODEL, [self.data, self.test], force=self.force)

    def _file(self) -> DataFile:
        """Where the rows are."""
        return data_file(self.data, self.format, self.dialect, self._table_options, **self._columns)

    @property
    def _table_options(self) -> list[tuple[str, Any]]:
        """The options that are for tables alone."""
        return [
            ("--target", self.target),
            ("--no-target", self.no_target),
            ("--id", self.row_id),
            ("--drop", self.drop),
            ("--categorical", self.categorical),
        ]

    @property
    def _columns(self) -> dict[str, Any]:
        """Which columns are no features, and which are text."""
        none = self.task == Task.ONE_CLASS.value and self.target is None
        target = None if none else self.target or "-1"
        return {"target": target, "texts": tuple(self.categorical), "id": self.row_id}

    def _terminal(self) -> Terminal:
        """Where to speak: not where the model goes."""
        if self.quiet:
            return Terminal(io.StringIO())
        return Terminal.of(sys.stderr if self._output == "-" else sys.stdout)

    def _chosen(self, block: Block, name: str) -> Block:
        """Keep the columns to learn from."""
        kept = self._kept(block, name)
        if not hasattr(block.X, "columns"):
            return kept
        counting = counting_columns(kept.X)
        return replace(kept, X=kept.X.drop(columns=warn_of_counting(counting, name)), ids=None)

    def _kept(self, block: Block, name: str) -> Block:
        """Leave out what is to be dropped."""
        if not hasattr(block.X, "columns"):
            return block
        missing = [c for c in (*self.drop, *self.categorical) if c not in block.X.columns]
        if missing:
            raise FileError(f"there is no column {missing[0]!r} among the features", name)
        return replace(block, X=block.X.drop(columns=list(self.drop)))

    def _task(self, block: Block, name: str) -> tuple[Task, str]:
        if self.task == Task.ONE_CLASS.value:
            return Task.ONE_CLASS, "asked"
        y = self._known_targets(block, name)
        if len(y) == 0:
            raise FileError(f"the target {block.target!r} has no value at all", name)
        return (Task(self.task), "asked") if self.task else detect_task(y)

    def _known_targets(self, block: Block, name: str) -> NDArray[Any]:
        """Return the targets that have a value; all of them must, unless rows may be dropped."""
        if block.y is None:
            raise FileError("there is no target; --task one-class needs none", name)
        missing = is_missing(block.y)
        if missing.any() and self.missing != "drop":
            raise FileError(
                f"the target {block.target!r} lacks a value in {rows_of(missing)}; give --missing "
                "drop to leave the rows out",
                name,
            )
        return block.y[~missing]

    def _complete(self, block: Block, task: Task, name: str) -> tuple[Any, NDArray[Any] | None]:
        """Rows and targets without what is missing, infinite or no number."""
        X, y = self._rows(block, name)
        if task is Task.ONE_CLASS or y is None:
            return X, None
        self._check_labels(y, block, name)
        return X, as_target(y, task)

    def _check_labels(self, y: NDArray[Any], block: Block, name: str) -> None:
        """Refuse targets that are numbers with faults."""
        table = hasattr(block.X, "columns")
        if is_text(y.dtype) and table and self.task != Task.CLASSIFICATION.value:
            check_cells(y, f"the target {block.target!r}", 1, name, self.dialect)

    def _rows(self, block: Block, name: str) -> tuple[Any, NDArray[Any] | None]:
        """Return the rows that can be learnt from, and their targets as they were read."""
        X, y, table = block.X, block.y, hasattr(block.X, "columns")
        if X.shape[1] == 0:
            only = f": the only column, {block.target!r}, is the target" if block.target else ""
            raise FileError(f"there are no features to learn from{only}", name)
        if sparse.issparse(X) and self.missing != "error":
            raise click.UsageError("--missing is for tables and arrays; sparse rows lack nothing")
        if table and self._whole:
            check_empty(X, name)
        if self.missing == "error":
            check_missing(X, 1, name, "correct it" if sparse.issparse(X) else _REMEDY)
        remedy = "correct it, or give --na inf --na -inf and --missing fill or drop"
        check_finite(X, 1, name, remedy if table else "correct it")
        if table and self._whole:
            check_words(X, self.categorical, 1, name, self.dialect)
            check_resolution(X, name)
        if table:
            X = as_floats(X)
        if self.missing == "drop":
            X, y = without_missing(X, y)
            if X.shape[0] == 0 and self._whole:
                raise FileError("every row lacks a value; --missing fill keeps them", name)
        return X, y

    def _check_target(
        self, y: NDArray[Any] | None, task: Task, target: str | None, name: str
    ) -> None:
        """Refuse targets that cannot be learnt, or not scored in so many folds."""
        if y is None:
            return
        what = f"the target {target!r}" if target else "the target"
        n_most, folds = len(y), self.folds or (SEARCH_FOLDS if self.auto else 0)
        if task is Task.CLASSIFICATION:
            classes, counts = np.unique(y, return_counts=True)
            if len(classes) < 2:
                raise FileError(
                    f"{what} is always {classes[0]}, but classification needs at least two "
                    "classes; --task one-class learns where the rows lie",
                    name,
                )
            if is_text(y.dtype) and len(classes) > max(FEW_CLASSES, len(y) / 2):
                raise FileError(
                    f"{what} has {len(classes)} different texts in {counted(len(y), 'row')}, too "
                    "many for classes; --target names the right column",
                    name,
                )
            n_most, rare = int(counts.max()), classes[counts.argmin()]
            if folds and (counts > 1).sum() < 2:
                raise FileError(
                    f"class {rare} has 1 row, and where a fold leaves it out there is one class to "
                    f"learn; do without {'--folds' if self.folds else '--auto'}, or find more rows",
                    name,
                )
            if counts.min() < folds <= n_most:
                warnings.warn(
                    f"{name}: class {rare} has {counted(int(counts.min()), 'row')}, fewer than the "
                    f"{folds} folds, so some folds are without it",
                    stacklevel=2,
                )
        if folds > n_most:
            raise FileError(
                f"{folds} folds are more than there are rows"
                + (f" of any class ({n_most} at most)" if n_most < len(y) else f" ({n_most})")
                + f"; give --folds {max(2, min(n_most, 5))}",
                name,
            )

    def _pipeline(self, X: Any, task: Task, y: NDArray[Any] | None) -> Any:
        table = hasattr(X, "columns")
        standardize = table if self.standardize is None else self.standardize
        steps = steps_for(X, fill=self.missing == "fill", standardize=standardize)
        machine = self.machine.machine(task, y).set_params(time_limit=self.time_limit)
        return Pipeline([*steps, ("machine", machine)]) if steps else machine

    def _searching(self, task: Task) -> Search | None:
        """Return how C and gamma are searched, if they are."""
        seconds = None if self.time_limit is None else _SEARCH_SHARE * self.time_limit
        return Search(task, self.folds or SEARCH_FOLDS, seconds) if self.auto else None

    def _search(
        self, search: Search, pipeline: Any, X: Any, y: Any, terminal: Terminal
    ) -> list[str]:
        """Choose C and gamma of the pipeline; returns what has stopped the search."""
        n_fits = search.n_fits(pipeline)
        n_models = n_fits // search.folds
        terminal.line(f"searching the best of {n_models} models, {search.folds} folds each")
        with FitBar("searching", n_fits, show=not self.quiet) as bar:
            found = search.run(pipeline, X, y, bar)
        if found.stopped == "by Ctrl-C":
            self._keep_or_raise(f"Take the best of the {found.n_tried} models tried so far?")
        if not self.quiet:
            found.show(search.task, terminal)
        pipeline.set_params(**found.best)
        tried = f"after {found.n_tried} of {n_models} models"
        return [f"the search was stopped {found.stopped} {tried}"] if found.stopped else []

    def _fit(self, pipeline: Any, X: Any, y: Any, began: float, labels: Any = None) -> Any:
        model = clone(pipeline)
        machine = _machine(model)
        discard = self._on_interrupt == "discard"
        left = self.time_limit
        if left is not None and self.auto:
            left = max(left - (perf_counter() - began), _LEAST_SECONDS)
        machine.set_params(time_limit=left, on_interrupt="raise" if discard else "keep")
        with FitBar("fitting", show=not self.quiet) as bar:
            bar.fit(model, X, y, labels)
        machine.set_params(time_limit=self.time_limit, on_interrupt="raise")
        if machine.status_ is Status.INTERRUPTED:
            gap = machine.certificate_.gap
            self._keep_or_raise(f"Keep the model so far, at a relative gap of {gap:.1e}?")
        return model

    @property
    def _on_interrupt(self) -> str:
        seen = sys.stdin.isatty() and sys.stderr.isatty()
        return self.on_interrupt or ("ask" if seen else "discard")

    def _keep_or_raise(self, question: str) -> None:
        """Go on with what there is, if that was asked for or is confirmed now."""
        if self._on_interrupt == "discard":
            raise KeyboardInterrupt
        if self._on_interrupt == "ask" and not click.confirm(question, default=True, err=True):
            raise KeyboardInterrupt

    def _score_folds(
        self,
        pipeline: Any,
        X: Any,
        y: NDArray[Any] | None,
        task: Task,
        search: Search | None,
        terminal: Terminal,
    ) -> None:
        """Score the model, and the search for it, on rows that are left out in turn."""
        if not self.folds or y is None:
            return
        per_fold = 1 if search is None else 1 + search.n_fits(pipeline)
        with FitBar("scoring", self.folds * per_fold) as bar:
            said, score = fold_scores(pipeline, X, y, task, self.folds, bar, search)
        terminal.line(said)
        show_classes(score, terminal, self.report)

    def _test_file(self, X: Any, y: NDArray[Any] | None, target: str | None) -> DataFile | None:
        """Where the rows to score on are, once it is clear that they have the columns."""
        if self.test is None or y is None:
            return None
        columns = list(X.dtypes.items()) if hasattr(X, "columns") else []
        texts = [name for name, kind in columns if is_text(kind)]
        if target is not None and y.dtype.kind in "OU":
            texts.append(target)
        kind = format_of_name(self.test) or self.format
        file = DataFile(self.test, kind, target, texts=texts, dialect=self.dialect)
        first = next(file.blocks())
        if columns and hasattr(first.X, "columns"):
            with_columns(first.X, [name for name, _ in columns], file.name)
        return file

    def _score_test(self, model: Any, file: DataFile | None, terminal: Terminal) -> None:
        """Score the model on the rows of the other file."""
        if file is None:
            return
        judge = Judge(model)
        for block in file.blocks():
            judge.add(block, model.predict(rows_for(model, block, file.name, self.dialect)))
        terminal.line(f"on {file.name}, {counted(judge.n_rows, 'row')}: {judge}")
        show_classes(judge.score, terminal, self.report)

    @property
    def _output(self) -> str:
        if self.output is not None:
            return self.output
        name = "model" if self.data == "-" else PurePath(self.data).name.partition(".")[0]
        return f"{name}.maxmargin"

    def _notes(self, block: Block, task: Task, name: str) -> dict[str, Any]:
        return {
            "data": name,
            "rows": block.n_rows,
            "target": block.target,
            "task": task.value,
            "id": block.id,
        }


def _machine(model: Any) -> Any:
    return model[-1] if isinstance(model, Pipeline) else model
