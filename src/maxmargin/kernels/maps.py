"""Feature maps written out: phi with phi(u)'phi(v) = k(u, v).

    PolynomialMap   weighted monomials of degree <= p (or = p)    (coef0 + u'v)^p
    ProductMap      1, x_i, x_i x_j, ... over ordered indices     1 + u'v + (u'v)^2 + ...
    MonomialMap     monomials of degree 1 to p, unweighted        their plain inner product
    PowerMap        x, x^2, ..., x^p of each feature              sum of those powers' products
    GaussianMap     exp(-gamma |x|^2) times weighted monomials    exp(-gamma |u - v|^2), truncated

Each is an object: called with X of shape (n, d) it returns phi(X), one row per sample;
`kernel(U, V)` is the same inner products without the map. Both routes of the kernel trick, to be
compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammainc, gammaln

from maxmargin.kernels.gaussian import Gaussian

Array = NDArray[np.float64]


def exponents(n_features: int, degree: int) -> NDArray[np.int64]:
    """Return the exponents of all monomials of exactly this degree in n_features, one per row.

    Examples
    --------
    >>> exponents(n_features=2, degree=2)
    array([[2, 0],
           [1, 1],
           [0, 2]])
    """
    chosen = combinations_with_replacement(range(n_features), degree)
    rows = [np.bincount(np.array(factors, dtype=int), minlength=n_features) for factors in chosen]
    return np.array(rows, dtype=np.int64).reshape(-1, n_features)


@dataclass(frozen=True)
class PolynomialMap:
    """The map of the polynomial kernel (coef0 + u'v)^degree.

    The monomial x_1^q_1 ... x_d^q_d of degree q = q_1 + ... + q_d carries the root of how often it
    occurs, sqrt(p! / (q_1! ... q_d! (p - q)!) coef0^(p - q)).

    Parameters
    ----------
    degree : int
        p.
    coef0 : float
        0 gives the homogeneous kernel and monomials of degree p only.

    Examples
    --------
    For (u'v)^2 in two dimensions: u_1^2, sqrt(2) u_1 u_2, u_2^2.

    >>> PolynomialMap(degree=2)([[1.0, 2.0]]).round(4)
    array([[1.    , 2.8284, 4.    ]])
    >>> phi = PolynomialMap(degree=3, coef0=1.0)
    >>> U = np.array([[1.0, 2.0], [0.0, -1.0]])
    >>> np.allclose(phi(U) @ phi(U).T, phi.kernel(U, U))
    True
    """

    degree: int = 2
    coef0: float = 0.0

    def __post_init__(self) -> None:
        _check_degree(self.degree)
        if not 0 <= self.coef0 < np.inf:
            raise ValueError(
                f"coef0 must be 0 or more and finite, got {self.coef0!r}: with a negative one "
                "(coef0 + u'v)^p is no kernel"
            )

    def __call__(self, X: ArrayLike) -> Array:
        """Return the weighted monomials of X, from degree 0 (or p) up to p."""
        X, p = _rows(X), self.degree
        lowest = 0 if self.coef0 > 0 else p
        powers = np.vstack([exponents(X.shape[1], q) for q in range(lowest, p + 1)])
        missing = p - powers.sum(axis=1)
        occurrences = gammaln(p + 1) - gammaln(powers + 1).sum(axis=1) - gammaln(missing + 1)
        weights = np.sqrt(np.rint(np.exp(occurrences)) * self.coef0**missing)
        return np.asarray(_monomials(X, powers) * weights)

    def kernel(self, U: ArrayLike, V: ArrayLike) -> Array:
        """(coef0 + u'v)^degree."""
        return np.asarray((self.coef0 + _products(U, V)) ** self.degree)


@dataclass(frozen=True)
class ProductMap:
    """The plain map (1, x_i, x_i x_j, ...) over all ordered index pairs, triples, ...

    It has 1 + d + d^2 + ... features, and not the kernel (1 + u'v)^p but 1 + u'v + (u'v)^2 + ...:
    without the weights, the degrees count alike.

    Parameters
    ----------
    degree : int
        How many factors at most.

    Examples
    --------
    >>> ProductMap(degree=2)([[2.0, 3.0]])
    array([[1., 2., 3., 4., 6., 6., 9.]])
    >>> ProductMap(degree=2).kernel([[2.0]], [[5.0]])
    array([[111.]])
    """

    degree: int = 2

    def __post_init__(self) -> None:
        _check_degree(self.degree)

    def __call__(self, X: ArrayLike) -> Array:
        """Return the products of 0, 1, ..., degree features."""
        X = _rows(X)
        d = X.shape[1]
        columns = [
            X[:, factors].prod(axis=1)
            for q in range(self.degree + 1)
            for factors in map(list, product(range(d), repeat=q))
        ]
        return np.column_stack(columns)

    def kernel(self, U: ArrayLike, V: ArrayLike) -> Array:
        """1 + u'v + ... + (u'v)^degree."""
        powers = _products(U, V)[..., None] ** np.arange(self.degree + 1)
        return np.asarray(powers.sum(axis=-1))


@dataclass(frozen=True)
class MonomialMap:
    """The monomials of degree 1 to p, each once and unweighted; the intercept takes degree 0.

    Examples
    --------
    x_1, x_2, x_1^2, x_1 x_2, x_2^2:

    >>> MonomialMap(degree=2)([[2.0, 3.0]])
    array([[2., 3., 4., 6., 9.]])
    >>> MonomialMap(degree=3)([[2.0, 3.0]]).shape
    (1, 9)
    """

    degree: int = 2

    def __post_init__(self) -> None:
        _check_degree(self.degree)

    def __call__(self, X: ArrayLike) -> Array:
        """Return the monomials of X, by degree."""
        X = _rows(X)
        powers = np.vstack([exponents(X.shape[1], q) for q in range(1, self.degree + 1)])
        return _monomials(X, powers)

    def kernel(self, U: ArrayLike, V: ArrayLike) -> Array:
        """Return the inner products of the monomials: no shorter form is known."""
        return np.asarray(self(U) @ self(V).T)


@dataclass(frozen=True)
class PowerMap:
    """The powers x, x^2, ..., x^degree of every feature, without mixed products.

    Examples
    --------
    On a line, x -> (x, x^2) lifts what surrounds a class above it.

    >>> PowerMap(degree=2)([[-2.0], [0.0], [2.0]])
    array([[-2.,  4.],
           [ 0.,  0.],
           [ 2.,  4.]])
    """

    degree: int = 2

    def __post_init__(self) -> None:
        _check_degree(self.degree)

    def __call__(self, X: ArrayLike) -> Array:
        """Return X, X^2, ..., X^degree side by side."""
        X = _rows(X)
        return np.hstack([X**q for q in range(1, self.degree + 1)])

    def kernel(self, U: ArrayLike, V: ArrayLike) -> Array:
        """Return the sum of (u_j v_j)^q over features j and degrees q."""
        return np.asarray(self(U) @ self(V).T)


@dataclass(frozen=True)
class GaussianMap:
    """The map of exp(-gamma |u - v|^2), cut off after the monomials of degree `degree`.

    exp(-gamma |u - v|^2) = exp(-gamma (|u|^2 + |v|^2)) sum_q (2 gamma u'v)^q / q!, so the monomial
    x_1^q_1 ... x_d^q_d of degree q carries sqrt((2 gamma)^q / (q_1! ... q_d!)) exp(-gamma |x|^2).

    Parameters
    ----------
    degree : int
        The last degree kept; d features make (d + degree) over d of them.
    gamma : float
        1 / (2 sigma^2).

    Examples
    --------
    >>> phi = GaussianMap(degree=8, gamma=0.5)
    >>> U = np.array([[-0.5], [0.9]])
    >>> error = np.abs(phi(U) @ phi(U).T - phi.kernel(U, U)).max()
    >>> bool(error <= phi.error_bound(radius=1.0) <= 2e-6)
    True
    """

    degree: int
    gamma: float = 1.0

    def __post_init__(self) -> None:
        _check_degree(self.degree)
        if not 0 < self.gamma < np.inf:
            raise ValueError(f"gamma must be positive and finite, got {self.gamma!r}")

    def __call__(self, X: ArrayLike) -> Array:
        """Return the weighted monomials of X times exp(-gamma |x|^2)."""
        X = _rows(X)
        powers = np.vstack([exponents(X.shape[1], q) for q in range(self.degree + 1)])
        log_weights = (
            powers.sum(axis=1) * np.log(2 * self.gamma) - gammaln(powers + 1).sum(axis=1)
        ) / 2
        decay = np.exp(-self.gamma * (X**2).sum(axis=1))
        return np.asarray(decay[:, None] * _monomials(X, powers) * np.exp(log_weights))

    def kernel(self, U: ArrayLike, V: ArrayLike) -> Array:
        """exp(-gamma |u - v|^2), not truncated."""
        values: Array = Gaussian.from_gamma(self.gamma)(U, V)
        return values

    def error_bound(self, radius: float) -> float:
        """Return the largest error of a kernel value for |u|, |v| <= radius.

        The tail exp(-s) sum_{q > degree} s^q / q! at s = 2 gamma radius^2: the chance that a
        Poisson variable of mean s exceeds the degree.
        """
        return float(gammainc(self.degree + 1, 2 * self.gamma * radius**2))

    def n_features(self, d: int) -> int:
        """Return the number of features made from d."""
        return comb(d + self.degree, d)


def _rows(X: ArrayLike) -> Array:
    rows = np.asarray(X, dtype=float)
    if rows.ndim != 2:
        raise ValueError(
            f"X must be (n, d), a point in each row, got shape {rows.shape}; one point is "
            "x[None, :]"
        )
    return rows


def _monomials(X: Array, powers: NDArray[np.int64]) -> Array:
    return np.asarray((X[:, None, :] ** powers[None, :, :]).prod(axis=-1))


def _products(U: ArrayLike, V: ArrayLike) -> Array:
    return np.asarray(np.asarray(U, dtype=float) @ np.asarray(V, dtype=float).T)


def _check_degree(degree: int) -> None:
    if degree != int(degree) or degree < 1:
        raise ValueError(f"degree must be a positive integer, got {degree!r}")
