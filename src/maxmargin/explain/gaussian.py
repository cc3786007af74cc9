"""Shuffled outputs of a Gaussian kernel, all shuffles of a feature from one set of sums.

When the feature x of a row becomes x', each of its kernel values changes by a factor,

    k(x', c) = k(x, c) exp(-rate (x' - x)(x' + x - 2 c0)) exp(a t),

    a = 2 rate (x' - x) h,   t = (c - c0) / h in [-1, 1], the centres' range being c0 - h to c0 + h.

What is left to sum over the centres is a function of one number a,

    g_i(a) = sum_k w_k k(x_i, c_k) exp(a t_k),

known from its values at r Chebyshev points of [-Z, Z]: a product of matrices, whatever the number
of shuffles. It is entire: r points leave an error of at most 4 sum_{s >= r} I_s(Z), with modified
Bessel functions, times sum_k |w_k| k(x, c_k), which after the other factors is at most exp(Z) times
sum_k |w_k| k(x', c_k). r is chosen so that all of this is below 1e-10. Rounding is at most about
exp(2 Z) units: features of a larger Z than 5 are left to the way without such a bound.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray
from scipy.special import iv

from maxmargin.estimators.blas import OneBlasThread
from maxmargin.kernels.terms import Term

Array = NDArray[np.float64]
_TOLERANCE = 1e-10
#: The largest Z.
_WIDEST = 5.0
#: A sum of squares of this many widths has an error of 1e-13 in the exponent.
_FAR = 500.0
#: Rows that are worked on at a time, whatever the number of threads.
_ROWS = 128


@dataclass(frozen=True, eq=False)
class Feature:
    """A feature of a Gaussian kernel.

    Parameters
    ----------
    rate : float
        How fast the kernel decays with its square.
    middle, half : float
        Range of the centres.
    width : float
        The largest |a|.
    points : int
        Chebyshev points that are enough.

    Examples
    --------
    >>> Feature.of(0.1, np.array([-1.0, 3.0]), np.array([0.0, 2.0])).points
    11
    """

    rate: float
    middle: float
    half: float
    width: float
    points: int

    @classmethod
    def of(cls, rate: float, x: Array, centres: Array) -> Feature | None:
        """Return a feature, or None if it is too wide.

        Parameters
        ----------
        rate : float
            How fast the kernel decays with its square.
        x, centres : ndarrays
            Its values in rows, and in centres.
        """
        low, high = float(centres.min()), float(centres.max())
        middle, half = (low + high) / 2, (high - low) / 2
        width = 2 * rate * float(np.ptp(x)) * half
        if not width <= _WIDEST:
            return None
        orders = np.arange(1, 64)
        left = 4 * np.exp(width) * np.cumsum(iv(orders, width)[::-1])[::-1]
        points = int(orders[np.flatnonzero(left <= _TOLERANCE)[0]])
        return cls(rate, middle, half, width, points)

    def matrix(self, centres: Array) -> Array:
        """Return what each centre adds to the Chebyshev coefficients of g, shape (m, points).

        Parameters
        ----------
        centres : ndarray of shape (m,)
            The feature's values in them.
        """
        r = self.points
        nodes = np.cos(np.pi * (np.arange(r) + 0.5) / r)
        t = (centres - self.middle) / (self.half or 1.0)
        transform = np.cos(np.pi * np.outer(np.arange(r) + 0.5, np.arange(r)) / r) * (2.0 / r)
        transform[:, 0] /= 2
        return np.asarray(np.exp(np.outer(t, self.width * nodes)) @ transform)

    def evaluate(self, coefficients: Array, old: Array, new: Array) -> Array:
        """Return the sums over centres when a feature becomes another.

        Parameters
        ----------
        coefficients : ndarray of shape (points, n)
            Of g.
        old, new : ndarrays of shape (n,) and (..., n)
            Values of the feature.
        """
        change = new - old
        a = (2 * self.rate * self.half / (self.width or 1.0)) * change
        sums = chebyshev.chebval(a, coefficients, tensor=False)
        return np.asarray(sums * np.exp(-self.rate * change * (new + old - 2 * self.middle)))


def quick_features(
    term: Term, data: Array, centres: Array, weights: Array, n_shuffles: int
) -> list[Feature | None]:
    """Return the columns for which this way is sure of its digits and pays; None for others.

    Parameters
    ----------
    term : Term
        The kernel's one term.
    data, centres : ndarrays of shape (n, d) and (m, d)
        Rows.
    weights : ndarray of shape (m, p)
        Of the centres.
    n_shuffles : int
        Shuffles of each feature.
    """
    rates = term.rates[0]
    if term.dotted.any() or term.rates[1:].any() or len(centres) == 0:
        return [None] * data.shape[1]
    far = max(float(np.max(np.square(rows) @ rates)) for rows in (data, centres))
    # Multiplications a value, against those of the other way (cpp/explain/shuffled.h).
    most = 8 * (6 + n_shuffles) * len(centres) / max(1, int(np.count_nonzero(weights)))
    found = []
    for j, rate in enumerate(rates):
        feature = Feature.of(float(rate), data[:, j], centres[:, j]) if far <= _FAR else None
        found.append(feature if feature is not None and feature.points <= most else None)
    return found


def gaussian_shuffles(
    term: Term,
    features: dict[int, Feature],
    data: Array,
    centres: Array,
    weights: Array,
    orders: NDArray[np.int64],
    n_threads: int,
) -> Array:
    """Return shuffled outputs without their intercepts.

    Parameters
    ----------
    term : Term
        The kernel's one term.
    features : dict of int to Feature
        Columns, as `quick_features` has them.
    data, centres, weights
        As there.
    orders : ndarray of int64, shape (s, n)
        The shuffles.
    n_threads : int
        Threads to use; the bits do not depend on it.

    Returns
    -------
    ndarray of shape (n_features, s, n, p)
    """
    n, p = len(data), weights.shape[1]
    columns, known = list(features), list(features.values())
    ends = np.cumsum([0, *(feature.points for feature in known)])
    matrix = np.concatenate(
        [feature.matrix(centres[:, j]) for j, feature in features.items()], axis=1
    )
    chosen = [np.flatnonzero(weights[:, q]) for q in range(p)]
    parts = [weights[rows, q, None] * matrix[rows] for q, rows in enumerate(chosen)]
    coefficients = np.empty((p, n, matrix.shape[1]))
    X, C = data * np.sqrt(term.rates[0]), centres * np.sqrt(term.rates[0])
    squares = np.square(C).sum(axis=1)

    def add_up(begin: int) -> None:
        block = X[begin : begin + _ROWS]
        K = 2 * (block @ C.T) - squares - np.square(block).sum(axis=1)[:, None]
        np.exp(np.minimum(K, 0.0, out=K), out=K)
        for q, rows in enumerate(chosen):
            values = K if len(rows) == len(centres) else K[:, rows]
            np.matmul(values, parts[q], out=coefficients[q, begin : begin + _ROWS])

    out = np.empty((len(known), *orders.shape, p))

    def evaluate(g: int) -> None:
        old = data[:, columns[g]]
        for q in range(p):
            own = np.ascontiguousarray(coefficients[q, :, ends[g] : ends[g + 1]].T)
            out[g, :, :, q] = known[g].evaluate(own, old, old[orders])

    with OneBlasThread():
        _each(add_up, range(0, n, _ROWS), n_threads)
        _each(evaluate, range(len(known)), n_threads)
    return np.asarray(term.polynomial[0] * out)


def _each(task: Callable[[int], None], places: Any, n_threads: int) -> None:
    """Do a task at each place, on threads."""
    if n_threads == 1:
        for place in places:
            task(place)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(task, places))
