"""The verb `plot`: a picture of a model and data."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePath
from typing import Any

import click
from scipy import sparse
from sklearn.base import is_outlier_detector

from maxmargin.cli.inputs import (
    data_argument,
    data_file,
    dialect_options,
    feature_place,
    format_option,
    model_argument,
    names_option,
    rows_for,
    target_texts,
    targets_for,
)
from maxmargin.cli.modelfile import read_model
from maxmargin.cli.outputs import Content, check_output, force_option
from maxmargin.data.files import Dialect, Format
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
@names_option(
    "--features",
    "Two features of a classifier, or one of a regression, by name or number; others are fixed.",
)
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
    """Draw MODEL and the rows of DATA.

    Classes of two features: regions, boundary, margin and support vectors. Of more features: each
    row at the model's own output. Regression on one feature: the curve and its tube, on more:
    targets against predictions. With --features the others are fixed at their medians (texts at
    the most frequent), and the picture says so. Needs the extra plot.

    \b
    maxmargin plot iris.maxmargin iris.csv
    maxmargin plot iris.maxmargin iris.csv --features "petal length,petal width"
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
    X = rows_for(estimator, block, file.name, dialect)
    y = None if is_outlier_detector(estimator) else targets_for(estimator, block, name, file.name)
    display = _display(estimator, X, y, features)
    if path != "-":
        click.echo(display.save(path))
        return
    with tempfile.TemporaryDirectory() as folder, open_sink("-") as stream:
        stream.write(display.save(Path(folder) / "picture.png").read_bytes())


def _display(estimator: Any, X: Any, y: Any, features: tuple[str, ...]) -> Any:
    from maxmargin.plots import picture_of

    rows = X.toarray() if sparse.issparse(X) else X
    names = list(getattr(rows, "columns", ()))
    shown = [feature_place(feature, names) for feature in features]
    return picture_of(estimator, rows, y, features=shown or None)
