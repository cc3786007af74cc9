"""Kernels that are functions of the inner product.

linear      <x, z>
polynomial  (gamma <x, z> + coef0)^degree
sigmoid     tanh(gamma <x, z> + coef0)
cosine      <x, z> / (|x| |z|)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.kernels.kernel import Kernel, Sums
from maxmargin.prompt import keywords


def _squared_norms(X: Any) -> NDArray[np.float64]:
    squares = X.multiply(X) if sparse.issparse(X) else np.square(X, dtype=np.float64)
    return np.asarray(squares.sum(axis=1), np.float64).ravel()


def _dots(X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
    left, right = np.asarray(X, np.float64), np.asarray(Z, np.float64)
    return left @ right.T


@dataclass(frozen=True)
class Linear(Kernel):
    """The inner product of the rows themselves, <x, z>.

    Examples
    --------
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    def __call__(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix <x_i, z_j>."""
        return _dots(X, Z)

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return |x|^2 of each row."""
        return _squared_norms(X)

    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel."""
        return _core.Kernel(_core.KernelKind.linear)

    def expansion(self, centres: Any, weights: NDArray[np.float64], n_threads: int = 1) -> Sums:
        """Return f(Z) = Z w: the centres collapse to one vector w per output."""
        w = centres.T @ weights
        return lambda Z, n_threads: np.asarray(Z @ w)


@keywords(c="coef0=", constant="coef0=", p="degree=", d="degree=", power="degree=")
@dataclass(frozen=True)
class Polynomial(Kernel):
    """All monomials up to a degree, (gamma <x, z> + coef0)^degree.

    Examples
    --------
    >>> Polynomial(degree=2, gamma=1.0, coef0=1.0)([[1.0]], [[2.0]])
    array([[9.]])
    """

    degree: int = 3
    gamma: float = 1.0
    coef0: float = 0.0

    def __call__(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix (gamma <x_i, z_j> + coef0)^degree."""
        return np.asarray((self.gamma * _dots(X, Z) + self.coef0) ** self.degree)

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return (gamma |x|^2 + coef0)^degree of each row."""
        return np.asarray((self.gamma * _squared_norms(X) + self.coef0) ** self.degree)

    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel."""
        return _core.Kernel(_core.KernelKind.polynomial, self.gamma, self.coef0, self.degree)


@dataclass(frozen=True)
class Sigmoid(Kernel):
    """tanh(gamma <x, z> + coef0): not positive semidefinite in general.

    Examples
    --------
    >>> Sigmoid(gamma=1.0)([[0.0]], [[1.0]])
    array([[0.]])
    """

    gamma: float = 1.0
    coef0: float = 0.0

    def __call__(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix tanh(gamma <x_i, z_j> + coef0)."""
        return np.asarray(np.tanh(self.gamma * _dots(X, Z) + self.coef0))

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return tanh(gamma |x|^2 + coef0) of each row."""
        return np.asarray(np.tanh(self.gamma * _squared_norms(X) + self.coef0))

    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel."""
        return _core.Kernel(_core.KernelKind.sigmoid, self.gamma, self.coef0)


@dataclass(frozen=True)
class Cosine(Kernel):
    """The cosine of the angle between two rows, <x, z> / (|x| |z|); 0 where either row is zero.

    Examples
    --------
    >>> Cosine()([[2.0, 0.0]], [[3.0, 3.0], [0.0, 0.0]]).round(4)
    array([[0.7071, 0.    ]])
    """

    def __call__(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix <x_i, z_j> / (|x_i| |z_j|)."""
        return _dots(_unit(X), _unit(Z))

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return 1, or 0 for rows of zeros."""
        largest = abs(X).max(axis=1)
        dense = largest.toarray() if sparse.issparse(largest) else largest
        return np.asarray(np.asarray(dense).ravel() > 0, np.float64)

    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel."""
        return _core.Kernel(_core.KernelKind.cosine)


def _unit(X: ArrayLike) -> NDArray[np.float64]:
    """Scale rows to length one, by their largest entry first so that no square overflows."""
    rows = np.asarray(X, np.float64)
    largest = np.abs(rows).max(axis=1, keepdims=True)
    rows = rows / np.where(largest > 0, largest, 1.0)
    return rows / np.where(largest > 0, np.linalg.norm(rows, axis=1, keepdims=True), 1.0)
