"""The verb `export`: a model for other programs."""

from __future__ import annotations

import sys
from pathlib import PurePath
from typing import Any

import click

from maxmargin.cli.inputs import (
    data_file,
    dialect_options,
    format_option,
    model_argument,
    quiet_option,
    rows_for,
    target_option,
    target_texts,
)
from maxmargin.cli.model_text import ranges_path, scaling_of, write_text
from maxmargin.cli.modelfile import ModelFormat, model_format_of_name, read_model
from maxmargin.cli.outputs import Content, check_output, force_option
from maxmargin.data.files import Dialect, FileError, Format
from maxmargin.export import ExportError, to_c, to_onnx

_KINDS = [entry.value for entry in ModelFormat if entry is not ModelFormat.MAXMARGIN]


@click.command()
@model_argument
@click.argument("output", metavar="OUT")
@click.option(
    "--to",
    type=click.Choice(_KINDS),
    help="Format of OUT. Default: by its name, which ends in .onnx, .c, .h, .libsvm, .liblinear, "
    ".model or .txt.",
)
@click.option(
    "--dtype",
    type=click.Choice(["float32", "float64"]),
    help="Precision of the exported model. Default: float32 for ONNX, float64 for C.",
)
@click.option("--name", metavar="NAME", help="What the names in C begin with. Default: OUT's name.")
@click.option(
    "--compress",
    type=click.IntRange(min=1),
    metavar="N",
    help="Fit N vectors in the place of the support vectors, and say what that costs.",
)
@click.option("--data", metavar="DATA", help="Rows to measure the cost of --compress on.")
@target_option("Target column of DATA. Default: the model's, if it is there.")
@format_option
@dialect_options
@force_option
@quiet_option
def export(
    model: str,
    output: str,
    to: str | None,
    dtype: str | None,
    name: str | None,
    compress: int | None,
    data: str | None,
    target: str | None,
    format: Format | None,  # noqa: A002
    dialect: Dialect,
    force: bool,
    quiet: bool,
) -> None:
    """Write MODEL for programs without maxmargin: OUT is ONNX, C, or LIBSVM's or LIBLINEAR's text.

    ONNX has the whole pipeline, with the columns of the table as inputs. C is one file and its
    header, without malloc, for the machine and the scaling before it. The sizes are told. A smaller
    set of vectors (--compress) is an approximation: how far decision values can move is told, and
    with --data what becomes of labels and accuracy there.

    \b
    maxmargin export iris.maxmargin iris.onnx --dtype float64
    maxmargin export iris.maxmargin iris.c --dtype float32
    maxmargin export iris.maxmargin small.c --compress 20 --data iris.csv
    maxmargin export iris.maxmargin iris.model
    """
    if data is None and target is not None:
        raise click.UsageError("--target is for --data")
    if data is not None and compress is None:
        raise click.UsageError("--data is for --compress: it measures what that costs")
    estimator, notes = read_model(model)
    kind = ModelFormat(to) if to else _kind_of(estimator, output)
    options = {"dtype": dtype, "name": name, "compress": compress}
    check_export(output, kind, [model, data], options, force=force)
    if data is not None:
        rows = _rows(estimator, notes, data, target, format, dialect)
        options |= dict(zip(("X", "y"), rows, strict=True))
    said = export_model(estimator, output, kind, model, options, force=force)
    if not quiet:
        for line in said:
            print(line, file=sys.stderr)


def _kind_of(estimator: Any, output: str) -> ModelFormat:
    kind = model_format_of_name(output, estimator)
    if kind is None or kind is ModelFormat.MAXMARGIN:
        raise click.UsageError(
            f"the name {output} tells no format; give --to ({', '.join(_KINDS)})"
        )
    return kind


def check_export(
    output: str, kind: ModelFormat, inputs: list[str | None], options: Any, *, force: bool
) -> None:
    """Refuse options that a format has no use for, and places that cannot be written.

    Parameters
    ----------
    output : str
        Where to.
    kind : ModelFormat
        The format.
    inputs : list of str or None
        What is read.
    options : dict
        Options of the verb that were given, or None.
    force : bool
        Whether to replace something of another kind.

    Examples
    --------
    >>> check_export("model.txt", ModelFormat.LIBSVM, [], {"name": None}, force=False)
    """
    used = {ModelFormat.ONNX: {"dtype", "compress"}, ModelFormat.C: {"dtype", "name", "compress"}}
    for option, value in options.items():
        if value is not None and option not in used.get(kind, set()):
            raise click.UsageError(f"--{option} has no use for {kind.value}")
    if kind is ModelFormat.C:
        if PurePath(output).suffix not in (".c", ".h"):
            raise click.UsageError("C is two files; give OUT a name that ends in .c")
        for suffix in (".c", ".h"):
            place = str(PurePath(output).with_suffix(suffix))
            check_output(place, Content.SOURCE, inputs, force=force)
        return
    if kind is ModelFormat.ONNX and output == "-":
        raise click.UsageError("a graph goes to a file; give OUT a name")
    content = Content.GRAPH if kind is ModelFormat.ONNX else Content.MODEL
    check_output(output, content, inputs, force=force)


def export_model(
    estimator: Any, output: str, kind: ModelFormat, source: str, options: Any, *, force: bool
) -> list[str]:
    """Write a model in another format; return what to say.

    Parameters
    ----------
    estimator : estimator
        The machine, or a pipeline that ends with it.
    output : str
        Where to, already checked.
    kind : ModelFormat
        The format.
    source : str
        The name of the model file, for errors.
    options : dict
        Options of `to_onnx` and `to_c`, or None where they have their defaults.
    force : bool
        Whether to replace something of another kind.

    Examples
    --------
    >>> import os
    >>> from maxmargin import SVC
    >>> machine = SVC().fit([[0.0], [1.0]], ["no", "yes"])
    >>> export_model(machine, os.devnull, ModelFormat.LIBSVM, "here", {}, force=False)
    ['class 0 is no', 'class 1 is yes']
    """
    given = {name: value for name, value in options.items() if value is not None}
    if kind in (ModelFormat.ONNX, ModelFormat.C):
        write = to_c if kind is ModelFormat.C else to_onnx
        try:
            return str(write(estimator, output, **given)).splitlines()
        except ExportError as error:
            raise FileError(str(error), source) from error
    scaling = scaling_of(estimator, source)
    if scaling is not None:
        if output == "-":
            raise click.UsageError("the scaling goes to a file of its own; give OUT a name")
        check_output(ranges_path(output), Content.RANGES, [source], force=force)
    return write_text(estimator, output, kind, scaling)


def _rows(
    estimator: Any,
    notes: dict[str, Any],
    data: str,
    target: str | None,
    format: Format | None,  # noqa: A002
    dialect: Dialect,
) -> tuple[Any, Any]:
    """Read rows as the model takes them, and their targets where it knows them."""
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
    return rows_for(estimator, block, file.name, dialect), block.y
