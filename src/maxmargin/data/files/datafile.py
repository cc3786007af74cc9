"""A data file of any format, read whole or in blocks of rows."""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from scipy import sparse

from maxmargin.data.files.block import Block
from maxmargin.data.files.dialect import PLAIN, Dialect
from maxmargin.data.files.error import FileError
from maxmargin.data.files.format import Format, detect_format, format_of_name
from maxmargin.data.files.libsvm import libsvm_blocks, libsvm_text, read_libsvm
from maxmargin.data.files.npz import read_npz, write_npz
from maxmargin.data.files.sink import open_sink
from maxmargin.data.files.source import display_name, open_source
from maxmargin.data.files.table import CHUNK_ROWS, EXACT, Table, is_text, write_frames


@dataclass(frozen=True)
class DataFile:
    r"""Where data are, and how to read them.

    Parameters
    ----------
    path : path-like
        A file, compressed or not; "-" for standard input.
    format : Format, optional
        By default what the name or the first bytes tell.
    target : str, optional
        The target's column in a table, by name or by number from 1 (-1 is the last).
    need_target : bool
        Whether a table without that column is refused.
    texts : collection of str
        Columns of a table to be read as text.
    id : str, optional
        The column of a table that names its rows, as `target` has it.
    need_id : bool
        Whether a table without that column is refused.
    dialect : Dialect
        How the text of a table is written.
    groups : sequence of int, optional
        The row groups of Parquet to read; all of them if left out.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.csv"
    >>> _ = path.write_text("a,b,kind\n1,2,x\n3,4,y\n")
    >>> block = DataFile(path, target="kind").read()
    >>> list(block.X.columns), block.y
    (['a', 'b'], array(['x', 'y'], dtype=object))
    """

    path: str | os.PathLike[str]
    format: Format | None = None
    target: str | None = None
    need_target: bool = True
    texts: Collection[str] = ()
    id: str | None = None
    need_id: bool = True
    dialect: Dialect = PLAIN
    groups: Sequence[int] | None = None

    @property
    def name(self) -> str:
        """What to call it in messages."""
        return display_name(self.path)

    def detect(self) -> Format:
        """Return its format; of standard input only a given one is known before it is read."""
        known = self.format or format_of_name(self.path)
        if known is not None:
            return known
        with open_source(self.path) as stream:
            return detect_format(self.path, stream)

    def read(self, given: io.BufferedReader | None = None) -> Block:
        """Read all of it.

        Parameters
        ----------
        given : buffered binary stream, optional
            Its bytes, where it is open already.
        """
        with nullcontext(given) if given else open_source(self.path) as stream:
            found = self.format or detect_format(self.path, stream)
            if found is Format.LIBSVM:
                return read_libsvm(self.path, stream=stream)
            if found is Format.NPZ:
                return read_npz(self.path, _seekable(stream))
            (block,) = self._rows(self._table(stream, found), None)
            return block

    def blocks(self) -> Iterator[Block]:
        """Read it in blocks of rows, one of them in memory at a time; an archive is one block."""
        with open_source(self.path) as stream:
            found = self.format or detect_format(self.path, stream)
            if found is Format.LIBSVM:
                yield from libsvm_blocks(self.path, stream=stream)
            elif found is Format.NPZ:
                yield read_npz(self.path, _seekable(stream))
            else:
                yield from self._rows(self._table(stream, found), CHUNK_ROWS)

    def _table(self, stream: io.BufferedReader, found: Format) -> Table:
        return Table(self.path, stream, found, self.dialect, self.groups)

    def _rows(self, table: Table, chunk_rows: int | None) -> Iterator[Block]:
        row_id = self._column("id", self.id, self.need_id, table.names)
        target = self._column("target", self.target, self.need_target, table.names)
        if target is not None and target == row_id:
            raise FileError(f"{target!r} is the target, so it cannot name the rows", self.name)
        texts, first = [*self.texts, *([] if row_id is None else [row_id])], 1
        for frame in table.frames(texts, target, chunk_rows):
            taken = [column for column in (row_id, target) if column is not None]
            yield Block(
                frame.drop(columns=taken),
                None if target is None else frame[target].to_numpy(),
                first,
                target=target,
                ids=None if row_id is None else frame[row_id].to_numpy(object),
                id=row_id,
            )
            first += frame.shape[0]

    def _column(
        self, parameter: str, wanted: str | None, needed: bool, names: list[str]
    ) -> str | None:
        if wanted is None or wanted in names:
            return wanted
        number = int(wanted) if wanted.lstrip("-").isdigit() else 0
        if needed and 0 < abs(number) <= len(names):
            return names[number - 1 if number > 0 else number]
        if not needed:
            return None
        shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        raise FileError(
            f"{parameter} is {wanted!r}, but there is no such column; the columns are {shown}",
            self.name,
            parameter=parameter,
        )


def write_data(
    path: str | os.PathLike[str],
    blocks: Iterable[Block],
    format: Format | None = None,  # noqa: A002
) -> None:
    """Write blocks of rows to a file that takes its place when it is complete.

    Parameters
    ----------
    path : path-like
        Where to, compressed as its name ends; "-" for standard output.
    blocks : iterable of Block
        The rows. In a table the target is the last column.
    format : Format, optional
        By default what the name tells.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.csv"
    >>> write_data(path, [Block(np.eye(2), np.array([0, 1]))])
    >>> print(path.read_text(), end="")
    1,2,target
    1,0,0
    0,1,1
    """
    found = format or format_of_name(path)
    if found is None:
        raise FileError(
            "the name does not tell the format; let it end in .csv, .parquet, .npz or .libsvm, or "
            "give the format",
            path,
        )
    with open_sink(path) as stream:
        _write(stream, blocks, found)


def _write(stream: Any, blocks: Iterable[Block], format: Format) -> None:  # noqa: A002
    if format is Format.LIBSVM:
        for block in blocks:
            for text in libsvm_text(_numbers(block), _labels(block), block.queries):
                stream.write(text)
    elif format is Format.NPZ:
        parts = list(blocks)
        stack = sparse.vstack if sparse.issparse(parts[0].X) else np.vstack
        y = None if parts[0].y is None else np.concatenate([block.y for block in parts])
        write_npz(stream, stack([_numbers(block) for block in parts]), y)
    else:
        write_frames(map(_frame, blocks), stream, format)


def _numbers(block: Block) -> Any:
    """Features as numbers; texts have no place in these formats."""
    if not hasattr(block.X, "columns"):
        return block.X
    for name, kind in block.X.dtypes.items():
        if is_text(kind):
            raise FileError(
                f"column {name!r} is text, which this format cannot hold; use CSV or Parquet, or "
                "leave the column out"
            )
        if kind != np.float64:
            raise FileError(
                f"column {name!r} has whole numbers above 2^53, which this format cannot hold; use "
                "CSV or Parquet, or leave the column out"
            )
    return block.X.to_numpy()


def _labels(block: Block) -> Any:
    """Labels as LIBSVM's format has them, which is read as float64."""
    if block.y is None:
        return None
    if block.y.dtype.kind not in "fiub":
        raise FileError(
            f"the target is text such as {block.y[0]!r}, which LIBSVM's format cannot hold; number "
            "the classes",
            parameter="classes",
        )
    if block.y.dtype.kind in "iu" and (np.abs(block.y.astype(np.float64)) >= EXACT).any():
        raise FileError("the target has whole numbers above 2^53, which LIBSVM's format loses")
    return block.y


def _frame(block: Block) -> Any:
    import pandas as pd

    X = block.X
    if not hasattr(X, "columns"):
        dense = X.toarray() if sparse.issparse(X) else X
        X = pd.DataFrame(dense, columns=[str(k + 1) for k in range(dense.shape[1])])
    if block.ids is not None:
        X = X.copy()
        X.insert(0, block.id, pd.Series(block.ids, dtype=object))
    return X if block.y is None else X.assign(**{block.target or "target": block.y})


def _seekable(stream: io.BufferedReader) -> IO[bytes]:
    return stream if stream.seekable() else io.BytesIO(stream.read())
