"""Data files on a cluster: the pieces of all of them, once they agree on what is in them.

Every piece is read by the reader of one machine (`maxmargin.data.files`), so that names, classes,
missing values and errors are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import dask
import dask.array as da
import numpy as np

from maxmargin.data.files import Block, FileError, Format
from maxmargin.distributed.cluster import Cluster, computed
from maxmargin.distributed.pieces import CHUNK_BYTES, Look, Piece, format_of, look, pieces_of

TABLES = (Format.CSV, Format.TSV, Format.PARQUET)


class Files:
    r"""Data files of one kind, and the pieces that workers read.

    Parameters
    ----------
    pattern : str
        A file, a folder, or a pattern such as ``part-*.parquet``; also an address that fsspec
        knows. Of a folder, files whose names begin with "." or "_" are left out.
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
        found = computed([dask.delayed(look)(piece) for piece in pieces])
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
        return computed([call(block, piece.name, *args) for block, piece in parts])

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
    cluster = Cluster()
    sent = cluster.send(common, broadcast=True)
    futures = [cluster.client.submit(function, piece, sent, *args, pure=False) for piece in pieces]
    try:
        while futures:
            yield from cluster.wait(futures[:1])
            del futures[0]
    finally:
        cluster.client.cancel(futures, force=True)
