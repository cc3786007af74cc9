"""LIBSVM's text of sparse rows: label [qid:n] index:value ... [# comment]."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import nullcontext
from typing import IO, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.data.files.block import Block
from maxmargin.data.files.error import FileError, NoRowsError
from maxmargin.data.files.replace import replacing
from maxmargin.data.files.source import Lines, display_name, open_source

#: Read and parsed at once: an interrupt waits for so much.
CHUNK_BYTES = 1 << 24
#: Rows formatted at once.
_CHUNK_ROWS = 1 << 14


def read_libsvm(
    path: str | os.PathLike[str],
    *,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    stream: IO[bytes] | None = None,
) -> Block:
    r"""Read a whole file of LIBSVM text.

    Parameters
    ----------
    path : path-like
        A file, compressed or not; "-" for standard input.
    n_features : int, optional
        How many columns to make; by default as many as the largest index asks for.
    zero_based : bool or "auto"
        Whether index 0 is the first feature; "auto": if it occurs.
    stream : binary stream, optional
        The file's bytes, where it is open already.

    Returns
    -------
    Block
        Rows as CSR in float64, labels, and queries where there are any.

    Raises
    ------
    FileError
        With line and column of what is wrong.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.txt"
    >>> _ = path.write_text("+1 1:0.5 3:2  # first\n-1 2:1\n")
    >>> block = read_libsvm(path)
    >>> block.X.toarray(), block.y
    (array([[0.5, 0. , 2. ],
           [0. , 1. , 0. ]]), array([ 1., -1.]))
    """
    parts, name = list(_parse(path, CHUNK_BYTES, stream)), display_name(path)
    entries = np.cumsum([0] + [len(part.values) for part in parts])
    starts = [part.starts[1:] + before for part, before in zip(parts, entries, strict=False)]
    whole = _Rows(
        y=np.concatenate([part.y for part in parts]),
        values=np.concatenate([part.values for part in parts]),
        places=np.concatenate([part.places for part in parts]),
        starts=np.concatenate([[0], *starts]),
        queries=np.concatenate([part.queries for part in parts]),
    )
    del parts, starts
    return _block(whole, _base(whole.places, zero_based, name), n_features, 1, name)


def libsvm_blocks(
    path: str | os.PathLike[str],
    *,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    chunk_bytes: int = CHUNK_BYTES,
    stream: IO[bytes] | None = None,
) -> Iterator[Block]:
    r"""Read LIBSVM text in pieces, of which only one is in memory at a time.

    Parameters
    ----------
    path, n_features, zero_based, stream
        As in `read_libsvm`. Whether the indices begin at 0 shows in the first piece.
    chunk_bytes : int
        About how much to read at once.

    Yields
    ------
    Block
        The next rows.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.txt"
    >>> _ = path.write_text("1 1:1\n" * 6)
    >>> [block.n_rows for block in libsvm_blocks(path, n_features=1, chunk_bytes=18)]
    [3, 3]
    """
    first, base, name = 1, None, display_name(path)
    for rows in _parse(path, chunk_bytes, stream):
        if base is None:
            base = _base(rows.places, zero_based, name)
        elif base == 1 and rows.places.min(initial=1) == 0:
            raise FileError(
                "index 0 occurs here but not near the start, where indices seemed to begin at 1; "
                "say that they begin at 0",
                name,
            )
        yield _block(rows, base, n_features, first, name)
        first += len(rows.y)


def write_libsvm(
    path: str | os.PathLike[str],
    X: Any,
    y: ArrayLike | None = None,
    queries: ArrayLike | None = None,
) -> None:
    """Write rows as LIBSVM text, with indices from 1 and numbers that read back the same.

    Parameters
    ----------
    path : path-like
        Where to; replaced when complete.
    X : array-like or sparse matrix of shape (n, d)
        Rows; zeros are left out.
    y : array-like of shape (n,), optional
        Labels; 0 where there are none.
    queries : array-like of int, shape (n,), optional
        What groups the rows.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "data.txt"
    >>> write_libsvm(path, [[0.5, 0.0], [0.0, 2.0]], [1, -1])
    >>> print(path.read_text(), end="")
    1 1:0.5
    -1 2:2
    """
    with replacing(path) as stream:
        for text in libsvm_text(X, y, queries):
            stream.write(text)


def libsvm_text(
    X: Any, y: ArrayLike | None, queries: ArrayLike | None = None, first_index: int = 1
) -> Iterator[bytes]:
    r"""Format rows as LIBSVM text, some at a time.

    Parameters
    ----------
    X, y, queries
        As in `write_libsvm`.
    first_index : int
        The index of the first column.

    Examples
    --------
    >>> b"".join(libsvm_text([[0.5, 0.0]], None))
    b'0 1:0.5\n'
    """
    rows: Any = sparse.csr_array(X)
    labels = np.zeros(rows.shape[0]) if y is None else np.asarray(y, np.float64)
    asked = np.zeros(0, np.int64) if queries is None else np.asarray(queries, np.int64)
    for begin in range(0, rows.shape[0], _CHUNK_ROWS):
        part = rows[begin : begin + _CHUNK_ROWS]
        part.sum_duplicates()
        yield _core.format_libsvm(
            labels[begin : begin + _CHUNK_ROWS],
            part.data.astype(np.float64),
            part.indices.astype(np.int32),
            part.indptr.astype(np.int64),
            asked[begin : begin + _CHUNK_ROWS],
            first_index,
        )


class _Rows(NamedTuple):
    """Compressed rows with the indices as the text has them."""

    y: NDArray[np.float64]
    values: NDArray[np.float64]
    places: NDArray[np.int32]
    starts: NDArray[np.int64]
    queries: NDArray[np.int64]


def _parse(
    path: str | os.PathLike[str], chunk_bytes: int, given: IO[bytes] | None
) -> Iterator[_Rows]:
    name, lines, n_rows, threads = display_name(path), 0, 0, _core.usable_cores()
    ranked: bool | None = None
    with nullcontext(given) if given else open_source(path) as stream:
        for text in _whole_lines(Lines(stream, name), chunk_bytes):
            parsed = _core.parse_libsvm(text, threads)
            rows, n_lines, complaint = _Rows(*parsed[:5]), parsed[5], parsed[6]
            if complaint is not None:
                line, column, what = complaint
                raise FileError(what, name, lines + line, column)
            if len(rows.y) > 0:
                if ranked is not None and ranked != bool(len(rows.queries)):
                    raise FileError("either all rows have a qid or none", name, lines + 1)
                ranked = bool(len(rows.queries))
                yield rows
            lines, n_rows = lines + n_lines, n_rows + len(rows.y)
    if n_rows == 0:
        raise NoRowsError("there are no rows", name)


def _whole_lines(stream: Lines, chunk_bytes: int) -> Iterator[bytes]:
    """Cut bytes behind ends of lines; a byte order mark at the start is left out."""
    rest = stream.read(3).removeprefix(b"\xef\xbb\xbf")
    while chunk := stream.read(chunk_bytes):
        end = chunk.rfind(b"\n") + 1
        if end == 0:
            rest += chunk
            continue
        yield rest + chunk[:end]
        rest = chunk[end:]
    if rest:
        yield rest


def _base(places: NDArray[np.int32], zero_based: bool | Literal["auto"], name: str) -> int:
    smallest = places.min(initial=1)
    if zero_based == "auto":
        return 0 if smallest == 0 else 1
    if smallest == 0 and not zero_based:
        raise FileError("index 0 occurs but the indices are said to begin at 1", name)
    return 0 if zero_based else 1


def _block(rows: _Rows, base: int, n_features: int | None, first: int, name: str) -> Block:
    places, starts = rows.places, rows.starts
    places -= base
    found = int(places.max(initial=-1)) + 1
    if n_features is not None and found > n_features:
        row = int(np.searchsorted(starts, np.argmax(places >= n_features), side="right"))
        raise FileError(
            f"row {first + row - 1} has feature {found - 1 + base} but there are {n_features}", name
        )
    width = found if n_features is None else n_features
    # Both of one width, the narrower where it is wide enough, or scipy would copy to the wider.
    index = np.int32 if len(rows.values) < 2**31 else np.int64
    X = sparse.csr_array(
        (rows.values, places.astype(index, copy=False), starts.astype(index)),
        shape=(len(rows.y), width),
    )
    return Block(X, rows.y, first, rows.queries if len(rows.queries) else None)
