"""The verb `train`: from a data file to a model file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline

from maxmargin import SVC, SVR, LinearSVC, LinearSVR, OneClassSVM, save
from maxmargin.cli.bar import FitBar
from maxmargin.cli.inputs import (
    check_missing,
    data_argument,
    format_option,
    names_option,
    quiet_option,
)
from maxmargin.cli.preparation import steps_for, without_missing
from maxmargin.cli.search import fold_scores, search
from maxmargin.cli.task import Task, as_target, detect_task
from maxmargin.cli.terminal import BOLD, Terminal
from maxmargin.data.files import Block, DataFile, FileError, Format

MACHINES = {Task.CLASSIFICATION: SVC, Task.REGRESSION: SVR, Task.ONE_CLASS: OneClassSVM}
_SHOWN = ("C", "epsilon", "nu")
_REMEDY = "give --missing fill to fill it, or --missing drop to leave the rows out"


@click.command()
@data_argument
@click.option(
    "-o",
    "--output",
    metavar="MODEL",
    help="The model file. Default: DATA's name with .maxmargin, in the current folder.",
)
@click.option(
    "-t",
    "--target",
    default="-1",
    metavar="COLUMN",
    help="Target column of a table: a name, or a number from 1. Default: -1, the last.",
)
@names_option("--drop", "Columns to leave out.")
@names_option("--categorical", "Columns of numbers to take as categories.")
@click.option(
    "--task",
    type=click.Choice([task.value for task in Task]),
    help="What to learn. Default: classes if the target is text or has at most 50 whole numbers.",
)
@click.option(
    "-k",
    "--kernel",
    type=click.Choice(["linear", "poly", "rbf", "sigmoid"]),
    default="rbf",
    show_default=True,
)
@click.option(
    "--linear",
    is_flag=True,
    help="Fit a linear machine, fast with many rows; with several classes, one against the rest.",
)
@click.option(
    "-C",
    "penalty",
    type=float,
    help="Penalty of slack. Default: 1 for classes, the target's spread for regression.",
)
@click.option(
    "-g", "--gamma", default="scale", show_default=True, help="A number, 'scale' or 'auto'."
)
@click.option("--degree", type=int, default=3, show_default=True, help="Degree of the poly kernel.")
@click.option("--coef0", type=float, default=0.0, help="Constant of poly and sigmoid kernels.")
@click.option(
    "--epsilon",
    type=float,
    help="Half width of regression's tube. Default: a tenth of the target's spread.",
)
@click.option("--nu", type=float, default=0.1, show_default=True, help="Share of outliers.")
@click.option(
    "-w",
    "--weight",
    "weights",
    multiple=True,
    metavar="CLASS=NUMBER",
    help="Factor of C for a class; or 'balanced', alone.",
)
@click.option(
    "--tol",
    type=float,
    help="KKT violation to reach (default 1e-3); with --linear, relative gap (default 1e-4).",
)
@click.option(
    "--standardize/--no-standardize",
    default=None,
    help="Scale columns to mean 0 and standard deviation 1. Default: for tables only.",
)
@click.option(
    "--missing",
    type=click.Choice(["error", "fill", "drop"]),
    default="error",
    show_default=True,
    help="Missing values: refuse them, fill them (median, most frequent) or drop their rows.",
)
@click.option("--auto", is_flag=True, help="Search C and gamma by cross-validation.")
@click.option(
    "--folds", type=click.IntRange(2), metavar="K", help="Also score by K-fold cross-validation."
)
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop then and keep the model.")
@click.option("-j", "--jobs", type=int, metavar="N", help="Threads. Default: all cores.")
@format_option
@quiet_option
def train(**options: Any) -> None:
    """Train a support vector machine on DATA and write it to a model file.

    DATA is LIBSVM text, CSV, TSV, Parquet or NPZ, compressed (gzip, bzip2, xz) or not; - is
    standard input. Text columns become categories. The model file remembers scaling, categories
    and the name of the target, so that predict takes data of the same form. Ctrl-C ends the command
    and writes nothing (unless SIGINT is ignored, as it is in the background of a script).

    \b
    maxmargin train iris.csv --target species --folds 5
    maxmargin train a9a.txt -C 10 -g 0.05 -o a9a.maxmargin
    maxmargin train houses.parquet --target price --auto --missing fill
    zcat clicks.gz | maxmargin train - --format libsvm --linear -o clicks.maxmargin
    """
    Training(**options).run()


@dataclass(frozen=True)
class Training:
    """What `train` was asked to do; the fields are its options."""

    data: str
    output: str | None
    target: str
    drop: Sequence[str]
    categorical: Sequence[str]
    task: str | None
    kernel: str
    linear: bool
    penalty: float | None
    gamma: str
    degree: int
    coef0: float
    epsilon: float | None
    nu: float
    weights: Sequence[str]
    tol: float | None
    standardize: bool | None
    missing: str
    auto: bool
    folds: int | None
    time_limit: float | None
    jobs: int | None
    format: Format | None
    quiet: bool

    def run(self) -> None:
        """Read, prepare, search, score, fit and write, and say so."""
        terminal = Terminal.of(sys.stdout if not self.quiet else _nowhere())
        file = DataFile(self.data, self.format, self.target, texts=self.categorical)
        block = self._without_dropped(file.read(), file.name)
        task, reason = self._task(block, file.name)
        X, y = self._complete(block, file.name)
        y = None if task is Task.ONE_CLASS or y is None else as_target(y, task)
        if X.shape[1] == 0:
            raise FileError("there are no features to learn from", file.name)
        terminal.line(f"{file.name}: {_describe(X)}")
        terminal.line(_describe_task(task, reason, y, block.target))

        pipeline = self._pipeline(X, task, y, file.name)
        if self.auto:
            pipeline = search(pipeline, X, y, task, self.folds or 5, terminal)
        if self.folds and y is not None and not self.quiet:
            terminal.line(fold_scores(pipeline, X, y, task, self.folds))
        model = self._fit(pipeline, X, y)
        if not self.quiet:
            _report(model, X, y, terminal)
        output = self._output()
        save(model, output, notes=self._notes(block, task, file.name))
        size = Path(output).stat().st_size
        terminal.line(f"written to {terminal.marked(output, BOLD)}, {size:,} bytes")

    def _without_dropped(self, block: Block, name: str) -> Block:
        if not self.drop and not self.categorical:
            return block
        if not hasattr(block.X, "columns"):
            raise click.UsageError("--drop and --categorical are for tables, which name columns")
        missing = [c for c in (*self.drop, *self.categorical) if c not in block.X.columns]
        if missing:
            raise FileError(f"there is no column {missing[0]!r} among the features", name)
        return Block(block.X.drop(columns=list(self.drop)), block.y, target=block.target)

    def _task(self, block: Block, name: str) -> tuple[Task, str]:
        if self.task == Task.ONE_CLASS.value:
            return Task.ONE_CLASS, "as asked"
        if block.y is None:
            raise FileError("there is no target; --task one-class needs none", name)
        missing = [
            k for k, value in enumerate(block.y.tolist(), 1) if value is None or value != value
        ]
        if missing:
            raise FileError(f"the target has no value in row {missing[0]}; remove it", name)
        return (Task(self.task), "as asked") if self.task else detect_task(block.y)

    def _complete(self, block: Block, name: str) -> tuple[Any, NDArray[Any] | None]:
        if self.missing == "error":
            check_missing(block.X, 1, name, _REMEDY)
        if self.missing != "drop":
            return block.X, block.y
        X, y = without_missing(block.X, block.y)
        if X.shape[0] == 0:
            raise FileError("every row lacks a value; --missing fill keeps them", name)
        return X, y

    def _pipeline(self, X: Any, task: Task, y: NDArray[Any] | None, name: str) -> Any:
        table = hasattr(X, "columns")
        standardize = table if self.standardize is None else self.standardize
        steps = steps_for(X, fill=self.missing == "fill", standardize=standardize, name=name)
        machine = self._machine(task, y)
        return Pipeline([*steps, ("machine", machine)]) if steps else machine

    def _machine(self, task: Task, y: NDArray[Any] | None) -> Any:
        common: dict[str, Any] = {"time_limit": self.time_limit, "n_jobs": self.jobs}
        if self.tol is not None:
            common["tol"] = self.tol
        if not self.linear or task is Task.ONE_CLASS:
            common |= self._kernel()
        if self.weights and task is not Task.CLASSIFICATION:
            raise click.UsageError("--weight is for classes")
        if task is Task.CLASSIFICATION:
            C = 1.0 if self.penalty is None else self.penalty
            common |= {"C": C, "class_weight": _weights(self.weights, y)}
            return LinearSVC(loss="hinge", **common) if self.linear else SVC(**common)
        if task is Task.REGRESSION:
            spread = _spread(y)
            C = spread if self.penalty is None else self.penalty
            epsilon = spread / 10 if self.epsilon is None else self.epsilon
            return (LinearSVR if self.linear else SVR)(C=C, epsilon=epsilon, **common)
        return OneClassSVM(nu=self.nu, **common)

    def _kernel(self) -> dict[str, Any]:
        return {
            "kernel": "linear" if self.linear else self.kernel,
            "gamma": self.gamma if self.gamma in ("scale", "auto") else _number(self.gamma),
            "degree": self.degree,
            "coef0": self.coef0,
        }

    def _fit(self, pipeline: Any, X: Any, y: NDArray[Any] | None) -> Any:
        model = clone(pipeline)
        machine = model[-1] if isinstance(model, Pipeline) else model
        k = len(np.unique(y)) if y is not None and is_classifier(machine) else 2
        exact = isinstance(machine, LinearSVC | LinearSVR)
        n_parts = k if exact and k > 2 else k * (k - 1) // 2
        measure = "gap" if exact else "violation"
        with FitBar(machine.tol, n_parts, measure, show=not self.quiet) as bar:
            machine.callback = bar
            model.fit(X, y)
            machine.callback = None
        return model

    def _output(self) -> str:
        if self.output is not None:
            return self.output
        name = "model" if self.data == "-" else PurePath(self.data).name.partition(".")[0]
        return f"{name}.maxmargin"

    def _notes(self, block: Block, task: Task, name: str) -> dict[str, Any]:
        return {"data": name, "rows": block.n_rows, "target": block.target, "task": task.value}


def _report(model: Any, X: Any, y: NDArray[Any] | None, terminal: Terminal) -> None:
    machine = model[-1] if isinstance(model, Pipeline) else model
    gap, seconds = machine.certificate_.gap, machine.fit_report_["seconds"]
    given = [f"{name} {getattr(machine, name):.4g}" for name in _SHOWN if hasattr(machine, name)]
    name = type(machine).__name__
    how = machine.model_.kernel if hasattr(machine, "kernel") else f"loss {machine.loss}"
    terminal.line(
        f"{name}, {', '.join(given)}, {how}: {len(machine.support_)} support vectors; "
        f"{machine.status_.name}, relative gap {gap:.1e}, {seconds:.2g} s"
    )
    if y is not None:
        measure = "accuracy" if is_classifier(machine) else "R2"
        terminal.line(f"{measure} on the training rows {model.score(X, y):.4g}")


def _describe(X: Any) -> str:
    if not hasattr(X, "columns"):
        return f"{X.shape[0]:,} rows, {X.shape[1]:,} features"
    texts = sum(kind != np.float64 for kind in X.dtypes)
    return f"{X.shape[0]:,} rows; columns: {X.shape[1] - texts} of numbers, {texts} of text"


def _describe_task(task: Task, reason: str, y: NDArray[Any] | None, target: str | None) -> str:
    if task is Task.ONE_CLASS or y is None:
        return "one-class: where the rows lie"
    name = f"target {target}: " if target else ""
    if task is Task.REGRESSION:
        return f"{name}regression, as {reason} (--task changes it)"
    classes, counts = np.unique(y, return_counts=True)
    shown = ", ".join(f"{c}: {n}" for c, n in zip(classes[:8], counts[:8], strict=True))
    more = ", ..." if len(classes) > 8 else ""
    return (
        f"{name}classification, as {reason} (--task changes it); {len(classes)} classes "
        f"({shown}{more})"
    )


def _weights(given: Sequence[str], y: NDArray[Any] | None) -> Any:
    if not given:
        return None
    if list(given) == ["balanced"]:
        return "balanced"
    classes = {str(value): value for value in np.unique(y).tolist()} if y is not None else {}
    weights = {}
    for entry in given:
        name, _, number = entry.rpartition("=")
        if name not in classes:
            raise click.UsageError(
                f"--weight {entry} names no class; write CLASS=NUMBER with one of "
                f"{', '.join(list(classes)[:10])}"
            )
        weights[classes[name]] = _number(number)
    return weights


def _spread(y: NDArray[Any] | None) -> float:
    """Return the deviation of a target, from its quartiles so that outliers do not count."""
    low, high = np.percentile(y, [25, 75]) if y is not None else (0.0, 0.0)
    return float(high - low) / 1.349 or 1.0


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise click.UsageError(f"{text!r} is not a number") from error


def _nowhere() -> Any:
    import io

    return io.StringIO()
