"""The verb `explain`: why a model says what it says of rows of data."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from maxmargin.cli.inputs import (
    data_argument,
    data_file,
    dialect_options,
    format_option,
    model_argument,
    rows_for,
    target_texts,
)
from maxmargin.cli.modelfile import read_model
from maxmargin.cli.outputs import Content, check_output, force_option
from maxmargin.data.files import Dialect, FileError, Format
from maxmargin.models import Explanation, KernelModel

#: Rows of a background: more change little, and each costs as much as the first.
_BACKGROUND = 100


@click.command()
@model_argument
@data_argument
@click.option(
    "--row",
    "rows",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="N",
    help="Row of DATA, counted from 1; may be given several times. Default: the first.",
)
@click.option(
    "--background",
    is_flag=True,
    help=f"Features that are not known are as in DATA ({_BACKGROUND} rows of it at most), and not "
    "removed.",
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="Features and training rows to show.",
)
@click.option(
    "--plot", "picture", metavar="PICTURE", help="Draw the features of the first row asked for."
)
@click.option("-t", "--target", metavar="COLUMN", help="Target column. Default: the model's.")
@format_option
@dialect_options
@force_option
def explain(
    model: str,
    data: str,
    rows: tuple[int, ...],
    background: bool,
    top: int,
    picture: str | None,
    target: str | None,
    format: Format | None,  # noqa: A002
    dialect: Dialect,
    force: bool,
) -> None:
    """Say why MODEL says what it says of rows of DATA.

    The decision value of a row is taken apart twice: by features (Shapley values; with "+-" one
    standard error where they are sampled) and by the training rows that pull at it. Of more than
    two classes it is the score of the predicted one. Features are those that the machine sees,
    after scaling and one for each category.

    \b
    maxmargin explain iris.maxmargin iris.csv --row 51
    maxmargin explain iris.maxmargin iris.csv --row 51 --row 101 --background --plot why.png
    """
    if picture is not None:
        check_output(picture, Content.PICTURE, [model, data], force=force)
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
    X = rows_for(estimator, file.read(), file.name, dialect)
    asked = rows or (1,)
    if max(asked) > X.shape[0]:
        raise FileError(f"there is no row {max(asked)}: there are {X.shape[0]}", file.name)
    found = _explained(estimator, X, [row - 1 for row in asked], background)
    for place, row in enumerate(asked):
        click.echo(("\n" if place else "") + "\n".join(_lines(found, place, row, top)))
    if picture is not None:
        from maxmargin.plots import ExplanationDisplay

        click.echo(ExplanationDisplay(found, n_shown=top).save(picture))


def _explained(estimator: Any, X: Any, rows: list[int], background: bool) -> Explanation:
    """Return the explanation of the decision value, or of the predicted class's score."""
    from maxmargin.explain import explain as explain_rows

    def take(places: Any) -> Any:
        return X.iloc[places] if hasattr(X, "iloc") else X[places]

    spread = np.unique(np.linspace(0, X.shape[0] - 1, _BACKGROUND).astype(np.int64))
    found = explain_rows(estimator, take(rows), background=take(spread) if background else None)
    return found.of() if len(found.outputs) > 1 else found


def _lines(found: Explanation, place: int, row: int, top: int) -> list[str]:
    """Return the text about one row."""
    value, base = found.decision[place, 0], found.base[place, 0]
    classes, said = found.model.classes, found.outputs[0]
    lines = [f"row {row}: {said} {value:.6g}"]
    if classes is not None:
        # Rounding and ties are those of `predict`.
        label = found.model.predict(found.rows[place : place + 1])[0]
        toward = label if found.mix is not None else said
        lines = [f"row {row}: {label}, decision value {value:.6g} (positive for {toward})"]
    if found.features is not None:
        frame = found.feature_frame(place)
        lines += [
            "",
            f"  {'feature':<28} {'value':>12} {'adds':>12}",
            f"  {'base':<41} {base:>12.5g}",
        ]
        for k, part in enumerate(frame["part"][:top]):
            error = f" +- {frame['error'][k]:.2g}" if found.method == "sampled" else ""
            name = str(frame["feature"][k])[:28]
            lines.append(f"  {name:<28} {frame['value'][k]:>12.5g} {part:>12.5g}{error}")
        if len(frame["part"]) > top:
            others = f"{len(frame['part']) - top} others"
            lines.append(f"  {others:<41} {frame['part'][top:].sum():>12.5g}")
    if isinstance(found.model, KernelModel):
        frame = found.support_frame(place)
        lines += ["", f"  {'training row':<14} {'label':<14} {'distance':>11} {'pulls':>12}"]
        for k, pull in enumerate(frame["pull"][:top]):
            label = str(frame["label"][k])[:14] if "label" in frame else ""
            away = f"{frame['distance'][k]:.5g}" if "distance" in frame else ""
            lines.append(f"  {frame['index'][k] + 1:<14} {label:<14} {away:>11} {pull:>12.5g}")
        if len(frame["pull"]) > top:
            others = f"{len(frame['pull']) - top} others"
            lines.append(f"  {others:<41} {frame['pull'][top:].sum():>12.5g}")
    return lines
