"""The verb `convert`: data from format to format, and models from format to format."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from maxmargin.cli.export import check_export, export_model
from maxmargin.cli.inputs import (
    data_file,
    dialect_options,
    format_option,
    id_option,
    names_option,
    no_target_option,
    plain_target,
    quiet_option,
    target_option,
    without_columns,
)
from maxmargin.cli.modelfile import (
    ModelFormat,
    model_format,
    model_format_of_name,
    read_model,
    write_model,
)
from maxmargin.cli.outputs import Content, check_output, force_option
from maxmargin.data.files import Block, Dialect, FileError, Format, write_data
from maxmargin.data.files.dialect import PLAIN
from maxmargin.data.files.format import format_of_name

_MODELS = [entry.value for entry in ModelFormat]


@click.command()
@click.argument("source", metavar="IN")
@click.argument("output", metavar="OUT")
@click.option(
    "--to",
    type=click.Choice([*(entry.value for entry in Format), *_MODELS]),
    help="Format of OUT. Default: by its name.",
)
@target_option("Target column of a table: a name, or a number from 1 (-1: the last).")
@no_target_option
@id_option
@names_option("--classes", "Number the classes of a text target in this order, from 0.")
@names_option("--drop", "Columns of a table to leave out.")
@format_option
@dialect_options
@force_option
@quiet_option
def convert(
    source: str, output: str, to: str | None, force: bool, quiet: bool, **options: Any
) -> None:
    """Convert data, or a model, from IN to OUT.

    Data: LIBSVM text, CSV, TSV, Parquet, NPZ; names that end in .gz, .bz2 or .xz are compressed; -
    is standard input or output. LIBSVM text and NPZ have the target apart: --target names it, and
    it need not be named where the last column is text or is called target, label, class or y.
    Models: maxmargin's own format, the text formats of LIBSVM and LIBLINEAR (.libsvm, .liblinear,
    or .model and .txt for whichever fits), ONNX (.onnx) and C (.c, and .h beside it); export has
    options for these. The scaling of a model that was trained on a table is written beside a text,
    for svm-scale, as OUT.range.

    \b
    maxmargin convert a9a.txt a9a.parquet
    maxmargin convert iris.csv - --to libsvm --classes setosa,versicolor,virginica
    maxmargin convert new.csv new.libsvm --no-target
    maxmargin convert iris.maxmargin iris.model
    maxmargin convert iris.maxmargin iris.onnx
    """
    if source != "-" and options["format"] is None and model_format(source) is not None:
        said = _convert_model(source, output, to, force, options)
    else:
        check_output(output, Content.DATA, [source], force=force)
        said = _convert_data(source, output, to, **options)
    if not quiet:
        written = [] if output == "-" else [f"written to {output}"]
        for line in [*said, *written]:
            print(line, file=sys.stderr)


def _convert_model(
    source: str, output: str, to: str | None, force: bool, options: dict[str, Any]
) -> list[str]:
    given = [name for name, value in options.items() if value and value != PLAIN]
    if given:
        name = {"row_id": "id", "dialect": "delimiter"}.get(given[0], given[0]).replace("_", "-")
        raise click.UsageError(f"IN is a model, and --{name} is for data")
    if to is not None and to not in _MODELS:
        raise click.UsageError(f"IN is a model, and --to {to} is a format of data")
    model, notes = read_model(source)
    kind = ModelFormat(to) if to else model_format_of_name(output, model)
    if kind is None:
        raise click.UsageError(
            f"IN is a model, and the name {output} tells no format of models; give --to "
            f"({', '.join(_MODELS)})"
        )
    if kind is ModelFormat.MAXMARGIN:
        check_output(output, Content.MODEL, [source], force=force)
        write_model(model, output, kind, notes)
        return []
    check_export(output, kind, [source], {}, force=force)
    return export_model(model, output, kind, source, {}, force=force)


def _convert_data(
    source: str,
    output: str,
    to: str | None,
    target: str | None,
    no_target: bool,
    row_id: str | None,
    classes: Sequence[str],
    drop: Sequence[str],
    format: Format | None,  # noqa: A002
    dialect: Dialect,
) -> list[str]:
    if to in _MODELS:
        raise FileError(f"this is not a model file, so it cannot become one ({to})", source)
    if output == "-" and to is None:
        raise click.UsageError("standard output has no name to tell the format; give --to")
    if target is not None and no_target:
        raise click.UsageError("--target and --no-target exclude each other")
    given = [
        ("--target", target),
        ("--no-target", no_target),
        ("--id", row_id),
        ("--classes", classes),
        ("--drop", drop),
    ]
    file = data_file(source, format, dialect, given, target=target, id=row_id)
    found = Format(to) if to else format_of_name(output)
    block = without_columns(file.read(), drop, file.name)
    apart = found in (Format.LIBSVM, Format.NPZ) or len(classes) > 0
    if hasattr(block.X, "columns") and apart and target is None and not no_target:
        name = plain_target(block.X, file.name)
        y = block.X[name].to_numpy()
        block = replace(block, X=block.X.drop(columns=name), y=y, target=name)
    if classes:
        block = replace(block, y=_numbers(block, classes, file.name))
    write_data(output, [block], found)
    return [f"class {k} is {name}" for k, name in enumerate(classes)]


def _numbers(block: Block, classes: Sequence[str], name: str) -> NDArray[np.int64]:
    """Places of the labels among the classes."""
    if block.y is None:
        raise click.UsageError("--classes needs a target")
    places = {label: k for k, label in enumerate(classes)}
    labels = [str(label) for label in block.y.tolist()]
    strange = [row for row, label in enumerate(labels) if label not in places]
    if strange:
        row = strange[0]
        raise FileError(
            f"the target is {labels[row]!r} in row {row + 1}, which is none of the classes", name
        )
    return np.array([places[label] for label in labels])
