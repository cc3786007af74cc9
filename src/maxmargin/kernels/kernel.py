"""Kernel functions k(x, z) as frozen values.

    linear      <x, z>
    polynomial  (gamma <x, z> + coef0)^degree
    RBF         exp(-gamma |x - z|^2)
    sigmoid     tanh(gamma <x, z> + coef0)

The compiled core evaluates them in blocks while it solves; calling one gives its Gram matrix in
float64 by numpy, the plain form that the tests hold the core against.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.data.chunks import ChunkedMatrix


class Kernel(ABC):
    """What every kernel can do.

    Examples
    --------
    >>> import numpy as np
    >>> RBF(gamma=0.5)(np.zeros((1, 2)), np.ones((1, 2))).round(4)
    array([[0.3679]])
    """

    @abstractmethod
    def __call__(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix k(x_i, z_j) in float64."""

    @abstractmethod
    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return k(x, x) of each row."""

    @abstractmethod
    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel."""

    def data(self, X: Any) -> _core.Data:
        """Return the core's view of the rows this kernel works on: dense, CSR or in chunks."""
        if isinstance(X, ChunkedMatrix):
            return X.core()
        if sparse.issparse(X):
            return _core.Data.sparse(X.data, X.indices, X.indptr, X.shape[1])
        return _core.Data.dense(X)

    def norms(
        self, X: Any, rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return k(x, x) of some rows, and k(x, x_0) with the first of them.

        Parameters
        ----------
        X : ndarray or CSR of shape (n, d)
            Rows.
        rows : ndarray of int64
            Which of them.
        """
        chosen = X[rows]
        first = self.expand(chosen, chosen[:1], np.ones((1, 1)))[:, 0]
        return self.diagonal(chosen), first

    def expand(
        self, Z: Any, centres: Any, weights: NDArray[np.float64], n_threads: int = 1
    ) -> NDArray[np.float64]:
        """Sum kernels at centres: out[i, p] = sum_k k(z_i, c_k) weights[k, p].

        Parameters
        ----------
        Z : ndarray or CSR of shape (n, d)
            Where to evaluate.
        centres : rows of shape (m, d)
            Where the kernels stand.
        weights : ndarray of shape (m, p)
            One column an output.
        n_threads : int
            Threads to use.
        """
        which = np.arange(len(weights))
        return _core.expand(
            self.core(), self.data(centres), which, weights, self.data(Z), n_threads
        )


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

    def expand(
        self, Z: Any, centres: Any, weights: NDArray[np.float64], n_threads: int = 1
    ) -> NDArray[np.float64]:
        """Return Z w: the centres collapse to one vector w an output."""
        return np.asarray(Z @ (centres.T @ weights))


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
class RBF(Kernel):
    """The Gaussian kernel exp(-gamma |x - z|^2).

    Examples
    --------
    >>> RBF(gamma=1.0)([[0.0]], [[0.0]])
    array([[1.]])
    """

    gamma: float = 1.0

    def __call__(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix exp(-gamma |x_i - z_j|^2), by differences: no cancellation."""
        left, right = np.asarray(X, np.float64), np.asarray(Z, np.float64)
        distances = np.empty((len(left), len(right)))
        for i, x in enumerate(left):
            distances[i] = ((right - x) ** 2).sum(axis=1)
        return np.asarray(np.exp(-self.gamma * distances))

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return ones."""
        return np.ones(X.shape[0])

    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel."""
        return _core.Kernel(_core.KernelKind.gaussian, self.gamma)


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
class Precomputed(Kernel):
    """Kernel values given as a matrix: the "rows" are rows of that matrix.

    Examples
    --------
    >>> import numpy as np
    >>> Precomputed()(np.eye(2), np.eye(2))
    array([[1., 0.],
           [0., 1.]])
    """

    def __call__(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        """Return X itself: its values are the kernel's already."""
        return np.asarray(X, np.float64)

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return the matrix's diagonal."""
        return np.diagonal(X).copy()

    def core(self) -> _core.Kernel:
        """Return the identity on given values."""
        return _core.Kernel(_core.KernelKind.linear)

    def data(self, X: NDArray[Any]) -> _core.Data:
        """Return the core's view of the matrix."""
        return _core.Data.precomputed(X)

    def norms(
        self, X: Any, rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the matrix's diagonal and its first column, at some rows."""
        return X[rows, rows], X[rows, rows[0]]

    def expand(
        self, Z: Any, centres: Any, weights: NDArray[np.float64], n_threads: int = 1
    ) -> NDArray[np.float64]:
        """Return Z weights: Z holds the kernel values against the centres."""
        return np.asarray(Z @ weights)


#: A Python kernel is called on this many rows at a time, so that a fit can be interrupted.
_BLOCK_ROWS = 256


@dataclass(frozen=True)
class Function(Kernel):
    """A kernel given as a Python function of two blocks of rows.

    Parameters
    ----------
    function : callable
        Given n rows and m rows (of anything), returns their kernel values, shape (n, m). Called on
        blocks of the first rows.

    Examples
    --------
    >>> import numpy as np
    >>> Function(lambda X, Z: X @ Z.T)(np.eye(2), np.ones((1, 2)))
    array([[1.],
           [1.]])
    """

    function: Callable[[Any, Any], ArrayLike]

    def __call__(self, X: Any, Z: Any) -> NDArray[np.float64]:
        """Gram matrix as the function gives it for blocks of rows, checked as they come."""
        values = np.empty((_length(X), _length(Z)))
        for begin in range(0, len(values), _BLOCK_ROWS):
            rows = slice(begin, begin + _BLOCK_ROWS)
            block = X.iloc[rows] if hasattr(X, "iloc") else X[rows]
            values[rows] = self._checked(block, Z)
        return values

    def _checked(self, X: Any, Z: Any) -> NDArray[np.float64]:
        values = np.asarray(self.function(X, Z), np.float64)
        name = getattr(self.function, "__name__", repr(self.function))
        expected = (_length(X), _length(Z))
        if values.shape != expected:
            raise ValueError(
                f"kernel {name} returned shape {values.shape} for {expected[0]} and {expected[1]} "
                f"rows; it must return {expected}."
            )
        if not np.isfinite(values).all():
            raise ValueError(f"kernel {name} returned values that are not finite; check its input.")
        return values

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return the diagonal of the Gram matrix."""
        return np.diagonal(self(X, X)).copy()

    def core(self) -> _core.Kernel:
        """Return the form of a matrix of values: the core never calls back into Python."""
        return Precomputed().core()

    def expand(
        self, Z: Any, centres: Any, weights: NDArray[np.float64], n_threads: int = 1
    ) -> NDArray[np.float64]:
        """Return k(Z, centres) weights."""
        return np.asarray(self(Z, centres) @ weights)


def _length(rows: Any) -> int:
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)
