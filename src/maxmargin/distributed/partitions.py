"""Data on the workers of a cluster: checked partitions that stay where they are.

A Dask array or dataframe is a list of partitions. Each is read and checked on a worker, and each
worker's partitions are its `Share`, which also keeps what a fit remembers of its rows. The client
knows what is in them (`Contents`) and has functions called on the shares.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask.sizeof import sizeof
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.distributed.cluster import Cluster, NoWorkers, Stopped, WorkerLost
from maxmargin.distributed.share import (
    Contents,
    Here,
    Target,
    call,
    contents_of,
    gather,
    no_numbers,
    read_partition,
)

#: How often a fit begins again because a worker was lost.
MOST_LOSSES = 3

T = TypeVar("T")


class Partitions:
    """Checked data on the workers of a cluster.

    Parameters
    ----------
    cluster : Cluster
        Where they are.
    X : Dask array or dataframe, or rows of this process
        Rows: blocks may be dense or CSR, of unknown length, or empty.
    y, sample_weight : Dask array or series, or array-likes, optional
        Partitioned like X, or of known length.
    target : {"classes", "numbers", "none"}
        What y is.
    who : str
        The estimator, for errors.

    Attributes
    ----------
    contents : list of Contents
        Of each partition.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> X = da.ones((6, 2), chunks=(3, 2))
    >>> from maxmargin.distributed.share import count_rows
    >>> data = Partitions(Cluster(client), X, da.arange(6, chunks=3), target="numbers")
    >>> data.shape, len(data.contents), data.sum(count_rows)
    ((6, 2), 2, 6)
    >>> client.close()
    """

    contents: list[Contents]

    def __init__(
        self,
        cluster: Cluster,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        target: Target = "none",
        who: str = "estimator",
    ) -> None:
        self.cluster = cluster
        self._while_reading = cluster.tick
        self._pieces = _pieces(cluster, X, y, sample_weight)
        self._how = (target, who)
        self._shares: dict[str, Any] = {}
        self._held: dict[str, list[int]] = {}
        self._fit = ""
        self._steps: dict[str, int] = {}
        self.surviving(lambda: None)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of all partitions."""
        return sum(part.n_rows for part in self.contents), self.contents[0].n_features

    @property
    def starts(self) -> NDArray[np.int64]:
        """Place of the first row of each partition among all rows, and the number of all."""
        return np.cumsum([0, *(part.n_rows for part in self.contents)])

    @property
    def n_workers(self) -> int:
        """How many workers hold rows."""
        return len(self._shares)

    def map(self, function: Callable[..., T], *args: Any) -> list[T]:
        """Call a function on every worker's share, and return the results.

        Parameters
        ----------
        function : callable
            Called on a worker as ``function(share, *args)``; it may use `share.n_threads` threads
            and remember things in `share.kept`.
        *args
            Sent to every worker.
        """
        return self.cluster.run(self._calls(function, args))

    def sum(self, function: Callable[..., T], *args: Any) -> T:
        """Call a function on every worker's share, and return the sum of the results.

        Parameters
        ----------
        function, *args
            As in `map`; results are numbers, arrays, or tuples of them.
        """
        total: T = self.cluster.sum(self._calls(function, args))
        return total

    def _calls(
        self, function: Callable[..., Any], args: tuple[Any, ...]
    ) -> list[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
        self.cluster.report["bytes_moved"] += len(self._shares) * sum(map(sizeof, args))
        sent = tuple(self.cluster.share(arg) for arg in args)
        return [self._call(address, function, sent) for address in self._shares]

    def _call(
        self, address: str, function: Callable[..., Any], args: tuple[Any, ...]
    ) -> tuple[str, Callable[..., Any], tuple[Any, ...]]:
        step = self._steps.get(address, 0)
        self._steps[address] = step + 1
        return address, call, (self._shares[address], self._fit, step, function, *args)

    def visit(self, address: str, function: Callable[..., T], *args: Any) -> T:
        """Call a function on one worker's share.

        Parameters
        ----------
        address : str
            The worker's, as in `holders`.
        function, *args
            As in `map`.
        """
        self.cluster.report["bytes_moved"] += sum(map(sizeof, args))
        found: T = self.cluster.run([self._call(address, function, args)])[0]
        return found

    @property
    def holders(self) -> dict[int, str]:
        """The address of the worker that holds each partition."""
        return {number: to for to, numbers in self._held.items() for number in numbers}

    def surviving(self, attempt: Callable[[], T]) -> T:
        """Do something with the partitions, and again if a worker that holds some is lost.

        Rows of a lost worker are read again by others, and every share forgets what it kept.

        Parameters
        ----------
        attempt : callable
            What to do; it begins anew each time, from what the client knows.
        """
        while True:
            try:
                if not self._shares:
                    with self.cluster.asking(self._while_reading):
                        self._place()
                return attempt()
            except NoWorkers:
                raise
            except WorkerLost as error:
                self._shares = {}
                self.cluster.report["workers_lost"] += 1
                if self.cluster.report["workers_lost"] > MOST_LOSSES:
                    raise WorkerLost(
                        f"{error}; the fit was begun again {MOST_LOSSES} times, each time a worker "
                        "was lost: look at the workers' logs (memory is the usual cause)."
                    ) from error

    def _place(self) -> None:
        """Have all partitions read and checked, and gather each worker's into its share."""
        threads = self.cluster.threads()
        target, who = self._how
        reads = [
            dask.delayed(read_partition, pure=False)(number, *piece, target, who)
            for number, piece in enumerate(self._scattered(list(threads)))
        ]
        futures = self.cluster.compute(reads)
        self._await(futures)
        where = self.cluster.asked(self.cluster.client.who_has, futures)
        held: dict[str, list[int]] = {}
        for number, future in enumerate(futures):
            holders = [to for to in where.get(future.key, ()) if to in threads]
            if not holders:
                raise WorkerLost(f"the worker that had read partition {number} is gone")
            least = min(holders, key=lambda to: len(held.get(to, ())))
            held.setdefault(least, []).append(number)
        self._fit, self._steps = os.urandom(8).hex(), {}
        shares = {
            to: self.cluster.start(
                to, gather, self._fit, threads[to], *(futures[k] for k in held[to])
            )
            for to in sorted(held)
        }
        self.cluster.wait(list(shares.values()), list(shares), fetch=False)
        self._shares, self._held = shares, held
        found = [contents for part in self.map(contents_of) for contents in part]
        self.contents = sorted(found, key=lambda contents: contents.number)
        self._check_columns()

    def _scattered(self, addresses: Sequence[str]) -> Iterator[list[Any]]:
        """Yield the pieces of each partition; what is still here is sent to the workers in turn."""
        for number, piece in enumerate(self._pieces):
            to = [addresses[number % len(addresses)]]
            yield [
                self.cluster.send(part, workers=to) if isinstance(part, Here) else part
                for part in piece
            ]

    def _await(self, futures: Sequence[Any]) -> None:
        """Wait until partitions are read; an error says which one could not be."""
        self.cluster.wait(futures, fetch=False)
        ends = [future.status for future in futures]
        if "error" in ends:
            number = ends.index("error")
            try:
                self.cluster.asked(self.cluster.client.gather, [futures[number]])
            except (WorkerLost, Stopped):
                raise
            except Exception as error:
                if isinstance(error, ValueError) and str(error).startswith("partition "):
                    raise
                raise ValueError(
                    f"partition {number} cannot be read: {type(error).__name__}: {error}"
                ) from error
        for number, end in enumerate(ends):
            if end != "finished":
                raise WorkerLost(f"the data of partition {number} were lost with a worker")

    def _check_columns(self) -> None:
        first = self.contents[0]
        for part in self.contents[1:]:
            if part.n_features != first.n_features:
                raise ValueError(
                    f"partition {part.number} has {part.n_features} columns and partition 0 has "
                    f"{first.n_features}; all must have the same."
                )
        if self.shape[0] == 0:
            raise ValueError(f"X has no rows in any of its {len(self.contents)} partitions.")


# ---- From what the caller gives to pieces of partitions ------------------------------------------


def _pieces(cluster: Cluster, X: Any, y: Any, weight: Any) -> list[tuple[Any, Any, Any]]:
    """Return X, y and weights of each partition."""
    rows, lengths = _split_rows(cluster, X)
    columns = []
    for name, given in (("y", y), ("sample_weight", weight)):
        if given is None or isinstance(given, int | float):
            columns.append([given] * len(rows))
        else:
            lengths = lengths if is_lazy(given) else _lengths(cluster, rows, lengths)
            columns.append(split_column(name, given, lengths, len(rows)))
    return list(zip(rows, *columns, strict=True))


def is_lazy(given: Any) -> bool:
    """Whether something is a Dask array, dataframe or series.

    Parameters
    ----------
    given : object
        Anything.

    Examples
    --------
    >>> is_lazy(da.ones(3)), is_lazy(np.ones(3))
    (True, False)
    """
    return isinstance(given, da.Array | dd.DataFrame | dd.Series)


def _split_rows(cluster: Cluster, X: Any) -> tuple[list[Any], list[int] | None]:
    """Return the rows of each partition, and how many they are if that is known."""
    if is_lazy(X):
        _check_numbers(X)
        return blocks_of(X)
    rows: Any = X if sparse.issparse(X) or hasattr(X, "iloc") else np.asarray(X)
    if len(rows.shape) != 2:
        raise ValueError(f"X has {len(rows.shape)} dimensions; it must have 2, rows and features.")
    n, workers = rows.shape[0], len(cluster.threads())
    bounds = np.linspace(0, n, max(1, min(n, workers)) + 1).astype(int)
    rows = rows.tocsr() if sparse.issparse(rows) else rows
    return [Here(part) for part in _cut(rows, bounds)], np.diff(bounds).tolist()


def _check_numbers(X: Any) -> None:
    """Refuse columns of texts before any is read; categories that are numbers are numbers."""
    if not hasattr(X, "columns"):
        return
    # Which a dataframe came with.
    from pandas.api.types import is_bool_dtype, is_numeric_dtype, is_object_dtype

    for name, dtype in X._meta.dtypes.items():
        values = getattr(dtype, "categories", None)
        known = values is None or getattr(X[name].cat, "known", True)
        texts = known and not is_numeric_dtype(dtype if values is None else values)
        # What is in a column of objects is known to workers only.
        if texts and not is_bool_dtype(dtype) and not is_object_dtype(dtype):
            raise ValueError(no_numbers(name, dtype))


def blocks_of(X: Any) -> tuple[list[Any], list[int] | None]:
    """Return the blocks of rows of a Dask collection, and their lengths if they are known.

    Parameters
    ----------
    X : Dask array or dataframe
        Rows.

    Examples
    --------
    >>> blocks, lengths = blocks_of(da.ones((5, 2), chunks=(3, 1)))
    >>> blocks[0].compute().shape, lengths
    ((3, 2), [3, 2])
    """
    if isinstance(X, dd.DataFrame):
        return X.to_delayed(), None
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions; it must have 2, rows and features.")
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    known = not np.isnan(X.chunks[0]).any()
    return X.to_delayed().ravel().tolist(), list(X.chunks[0]) if known else None


def _lengths(cluster: Cluster, rows: Sequence[Any], lengths: list[int] | None) -> list[int]:
    if lengths is not None:
        return lengths
    count = dask.delayed(_n_rows, pure=False)
    return cluster.wait(cluster.compute([count(part) for part in rows]))


def _n_rows(X: Any) -> int:
    return int(X.shape[0])


def split_column(name: str, given: Any, lengths: list[int] | None, n_parts: int) -> list[Any]:
    """Return a column's part of each partition.

    Parameters
    ----------
    name : str
        What it is, for errors.
    given : Dask array or series, or array-like
        The column.
    lengths : list of int or None
        Rows of each partition, if they are known.
    n_parts : int
        Number of partitions.

    Examples
    --------
    >>> split_column("y", da.arange(5, chunks=5), [3, 2], 2)[1].compute()
    array([3, 4])
    """
    if is_lazy(given):
        if isinstance(given, da.Array):
            if given.ndim == 2 and given.shape[1] == 1:
                given = given[:, 0]
            if lengths is not None and not np.isnan(given.chunks[0]).any():
                if sum(lengths) != given.shape[0]:
                    raise ValueError(
                        f"{name} has {given.shape[0]} values but X has {sum(lengths)} rows."
                    )
                given = given.rechunk((tuple(lengths),))
        parts = np.asarray(given.to_delayed(), object).ravel().tolist()
        if len(parts) != n_parts:
            raise ValueError(
                f"{name} has {len(parts)} partitions and X has {n_parts}; partition them alike, "
                "or compute their chunk sizes (compute_chunk_sizes of a Dask array)."
            )
        return parts
    assert lengths is not None
    values = given if hasattr(given, "iloc") else np.asarray(given)
    if len(values) != sum(lengths):
        raise ValueError(f"{name} has {len(values)} values but X has {sum(lengths)} rows.")
    return [Here(part) for part in _cut(values, np.cumsum([0, *lengths]))]


def _cut(rows: Any, bounds: NDArray[np.int64]) -> list[Any]:
    taken = rows.iloc if hasattr(rows, "iloc") else rows
    return [taken[a:b] for a, b in pairwise(bounds)]
