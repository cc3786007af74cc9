"""Pieces of data files: what a worker reads at a time, as one machine would read it.

A file, or some of its lines or row groups; what a piece cannot know alone, which columns are text
and how many features there are, is found in a first look at all of them (files.py).
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from glob import glob
from itertools import pairwise
from typing import Any, Literal

import fsspec
import numpy as np
from dask.utils import natural_sort_key
from fsspec.utils import read_block
from scipy import sparse

from maxmargin.data.files import Block, DataFile, FileError, Format, read_libsvm
from maxmargin.data.files.error import NoRowsError
from maxmargin.data.files.source import COMPRESSED, open_raw, open_source
from maxmargin.data.files.table import is_text

#: Files of more bytes are cut.
CHUNK_BYTES = 1 << 26
#: How much of a file tells whether it has a header.
_START_BYTES = 1 << 16


@dataclass(frozen=True)
class Piece:
    """A file, or some of its lines or row groups.

    Parameters
    ----------
    address : str
        Where the file is, for any worker.
    file : DataFile
        How to read it; its path is what the file is called.
    begin, length : int
        Bytes; lines that begin among them are read. Without a length, all of the file.
    head : bytes
        The line of names, which the first piece alone has.
    n_features : int, optional
        Of LIBSVM text: columns of all pieces.
    zero_based : bool or "auto"
        Of LIBSVM text: whether index 0 is the first feature.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = str(pathlib.Path(tempfile.mkdtemp()) / "rows.libsvm")
    >>> _ = pathlib.Path(path).write_text("1 2:0.5")
    >>> Piece(path, DataFile("rows.libsvm", Format.LIBSVM), n_features=3).read().X.toarray()
    array([[0. , 0.5, 0. ]])
    """

    address: str
    file: DataFile
    begin: int = 0
    length: int | None = None
    head: bytes = b""
    n_features: int | None = None
    zero_based: bool | Literal["auto"] = "auto"

    @property
    def name(self) -> str:
        """What to call it in messages."""
        where = f" from byte {self.begin}" if self.begin else ""
        return f"{self.file.name}{where}"

    def read(self) -> Block:
        """Read its rows, on a worker."""
        with self._open() as stream:
            if self.file.format is Format.LIBSVM:
                return read_libsvm(
                    self.name,
                    n_features=self.n_features,
                    zero_based=self.zero_based,
                    stream=stream,
                )
            return replace(self.file, path=self.name).read(stream)

    def _open(self) -> io.BufferedReader:
        if self.length is None:
            return open_source(self.address)
        with open_raw(self.address) as stream:
            text = read_block(stream, self.begin, self.length, b"\n")
        return io.BufferedReader(io.BytesIO(self.head + text))


@dataclass(frozen=True)
class Look:
    """What is in a piece.

    Parameters
    ----------
    n_rows : int
        Rows.
    names : list of str or None
        Columns of a table, the target and others included.
    texts : tuple of str
        Those of them that are text.
    target, id : str or None
        The columns of the target and of the rows' names.
    kind : str
        Of the target's type, as NumPy has it; empty if there is no target.
    least, width : int
        Of LIBSVM text: the smallest index, and the largest and one; of arrays, the columns.

    Examples
    --------
    >>> Look(3, ["a", "b"], ("b",)).texts
    ('b',)
    """

    n_rows: int
    names: list[str] | None = None
    texts: tuple[str, ...] = ()
    target: str | None = None
    id: str | None = None
    kind: str = ""
    least: int = 1
    width: int = 0


def look(piece: Piece) -> Look:
    """Look at what is in a piece.

    Parameters
    ----------
    piece : Piece
        Of a file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = str(pathlib.Path(tempfile.mkdtemp()) / "rows.libsvm")
    >>> _ = pathlib.Path(path).write_text("1 2:0.5")
    >>> look(Piece(path, DataFile("rows.libsvm", Format.LIBSVM))).width
    3
    """
    if piece.file.format is Format.LIBSVM:
        piece = replace(piece, zero_based=True)
    try:
        block = piece.read()
    except NoRowsError:
        return Look(0)
    X, y = block.X, block.y
    kind = "" if y is None else y.dtype.kind
    if not hasattr(X, "columns"):
        least = int(X.indices.min(initial=1)) if sparse.issparse(X) else 1
        return Look(block.n_rows, kind=kind, least=least, width=X.shape[1])
    texts = [str(name) for name, kind in X.dtypes.items() if is_text(kind)]
    others = [name for name in (block.target, block.id) if name is not None]
    if block.target is not None and kind == "O":
        texts.append(block.target)
    names = [*map(str, X.columns), *others]
    return Look(block.n_rows, names, tuple(texts), block.target, block.id, kind)


# ---- From a pattern to pieces --------------------------------------------------------------------


def pieces_of(pattern: str, *, chunk_bytes: int = CHUNK_BYTES, **options: Any) -> list[Piece]:
    r"""Return the pieces of data files of one kind, which know nothing of each other.

    Parameters
    ----------
    pattern, chunk_bytes, **options
        As in `Files`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rows.csv"
    >>> _ = path.write_text("a,b\n" + "1,2\n" * 10)
    >>> [piece.read().n_rows for piece in pieces_of(str(path), chunk_bytes=30)]
    [5, 5]
    """
    named = _listed(pattern)
    file = DataFile(named[0][0], **options)
    found = replace(file, path=named[0][1]).detect()
    return [
        piece
        for name, address in named
        for piece in _cut(address, replace(file, path=name, format=found), chunk_bytes)
    ]


def format_of(pieces: Sequence[Piece]) -> Format:
    """Return the format of pieces of the same kind.

    Parameters
    ----------
    pieces : sequence of Piece
        At least one.

    Examples
    --------
    >>> format_of([Piece("a.csv", DataFile("a.csv", Format.CSV))])
    <Format.CSV: 'csv'>
    """
    assert pieces[0].file.format is not None
    return pieces[0].file.format


def _listed(pattern: str) -> list[tuple[str, str]]:
    """Return names and addresses of files, in the order of the numbers in their names."""
    if "://" in pattern:
        system, path = fsspec.core.url_to_fs(pattern)
        folder = system.isdir(path)
        found = system.glob(f"{path.rstrip('/')}/*") if folder else system.glob(path)
        names = [system.unstrip_protocol(name) for name in found if not system.isdir(name)]
    else:
        folder = os.path.isdir(pattern)
        names = glob(os.path.join(pattern, "*")) if folder else glob(os.path.expanduser(pattern))
        names = [name for name in names if not os.path.isdir(name)]
        if not names and os.path.exists(pattern):
            names = [pattern]  # a file whose name has the marks of a pattern
    if folder:
        names = [name for name in names if not os.path.basename(name).startswith((".", "_"))]
    if not names:
        raise FileNotFoundError(2, "no such file", pattern)
    names = sorted(names, key=natural_sort_key)
    return [(name, name if "://" in name else os.path.abspath(name)) for name in names]


def _cut(address: str, file: DataFile, chunk_bytes: int) -> Iterator[Piece]:
    """Yield the pieces of a file."""
    whole = Piece(address, file)
    with open_raw(address) as stream:
        size = stream.seek(0, os.SEEK_END) if stream.seekable() else 0
        stream.seek(0)
        start = stream.peek(_START_BYTES)[:_START_BYTES]
        if size <= chunk_bytes or file.format is Format.NPZ:
            yield whole
        elif file.format is Format.PARQUET:
            yield from _row_groups(whole, stream, chunk_bytes)
        else:
            yield from _line_groups(whole, start, size, chunk_bytes)


def _row_groups(whole: Piece, stream: io.BufferedReader, chunk_bytes: int) -> Iterator[Piece]:
    import pyarrow.parquet

    try:
        metadata = pyarrow.parquet.ParquetFile(stream).metadata
    except (ValueError, OSError) as error:
        raise FileError(" ".join(str(error).split()), whole.name) from error
    group: list[int] = []
    size = 0
    for k in range(metadata.num_row_groups):
        group.append(k)
        size += metadata.row_group(k).total_byte_size
        if size >= chunk_bytes or k + 1 == metadata.num_row_groups:
            yield replace(whole, file=replace(whole.file, groups=tuple(group)))
            group, size = [], 0


def _line_groups(whole: Piece, start: bytes, size: int, chunk_bytes: int) -> Iterator[Piece]:
    dialect, file, head = whole.file.dialect, whole.file, b""
    if start.startswith(COMPRESSED) or "\n".encode(dialect.encoding) != b"\n":
        yield whole
        return
    if file.format is not Format.LIBSVM:
        mark = dialect.delimiter or ("\t" if file.format is Format.TSV else ",")
        text = start.decode(dialect.encoding, "replace").removeprefix("\ufeff")
        header = dialect.has_header(text, mark, whole.name)
        file = replace(file, dialect=replace(dialect, header=header))
        head = start[: start.find(b"\n") + 1] if header else b""
    bounds = np.linspace(0, size, -(-size // chunk_bytes) + 1).astype(int).tolist()
    for begin, end in pairwise(bounds):
        yield replace(
            whole, file=file, begin=begin, length=end - begin, head=head if begin else b""
        )
