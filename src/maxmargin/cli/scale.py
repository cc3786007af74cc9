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

from maxmargin import save
from maxmargin.cli.inputs import data_argument, format_option, quiet_option, rows_for
from maxmargin.data.files import Block, DataFile, FileError, Format, write_data
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
    default=(-1.0, 1.0),
    show_default=True,
    metavar="LOW HIGH",
    help="What the smallest and largest value of each column become.",
)
@click.option("--standard", is_flag=True, help="Mean 0 and standard deviation 1, not a range.")
@click.option("-s", "--save", "saved", metavar="FILE", help="Write the scaling to a file.")
@click.option("-r", "--restore", metavar="FILE", help="Use the scaling in a file.")
@click.option("-t", "--target", default="-1", metavar="COLUMN", help="Column to leave as it is.")
@click.option(
    "--output-format",
    type=click.Choice([entry.value for entry in Format]),
    help="Default: the format of DATA.",
)
@format_option
@quiet_option
def scale(
    data: str,
    output: str,
    bounds: tuple[float, float],
    standard: bool,
    saved: str | None,
    restore: str | None,
    target: str,
    output_format: str | None,
    format: Format | None,  # noqa: A002
    quiet: bool,
) -> None:
    """Scale the columns of DATA to a range, or to mean 0 and standard deviation 1.

    The data are read twice, in blocks; with --restore only once, which standard input allows.

    \b
    maxmargin scale train.txt -o train.scaled.libsvm --save ranges
    maxmargin scale test.txt -o test.scaled.libsvm --restore ranges
    """
    file = DataFile(data, format, target)
    if restore is not None:
        scaler = load(restore)
        if not isinstance(scaler, MinMaxScaler | StandardScaler):
            raise FileError(f"this holds a {type(scaler).__name__}, not a scaling", restore)
    else:
        if data == "-":
            raise click.UsageError("standard input cannot be read twice; give --restore, or a file")
        if not standard and bounds[0] >= bounds[1]:
            raise click.UsageError(f"--range {bounds[0]:g} {bounds[1]:g}: LOW must be below HIGH")
        scaler = _learn(file, StandardScaler() if standard else MinMaxScaler(bounds))
    if saved is not None:
        save(scaler, saved)
    found = Format(output_format) if output_format else None
    if found is None and output == "-":
        found = file.detect()
    write_data(output, _scaled(file, scaler), found)
    if not quiet and output != "-":
        print(f"scaled {scaler.n_features_in_:,} columns to {output}", file=sys.stderr)


def _learn(file: DataFile, scaler: Any) -> Any:
    width = max(block.X.shape[1] for block in file.blocks())
    for block in file.blocks():
        scaler.partial_fit(_dense(block, width, file.name))
    return scaler


def _scaled(file: DataFile, scaler: Any) -> Iterator[Block]:
    for block in file.blocks():
        X = rows_for(scaler, replace(block, X=_values(block, file.name)), file.name)
        scaled = scaler.transform(X.toarray() if sparse.issparse(X) else X)
        yield replace(block, X=_named(block, scaled))


def _dense(block: Block, width: int, name: str) -> Any:
    X = _values(block, name)
    if not sparse.issparse(X):
        return X
    X.resize((X.shape[0], width))
    return X.toarray()


def _values(block: Block, name: str) -> Any:
    """Numbers of a block; a table's must be numbers, all of them."""
    if not hasattr(block.X, "columns"):
        return block.X
    texts = [column for column, kind in block.X.dtypes.items() if kind != np.float64]
    if texts:
        raise FileError(f"column {texts[0]!r} is text and cannot be scaled", name)
    return block.X.to_numpy()


def _named(block: Block, scaled: Any) -> Any:
    if not hasattr(block.X, "columns"):
        return sparse.csr_array(scaled) if sparse.issparse(block.X) else scaled
    import pandas as pd

    return pd.DataFrame(scaled, columns=block.X.columns)
