"""What a worker holds: checked partitions, and what a fit remembers of their rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.validation import check_consistent_length, column_or_1d

from maxmargin.data import canonical
from maxmargin.distributed.cluster import WorkerLost
from maxmargin.estimators.classes import check_labels, numbered
from maxmargin.estimators.training import check_targets

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
        How many rows that count have each of them, and the sum of their weights; of all rows where
        there are no labels.
    others : ndarray
        Of a classifier: labels of all rows, also of those that do not count.
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
    labelled : bool
        Whether y are labels.

    Examples
    --------
    >>> read_partition(0, [[1], [2]], [1, 2], None, "numbers", "SVR").X.dtype
    dtype('float64')
    """

    number: int
    X: Any
    y: NDArray[Any]
    weight: NDArray[np.float64]
    labelled: bool = False

    @property
    def contents(self) -> Contents:
        """What the client is to know of it."""
        counting = self.weight > 0
        weight = self.weight[counting]
        # Targets are as many as rows, and stay here.
        labels = self.y if self.labelled else self.y[:0]
        names, codes = labels[:0], np.zeros(len(weight), np.int64)
        if self.labelled:
            names, codes = numbered(self.y[counting])
        n_names = len(names) if self.labelled else 1
        return Contents(
            number=self.number,
            n_rows=int(self.X.shape[0]),
            n_features=int(self.X.shape[1]),
            entries=int(self.X.nnz if sparse.issparse(self.X) else self.X.size),
            sparse=bool(sparse.issparse(self.X)),
            weight=float(weight.sum()),
            names=names,
            counts=np.bincount(codes, minlength=n_names),
            weights=np.bincount(codes, weight, n_names).astype(np.float64),
            others=numbered(labels)[0],
            moments=_moments(self.X, self.weight),
        )


class StaleError(WorkerLost):
    """What a worker holds is not what the client believes: it was lost and made again.

    Examples
    --------
    >>> Share("fit", []).enter("fit", 1)
    Traceback (most recent call last):
    maxmargin.distributed.share.StaleError: the worker holds step 0 of the fit where 1 is due
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


class Here:
    """Rows that are in the client's process still, until they are sent to a worker.

    Parameters
    ----------
    rows : rows
        Of one partition.

    Examples
    --------
    >>> Here([[1.0]]).rows
    [[1.0]]
    """

    def __init__(self, rows: Any) -> None:
        self.rows = rows


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


def no_numbers(name: Any, dtype: Any) -> str:
    """Return what is to be said of a column that is no feature.

    Parameters
    ----------
    name, dtype
        The column's.

    Examples
    --------
    >>> no_numbers("city", "string")[:46]
    "X has a column 'city' of string, which are no "
    """
    return (
        f"X has a column {name!r} of {dtype}, which are no numbers; make them some, e.g. one "
        "column for each category: dask.dataframe.get_dummies(X.categorize())."
    )


def _check_objects(X: Any) -> None:
    """Refuse columns of objects that are no numbers, by name."""
    if not hasattr(X, "columns"):
        return
    from pandas.api.types import is_object_dtype  # which a dataframe came with

    for name, dtype in X.dtypes.items():
        if is_object_dtype(dtype):
            try:
                X[name].astype(np.float64)
            except (ValueError, TypeError) as error:
                raise ValueError(no_numbers(name, dtype)) from error


def _checked(number: int, X: Any, y: Any, weight: Any, target: Target, who: str) -> Partition:
    _check_objects(X)
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
    return Partition(number, rows, values, _checked_weight(weight, rows), target == "classes")


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


def call(share: Share, fit: str, step: int, function: Callable[..., T], *args: Any) -> T:
    """Call a function on a share if this is the step that is due.

    Parameters
    ----------
    share : Share
        The worker's.
    fit, step
        Which step of which fit this is.
    function, *args
        What to call.

    Examples
    --------
    >>> call(Share("fit", []), "fit", 0, count_rows)
    0
    """
    share.enter(fit, step)
    return function(share, *args)


def gather(fit: str, n_threads: int, *partitions: Partition) -> Share:
    """Gather a worker's partitions.

    Parameters
    ----------
    fit : str
        The fit.
    n_threads : int
        Threads of the worker.
    *partitions : Partition
        What it has read.

    Examples
    --------
    >>> gather("fit", 2).n_threads
    2
    """
    return Share(fit, list(partitions), n_threads)


def contents_of(share: Share) -> list[Contents]:
    """Return what is in a worker's partitions.

    Parameters
    ----------
    share : Share
        The worker's.

    Examples
    --------
    >>> contents_of(Share("fit", []))
    []
    """
    return [part.contents for part in share.partitions]


def _opened(piece: Any) -> Any:
    return piece.rows if isinstance(piece, Here) else piece


def _bytes(X: Any) -> int:
    if sparse.issparse(X):
        return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
    return int(X.nbytes)
