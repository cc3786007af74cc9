"""Data files on a cluster: cut into pieces, which workers read as one machine would.

Every piece is read by the reader of one machine (`maxmargin.data.files`), so that names, classes,
missing values and errors are the same. What a piece cannot know alone, which columns are text and
how many features there are, is found in a first look at all of them.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from glob import glob
from itertools import pairwise
from typing import Any, Literal

import dask
import dask.array as da
import dask.dataframe as dd
import fsspec
import numpy as np
from dask.utils import natural_sort_key
from fsspec.utils import read_block
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.data.files import Block, DataFile, Dialect, FileError, Format, read_libsvm
from maxmargin.data.files.dialect import PLAIN
from maxmargin.data.files.error import NoRowsError
from maxmargin.data.files.source import COMPRESSED, open_raw, open_source
from maxmargin.data.files.table import is_text
from maxmargin.distributed.cluster import Cluster

TABLES = (Format.CSV, Format.TSV, Format.PARQUET)
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


class Files:
    r"""Data files of one kind, and the pieces that workers read.

    Parameters
    ----------
    pattern : str
        A file, a folder, or a pattern such as "part-*.parquet"; also an address that fsspec knows.
        Of a folder, files whose names begin with "." or "_" are left out.
    n_features : int, optional
        Of LIBSVM text: how many columns to make, if that is known.
    chunk_bytes : int
        Files of more bytes are cut into pieces of about as many, if they can be: text that is
        compressed, and Parquet of one row group, cannot. No cell of a table may then have several
        lines.
    **options
        Of `DataFile`.

    Attributes
    ----------
    pieces : list of Piece
        Those that have rows.
    looks : list of Look
        What is in them.
    format : Format
        Of all files.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for k in range(2):
    ...     _ = (folder / f"part-{k}.csv").write_text("a,b,kind\n1,2,x\n3,4,y\n")
    >>> files = Files(str(folder / "part-*.csv"), target="kind")
    >>> [look.n_rows for look in files.looks], files.texts
    ([2, 2], ['kind'])
    """

    format: Format

    def __init__(
        self,
        pattern: str,
        *,
        n_features: int | None = None,
        chunk_bytes: int = CHUNK_BYTES,
        **options: Any,
    ) -> None:
        self.pattern = pattern
        pieces = pieces_of(pattern, chunk_bytes=chunk_bytes, **options)
        self.format = format_of(pieces)
        found = dask.compute(*[dask.delayed(look)(piece) for piece in pieces])
        seen = [(piece, one) for piece, one in zip(pieces, found, strict=True) if one.n_rows]
        if not seen:
            raise FileError("there are no rows in any file", pattern)
        self.looks: list[Look] = [one for _, one in seen]
        self.pieces = self._agreed([piece for piece, _ in seen], n_features)

    @property
    def names(self) -> list[str] | None:
        """The columns of tables, as the first file has them."""
        return self.looks[0].names

    @property
    def texts(self) -> list[str]:
        """The columns that are text in any piece."""
        return [name for name in self.names or () if any(name in one.texts for one in self.looks)]

    @property
    def lengths(self) -> list[int]:
        """Rows of each piece."""
        return [one.n_rows for one in self.looks]

    def blocks(self) -> list[Any]:
        """Return the rows of each piece, to be read when they are asked for."""
        return [dask.delayed(_read)(piece, self.names) for piece in self.pieces]

    def map(self, function: Callable[..., Any], *args: Any) -> list[Any]:
        """Have a function called on the rows of each piece, on the workers; return the results.

        Parameters
        ----------
        function : callable
            Called with a `Block`, the name of its piece, and the arguments.
        *args
            Sent to every worker.
        """
        call = dask.delayed(function)
        parts = zip(self.blocks(), self.pieces, strict=True)
        return list(dask.compute(*[call(block, piece.name, *args) for block, piece in parts]))

    def arrays(
        self, function: Callable[..., tuple[Any, Any]], nothing: Any, kind: Any, *args: Any
    ) -> tuple[Any, Any]:
        """Return what a function makes of the rows of each piece as Dask arrays X and y.

        Parameters
        ----------
        function, *args
            As in `map`; returns rows and targets, any number of them.
        nothing : ndarray or CSR of shape (0, n_features)
            What no rows are.
        kind : dtype or None
            Of the targets; None if there are none.
        """
        call, unknown = dask.delayed(function, nout=2), float("nan")
        sent = [dask.delayed(arg, traverse=False) for arg in args]
        parts = [
            call(block, piece.name, *sent)
            for block, piece in zip(self.blocks(), self.pieces, strict=True)
        ]
        shape = (unknown, nothing.shape[1])
        X = [da.from_delayed(rows, shape, meta=np.zeros((0, shape[1]))) for rows, _ in parts]
        y = [da.from_delayed(one, (unknown,), dtype=kind) for _, one in parts]
        joined = da.concatenate(X, allow_unknown_chunksizes=True)
        if kind is None:
            return joined, None
        return joined, da.concatenate(y, allow_unknown_chunksizes=True)

    def _agreed(self, pieces: list[Piece], n_features: int | None) -> list[Piece]:
        """Have all pieces read what they have in common."""
        if self.format in TABLES:
            # By name from now on: a number would be another column where the order is another.
            common: dict[str, Any] = {
                "texts": tuple({*pieces[0].file.texts, *self.texts}),
                "target": self.looks[0].target,
                "id": self.looks[0].id,
            }
            return [replace(piece, file=replace(piece.file, **common)) for piece in pieces]
        if self.format is Format.LIBSVM:
            base = 0 if any(one.least == 0 for one in self.looks) else 1
            width = n_features or max(one.width for one in self.looks) - base
            self.looks = [replace(one, width=width) for one in self.looks]
            zero = base == 0
            return [replace(piece, n_features=width, zero_based=zero) for piece in pieces]
        for piece, one in zip(pieces, self.looks, strict=True):
            if one.width != self.looks[0].width:
                raise FileError(
                    f"there are {one.width} columns but {self.looks[0].width} in {pieces[0].name}",
                    piece.name,
                )
        return pieces


def read(
    pattern: str,
    target: str | None = None,
    *,
    sample_weight: str | None = None,
    drop: Sequence[str] = (),
    format: str | None = None,  # noqa: A002
    n_features: int | None = None,
    dialect: Dialect = PLAIN,
    chunk_bytes: int = CHUNK_BYTES,
) -> tuple[Any, Any, Any]:
    r"""Return the rows of data files as Dask collections, for the machines of a cluster.

    Files are looked at once, on the workers, to agree on the columns; they are read, again on the
    workers, when a fit or a prediction asks for them. Each is read as the command line reads it on
    one machine: CSV, TSV, Parquet, NPZ or LIBSVM text, compressed or not.

    Parameters
    ----------
    pattern : str
        A file, a folder, or a pattern such as "part-*.parquet"; also an address that fsspec knows,
        such as "s3://bucket/part-*.csv". Workers must reach the files by the same name.
    target : str, optional
        The target's column in a table, by name or by number from 1 (-1 is the last).
    sample_weight : str, optional
        The column of a table that says what each row counts.
    drop : sequence of str
        Columns to leave out.
    format : {"csv", "tsv", "parquet", "libsvm", "npz"}, optional
        By default what the name or the first bytes of the first file tell.
    n_features : int, optional
        Of LIBSVM text: how many columns to make; by default as many as the largest index asks for.
    dialect : Dialect, optional
        How the text of a table is written: `maxmargin.data.files.Dialect`.
    chunk_bytes : int, default=67108864
        Files of more bytes are cut into partitions of about as many, if they can be: compressed
        text, and Parquet of one row group, cannot. No cell of text may then have several lines.

    Returns
    -------
    X : Dask dataframe or array
        A dataframe of tables, with the features' names; else an array of dense or CSR blocks.
        Columns of text stay text: ``dask.dataframe.get_dummies(X.categorize())`` makes them
        numbers.
    y : Dask series, array or None
        The target, where there is one.
    sample_weight : Dask series or None
        The weights, where there are any.

    Raises
    ------
    FileError
        With the name of the file whose content is wrong, and the place in it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from distributed import Client
    >>> from maxmargin.distributed import LinearSVC, read
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for k in range(2):
    ...     _ = (folder / f"part-{k}.csv").write_text(f"a,b,kind\n1,{k},x\n3,4,y\n")
    >>> X, y, _ = read(str(folder / "part-*.csv"), target="kind")
    >>> list(X.columns), X.npartitions
    (['a', 'b'], 2)
    >>> LinearSVC().fit(X, y).predict(X).compute()
    array(['x', 'y', 'x', 'y'], dtype=object)
    >>> client.close()
    """
    files = Files(
        pattern,
        n_features=n_features,
        chunk_bytes=chunk_bytes,
        format=None if format is None else Format(format),
        target=target,
        dialect=dialect,
    )
    blocks = files.blocks()
    if files.format not in TABLES:
        _refuse_columns(files, {"target": target, "sample_weight": sample_weight, "drop": drop})
        return *_arrays(files, blocks), None
    return _frames(files, blocks, sample_weight, drop)


def _refuse_columns(files: Files, given: dict[str, Any]) -> None:
    for parameter, value in given.items():
        if value:
            raise FileError(
                f"{parameter} is {value!r}, a column of a table, but the files are "
                f"{files.format.value}",
                files.pattern,
                parameter=parameter,
            )


def _arrays(files: Files, blocks: Sequence[Any]) -> tuple[Any, Any]:
    width, kinds = files.looks[0].width, [one.kind for one in files.looks]
    meta: Any = np.zeros((0, width))
    if files.format is Format.LIBSVM:
        meta = sparse.csr_array(meta)
    X = [
        da.from_delayed(block.X, (length, width), meta=meta)
        for block, length in zip(blocks, files.lengths, strict=True)
    ]
    if "" in kinds:
        return da.concatenate(X), None
    kind = np.result_type(*kinds) if "O" not in kinds else np.dtype(object)
    y = [
        da.from_delayed(block.y, (length,), dtype=kind)
        for block, length in zip(blocks, files.lengths, strict=True)
    ]
    return da.concatenate(X), da.concatenate(y)


def _frames(
    files: Files, blocks: Sequence[Any], sample_weight: str | None, drop: Sequence[str]
) -> tuple[Any, Any, Any]:
    import pandas as pd

    assert files.names is not None
    target = files.looks[0].target
    others = [column for column in (target, sample_weight, *drop) if column is not None]
    for parameter, columns in (("sample_weight", [sample_weight]), ("drop", drop)):
        for column in columns:
            if column is not None and column not in files.names:
                raise FileError(
                    f"{parameter} names {column!r}, but there is no such column; the columns are "
                    f"{', '.join(files.names[:12])}",
                    files.pieces[0].name,
                    parameter=parameter,
                )
    names = [name for name in files.names if name not in others]
    kinds = {name: object if name in files.texts else np.float64 for name in names}
    meta = pd.DataFrame({name: pd.Series([], dtype=kind) for name, kind in kinds.items()})
    frame, column = dask.delayed(_features), dask.delayed(_column)
    X = dd.from_delayed([frame(block, names) for block in blocks], meta=meta)
    y = weight = None
    if target is not None:
        # Whole numbers in one file and fractions in another are fractions in all.
        kinds_y = {one.kind for one in files.looks}
        kind = object if target in files.texts else np.int64 if kinds_y == {"i"} else np.float64
        parts = [column(block, None, np.dtype(kind)) for block in blocks]
        y = dd.from_delayed(parts, meta=pd.Series([], dtype=kind, name=target))
    if sample_weight is not None:
        parts = [column(block, sample_weight, np.dtype(np.float64)) for block in blocks]
        weight = dd.from_delayed(parts, meta=pd.Series([], dtype=np.float64, name=sample_weight))
    return X, y, weight


# ---- On the workers ------------------------------------------------------------------------------


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


def _read(piece: Piece, names: list[str] | None) -> Block:
    """Read a piece; the columns of a table in the order of the first."""
    block = piece.read()
    if names is None or not hasattr(block.X, "columns"):
        return block
    there = {*block.X.columns, block.target, block.id} - {None}
    for one, other in ((set(names), there), (there, set(names))):
        if one - other:
            raise FileError(
                f"the columns are not those of the first file: {sorted(one - other)[0]!r} is "
                f"{'missing' if other is there else 'new'}",
                piece.name,
            )
    return replace(block, X=block.X[[name for name in names if name in block.X.columns]])


def _features(block: Block, names: list[str]) -> Any:
    X = block.X[names]
    others = [name for name, kind in X.dtypes.items() if not is_text(kind)]
    return X.astype(dict.fromkeys(others, np.float64))


def _column(block: Block, name: str | None, kind: np.dtype[Any]) -> Any:
    import pandas as pd

    if name is None:
        assert block.y is not None
        return pd.Series(block.y, dtype=kind, name=block.target)
    values: NDArray[Any] = block.X[name].to_numpy()
    if is_text(values.dtype):
        raise FileError(f"the weights, {name!r}, are text such as {values[0]!r}")
    return pd.Series(values, dtype=kind, name=name)


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


def on_workers(
    pieces: Sequence[Piece], function: Callable[..., Any], common: Any, *args: Any
) -> Iterator[Any]:
    """Have a function called on each piece by any worker; yield the results in order.

    What is not asked for any more is cancelled.

    Parameters
    ----------
    pieces : sequence of Piece
        Of files.
    function : callable
        Called with a piece, what they have in common, and the arguments.
    common : object
        Sent to each worker once.
    *args
        More arguments.

    Yields
    ------
    object
        What the function returns.
    """
    client = Cluster().client
    sent = client.scatter(common, broadcast=True, hash=False)
    futures = [client.submit(function, piece, sent, *args, pure=False) for piece in pieces]
    try:
        while futures:
            yield futures[0].result()
            del futures[0]
    finally:
        client.cancel(futures, force=True)


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
