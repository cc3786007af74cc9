"""The verb `predict`: a model and new data to predictions, block by block."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain, combinations
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from maxmargin.cli.cluster import cluster_option
from maxmargin.cli.inputs import (
    TABLES,
    data_argument,
    data_file,
    dialect_options,
    format_option,
    given_format,
    id_option,
    model_argument,
    no_target_option,
    quiet_option,
    rows_for,
    target_option,
    target_texts,
)
from maxmargin.cli.judge import Judge, show_classes
from maxmargin.cli.modelfile import read_model
from maxmargin.cli.outputs import Content, check_output, force_option
from maxmargin.cli.terminal import Terminal, counted
from maxmargin.data.files import Block, DataFile, Dialect, Format
from maxmargin.data.files.format import format_of_name
from maxmargin.data.files.sink import open_sink
from maxmargin.data.files.table import write_frames


@click.command()
@model_argument
@data_argument
@click.option(
    "-o",
    "--output",
    default="-",
    metavar="OUT",
    help="Output file: lines, or a table if it ends in .csv, .tsv or .parquet. Default: -, "
    "standard output.",
)
@click.option("--scores", is_flag=True, help="Add the decision values; the output is a table.")
@click.option(
    "--probability",
    is_flag=True,
    help="Add the probability of each class, of models of train --probability.",
)
@target_option("Target column to score by. Default: the model's, if it is there.")
@no_target_option
@id_option
@click.option("--report", is_flag=True, help="Show the confusion matrix also of over 10 classes.")
@format_option
@dialect_options
@cluster_option
@force_option
@quiet_option
def predict(
    model: str,
    data: str,
    output: str,
    scores: bool,
    probability: bool,
    target: str | None,
    no_target: bool,
    row_id: str | None,
    report: bool,
    format: Format | None,  # noqa: A002
    dialect: Dialect,
    cluster: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Predict the rows of DATA with MODEL, one prediction per line.

    MODEL is a file written by train, or a model of LIBSVM or LIBLINEAR. DATA is read in blocks, so
    that it may be larger than memory. If it has the target, the score goes to standard error, with
    the confusion matrix and each class's precision, recall and F1. A column that names the rows
    (--id, or as the model was trained) comes first in the output, which is then a table, as CSV
    unless its name says otherwise.

    \b
    maxmargin predict iris.maxmargin new.csv -o classes.txt
    maxmargin predict iris.maxmargin new.csv -o classes.parquet
    maxmargin predict iris.maxmargin new.csv --scores | sort -t, -k2
    maxmargin predict --cluster local:2 ads.maxmargin 'part-*.parquet' -o ads/
    """
    if target is not None and no_target:
        raise click.UsageError("--target and --no-target exclude each other")
    if cluster is None:
        check_place(output, model, data, force)
    estimator, notes = read_model(model)
    if scores and not hasattr(estimator, "decision_function"):
        raise click.UsageError("--scores is for classes and outliers; this model predicts numbers")
    if probability and not hasattr(estimator, "predict_proba"):
        raise click.UsageError("this model has no probabilities; train it with --probability")
    name = None if no_target else target or notes.get("target")
    given = [("--target", target), ("--no-target", no_target), ("--id", row_id)]
    columns = {
        "target": name,
        "need_target": target is not None,
        "texts": target_texts(estimator, name),
        "id": row_id or notes.get("id"),
        "need_id": row_id is not None,
    }
    judge = Judge(estimator)
    if cluster is None:
        file = data_file(data, format, dialect, given, **columns)
        with open_sink(output) as stream:
            write_predictions(
                _predicted(estimator, file, scores, probability, judge),
                stream,
                format_of_name(output),
            )
    else:
        from maxmargin.cli.cluster_prediction import ClusterPrediction

        kind = given_format(data, format, dialect)
        ClusterPrediction(estimator, judge, scores, probability, quiet).run_on(
            cluster, data, output, {"format": kind, "dialect": dialect, **columns}, given,
            lambda place: check_place(place, model, None, force),
        )  # fmt: skip
    if not quiet:
        print(f"{counted(judge.n_rows, 'row')} predicted; {judge}", file=sys.stderr)
        show_classes(judge.score, Terminal.of(sys.stderr), report)


def check_place(output: str, model: str, data: str | None, force: bool) -> None:
    """Refuse a place for predictions, by its kind or by what is there.

    Parameters
    ----------
    output : str
        The file to write; "-" for standard output.
    model, data : str
        The files that are read.
    force : bool
        Whether to replace something of another kind.

    Examples
    --------
    >>> check_place("out.npz", "model", "data", False)
    Traceback (most recent call last):
    click.exceptions.UsageError: predictions are lines, CSV, TSV or Parquet, not npz
    """
    kind = format_of_name(output)
    if kind not in (None, *TABLES):
        raise click.UsageError(f"predictions are lines, CSV, TSV or Parquet, not {kind.value}")
    check_output(output, Content.PREDICTIONS, [model, data], force=force)


def _predicted(
    estimator: Any, file: DataFile, scores: bool, probability: bool, judge: Judge
) -> Iterator[Any]:
    """Predictions as tables, block by block."""
    for block in file.blocks():
        X = rows_for(estimator, block, file.name, file.dialect)
        frame = predictions(estimator, X, block, scores, probability)
        judge.add(block, frame["prediction"].to_numpy())
        yield frame


def predictions(estimator: Any, X: Any, block: Block, scores: bool, probability: bool) -> Any:
    """Return predictions as a table, with what names the rows and what else was asked for.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    X : rows
        Of the block, as the estimator takes them.
    block : Block
        The rows as they were read.
    scores, probability : bool
        Whether decision values and probabilities are wanted.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X = np.array([[0.0], [1.0]])
    >>> model = SVC().fit(X, ["no", "yes"])
    >>> predictions(model, X, Block(X, None), False, False)["prediction"].tolist()
    ['no', 'yes']
    """
    import pandas as pd

    columns: dict[str, Any] = {}
    if block.ids is not None:
        columns[str(block.id)] = pd.Series(block.ids, dtype="string")
    columns["prediction"] = estimator.predict(X)
    if scores:
        values = np.asarray(estimator.decision_function(X))
        columns |= _scores(values.reshape(len(values), -1), estimator)
    if probability:
        for label, column in zip(estimator.classes_, estimator.predict_proba(X).T, strict=True):
            columns[f"probability {label}"] = column
    return pd.DataFrame(columns)


def _scores(values: NDArray[np.float64], estimator: Any) -> dict[str, NDArray[np.float64]]:
    """Decision values by the names of their columns: of classes, or of pairs of them."""
    classes = [str(label) for label in getattr(estimator, "classes_", ())]
    if values.shape[1] == 1:
        return {"score": values[:, 0]}
    pairs = [f"{one} or {other}" for one, other in combinations(classes, 2)]
    names = classes if len(classes) == values.shape[1] else pairs
    return {f"score {name}": column for name, column in zip(names, values.T, strict=True)}


def write_predictions(frames: Iterator[Any], stream: Any, kind: Format | None) -> None:
    r"""Write lines, or a table where there is more than predictions or the name says so.

    Parameters
    ----------
    frames : iterator of DataFrame
        Predictions, some at a time.
    stream : binary stream
        Where to.
    kind : Format or None
        That of the name.

    Examples
    --------
    >>> import io
    >>> import pandas as pd
    >>> stream = io.BytesIO()
    >>> write_predictions(iter([pd.DataFrame({"prediction": [1, 2]})]), stream, None)
    >>> stream.getvalue()
    b'1\n2\n'
    """
    first = next(frames)
    frames = chain([first], frames)
    if kind is not None or first.shape[1] > 1:
        write_frames(frames, stream, kind or Format.CSV)
        return
    for frame in frames:
        values = frame["prediction"].tolist()
        words = [value if isinstance(value, str) else repr(value) for value in values]
        stream.write("".join(f"{word}\n" for word in words).encode())
