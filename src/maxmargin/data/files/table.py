"""Tables with named columns: CSV, TSV and Parquet, as data frames of numbers and texts.

Needs pandas, and pyarrow for Parquet: the extra `cli`.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.files.dialect import PLAIN, Dialect, cells_of
from maxmargin.data.files.error import FileError, NoRowsError
from maxmargin.data.files.format import Format
from maxmargin.data.files.source import Lines, check_expansion, display_name

#: What stands for a missing value, besides what pandas knows.
_MISSING = ["?"]
CHUNK_ROWS = 1 << 15
#: Whole numbers up to here are float64's, too.
EXACT = 2**53


class Table:
    r"""An open table: its names, and its rows when they are asked for.

    Parameters
    ----------
    path : path-like
        Its name, for the errors.
    stream : buffered binary stream
        Its bytes.
    format : Format
        CSV, TSV or Parquet.
    dialect : Dialect
        How its text is written.
    groups : sequence of int, optional
        The row groups of Parquet to read; all of them if left out.

    Attributes
    ----------
    names : list of str
        The names of its columns; their numbers, from 1, where it has none.

    Examples
    --------
    >>> stream = io.BufferedReader(io.BytesIO(b"a,b\n1,x\n,y\n"))
    >>> table = Table("here", stream, Format.CSV)
    >>> table.names
    ['a', 'b']
    >>> next(table.frames()).to_dict("list")
    {'a': [1.0, nan], 'b': ['x', 'y']}
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        stream: io.BufferedReader,
        format: Format,  # noqa: A002
        dialect: Dialect = PLAIN,
        groups: Sequence[int] | None = None,
    ) -> None:
        self._name, self._dialect = display_name(path), dialect
        self._typed = format is Format.PARQUET
        if self._typed and dialect != PLAIN:
            raise FileError("this is Parquet, which has no text to be read otherwise", self._name)
        with _explained(self._name):
            opened = (
                _open_parquet(stream, self._name, groups)
                if self._typed
                else _open_text(stream, "\t" if format is Format.TSV else ",", dialect, self._name)
            )
        self.names, self._read = opened

    def frames(
        self, texts: Collection[str] = (), labels: str | None = None, chunk_rows: int | None = None
    ) -> Iterator[Any]:
        """Read its rows, all of them or some at a time.

        Parameters
        ----------
        texts : collection of str
            Columns to be read as text whatever is in them.
        labels : str, optional
            A column of labels: as `labels_of` has them.
        chunk_rows : int, optional
            How many rows at a time; all of them if left out.

        Yields
        ------
        DataFrame
            Columns of float64, where NaN is missing, of whole numbers where float64 would change
            them, and of texts, where None is missing.
        """
        asked, empty = {*texts, *([] if labels is None else [labels])}, True
        with _explained(self._name):
            for frame in self._read(asked, chunk_rows):
                empty = empty and frame.shape[0] == 0
                yield self._normalised(frame, texts, labels)
        if empty:
            raise NoRowsError("there are no rows", self._name)

    def _normalised(self, frame: Any, texts: Collection[str], labels: str | None) -> Any:
        """Every column as numbers or as text."""
        import pandas as pd

        columns: dict[str, Any] = {}
        for key, column in frame.items():
            name, kind = str(key).strip(), column.dtype
            if kind.kind in "mM":
                raise FileError(
                    f"column {name!r} holds times; turn it into numbers, or leave it out",
                    self._name,
                )
            if name in texts or pd.api.types.is_bool_dtype(kind) or not _is_numeric(column):
                missing = column.isna().to_numpy()
                cells = column.astype(str)
                values = (cells if self._typed else cells.str.strip()).to_numpy(object)
                values[missing] = None
                if name == labels and name not in texts and not self._typed:
                    values = labels_of(values, self._dialect)
                # With the type, or pandas would choose.
                columns[name] = pd.Series(values, dtype=values.dtype)
            else:
                columns[name] = _numbers(column)
        return pd.DataFrame(columns)


def labels_of(values: NDArray[Any], dialect: Dialect = PLAIN) -> NDArray[Any]:
    """Read labels so that they can be written again: whole numbers, numbers or texts.

    Parameters
    ----------
    values : ndarray of str
        The cells; None is missing.
    dialect : Dialect
        How numbers are written.

    Returns
    -------
    ndarray
        int64, or float64, or the texts as they are: also where digits would be lost, as the zeros
        of "007" and the last digits of numbers that are too long.

    Examples
    --------
    >>> labels_of(np.array(["9007199254740993", "7"], dtype=object))
    array([9007199254740993,                7])
    >>> labels_of(np.array(["007", "008"], dtype=object))
    array(['007', '008'], dtype=object)
    """
    words = {word for word in values.tolist() if word is not None}
    padded = re.compile(r"\s*[-+]?0[0-9]+\s*")
    if not all(map(dialect.is_number, words)) or any(map(padded.fullmatch, words)):
        return values
    whole = {word: int(word) for word in words if re.fullmatch(r"\s*[-+]?[0-9]+\s*", word)}
    complete, largest = None not in values.tolist(), max(map(abs, whole.values()), default=0)
    if len(whole) < len(words) or (largest <= EXACT and not complete):
        numbers = {word: dialect.number(word) for word in words}
        return np.array([numbers.get(word, np.nan) for word in values.tolist()])
    if largest >= 2**63 or not complete:
        return values
    return np.array([whole[word] for word in values.tolist()], np.int64)


def is_text(kind: Any) -> bool:
    """Tell whether a column of this type holds texts.

    Examples
    --------
    >>> is_text(np.dtype(object)), is_text(np.dtype(float))
    (True, False)
    """
    return bool(kind == np.dtype(object))


Opened = tuple[list[str], Callable[[Collection[str], int | None], Iterator[Any]]]


def _open_text(stream: io.BufferedReader, mark: str, dialect: Dialect, name: str) -> Opened:
    import pandas as pd

    mark = dialect.delimiter or mark
    encoding = "utf-8-sig" if dialect.encoding.lower() in ("utf-8", "utf8") else dialect.encoding
    start = stream.peek(1 << 16)
    text = start.decode(encoding, "replace")
    dialect.check_delimiter(text, mark, name)
    options: dict[str, Any] = {
        "sep": r"\s+" if mark == " " else mark,
        "decimal": dialect.decimal,
        "thousands": dialect.thousands,
        "encoding": encoding,
        "skipinitialspace": True,
        "na_values": [*_MISSING, *dialect.missing],
        "dtype_backend": "numpy_nullable",  # whole numbers stay what they are
    }
    if int(pd.__version__.partition(".")[0]) < 3:  # later ones read numbers exactly by themselves
        options["float_precision"] = "round_trip"
    cells = cells_of(text, mark)
    if dialect.has_header(text, mark, name):
        _warn_of_namesakes(cells, name)
        options["index_col"] = False
        _check_width(text, mark, name)
        names = list(pd.read_csv(io.BytesIO(start), nrows=0, **options).columns)
    else:
        names = [str(k + 1) for k in range(len(cells))]
        options |= {"header": None, "names": names}

    def read(texts: Collection[str], chunk_rows: int | None) -> Iterator[Any]:
        kinds = {"dtype": {raw: str for raw in names if raw.strip() in texts}}
        lines = io.BufferedReader(Lines(stream, name))
        if chunk_rows is None:
            yield pd.read_csv(lines, low_memory=False, **kinds, **options)
            return
        with pd.read_csv(lines, chunksize=chunk_rows, **kinds, **options) as reader:
            yield from reader

    return [raw.strip() for raw in names], read


def _check_width(text: str, mark: str, name: str) -> None:
    """Refuse rows that are longer than the header, of which pandas would drop the last cells."""
    header, *lines = [line for line in text.splitlines() if line.strip()][:2] or [""]
    width, row = len(cells_of(header, mark)), cells_of(lines[0], mark) if lines else []
    if any(cell.strip() for cell in row[width:]) and '"' not in header:
        raise FileError(
            f"the line has {len(row)} cells where {width} are needed, as in the first line; take "
            "away what stands before the table",
            name,
            2,
        )


def _warn_of_namesakes(cells: list[str], name: str) -> None:
    twice = [cell for cell in dict.fromkeys(cells) if cell and cells.count(cell) > 1]
    if twice:
        warnings.warn(
            f"{name}: the column {twice[0]!r} is there {cells.count(twice[0])} times; the later "
            f"ones are called '{twice[0]}.1' and so on",
            stacklevel=2,
        )


def _open_parquet(stream: io.BufferedReader, name: str, groups: Sequence[int] | None) -> Opened:
    import pandas as pd
    import pyarrow.parquet

    whole = stream if stream.seekable() else io.BytesIO(stream.read())
    length = whole.seek(0, os.SEEK_END)
    whole.seek(0)
    file = pyarrow.parquet.ParquetFile(whole)
    check_expansion(length, 8 * file.metadata.num_rows * file.metadata.num_columns, name)
    # With types of their own, whole numbers stay what they are where some are missing.
    kinds = {pyarrow.int64(): pd.Int64Dtype(), pyarrow.uint64(): pd.UInt64Dtype()}
    groups = range(file.num_row_groups) if groups is None else groups

    def read(_: Collection[str], chunk_rows: int | None) -> Iterator[Any]:
        if chunk_rows is None:
            yield file.read_row_groups(groups).to_pandas(types_mapper=kinds.get)
            return
        for batch in file.iter_batches(chunk_rows, row_groups=groups):
            yield batch.to_pandas(types_mapper=kinds.get)

    return [str(name) for name in file.schema_arrow.names], read


def _numbers(column: Any) -> Any:
    """Numbers as float64 where that changes none of them."""
    import pandas as pd

    values = column.to_numpy(np.float64, na_value=np.nan)
    if not pd.api.types.is_integer_dtype(column.dtype) or not (np.abs(values) >= EXACT).any():
        return values
    return column if column.isna().any() else column.to_numpy()


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
        text = (
            f"the text is not {error.encoding.upper()}; say what it is, such as latin-1 or cp1252"
        )
        if error.object[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            text = "the text begins as UTF-16 does; say so: utf-16"
        raise FileError(text, name, parameter="encoding") from error
    except ImportError as error:
        raise FileError(f"tables need {error.name}: pip install maxmargin[cli]", name) from error
    except (ValueError, csv.Error) as error:  # pandas' and Arrow's own are ValueErrors
        text = " ".join(str(error).split())
        if "No columns to parse" in text:
            raise NoRowsError("there are no rows", name) from error
        line = re.search(r"line (\d+)", text)
        wrong = re.search(r"Expected (\d+) fields in line \d+, saw (\d+)", text)
        if wrong:
            text = f"the line has {wrong[2]} cells where {wrong[1]} are needed"
        raise FileError(text, name, int(line[1]) if line else None) from error


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
