"""The verb `predict`: a model and new data to predictions, block by block."""

from __future__ import annotations

import sys
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from maxmargin.cli.inputs import (
    data_argument,
    format_option,
    model_argument,
    quiet_option,
    rows_for,
    text_columns,
)
from maxmargin.cli.modelfile import read_model
from maxmargin.cli.scores import ClassScore, NumberScore
from maxmargin.data.files import DataFile, Format
from maxmargin.data.files.sink import open_sink


@click.command()
@model_argument
@data_argument
@click.option(
    "-o", "--output", default="-", metavar="OUT", help="Output file (-: standard output)."
)
@click.option("--scores", is_flag=True, help="Add the decision values, as CSV with a header.")
@click.option(
    "-t", "--target", metavar="COLUMN", help="Target column to score by. Default: the model's."
)
@format_option
@quiet_option
def predict(
    model: str,
    data: str,
    output: str,
    scores: bool,
    target: str | None,
    format: Format | None,  # noqa: A002
    quiet: bool,
) -> None:
    """Predict the rows of DATA with MODEL, one prediction per line.

    MODEL is a file written by train, or a model of LIBSVM or LIBLINEAR. DATA is read in blocks, so
    that it may be larger than memory. If it has the target, the score goes to standard error.

    \b
    maxmargin predict iris.maxmargin new.csv -o classes.txt
    maxmargin predict iris.maxmargin new.csv --scores | sort -t, -k2
    """
    estimator, notes = read_model(model)
    name = target or notes.get("target")
    texts = text_columns(estimator) + ([name] if name and _of_words(estimator) else [])
    file = DataFile(data, format, name, need_target=target is not None, texts=texts)
    score = NumberScore() if not hasattr(estimator, "classes_") else ClassScore()
    n_rows, n_outside = 0, 0
    with open_sink(output) as stream:
        for block in file.blocks():
            X = rows_for(estimator, block, file.name)
            predicted = estimator.predict(X)
            stream.write(_text(estimator, X, predicted, scores, n_rows == 0))
            n_rows += block.n_rows
            if _is_one_class(estimator):
                n_outside += int((predicted < 0).sum())
            elif block.y is not None and _is_known(estimator, block.y):
                score.add(block.y, predicted)
    if not quiet:
        _say(estimator, score, n_rows, n_outside)


def _of_words(estimator: Any) -> bool:
    classes = getattr(estimator, "classes_", None)
    return classes is not None and classes.dtype.kind in "OU"


def _is_one_class(estimator: Any) -> bool:
    return not hasattr(estimator, "classes_") and hasattr(estimator, "score_samples")


def _is_known(estimator: Any, y: NDArray[Any]) -> bool:
    """Whether the target says something: a file without labels has 0 in their place."""
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return y.dtype.kind in "fiu"
    return (y.dtype.kind in "OU") == (classes.dtype.kind in "OU") and bool(
        np.isin(y, classes).any()
    )


def _text(estimator: Any, X: Any, predicted: NDArray[Any], scores: bool, first: bool) -> bytes:
    columns, header = [_words(predicted)], ["prediction"]
    if scores and hasattr(estimator, "decision_function"):
        values = np.asarray(estimator.decision_function(X))
        values = values.reshape(len(values), -1)
        columns += [_words(column) for column in values.T]
        names = getattr(estimator, "classes_", ())
        several = len(names) == values.shape[1] > 1
        header += [f"score {name}" for name in names] if several else ["score"] * values.shape[1]
    lines = [",".join(cells) for cells in zip(*columns, strict=True)]
    head = [",".join(header)] if scores and first else []
    return "".join(f"{line}\n" for line in [*head, *lines]).encode()


def _words(values: NDArray[Any]) -> list[str]:
    return [str(value) if isinstance(value, str) else f"{value!r}" for value in values.tolist()]


def _say(estimator: Any, score: ClassScore | NumberScore, n_rows: int, n_outside: int) -> None:
    said = str(score) if score.n > 0 else "no target to score by"
    if _is_one_class(estimator):
        said = f"{n_outside:,} outliers"
    print(f"{n_rows:,} rows predicted; {said}", file=sys.stderr)
