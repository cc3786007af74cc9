"""The verb `report`: one page of HTML about a model and data."""

from __future__ import annotations

from pathlib import PurePath

import click
from sklearn.base import is_outlier_detector

from maxmargin.cli.inputs import (
    data_argument,
    data_file,
    dialect_options,
    format_option,
    id_option,
    model_argument,
    quiet_option,
    rows_for,
    target_option,
    target_texts,
    targets_for,
)
from maxmargin.cli.modelfile import read_model
from maxmargin.cli.outputs import Content, check_output, force_option
from maxmargin.data.files import Dialect, FileError, Format
from maxmargin.data.files.sink import open_sink


@click.command()
@model_argument
@data_argument
@click.option(
    "-o",
    "--output",
    metavar="PAGE",
    help="The page; - is standard output. Default: MODEL's name with .html.",
)
@target_option("Target column. Default: the model's; a one-class model has none.")
@id_option
@click.option(
    "--training/--new",
    default=None,
    help="Say whether MODEL was trained on these rows. Default: found out where that is possible.",
)
@click.option("--title", metavar="TEXT", help="Title of the page. Default: the model in words.")
@format_option
@dialect_options
@force_option
@quiet_option
def report(
    model: str,
    data: str,
    output: str | None,
    target: str | None,
    row_id: str | None,
    training: bool | None,
    title: str | None,
    format: Format | None,  # noqa: A002
    dialect: Dialect,
    force: bool,
    quiet: bool,
) -> None:
    """Judge MODEL on the rows of DATA, and write one page of HTML about it.

    The page needs no other file and no network. It says in three sentences what the model is, how
    good it is and what to worry about; then scores with intervals, mistakes, curves, margins, the
    worst rows, importances, support vectors, the certificate, the data, parameters and times. The
    three sentences are printed, too. Needs the extra plot.

    \b
    maxmargin report iris.maxmargin held_out.csv
    maxmargin report iris.maxmargin iris.csv -o iris.html --training
    maxmargin report sensors.maxmargin sensors.csv --title "Sensors, today"
    """
    path = output or f"{PurePath(model).name.partition('.')[0]}.html"
    check_output(path, Content.PAGE, [model, data], force=force)
    from maxmargin.report import report_of

    estimator, notes = read_model(model)
    one_class = is_outlier_detector(estimator)
    name = target or (None if one_class else notes.get("target"))
    file = data_file(
        data,
        format,
        dialect,
        [("--target", target), ("--id", row_id)],
        target=name,
        need_target=target is not None,
        texts=target_texts(estimator, name),
        id=row_id or notes.get("id"),
        need_id=row_id is not None,
    )
    block = file.read()
    X = rows_for(estimator, block, file.name, dialect)
    y = None if one_class and target is None else targets_for(estimator, block, name, file.name)
    names = range(block.first, block.first + block.n_rows) if block.ids is None else block.ids
    try:
        made = report_of(
            estimator, X, y, training=training, names=names, title=title, source=file.name
        )
    except ValueError as error:
        raise FileError(str(error), file.name) from error
    if path == "-":
        with open_sink("-") as stream:
            stream.write(made.html().encode())
        return
    made.save(path)
    if not quiet:
        for sentence in made.summary:
            click.echo(sentence)
        click.echo(path)
