"""Tables with named columns: CSV, TSV and Parquet, as data frames of numbers and texts.

Needs pandas, and pyarrow for Parquet: the extra `cli`.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from maxmargin.data.files.error import FileError
from maxmargin.data.files.format import Format
from maxmargin.data.files.source import display_name

#: What stands for a missing value, besides what pandas knows.
_MISSING = ["?"]
CHUNK_ROWS = 1 << 15


def frames(
    path: str | os.PathLike[str],
    stream: io.BufferedReader,
    format: Format,  # noqa: A002
    texts: Collection[str] = (),
    chunk_rows: int | None = None,
) -> Iterator[Any]:
    r"""Read a table, all of it or some rows at a time.

    Parameters
    ----------
    path : path-like
        Its name, for the errors.
    stream : buffered binary stream
        Its bytes.
    format : Format
        CSV, TSV or Parquet.
    texts : collection of str
        Columns to be read as text whatever is in them.
    chunk_rows : int, optional
        How many rows at a time; all of them if left out.

    Yields
    ------
    DataFrame
        Columns of float64, where NaN is missing, and of texts, where None is.

    Examples
    --------
    >>> stream = io.BufferedReader(io.BytesIO(b"a,b\n1,x\n,y\n"))
    >>> next(frames("here", stream, Format.CSV)).to_dict("list")
    {'a': [1.0, nan], 'b': ['x', 'y']}
    """
    name = display_name(path)
    read = _read_parquet if format is Format.PARQUET else _read_text
    empty = True
    with _explained(name):
        for frame in read(stream, format, texts, chunk_rows):
            empty = empty and frame.shape[0] == 0
            yield _normalised(frame, texts, name)
    if empty:
        raise FileError("there are no rows", name)


def _read_text(
    stream: io.BufferedReader,
    format: Format,  # noqa: A002
    texts: Collection[str],
    chunk_rows: int | None,
) -> Iterator[Any]:
    import pandas as pd

    mark = "\t" if format is Format.TSV else ","
    first = stream.peek(1 << 16).split(b"\n")[0].decode("utf-8-sig", "replace")
    cells = next(csv.reader([first], delimiter=mark), [])
    unnamed = bool(cells) and all(map(is_number, cells))
    options: dict[str, Any] = {
        "sep": mark,
        "encoding": "utf-8-sig",
        "skipinitialspace": True,
        "na_values": _MISSING,
        "dtype": dict.fromkeys(texts, str),
    }
    if int(pd.__version__.partition(".")[0]) < 3:  # later ones read numbers exactly by themselves
        options["float_precision"] = "round_trip"
    if unnamed:
        options |= {"header": None, "names": [str(k + 1) for k in range(len(cells))]}
    else:
        options |= {"index_col": False}
    if chunk_rows is None:
        yield pd.read_csv(stream, low_memory=False, **options)
        return
    with pd.read_csv(stream, chunksize=chunk_rows, **options) as reader:
        yield from reader


def _read_parquet(
    stream: io.BufferedReader,
    format: Format,  # noqa: A002
    texts: Collection[str],
    chunk_rows: int | None,
) -> Iterator[Any]:
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(stream if stream.seekable() else io.BytesIO(stream.read()))
    if chunk_rows is None:
        yield file.read().to_pandas()
        return
    for batch in file.iter_batches(chunk_rows):
        yield batch.to_pandas()


def _normalised(frame: Any, texts: Collection[str], name: str) -> Any:
    """Every column as float64 or as text."""
    import pandas as pd

    columns: dict[str, Any] = {}
    for key, column in frame.items():
        kind = column.dtype
        if key in texts or pd.api.types.is_bool_dtype(kind) or not _is_numeric(column):
            if kind.kind in "mM":
                raise FileError(
                    f"column {str(key)!r} holds times; turn it into numbers, or leave it out",
                    name,
                )
            missing = column.isna().to_numpy()
            values = column.astype(str).to_numpy(object)
            values[missing] = None
            columns[str(key)] = pd.Series(values, dtype=object)  # or pandas would choose
        else:
            columns[str(key)] = column.to_numpy(np.float64, na_value=np.nan)
    return pd.DataFrame(columns)


def _is_numeric(column: Any) -> bool:
    import pandas as pd

    # A column without any value is one of numbers that are all missing.
    return bool(pd.api.types.is_numeric_dtype(column.dtype) or column.isna().all())


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """Say where a table is wrong, in one line."""
    try:
        yield
    except FileError:
        raise
    except UnicodeDecodeError as error:
        raise FileError("the text is not UTF-8; convert it, e.g. with iconv", name) from error
    except ImportError as error:
        raise FileError(f"tables need {error.name}: pip install maxmargin[cli]", name) from error
    except (ValueError, csv.Error) as error:  # pandas' and Arrow's own are ValueErrors
        text = " ".join(str(error).split())
        if "No columns to parse" in text:
            text = "there are no rows"
        line = re.search(r"line (\d+)", text)
        wrong = re.search(r"Expected (\d+) fields in line \d+, saw (\d+)", text)
        if wrong:
            text = f"the line has {wrong[2]} cells where {wrong[1]} are needed"
        raise FileError(text, name, int(line[1]) if line else None) from error


def is_number(cell: str) -> bool:
    """Tell whether a cell reads as a number.

    Examples
    --------
    >>> is_number("1e3"), is_number("x")
    (True, False)
    """
    try:
        float(cell)
    except ValueError:
        return False
    return True


def write_frames(
    frames: Iterator[Any],
    stream: Any,
    format: Format,  # noqa: A002
) -> None:
    r"""Write a table.

    Parameters
    ----------
    frames : iterator of DataFrame
        Its rows, some at a time.
    stream : binary stream
        Where to.
    format : Format
        CSV, TSV or Parquet.

    Examples
    --------
    >>> import pandas as pd
    >>> stream = io.BytesIO()
    >>> write_frames(iter([pd.DataFrame({"a": [1.0, 0.5]})]), stream, Format.CSV)
    >>> stream.getvalue()
    b'a\n1\n0.5\n'
    """
    write = _parquet_writer if format is Format.PARQUET else _text_writer(format)
    write(frames, stream)


def _text_writer(format: Format) -> Callable[[Iterator[Any], Any], None]:  # noqa: A002
    def write(frames: Iterator[Any], stream: Any) -> None:
        mark, header = "\t" if format is Format.TSV else ",", True
        for frame in frames:
            text = frame.to_csv(
                sep=mark, index=False, header=header, float_format=_short, lineterminator="\n"
            )
            stream.write(text.encode())
            header = False

    return write


def _short(value: float) -> str:
    """Return the shortest text that reads back the same; whole numbers without a point."""
    return str(int(value)) if abs(value) < 2**53 and value == int(value) else repr(float(value))


def _parquet_writer(frames: Iterator[Any], stream: Any) -> None:
    import pyarrow
    import pyarrow.parquet

    writer = None
    for frame in frames:
        table = pyarrow.Table.from_pandas(frame, preserve_index=False)
        writer = writer or pyarrow.parquet.ParquetWriter(stream, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
