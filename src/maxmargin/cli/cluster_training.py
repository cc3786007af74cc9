"""`train --cluster`: the same steps as on one machine, on rows that workers read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, ClassVar

import click
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.preprocessing._data import _handle_zeros_in_scale, _is_constant_feature
from sklearn.utils.sparsefuncs import mean_variance_axis

import maxmargin.distributed
from maxmargin.cli.cluster import connected
from maxmargin.cli.columns import (
    COUNTED_ROWS,
    MOST_WORDS,
    check_category,
    check_cells,
    check_resolution,
    counting_columns,
    warn_of_counting,
)
from maxmargin.cli.inputs import check_table_options, given_format
from maxmargin.cli.preparation import steps_for
from maxmargin.cli.summary import describe, describe_task, end, ending_of, report_fit
from maxmargin.cli.task import Task, as_target
from maxmargin.cli.terminal import Terminal, counted
from maxmargin.cli.train import Training
from maxmargin.data.files import Block, FileError, Format
from maxmargin.data.files.table import is_text
from maxmargin.distributed import Files
from maxmargin.distributed.share import pooled

#: What needs all rows in one place, and what to do instead.
_REFUSED = {
    "auto": "--auto searches on one machine: train a sample of the rows with it, then give -C and "
    "--gamma here",
    "folds": "--folds is for one machine: give --test to score on other rows",
}


@dataclass(frozen=True, eq=False)
class Survey:
    """What the client is to know of a piece.

    Parameters
    ----------
    n_rows : int
        Rows that are learnt from.
    y : ndarray or None
        Their targets.
    words : dict of str to list
        The different words of text columns, no more than are too many.
    ends : DataFrame or None
        The smallest and the largest of each column of numbers.
    counting : list of str
        Columns that count the rows, or may.
    moments : tuple or None
        Rows, means, and sums of squares about them, of the columns of numbers.
    """

    n_rows: int
    y: NDArray[Any] | None
    words: dict[str, list[str]]
    ends: Any
    counting: list[str]
    moments: tuple[float, Any, Any]


@dataclass(frozen=True)
class ClusterTraining(Training):
    """What `train --cluster` was asked to do; the fields are the options of `train`."""

    _whole: ClassVar[bool] = False

    def run_on(self, cluster: str) -> None:
        """Check, have the workers read, prepare and fit, write, and say so.

        Parameters
        ----------
        cluster : str
            The address of a scheduler, or local:N.
        """
        self._check()
        terminal = self._terminal()
        with connected(cluster):
            self._train(terminal)

    def _check(self) -> None:
        for option, text in _REFUSED.items():
            if getattr(self, option):
                raise click.UsageError(text)
        if self.missing == "fill":
            raise click.UsageError(
                "--missing fill needs the medians of all rows; on a cluster give --missing drop"
            )
        if self.data == "-":
            raise click.UsageError("workers cannot read standard input; give files")
        super()._check()

    def _train(self, terminal: Terminal) -> None:
        files = self._files()
        surveys, training = self._surveyed(files)
        example = _example(surveys, files)
        block, task, y = training._told(files, surveys, example, terminal)
        test = self._test_file(example, y, block.target)
        machine = self._on_cluster(task, y)
        steps = training._steps(example, surveys)
        X, targets = training._collections(files, steps, example, y, task)
        machine = self._fit(machine, X, targets, perf_counter(), y)
        if not self.quiet:
            score = None if targets is None else machine.score(X, targets)
            report_fit(machine, score, terminal)
        model = _model(machine, steps, example)
        self._write(model, self._notes(block, task, files.pattern), terminal)
        if not self.quiet:
            self._score_test(model, test, terminal)
        end(ending_of(machine), terminal)

    # ---- Reading --------------------------------------------------------------------------------

    def _files(self) -> Files:
        """Where the rows are; options of tables are refused for others."""
        kind = given_format(self.data, self.format, self.dialect)
        files = Files(self.data, format=kind, dialect=self.dialect, **self._columns)
        check_table_options(files.format, self.data, self.dialect, self._table_options)
        return files

    def _surveyed(self, files: Files) -> tuple[list[Survey], ClusterTraining]:
        """Return what is in the pieces, and what to do without columns that count the rows."""
        surveys = self._survey(files)
        counting = set.intersection(*(set(survey.counting) for survey in surveys))
        unnamed = warn_of_counting(sorted(counting), files.pattern)
        if not unnamed:
            return surveys, self
        training = replace(self, drop=(*self.drop, *unnamed))
        return training._survey(files), training

    def _survey(self, files: Files) -> list[Survey]:
        found: list[Survey] = files.map(survey, self)
        if not any(one.n_rows for one in found):
            raise FileError("every row lacks a value", files.pattern)
        return found

    def _told(
        self, files: Files, surveys: Sequence[Survey], example: Any, terminal: Terminal
    ) -> tuple[Block, Task, NDArray[Any] | None]:
        """Check all pieces together, and say what they hold and what is learnt."""
        import pandas as pd

        name, n = files.pattern, sum(one.n_rows for one in surveys)
        for column, found in _words(surveys).items():
            check_category(column, found, n, name, self.dialect)
        if surveys[0].ends is not None:
            check_resolution(pd.concat([one.ends for one in surveys]), name)
        targets = [one.y for one in surveys if one.y is not None]
        y = np.concatenate(targets) if len(targets) == len(surveys) else None
        first = files.looks[0]
        block = Block(np.empty((n, 0)), y, target=first.target, id=first.id)
        task, reason = self._task(block, name)
        self.machine.check(task)
        y = None if task is Task.ONE_CLASS or y is None else as_target(y, task)
        self._check_target(y, task, block.target, name)
        pieces = counted(len(files.pieces), "piece")
        terminal.line(f"{name}, {pieces}: {describe(example, n)}")
        terminal.line(describe_task(task, reason, y, block.target))
        return block, task, y

    # ---- Preparing ------------------------------------------------------------------------------

    def _steps(self, example: Any, surveys: Sequence[Survey]) -> list[tuple[str, Any]]:
        """Return fitted steps: on an example of all words, with the moments of all rows."""
        table = hasattr(example, "columns")
        standardize = table if self.standardize is None else self.standardize
        steps = steps_for(example, fill=False, standardize=standardize)
        if not steps:
            return []
        fitted: list[tuple[str, Any]] = Pipeline(steps).fit(example).steps
        for scaler in _scalers(fitted):
            n, mean, squares = pooled([one.moments for one in surveys])
            scaler.mean_, scaler.var_ = mean, squares / n
            scaler.n_samples_seen_ = np.int64(n)
            constant = _is_constant_feature(scaler.var_, mean, n)
            scaler.scale_ = _handle_zeros_in_scale(np.sqrt(scaler.var_), False, constant)
        return fitted

    def _collections(
        self, files: Files, steps: Sequence[tuple[str, Any]], example: Any, y: Any, task: Task
    ) -> tuple[Any, Any]:
        """Return rows and targets as the machine takes them."""
        pipeline = Pipeline(list(steps)) if steps else None
        nothing = _numbers(example if pipeline is None else pipeline.transform(example))[:0]
        kind = None if y is None else y.dtype
        return files.arrays(prepared, nothing, kind, self, pipeline, nothing, task)

    def _on_cluster(self, task: Task, y: NDArray[Any] | None) -> Any:
        """Make the machine, as its namesake on a cluster."""
        machine = self.machine.machine(task, y)
        name = type(machine).__name__
        if name not in maxmargin.distributed.__all__:
            raise click.UsageError(f"there is no {name} on a cluster; give --linear")
        kind = getattr(maxmargin.distributed, name)
        return kind(**machine.get_params(deep=False)).set_params(time_limit=self.time_limit)

    # ---- On the workers -------------------------------------------------------------------------

    def checked(self, block: Block, name: str) -> tuple[Any, NDArray[Any] | None]:
        """Return the rows of a piece that can be learnt from, and their targets as they were read.

        Parameters
        ----------
        block : Block
            Its rows.
        name : str
            What the piece is called.
        """
        kept = self._kept(block, name)
        if self.task != Task.ONE_CLASS.value:
            self._known_targets(kept, name)
        X, y = self._rows(kept, name)
        if y is not None and len(y):
            self._check_labels(y, kept, name)
        return X, y


def survey(block: Block, name: str, training: ClusterTraining) -> Survey:
    """Check the rows of a piece as one machine does, and say what is in them.

    Parameters
    ----------
    block, name
        As in `ClusterTraining.checked`.
    training : ClusterTraining
        What was asked.
    """
    X, y = training.checked(block, name)
    if not hasattr(X, "columns"):
        return Survey(X.shape[0], y, {}, None, [], _moments(X))
    import pandas as pd

    words = {}
    for column in [column for column, kind in X.dtypes.items() if is_text(kind)]:
        if column not in training.categorical:
            cells = X[column].to_numpy(object)
            check_cells(cells, f"column {column!r}", 1, name, training.dialect)
        words[str(column)] = X[column].dropna().unique().tolist()[: MOST_WORDS + 1]
    numbers = X.drop(columns=list(words))
    ends = pd.DataFrame([numbers.min(), numbers.max()]) if len(X) else numbers
    # Few rows may count by accident: other pieces decide.
    counting = counting_columns(numbers) if len(X) >= COUNTED_ROWS else list(numbers.columns)
    return Survey(len(X), y, words, ends, counting, _moments(numbers.to_numpy(np.float64)))


def prepared(
    block: Block, name: str, training: ClusterTraining, steps: Any, nothing: Any, task: Task
) -> tuple[Any, Any]:
    """Return the rows of a piece as the machine takes them, and their targets.

    Parameters
    ----------
    block, name, training
        As in `survey`.
    steps : Pipeline or None
        Fitted.
    nothing : ndarray or CSR
        What no rows are.
    task : Task
        What is learnt.
    """
    X, y = training.checked(block, name)
    # Steps refuse to transform no rows.
    rows = nothing if X.shape[0] == 0 else _numbers(X if steps is None else steps.transform(X))
    return rows, None if task is Task.ONE_CLASS or y is None else as_target(y, task)


def _numbers(X: Any) -> Any:
    return X.to_numpy(np.float64) if hasattr(X, "columns") else X


def _moments(X: Any) -> tuple[float, Any, Any]:
    """Rows, means of columns, and sums of squares about them."""
    n = X.shape[0]
    if n == 0:
        return 0.0, 0.0, 0.0
    mean, variance = (
        mean_variance_axis(X, axis=0) if sparse.issparse(X) else (X.mean(axis=0), X.var(axis=0))
    )
    return float(n), mean, n * variance


# ---- On the client -------------------------------------------------------------------------------


def _words(surveys: Sequence[Survey]) -> dict[str, list[str]]:
    """Return the words of each text column in all pieces, in order."""
    return {
        column: sorted({word for one in surveys for word in one.words.get(column, ())})
        for column in surveys[0].words
    }


def _example(surveys: Sequence[Survey], files: Files) -> Any:
    """Return a few rows with the columns of all, and every word of those that are text."""
    import pandas as pd

    first = surveys[0]
    if first.ends is None:
        example = np.zeros((1, files.looks[0].width))
        return sparse.csr_array(example) if files.format is Format.LIBSVM else example
    words = _words(surveys)
    n = max([1, *map(len, words.values())])
    columns: dict[str, Any] = {}
    for name in files.names or ():
        if name in words:
            columns[name] = pd.Series(np.resize(np.array(words[name], object), n), dtype=object)
        elif name in first.ends.columns:
            columns[name] = np.zeros(n)
    return pd.DataFrame(columns)


def _scalers(steps: Sequence[tuple[str, Any]]) -> Iterator[StandardScaler]:
    for _, step in steps:
        if isinstance(step, StandardScaler):
            yield step
        elif isinstance(step, ColumnTransformer):
            for _, part, _ in step.transformers_:
                yield from _scalers(part.steps if isinstance(part, Pipeline) else ())


def _model(machine: Any, steps: Sequence[tuple[str, Any]], example: Any) -> Any:
    """Return an ordinary model of one machine: the namesake, after the steps."""
    alone = machine._alone()
    if steps:
        return Pipeline([*steps, ("machine", alone)])
    if hasattr(example, "columns"):
        alone.feature_names_in_ = np.array(example.columns, object)
    return alone
