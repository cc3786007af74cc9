"""The verb `lab`: data on a page that solves in the browser."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.cli.columns import as_floats, check_finite, check_missing
from maxmargin.cli.inputs import (
    data_file,
    dialect_options,
    feature_place,
    format_option,
    id_option,
    names_option,
    no_target_option,
    target_option,
)
from maxmargin.cli.outputs import Content, check_output, force_option
from maxmargin.cli.task import Task, detect_task
from maxmargin.cli.terminal import counted
from maxmargin.data.files import Block, Dialect, FileError, Format
from maxmargin.data.files.table import is_text
from maxmargin.lab import LabPage, LabState, Plane, plane_of

_REMEDY = "leave such rows out"


@click.command()
@click.argument("data", metavar="[DATA]", required=False)
@click.option(
    "-o",
    "--output",
    metavar="PAGE",
    help="The page. Default: DATA's name with .html, in the current folder.",
)
@names_option(
    "--features",
    "Columns to draw, by name or number: two, or one of a regression. Of more, and by default of "
    "all, the first principal components.",
)
@target_option("Target column, by name or by number from 1. Default: the last.")
@no_target_option
@id_option
@click.option(
    "--task",
    type=click.Choice([task.value for task in Task]),
    help="What to learn. Default: classes if the target is text or has at most 50 whole numbers.",
)
@click.option("--open/--no-open", "opens", default=True, help="Whether to open it in the browser.")
@format_option
@dialect_options
@force_option
def lab(
    data: str | None,
    output: str | None,
    features: tuple[str, ...],
    target: str | None,
    no_target: bool,
    row_id: str | None,
    task: str | None,
    opens: bool,
    format: Format | None,  # noqa: A002
    dialect: Dialect,
    force: bool,
) -> None:
    """Open the lab, with the rows of DATA in it: points to drag, margins, paths, solvers at work.

    It is one file that needs no server and no network: it can be mailed, and opens in any browser.
    The page draws two features, or one of a regression, and takes up to 20,000 rows; of more rows
    it gets a sample.

    \b
    maxmargin lab
    maxmargin lab iris.csv --features "petal length,petal width" -o iris.html
    """
    page = LabPage.built()
    if data is None:
        _refuse_options(features, target, no_target, row_id, task)
        path = LabPage().save(_checked(output, [], force)) if output or page is None else page
    else:
        name = output or f"{PurePath('data' if data == '-' else data).name.partition('.')[0]}.html"
        _checked(name, [data], force)
        LabPage().html()  # whether there is a page at all, before the data are read
        given = [("--target", target), ("--no-target", no_target), ("--id", row_id)]
        wanted = None if no_target else target or "-1"
        file = data_file(data, format, dialect, given, target=wanted, id=row_id)
        table = _Table(file.read(), file.name, None if task is None else Task(task))
        path = LabPage(table.state(features)).save(name)
    click.echo(path)
    if opens and not LabPage.open(path):
        click.echo("no browser was found; open the file in one", err=True)


def _refuse_options(*given: Any) -> None:
    if any(given):
        raise click.UsageError("options that speak of columns need DATA")


def _checked(path: str | None, inputs: list[str], force: bool) -> str:
    place = path or "lab.html"
    check_output(place, Content.PAGE, inputs, force=force)
    return place


@dataclass(frozen=True, eq=False)
class _Table:
    """Rows of a file, on their way to the page."""

    block: Block
    name: str
    asked: Task | None

    def state(self, features: tuple[str, ...]) -> LabState:
        task = self._task()
        rows = self._sample(task)
        view, y, classes = self._targets(task, rows)
        X, names = self._columns(features)
        plane = plane_of(X[rows], names, 1 if task is Task.REGRESSION else 2)
        if plane.note:
            click.echo(f"{self.name}: {plane.note}", err=True)
        return LabState(
            name=PurePath(self.name).name,
            points=plane.points,
            y=y,
            features=plane.features,
            classes=classes,
            view=view,
            parameters=_first_machine(task, plane),
        )

    def _task(self) -> Task:
        if self.asked is not None and (self.asked is Task.ONE_CLASS or self.block.y is not None):
            return self.asked
        if self.asked is not None:
            raise FileError(f"there is no target, which {self.asked.value} needs", self.name)
        return Task.ONE_CLASS if self.block.y is None else detect_task(self.block.y)[0]

    def _sample(self, task: Task) -> NDArray[np.int64]:
        """Return which rows the page gets; of too many a sample, of each class its share."""
        n, most = self.block.n_rows, LabState.MOST_ROWS
        if n <= most:
            return np.arange(n)
        click.echo(
            f"{self.name}: {counted(n, 'row')}, of which the page has a sample of {most:,}",
            err=True,
        )
        order = np.random.default_rng(0).permutation(n)
        if task is Task.CLASSIFICATION:
            order = order[np.argsort(np.asarray(self.block.y)[order], kind="stable")]
            order = order[np.linspace(0, n - 1, most).round().astype(np.int64)]
        return np.sort(order[:most])

    def _columns(self, features: tuple[str, ...]) -> tuple[NDArray[np.float64], list[str]]:
        """Return the columns of numbers, and their names; of those that are chosen all are."""
        X = self.block.X
        if not hasattr(X, "columns"):
            dense = X.toarray() if sparse.issparse(X) else np.asarray(X, np.float64)
            names = [str(k + 1) for k in range(dense.shape[1])]
            places = [int(name) - 1 for name in self._chosen(features, names)]
            return (dense[:, places], list(features)) if features else (dense, names)
        texts = [str(c) for c, kind in X.dtypes.items() if is_text(kind)]
        wrong = [name for name in features if name in texts]
        if wrong:
            raise FileError(f"column {wrong[0]!r} is text, which cannot be drawn", self.name)
        X = X.drop(columns=texts)
        if features:
            X = X[self._chosen(features, list(X.columns))]
        elif texts:
            click.echo(f"{self.name}: text is left out: {', '.join(texts)}", err=True)
        X = as_floats(X)
        check_missing(X, self.block.first, self.name, _REMEDY)
        check_finite(X, self.block.first, self.name, _REMEDY)
        return X.to_numpy(np.float64), [str(c) for c in X.columns]

    def _chosen(self, features: tuple[str, ...], names: list[Any]) -> list[Any]:
        """Return the names of columns that are given by name or by number from 1."""
        chosen = [feature_place(name, names) for name in features]
        for place in chosen:
            if place not in names and not (isinstance(place, int) and 0 <= place < len(names)):
                raise FileError(
                    f"there is no column {place!r} of numbers; there are {names!r}", self.name
                )
        return [names[place] if isinstance(place, int) else place for place in chosen]

    def _targets(
        self, task: Task, rows: NDArray[np.int64]
    ) -> tuple[str, NDArray[np.float64], tuple[str, ...]]:
        if task is Task.ONE_CLASS:
            return "one-class", np.ones(len(rows)), ("data",)
        y = np.asarray(self.block.y)[rows]
        if task is Task.REGRESSION:
            try:
                numbers = y.astype(np.float64)
            except ValueError:
                raise FileError("the target is text, which is no regression", self.name) from None
            return "regression", numbers, (self.block.target or "target",)
        if y.dtype.kind == "f":
            y = y.astype(np.int64) if (y == np.round(y)).all() else y
        labels, codes = np.unique(y.astype(str) if y.dtype.kind == "O" else y, return_inverse=True)
        classes = tuple(map(str, labels))
        if len(classes) == 1:
            raise FileError(
                f"the target is {classes[0]!r} in all rows; give --task one-class, or another "
                "--target",
                self.name,
            )
        if len(classes) == 2:
            return "margins", np.where(codes == 1, 1.0, -1.0), classes
        return "multi-class", codes.astype(np.float64), classes


def _first_machine(task: Task, plane: Plane) -> dict[str, Any]:
    """Return what the page begins with: a Gaussian kernel as wide as SVC's own default."""
    low, high = LabState.RANGES["gamma"]
    variance = float(plane.points.var())
    gamma = 1 / (plane.points.shape[1] * variance) if variance > 0 else 1.0
    kernel = {"kernel": "rbf", "gamma": float(np.clip(gamma, low, high))}
    return {**kernel, "nu": 0.1} if task is Task.ONE_CLASS else {**kernel, "C": 1.0}
