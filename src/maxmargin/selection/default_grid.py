"""A grid from the data: gamma about their distances, C in units of the kernel."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import pdist

from maxmargin.kernels import Kernel, Linear, Polynomial, Sigmoid

Array = NDArray[np.float64]
#: C and gamma lie in these powers of two, about what is usual; epsilon in these of the deviation of
#: the targets. The ranges of C and gamma are LIBSVM's and liquidSVM's together.
C_POWERS, GAMMA_POWERS, EPSILON_POWERS = (-5.0, 15.0), (-9.0, 9.0), (-6.0, -2.0)
#: Rows that distances are looked at of.
_SAMPLE = 400
#: Kernels whose gamma is about a squared distance, and others.
_SQUARED, _CITY, _PRODUCTS = ("rbf", "matern"), ("laplacian",), ("poly", "sigmoid")
WITH_GAMMA = (*_SQUARED, *_CITY, "chi2", *_PRODUCTS)


def sample(X: Any, weight: Array) -> tuple[Array, Array]:
    """Return some of the rows that count, in float64, and their weights; always the same ones.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        Rows.
    weight : ndarray of shape (n,)
        What each row counts.

    Examples
    --------
    >>> sample(np.eye(3), np.array([1.0, 0.0, 1.0]))[0].shape
    (2, 3)
    """
    places = np.flatnonzero(weight)
    if len(places) > _SAMPLE:
        places = np.sort(np.random.default_rng(0).choice(places, _SAMPLE, replace=False))
    rows = X[places]
    rows = rows.toarray() if sparse.issparse(rows) else rows
    return np.asarray(rows, np.float64), weight[places]


def usual_gamma(rows: Array, kernel: str, weight: Array | None = None) -> float:
    """Return one over the median distance of rows, in the measure of a kernel.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        Some rows.
    kernel : str
        A kernel that has gamma.
    weight : ndarray of shape (n,), optional
        What each row counts.

    Examples
    --------
    >>> usual_gamma(np.array([[0.0], [2.0]]), "rbf")
    0.25
    """
    weight = np.ones(len(rows)) if weight is None else weight
    if kernel in _PRODUCTS:
        mean = np.average(rows.mean(axis=1), weights=weight)
        middle = float(np.average(((rows - mean) ** 2).sum(axis=1), weights=weight))
    else:
        measures = {"laplacian": "cityblock", "chi2": _chi2}
        distances = pdist(rows, measures.get(kernel, "sqeuclidean"))
        first, second = np.triu_indices(len(rows), 1)
        middle = _median(distances, weight[first] * weight[second])
    return 1.0 / middle if 0 < middle < np.inf else 1.0


def _median(distances: Array, weight: Array) -> float:
    """Return the median of the distances that are not 0, each counted by its weight."""
    order = np.argsort(distances)
    order = order[distances[order] > 0]
    if len(order) == 0:
        return 0.0
    below = np.cumsum(weight[order])
    return float(distances[order[np.searchsorted(below, below[-1] / 2)]])


def _chi2(u: Array, v: Array) -> float:
    total = u + v
    return float(((u - v) ** 2 / np.where(total == 0, 1, total)).sum())


def usual_c(rows: Array, kernel: Kernel | None, weight: Array | None = None) -> float:
    """Return the C whose slacks weigh as much as the rows are apart in feature space.

    One over the mean of k(x, x) less the mean of k(x, z), as a power of two; 1 for kernels that are
    1 at distance 0.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        Some rows.
    kernel : Kernel or None
        The kernel.
    weight : ndarray of shape (n,), optional
        What each row counts.

    Examples
    --------
    >>> usual_c(np.array([[0.0], [4.0]]), Linear())
    0.25
    """
    if not isinstance(kernel, Linear | Polynomial | Sigmoid):
        return 1.0
    K, share = kernel(rows, rows), np.ones(len(rows)) if weight is None else weight
    share = share / share.sum()
    spread = float(share @ np.diag(K) - share @ K @ share)
    return float(2.0 ** np.round(-np.log2(spread))) if 0 < spread < np.inf else 1.0


def powers(n: int, ends: tuple[float, float], unit: float) -> Array:
    """Return numbers in equal ratios about a unit; of one, the unit.

    Parameters
    ----------
    n : int
        How many.
    ends : pair of float
        Powers of two.
    unit : float
        What they are multiplied by.

    Examples
    --------
    >>> powers(3, (-2.0, 2.0), 10.0), powers(1, (-2.0, 2.0), 10.0)
    (array([ 2.5, 10. , 40. ]), array([10.]))
    """
    return unit * (2.0 ** np.linspace(*ends, n) if n > 1 else np.ones(1))


def finer(axes: dict[str, Array], best: dict[str, float], own: set[str]) -> list[dict[str, float]]:
    """Return the candidates about the best one, at a quarter of the steps of the grid.

    Parameters
    ----------
    axes : dict of str to ndarray
        The values of the grid.
    best : dict of str to float
        The best of them.
    own : set of str
        The axes whose values were not given by the user; others stay as they are.

    Examples
    --------
    >>> finer({"C": np.array([1.0, 16.0, 256.0])}, {"C": 16.0}, {"C"})
    [{'C': 4.0}, {'C': 8.0}, {'C': 32.0}, {'C': 64.0}]
    """
    values = {
        name: best[name] * step(axis) ** (np.arange(-2, 3) / 4)
        if name in own and len(axis) > 1
        else np.array([best[name]])
        for name, axis in axes.items()
    }
    about = [
        dict(zip(values, map(float, place), strict=True)) for place in product(*values.values())
    ]
    middle = {name: float(best[name]) for name in values}
    return [candidate for candidate in about if candidate != middle]


def step(axis: Array) -> float:
    """Return the ratio of neighbours of a grid."""
    return float(axis[1] / axis[0])


def middle_first(axes: dict[str, Array]) -> list[dict[str, float]]:
    """Return all candidates, from the middle of the grid outwards.

    Parameters
    ----------
    axes : dict of str to ndarray
        The values of the grid.

    Examples
    --------
    >>> [found["C"] for found in middle_first({"C": np.array([1.0, 2.0, 3.0])})]
    [2.0, 1.0, 3.0]
    """
    shape = [len(axis) for axis in axes.values()]
    places = list(np.ndindex(*shape))
    # Kernel after kernel: all C of a gamma are one path.
    far = [
        sum(abs(2 * k + 1 - n) / n for k, n in zip(p[1:], shape[1:], strict=True)) for p in places
    ]
    order = np.lexsort(([abs(2 * p[0] + 1 - shape[0]) for p in places], far))
    names = list(axes)
    return [
        {name: float(axes[name][k]) for name, k in zip(names, places[i], strict=True)}
        for i in order
    ]
