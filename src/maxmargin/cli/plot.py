"""The verb `plot`: a picture of a model and data."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePath
from typing import Any

import click
import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from maxmargin.cli.inputs import (
    data_argument,
    data_file,
    dialect_options,
    format_option,
    model_argument,
    names_option,
    rows_for,
    target_texts,
)
from maxmargin.cli.modelfile import read_model
from maxmargin.cli.outputs import Content, check_output, force_option
from maxmargin.cli.terminal import counted
from maxmargin.data.files import Dialect, FileError, Format
from maxmargin.data.files.sink import open_sink


@click.command()
@model_argument
@data_argument
@click.option(
    "-o",
    "--output",
    metavar="PICTURE",
    help="Picture: PNG, SVG or PDF, by its ending; - is standard output, as PNG. Default: MODEL's "
    "name with .png.",
)
@names_option("--features", "The two features to show. Default: both of two, else a plane.")
@click.option("-t", "--target", metavar="COLUMN", help="Target column. Default: the model's.")
@format_option
@dialect_options
@force_option
def plot(
    model: str,
    data: str,
    output: str | None,
    features: tuple[str, ...],
    target: str | None,
    format: Format | None,  # noqa: A002
    dialect: Dialect,
    force: bool,
) -> None:
    """Draw the decision regions, margin and support vectors of MODEL with the rows of DATA.

    Models of regression on one feature are drawn as a curve with its tube. Needs the extra plot.

    \b
    maxmargin plot iris.maxmargin iris.csv --features "sepal length,sepal width"
    """
    path = output or f"{PurePath(model).name.partition('.')[0]}.png"
    check_output(path, Content.PICTURE, [model, data], force=force)
    estimator, notes = read_model(model)
    name = target or notes.get("target")
    file = data_file(
        data,
        format,
        dialect,
        [("--target", target)],
        target=name,
        need_target=target is not None,
        texts=target_texts(estimator, name),
        id=notes.get("id"),
        need_id=False,
    )
    block = file.read()
    if block.y is None:
        raise FileError("there is no target to draw; give --target", file.name)
    X = rows_for(estimator, block, file.name, dialect)
    display = _display(estimator, X, block.y, features)
    if path != "-":
        click.echo(display.save(path))
        return
    with tempfile.TemporaryDirectory() as folder, open_sink("-") as stream:
        stream.write(display.save(Path(folder) / "picture.png").read_bytes())


def _display(estimator: Any, X: Any, y: Any, features: tuple[str, ...]) -> Any:
    from maxmargin.plots import BoundaryDisplay, RegressionDisplay

    rows = X.toarray() if sparse.issparse(X) else X
    machine = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    if hasattr(estimator, "classes_"):
        shown = [_place(feature) for feature in features] or None
        labels = y if y.dtype.kind in "OU" else np.asarray(y).astype(estimator.classes_.dtype)
        return BoundaryDisplay.from_estimator(estimator, rows, labels, features=shown)
    if rows.shape[1] != 1 or hasattr(machine, "offset_"):
        raise ValueError(
            "there is a picture for classifiers, and for regression on one feature; this model is "
            f"{type(machine).__name__} of {counted(rows.shape[1], 'feature')}"
        )
    values = np.asarray(rows, np.float64)
    return RegressionDisplay.from_estimators(values, y, {type(machine).__name__: estimator})


def _place(feature: str) -> int | str:
    return int(feature) - 1 if feature.isdigit() else feature
