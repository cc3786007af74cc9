"""Data larger than memory: a source of rows that can be gone through again and again, in chunks.

    Chunks                a source, from arrays, NPY, NPZ, LIBSVM text, CSV or Parquet
    ChunkedMatrix         its rows as one matrix that is never in memory as a whole

One chunk is in memory at a time; targets and weights, one number per row, are there as a whole.
"""

from __future__ import annotations

import os
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.data.check import check_data
from maxmargin.data.files import DataFile

#: A chunk of arrays has about this many bytes.
CHUNK_BYTES = 16 << 20


class Chunk(NamedTuple):
    """Some rows of a source.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        Rows.
    y : ndarray of shape (n,)
        Their targets.
    weight : ndarray of shape (n,) or None
        Their weights, if there are any.

    Examples
    --------
    >>> Chunk(np.eye(2), np.array([0, 1])).weight is None
    True
    """

    X: Any
    y: NDArray[Any]
    weight: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Chunks:
    """A source of rows in chunks, which can be gone through as often as needed.

    Parameters
    ----------
    read : callable
        Returns an iterator over the chunks, the same ones each time.

    Examples
    --------
    >>> from maxmargin.data import Chunks
    >>> X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 0, 1])
    >>> chunks = Chunks.from_arrays(X, y, chunk_rows=4)
    >>> [chunk.X.shape for chunk in chunks], [len(chunk.y) for chunk in chunks]
    ([(4, 2), (2, 2)], [4, 2])

    A stochastic machine learns from them as from any stream, an exact one from the whole:

    >>> from maxmargin import LinearSVC, SGDSVC
    >>> stream = SGDSVC()
    >>> for chunk in chunks:
    ...     _ = stream.partial_fit(chunk.X, chunk.y, classes=[0, 1])
    >>> exact = LinearSVC().fit(chunks)
    >>> exact.status_.name
    'OPTIMAL'
    """

    read: Callable[[], Iterator[Chunk]]

    def __iter__(self) -> Iterator[Chunk]:
        return self.read()

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        chunk_rows: int | None = None,
    ) -> Chunks:
        """Cut arrays, which may be memory-mapped, or CSR into chunks.

        Parameters
        ----------
        X : ndarray or CSR of shape (n, d)
            Rows.
        y : array-like of shape (n,)
            Targets.
        sample_weight : array-like of shape (n,), optional
            Weights.
        chunk_rows : int, optional
            Rows per chunk; by default as many as fit in 16 MB.

        Examples
        --------
        >>> len(list(Chunks.from_arrays(np.eye(3), [0, 1, 0], chunk_rows=1)))
        3
        """
        targets = np.asarray(y)
        weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        lengths = {X.shape[0], len(targets)} | (set() if weight is None else {len(weight)})
        if len(lengths) > 1:
            raise ValueError(f"X, y and sample_weight have different numbers of rows: {lengths}.")
        rows = _chunk_rows(X.shape, X.dtype) if chunk_rows is None else chunk_rows
        _check_rows_of_chunk(rows)

        def read() -> Iterator[Chunk]:
            for begin in range(0, X.shape[0], rows):
                part = slice(begin, begin + rows)
                yield Chunk(X[part], targets[part], None if weight is None else weight[part])

        return cls(read)

    @classmethod
    def from_npy(
        cls,
        X: str | os.PathLike[str],
        y: str | os.PathLike[str],
        sample_weight: str | os.PathLike[str] | None = None,
        chunk_rows: int | None = None,
    ) -> Chunks:
        """Map NPY files into memory, a chunk at a time.

        Parameters
        ----------
        X, y, sample_weight : path
            Arrays of shapes (n, d), (n,) and (n,), stored row by row.
        chunk_rows : int, optional
            Rows per chunk; by default as many as fit in 16 MB.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> np.save(folder / "X.npy", np.eye(3)), np.save(folder / "y.npy", np.arange(3))
        (None, None)
        >>> [chunk.y.tolist() for chunk in Chunks.from_npy(folder / "X.npy", folder / "y.npy")]
        [[0, 1, 2]]
        """
        return _mapped(
            {
                "X": _stored_array(X),
                "y": _stored_array(y),
                **({} if sample_weight is None else {"weight": _stored_array(sample_weight)}),
            },
            chunk_rows,
        )

    @classmethod
    def from_npz(cls, path: str | os.PathLike[str], chunk_rows: int | None = None) -> Chunks:
        """Map the arrays of an NPZ archive into memory, a chunk at a time.

        Parameters
        ----------
        path : path
            An archive written by `numpy.savez`, not compressed, with arrays X and y and, if there
            are weights, `weight`; or `data`, `indices`, `indptr` and `shape` of CSR in place of X.
        chunk_rows : int, optional
            Rows per chunk; by default as many as fit in 16 MB.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.npz"
        >>> np.savez(path, X=np.eye(3), y=np.arange(3))
        >>> [chunk.X.shape for chunk in Chunks.from_npz(path, chunk_rows=2)]
        [(2, 3), (1, 3)]
        """
        arrays = {}
        if not zipfile.is_zipfile(path):
            raise ValueError(f"{os.fspath(path)} is not an archive; write one with numpy.savez.")
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if info.compress_type != zipfile.ZIP_STORED:
                    raise ValueError(
                        f"{os.fspath(path)} is compressed and cannot be mapped into memory; write "
                        "it with numpy.savez."
                    )
                # The local header: 30 bytes, then name and extra field, whose lengths it tells.
                with open(path, "rb") as file:
                    file.seek(info.header_offset + 26)
                    sizes = np.frombuffer(file.read(4), "<u2")
                begin = info.header_offset + 30 + int(sizes.sum())
                arrays[info.filename.removesuffix(".npy")] = _stored_array(path, begin)
        return _mapped(arrays, chunk_rows)

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        target: str | None = None,
        n_features: int | None = None,
    ) -> Chunks:
        r"""Read LIBSVM text, CSV or Parquet in blocks, from its beginning in each pass.

        Parameters
        ----------
        path : path
            The file, compressed or not.
        target : str, optional
            The target's column in a table; LIBSVM text has its targets in front.
        n_features : int, optional
            Columns of LIBSVM text, if the first rows may lack the last ones; then the widest block
            decides when it is left out.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.txt"
        >>> _ = path.write_text("1 1:0.5\n-1 2:2\n")
        >>> [chunk.X.shape for chunk in Chunks.from_file(path)]
        [(2, 2)]
        """
        file = DataFile(path, target=target)

        def read() -> Iterator[Chunk]:
            for block in file.blocks():
                if block.y is None:
                    raise ValueError(f"{file.name} has no target; name its column with target=.")
                X = block.X if sparse.issparse(block.X) else np.asarray(block.X, np.float64)
                if n_features is not None and sparse.issparse(X):
                    X = _widened(X, n_features)
                yield Chunk(X, block.y)

        return cls(read)


@dataclass(frozen=True, eq=False)
class ChunkedMatrix:
    """The rows of a source as one matrix, gone through once to learn its shape.

    Parameters
    ----------
    chunks : Chunks
        The source.
    starts : ndarray of int64
        First row of each chunk, and the number of rows.
    shape : (int, int)
        Rows and columns.
    sparse : bool
        Whether chunks are CSR.
    y : ndarray of shape (n,)
        All targets.
    weight : ndarray of shape (n,) or None
        All weights, if there are any.
    loads : list of float
        When a chunk was read since, by `time.perf_counter`: passes can be counted from it.

    Examples
    --------
    >>> matrix = ChunkedMatrix.scan(Chunks.from_arrays(np.eye(3), [0, 1, 0], chunk_rows=2))
    >>> matrix.shape, matrix.starts, matrix.y
    ((3, 3), array([0, 2, 3]), array([0, 1, 0]))
    """

    chunks: Chunks
    starts: NDArray[np.int64]
    shape: tuple[int, int]
    sparse: bool
    y: NDArray[Any]
    weight: NDArray[np.float64] | None
    loads: list[float]

    @classmethod
    def scan(cls, chunks: Chunks) -> ChunkedMatrix:
        """Go through a source once: check every row, keep targets and weights.

        Parameters
        ----------
        chunks : Chunks
            The source.
        """
        starts, columns, kinds = [0], [], set()
        y: list[NDArray[Any]] = []
        weight: list[NDArray[np.float64] | None] = []
        for chunk in chunks:
            try:
                check_data(chunk.X, np.zeros(chunk.X.shape[0]), chunk.weight)
            except ValueError as error:
                raise ValueError(f"in the chunk from row {starts[-1]} on: {error}") from None
            if len(chunk.y) != chunk.X.shape[0]:
                raise ValueError(
                    f"the chunk from row {starts[-1]} on has {chunk.X.shape[0]} rows but "
                    f"{len(chunk.y)} targets."
                )
            starts.append(starts[-1] + chunk.X.shape[0])
            columns.append(chunk.X.shape[1])
            kinds.add(sparse.issparse(chunk.X))
            y.append(np.array(chunk.y))
            weight.append(None if chunk.weight is None else np.array(chunk.weight))
        if not columns:
            raise ValueError("the source has no chunks; check that it can be read again.")
        if len(kinds) > 1 or (kinds == {False} and len(set(columns)) > 1):
            raise ValueError(
                f"chunks differ in kind or width ({sorted(set(columns))} columns); they must all "
                "be CSR, or all be dense and of one width."
            )
        if any(part is None for part in weight) and any(part is not None for part in weight):
            raise ValueError("some chunks have weights and some do not; give all or none.")
        return cls(
            chunks,
            np.array(starts, np.int64),
            (starts[-1], max(columns)),
            kinds == {True},
            np.concatenate(y),
            None if weight[0] is None else np.concatenate([w for w in weight if w is not None]),
            [],
        )

    def core(self) -> _core.Data:
        """Return the core's view: it asks for chunks as it goes through the rows."""
        return _core.Data.chunked(self.starts, self.shape[1], self.sparse, _Reader(self))


class _Reader:
    """Gives chunks by number: the next one by reading on, an earlier one from the beginning."""

    def __init__(self, matrix: ChunkedMatrix) -> None:
        self._matrix = matrix
        self._next = 0
        self._iterator: Iterator[Chunk] = iter(())

    def __call__(self, number: int) -> _core.Data:
        if number < self._next or self._next == 0:
            self._iterator, self._next = iter(self._matrix.chunks), 0
        for chunk in islice(self._iterator, number - self._next, number - self._next + 1):
            self._next = number + 1
            self._matrix.loads.append(time.perf_counter())
            return self._data(chunk.X)
        raise ValueError(
            f"the source ended before chunk {number}; it must give the same chunks in each pass."
        )

    def _data(self, X: Any) -> _core.Data:
        X = check_data(X, np.zeros(X.shape[0])).X
        if sparse.issparse(X):
            X = _widened(X, self._matrix.shape[1])
            return _core.Data.sparse(X.data, X.indices, X.indptr, X.shape[1])
        return _core.Data.dense(X)


class _StoredArray(NamedTuple):
    """Where in a file an array is."""

    path: str | os.PathLike[str]
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def part(self, begin: int, end: int) -> NDArray[Any]:
        """Map some of its first axis; an empty range cannot be mapped."""
        if end <= begin:
            return np.zeros((0, *self.shape[1:]), self.dtype)
        row = self.dtype.itemsize * int(np.prod(self.shape[1:], dtype=np.int64))
        place, shape = self.offset + begin * row, (end - begin, *self.shape[1:])
        return np.memmap(self.path, self.dtype, "r", place, shape)


def _stored_array(path: str | os.PathLike[str], begin: int = 0) -> _StoredArray:
    """Read the header of an array in NPY format that begins at some byte of a file."""
    with open(path, "rb") as file:
        file.seek(begin)
        version = np.lib.format.read_magic(file)
        read = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        shape, fortran, dtype = read(file)
        offset = file.tell()
    if dtype.hasobject:
        raise ValueError(f"{os.fspath(path)} holds Python objects, which are never loaded.")
    if fortran and len(shape) > 1:
        raise ValueError(
            f"{os.fspath(path)} is stored column by column; save it with numpy.ascontiguousarray."
        )
    return _StoredArray(path, offset, shape, dtype)


def _mapped(arrays: dict[str, _StoredArray], chunk_rows: int | None) -> Chunks:
    compressed = "indptr" in arrays
    needed = {"data", "indices", "indptr", "shape", "y"} if compressed else {"X", "y"}
    if not needed <= arrays.keys():
        raise ValueError(f"the archive has {sorted(arrays)}; it must have {sorted(needed)}.")
    if compressed:
        stored = arrays["shape"]
        n, d = (int(size) for size in stored.part(0, stored.shape[0]))
        entries = arrays["data"].shape[0] * (arrays["data"].dtype.itemsize + 4)
        width = max(1, entries // max(1, n))
    else:
        if len(arrays["X"].shape) != 2:
            raise ValueError(f"X has shape {arrays['X'].shape}; it must have two dimensions.")
        n, d = arrays["X"].shape
        width = d * arrays["X"].dtype.itemsize
    for name in ("y", "weight"):
        if name in arrays and arrays[name].shape != (n,):
            raise ValueError(f"{name} has shape {arrays[name].shape}; it must be ({n},).")
    rows = max(1, CHUNK_BYTES // max(1, width)) if chunk_rows is None else chunk_rows
    _check_rows_of_chunk(rows)

    def read() -> Iterator[Chunk]:
        for begin in range(0, n, rows):
            end = min(n, begin + rows)
            if compressed:
                starts = np.array(arrays["indptr"].part(begin, end + 1))
                first, last = int(starts[0]), int(starts[-1])
                places, values = (
                    arrays["indices"].part(first, last),
                    arrays["data"].part(first, last),
                )
                X = sparse.csr_matrix((values, places, starts - starts[0]), (end - begin, d))
            else:
                X = arrays["X"].part(begin, end)
            weight = arrays["weight"].part(begin, end) if "weight" in arrays else None
            yield Chunk(X, arrays["y"].part(begin, end), weight)

    return Chunks(read)


def _chunk_rows(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    return max(1, CHUNK_BYTES // max(1, shape[1] * dtype.itemsize))


def _check_rows_of_chunk(rows: int) -> None:
    if rows < 1:
        raise ValueError(f"chunk_rows is {rows}; it must be at least 1.")


def _widened(X: Any, n_features: int) -> Any:
    """CSR with more columns, none of them stored."""
    if X.shape[1] > n_features:
        raise ValueError(f"a chunk has {X.shape[1]} columns, more than n_features={n_features}.")
    return type(X)((X.data, X.indices, X.indptr), (X.shape[0], n_features))
