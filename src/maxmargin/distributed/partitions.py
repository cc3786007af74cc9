"""Data on the workers of a cluster: checked partitions that stay where they are.

A Dask array or dataframe is a list of partitions. Each is read and checked on a worker, and each
worker's partitions are its `Share`, which also keeps what a fit remembers of its rows. The client
knows what is in them (`Contents`) and has functions called on the shares.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, TypeVar

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask.sizeof import sizeof
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.validation import check_consistent_length, column_or_1d

from maxmargin.data import canonical
from maxmargin.distributed.cluster import Cluster, WorkerLost
from maxmargin.estimators.classes import check_labels, numbered
from maxmargin.estimators.training import check_targets

#: How often a fit begins again because a worker was lost.
MOST_LOSSES = 3

Target = Literal["classes", "numbers", "none"]
T = TypeVar("T")


@dataclass(frozen=True)
class Contents:
    """What the client knows of a partition.

    Parameters
    ----------
    number : int
        Its place among the partitions.
    n_rows, n_features, entries : int
        Rows, columns, and stored numbers.
    sparse : bool
        Whether rows are CSR.
    weight : float
        Sum of the rows' weights, none of them negative.
    names : ndarray
        Of a classifier: the labels of rows that count, in order.
    counts, weights : ndarray
        How many rows that count have each of them, and the sum of their weights.
    others : ndarray
        Labels of all rows, also of those that do not count.
    moments : tuple of float
        Sum of weights, mean, and sum of squares about the mean, of all entries.

    Examples
    --------
    >>> read_partition(0, [[0.0], [1.0]], ["a", "b"], None, "classes", "SVC").contents.names
    array(['a', 'b'], dtype='<U1')
    """

    number: int
    n_rows: int
    n_features: int
    entries: int
    sparse: bool
    weight: float
    names: NDArray[Any]
    counts: NDArray[np.int64]
    weights: NDArray[np.float64]
    others: NDArray[Any]
    moments: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Partition:
    """Checked rows, with their targets and weights.

    Parameters
    ----------
    number : int
        Its place among the partitions.
    X : ndarray or CSR
        Rows as the core takes them.
    y : ndarray
        Labels or targets; zeros where there are none.
    weight : ndarray of float64
        What each row counts; 0 for those that do not.

    Examples
    --------
    >>> read_partition(0, [[1], [2]], [1, 2], None, "numbers", "SVR").X.dtype
    dtype('float64')
    """

    number: int
    X: Any
    y: NDArray[Any]
    weight: NDArray[np.float64]

    @property
    def contents(self) -> Contents:
        """What the client is to know of it."""
        counting = self.weight > 0
        names, codes = numbered(self.y[counting])
        weight = self.weight[counting]
        return Contents(
            number=self.number,
            n_rows=int(self.X.shape[0]),
            n_features=int(self.X.shape[1]),
            entries=int(self.X.nnz if sparse.issparse(self.X) else self.X.size),
            sparse=bool(sparse.issparse(self.X)),
            weight=float(weight.sum()),
            names=names,
            counts=np.bincount(codes, minlength=len(names)),
            weights=np.bincount(codes, weight, len(names)),
            others=numbered(self.y)[0],
            moments=_moments(self.X, self.weight),
        )


class StaleError(WorkerLost):
    """What a worker holds is not what the client believes: it was lost and made again.

    Examples
    --------
    >>> Share("fit", []).enter("fit", 1)
    Traceback (most recent call last):
    maxmargin.distributed.partitions.StaleError: the worker holds step 0 of the fit where 1 is due
    """


@dataclass(eq=False)
class Share:
    """What one worker holds of a fit: its partitions, and what the fit remembers of their rows.

    Every call says which step of the fit it is. A share that Dask has made anew, read back from
    disk, or given a call twice is at another step and says so, so that no result is ever computed
    from a state that is not the fit's.

    Parameters
    ----------
    fit : str
        The fit it belongs to.
    partitions : list of Partition
        In the order of their numbers.
    n_threads : int
        Threads of the worker.
    step : int
        How many calls it has seen.
    kept : dict
        What calls remember for later ones.

    Examples
    --------
    >>> share = Share("fit", [])
    >>> share.enter("fit", 0), share.step
    (None, 1)
    """

    fit: str
    partitions: list[Partition]
    n_threads: int = 1
    step: int = 0
    kept: dict[str, Any] = field(default_factory=dict)

    def enter(self, fit: str, step: int) -> None:
        """Begin a step, if it is the one that is due."""
        if self.fit != fit or self.step != step:
            raise StaleError(f"the worker holds step {self.step} of the fit where {step} is due")
        self.step += 1

    def __sizeof__(self) -> int:
        """Bytes of the rows: Dask decides by it what a worker can hold."""
        return sum(_bytes(part.X) + part.y.nbytes + part.weight.nbytes for part in self.partitions)


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
    >>> client = Client(processes=False, n_workers=1, dashboard_address=None)
    >>> X = da.ones((6, 2), chunks=(3, 2))
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
        self._pieces = _pieces(cluster, X, y, sample_weight)
        self._how = (target, who)
        self._shares: dict[str, Any] = {}
        self._held: dict[str, list[int]] = {}
        self._fit = ""
        self._step = 0
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
        step, self._step = self._step, self._step + 1
        return [
            (address, _call, (share, self._fit, step, function, *sent))
            for address, share in self._shares.items()
        ]

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
                    self._place()
                return attempt()
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
        futures = self.cluster.client.compute(reads)
        self.cluster.report["tasks"] += len(futures)
        self._await(futures)
        where = self.cluster.client.who_has(futures)
        held: dict[str, list[int]] = {}
        for number, future in enumerate(futures):
            holders = [to for to in where.get(future.key, ()) if to in threads]
            if not holders:
                raise WorkerLost(f"the worker that had read partition {number} is gone")
            least = min(holders, key=lambda to: len(held.get(to, ())))
            held.setdefault(least, []).append(number)
        self._fit, self._step = os.urandom(8).hex(), 0
        shares = {
            to: self.cluster.start(
                to, _gather, self._fit, threads[to], *(futures[k] for k in held[to])
            )
            for to in sorted(held)
        }
        self.cluster.wait(list(shares.values()), list(shares), fetch=False)
        self._shares, self._held = shares, held
        found = [contents for part in self.map(_contents) for contents in part]
        self.contents = sorted(found, key=lambda contents: contents.number)
        self._check_columns()

    def _scattered(self, addresses: Sequence[str]) -> Iterator[list[Any]]:
        """Yield the pieces of each partition; what is still here is sent to the workers in turn."""
        for number, piece in enumerate(self._pieces):
            to = [addresses[number % len(addresses)]]
            yield [
                self.cluster.client.scatter(part, workers=to, hash=False)
                if isinstance(part, _Here)
                else part
                for part in piece
            ]

    def _await(self, futures: Sequence[Any]) -> None:
        """Wait until partitions are read; an error says which one could not be."""
        self.cluster.wait(futures, fetch=False)
        ends = [future.status for future in futures]
        if "error" in ends:
            number = ends.index("error")
            error = futures[number].exception()
            if isinstance(error, ValueError) and str(error).startswith("partition "):
                raise error
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


def read_partition(
    number: int, X: Any, y: Any, sample_weight: Any, target: Target, who: str
) -> Partition:
    """Check the rows of one partition, as an estimator of one machine would; done on a worker.

    Parameters
    ----------
    number : int
        Its place among the partitions.
    X, y, sample_weight
        What Dask has read.
    target : {"classes", "numbers", "none"}
        What y is.
    who : str
        The estimator, for errors.

    Examples
    --------
    >>> read_partition(3, [[0.0], [float("nan")]], None, None, "none", "SVC")
    Traceback (most recent call last):
    ValueError: partition 3: Input X contains NaN.
    """
    try:
        return _checked(number, _opened(X), _opened(y), _opened(sample_weight), target, who)
    except (ValueError, TypeError) as error:
        raise ValueError(f"partition {number}: {error}") from error


def _checked(number: int, X: Any, y: Any, weight: Any, target: Target, who: str) -> Partition:
    rows = check_array(
        X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", ensure_min_samples=0,
        input_name="X",
    )  # fmt: skip
    rows = canonical(rows) if sparse.issparse(rows) else rows
    n = rows.shape[0]
    if target == "none" or (y is None and n == 0):
        values: NDArray[Any] = np.zeros(n)
    elif n == 0:
        values = np.asarray(y).reshape(-1)[:0]
    else:
        values = check_labels(y, rows) if target == "classes" else check_targets(y, rows, who)
    return Partition(number, rows, values, _checked_weight(weight, rows))


def _checked_weight(given: Any, rows: Any) -> NDArray[np.float64]:
    """Return what each row counts; all may be zero in one partition, but not in all of them."""
    if given is None:
        return np.ones(rows.shape[0])
    if np.ndim(given) == 0:
        given = np.full(rows.shape[0], given)
    weight: NDArray[np.float64] = column_or_1d(given, dtype=np.float64)
    assert_all_finite(weight, input_name="sample_weight")
    check_consistent_length(rows, weight)
    return np.maximum(weight, 0.0)


def _moments(X: Any, weight: NDArray[np.float64]) -> tuple[float, float, float]:
    """Weight of all entries, their mean, and the sum of squares about it; zeros count too."""
    total = float(weight.sum()) * X.shape[1]
    if total == 0:
        return 0.0, 0.0, 0.0
    if sparse.issparse(X):
        each, values = np.repeat(weight, np.diff(X.indptr)), X.data.astype(np.float64)
        mean = float(each @ values) / total
        return total, mean, float(each @ (values - mean) ** 2) + (total - each.sum()) * mean**2
    mean = float(weight @ X.sum(axis=1, dtype=np.float64)) / total
    return total, mean, float(weight @ ((X.astype(np.float64) - mean) ** 2).sum(axis=1))


def pooled(moments: Sequence[tuple[float, float, float]]) -> tuple[float, float, float]:
    """Return the moments of all partitions from those of each.

    Parameters
    ----------
    moments : sequence of tuple
        `Contents.moments`.

    Examples
    --------
    >>> pooled([(1.0, 0.0, 0.0), (1.0, 2.0, 0.0)])
    (2.0, 1.0, 2.0)
    """
    total, mean, squares = 0.0, 0.0, 0.0
    for weight, other, spread in moments:
        if weight > 0:
            both = total + weight
            squares += spread + (other - mean) ** 2 * total * weight / both
            mean += (other - mean) * weight / both
            total = both
    return total, mean, squares


def count_rows(share: Share) -> int:
    """Return how many rows a worker holds.

    Parameters
    ----------
    share : Share
        Its share.

    Examples
    --------
    >>> count_rows(Share("fit", []))
    0
    """
    return sum(int(part.X.shape[0]) for part in share.partitions)


def _call(share: Share, fit: str, step: int, function: Callable[..., T], *args: Any) -> T:
    share.enter(fit, step)
    return function(share, *args)


def _gather(fit: str, n_threads: int, *partitions: Partition) -> Share:
    return Share(fit, list(partitions), n_threads)


def _contents(share: Share) -> list[Contents]:
    return [part.contents for part in share.partitions]


# ---- From what the caller gives to pieces of partitions ------------------------------------------


class _Here:
    """Rows that are in this process still, until they are sent to a worker."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows


def _opened(piece: Any) -> Any:
    return piece.rows if isinstance(piece, _Here) else piece


def _pieces(cluster: Cluster, X: Any, y: Any, weight: Any) -> list[tuple[Any, Any, Any]]:
    """Return X, y and weights of each partition."""
    rows, lengths = _split_rows(cluster, X)
    columns = []
    for name, given in (("y", y), ("sample_weight", weight)):
        if given is None or isinstance(given, int | float):
            columns.append([given] * len(rows))
        else:
            lengths = lengths if _lazy(given) else _lengths(cluster, rows, lengths)
            columns.append(_split_column(name, given, lengths, len(rows)))
    return list(zip(rows, *columns, strict=True))


def _lazy(given: Any) -> bool:
    return isinstance(given, da.Array | dd.DataFrame | dd.Series)


def _split_rows(cluster: Cluster, X: Any) -> tuple[list[Any], list[int] | None]:
    """Return the rows of each partition, and how many they are if that is known."""
    if isinstance(X, dd.DataFrame):
        return X.to_delayed(), None
    if isinstance(X, da.Array):
        if X.ndim != 2:
            raise ValueError(f"X has {X.ndim} dimensions; it must have 2, rows and features.")
        if X.numblocks[1] > 1:
            X = X.rechunk({1: -1})
        known = not np.isnan(X.chunks[0]).any()
        return X.to_delayed().ravel().tolist(), list(X.chunks[0]) if known else None
    rows = X if sparse.issparse(X) or hasattr(X, "iloc") else np.asarray(X)
    if len(rows.shape) != 2:
        raise ValueError(f"X has {len(rows.shape)} dimensions; it must have 2, rows and features.")
    n, workers = rows.shape[0], len(cluster.threads())
    bounds = np.linspace(0, n, max(1, min(n, workers)) + 1).astype(int)
    rows = rows.tocsr() if sparse.issparse(rows) else rows
    return [_Here(part) for part in _cut(rows, bounds)], np.diff(bounds).tolist()


def _lengths(cluster: Cluster, rows: Sequence[Any], lengths: list[int] | None) -> list[int]:
    if lengths is not None:
        return lengths
    count = dask.delayed(_n_rows, pure=False)
    return cluster.wait(cluster.client.compute([count(part) for part in rows]))


def _n_rows(X: Any) -> int:
    return int(X.shape[0])


def _split_column(name: str, given: Any, lengths: list[int] | None, n_parts: int) -> list[Any]:
    """Return a column's part of each partition."""
    if _lazy(given):
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
    return [_Here(part) for part in _cut(values, np.cumsum([0, *lengths]))]


def _cut(rows: Any, bounds: NDArray[np.int64]) -> list[Any]:
    taken = rows.iloc if hasattr(rows, "iloc") else rows
    return [taken[a:b] for a, b in pairwise(bounds)]


def _bytes(X: Any) -> int:
    if sparse.issparse(X):
        return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
    return int(X.nbytes)
