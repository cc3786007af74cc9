"""The verb `scale`: bring the columns of a data file to one range, and remember how."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import click
import numpy as np
from scipy import sparse
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from maxmargin.cli.columns import as_floats, check_finite
from maxmargin.cli.inputs import (
    TABLES,
    data_argument,
    data_file,
    dialect_options,
    format_option,
    id_option,
    names_option,
    no_target_option,
    plain_target,
    quiet_option,
    rows_for,
    target_option,
    with_columns,
    without_columns,
)
from maxmargin.cli.modelfile import ModelFormat, write_model
from maxmargin.cli.outputs import Content, check_output, force_option
from maxmargin.cli.terminal import counted
from maxmargin.data.files import Block, DataFile, Dialect, FileError, Format, write_data
from maxmargin.data.files.table import is_text
from maxmargin.storage import load


@click.command()
@data_argument
@click.option(
    "-o", "--output", default="-", metavar="OUT", help="Output file (-: standard output)."
)
@click.option(
    "--range",
    "bounds",
    nargs=2,
    type=float,
    metavar="LOW HIGH",
    help="What the smallest and largest value of each column become. Default: -1 and 1.",
)
@click.option("--standard", is_flag=True, help="Mean 0 and standard deviation 1, not a range.")
@click.option("-s", "--save", "saved", metavar="FILE", help="Write the scaling to a file.")
@click.option("-r", "--restore", metavar="FILE", help="Use the scaling in a file.")
@target_option("Column to leave as it is, by name or by number from 1 (-1: the last).")
@no_target_option
@id_option
@names_option("--drop", "Columns to leave out.")
@click.option(
    "--output-format",
    type=click.Choice([entry.value for entry in Format]),
    help="Default: the format of DATA.",
)
@format_option
@dialect_options
@force_option
@quiet_option
def scale(
    data: str,
    output: str,
    bounds: tuple[float, float] | None,
    standard: bool,
    saved: str | None,
    restore: str | None,
    target: str | None,
    no_target: bool,
    row_id: str | None,
    drop: tuple[str, ...],
    output_format: str | None,
    format: Format | None,  # noqa: A002
    dialect: Dialect,
    force: bool,
    quiet: bool,
) -> None:
    """Scale the columns of DATA to a range, or to mean 0 and standard deviation 1.

    The data are read twice, in blocks; with --restore only once, which standard input allows. Of a
    table the target is left as it is: --target names it, and it need not be named where the last
    column is text or is called target, label, class or y. A scaling that was learnt from a table
    is for its columns; with --restore all others are left as they are.

    \b
    maxmargin scale train.txt -o train.scaled.libsvm --save ranges
    maxmargin scale test.txt -o test.scaled.libsvm --restore ranges
    maxmargin scale new.csv -o new.scaled.csv --no-target --standard
    """
    if target is not None and no_target:
        raise click.UsageError("--target and --no-target exclude each other")
    if restore is not None and (standard or bounds or saved):
        raise click.UsageError("--restore has a scaling; --range, --standard and --save make one")
    if standard and bounds:
        raise click.UsageError("--standard and --range exclude each other")
    if saved == "-" == output:
        raise click.UsageError("the scaled data and --save cannot both go to standard output")
    check_output(output, Content.DATA, [data, restore, saved], force=force)
    if saved is not None:
        check_output(saved, Content.MODEL, [data], force=force)
    given = [("--target", target), ("--no-target", no_target), ("--id", row_id), ("--drop", drop)]
    file = data_file(data, format, dialect, given, target=target, id=row_id)
    scaler = _restored(restore) if restore is not None else _new(data, standard, bounds)
    named = hasattr(scaler, "feature_names_in_")
    if not (named or target or no_target or data == "-") and file.detect() in TABLES:
        first = without_columns(next(file.blocks()), drop, file.name)
        file = replace(file, target=plain_target(first.X, file.name))
    if restore is None:
        _learn(file, scaler, drop)
    if saved is not None:
        write_model(scaler, saved, ModelFormat.MAXMARGIN, {})
    found = Format(output_format) if output_format else None
    if found is None and output == "-":
        found = file.detect()
    write_data(output, _scaled(file, scaler, drop), found)
    if not quiet and output != "-":
        columns = counted(scaler.n_features_in_, "column")
        print(f"scaled {columns} to {output}", file=sys.stderr)


def _restored(path: str) -> Any:
    scaler = load(path)
    if not isinstance(scaler, MinMaxScaler | StandardScaler):
        raise FileError(f"this holds {type(scaler).__name__}, which is not a scaling", path)
    return scaler


def _new(data: str, standard: bool, bounds: tuple[float, float] | None) -> Any:
    low, high = bounds or (-1.0, 1.0)
    if data == "-":
        raise click.UsageError("standard input cannot be read twice; give --restore, or a file")
    if not low < high:
        raise click.UsageError(f"--range {low:g} {high:g}: LOW must be below HIGH")
    return StandardScaler() if standard else MinMaxScaler((low, high))


def _learn(file: DataFile, scaler: Any, drop: tuple[str, ...]) -> None:
    width = max(block.X.shape[1] for block in file.blocks())
    for block in file.blocks():
        X = _values(without_columns(block, drop, file.name), file.name)
        if sparse.issparse(X):
            X.resize((X.shape[0], width))
            X = X.toarray()
        scaler.partial_fit(X)


def _scaled(file: DataFile, scaler: Any, drop: tuple[str, ...]) -> Iterator[Block]:
    names = getattr(scaler, "feature_names_in_", None)
    for whole in file.blocks():
        block = without_columns(whole, drop, file.name)
        if hasattr(block.X, "columns"):
            chosen = list(block.X.columns) if names is None else list(names)
            chosen_rows = with_columns(block.X, chosen, file.name)
            values = _values(replace(block, X=chosen_rows), file.name)
            scaled = scaler.transform(values if names is not None else values.to_numpy())
            columns = dict(zip(chosen, scaled.T, strict=True))
            yield replace(block, X=block.X.assign(**columns))
            continue
        X = rows_for(scaler, block, file.name)
        scaled = scaler.transform(X.toarray() if sparse.issparse(X) else X)
        yield replace(block, X=sparse.csr_array(scaled) if sparse.issparse(block.X) else scaled)


def _values(block: Block, name: str) -> Any:
    """Numbers of a block; a table's must be numbers, all of them."""
    check_finite(block.X, block.first, name)
    if not hasattr(block.X, "columns"):
        return block.X
    texts = [column for column, kind in block.X.dtypes.items() if is_text(kind)]
    if texts:
        raise FileError(
            f"column {texts[0]!r} is text and cannot be scaled; leave it out with --drop, or as it "
            "is with --id or --target",
            name,
        )
    return as_floats(block.X).astype(np.float64)
