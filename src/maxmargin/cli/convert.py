"""The verb `convert`: data from format to format, and models from format to format."""

from __future__ import annotations

import sys
from pathlib import PurePath

import click

from maxmargin.cli.inputs import format_option, names_option, quiet_option
from maxmargin.cli.modelfile import ModelFormat, model_format, read_model, write_model
from maxmargin.data.files import Block, DataFile, FileError, Format, write_data

_TO = [entry.value for kind in (Format, ModelFormat) for entry in kind]


@click.command()
@click.argument("source", metavar="IN")
@click.argument("output", metavar="OUT")
@click.option("--to", type=click.Choice(_TO), help="Format of OUT. Default: by its name.")
@click.option(
    "-t",
    "--target",
    default="-1",
    metavar="COLUMN",
    help="Target column of a table (-1: the last).",
)
@names_option("--drop", "Columns of a table to leave out.")
@format_option
@quiet_option
def convert(
    source: str,
    output: str,
    to: str | None,
    target: str,
    drop: tuple[str, ...],
    format: Format | None,  # noqa: A002
    quiet: bool,
) -> None:
    """Convert data, or a model, from IN to OUT.

    Data: LIBSVM text, CSV, TSV, Parquet, NPZ; names that end in .gz, .bz2 or .xz are compressed; -
    is standard input or output. Models: maxmargin's own format, and the text formats of LIBSVM and
    LIBLINEAR.

    \b
    maxmargin convert a9a.txt a9a.parquet
    maxmargin convert iris.csv - --to libsvm
    maxmargin convert model.maxmargin model.txt --to libsvm-model
    """
    kind = None if source == "-" or format else model_format(source)
    if kind is not None:
        _convert_model(source, output, to)
    else:
        _convert_data(DataFile(source, format, target), output, to, drop)
    if not quiet and output != "-":
        print(f"written to {output}", file=sys.stderr)


def _convert_model(source: str, output: str, to: str | None) -> None:
    if to is None and PurePath(output).suffix != ".maxmargin":
        raise click.UsageError(
            "IN is a model; give --to maxmargin, --to libsvm-model or --to liblinear-model"
        )
    if to is not None and to not in {entry.value for entry in ModelFormat}:
        raise click.UsageError(f"IN is a model, and --to {to} is a format of data")
    model, notes = read_model(source)
    write_model(model, output, ModelFormat(to or "maxmargin"), notes)


def _convert_data(file: DataFile, output: str, to: str | None, drop: tuple[str, ...]) -> None:
    if to is not None and to in {entry.value for entry in ModelFormat}:
        raise FileError(f"this is not a model file, so it cannot become one ({to})", file.name)
    if output == "-" and to is None:
        raise click.UsageError("standard output has no name to tell the format; give --to")
    block = file.read()
    if drop:
        if not hasattr(block.X, "columns"):
            raise click.UsageError("--drop is for tables, which name their columns")
        missing = [column for column in drop if column not in block.X.columns]
        if missing:
            raise FileError(f"there is no column {missing[0]!r} to drop", file.name)
        block = Block(block.X.drop(columns=list(drop)), block.y, target=block.target)
    write_data(output, [block], Format(to) if to else None)
