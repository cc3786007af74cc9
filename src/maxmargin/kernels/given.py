"""Kernels whose values come from elsewhere: a matrix, or a function written in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.kernels.kernel import Kernel, Sums


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

    compiled: ClassVar[bool] = False

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

    def expansion(self, centres: Any, weights: NDArray[np.float64], n_threads: int = 1) -> Sums:
        """Return f(Z) = Z weights: Z holds the kernel values against the centres."""
        return lambda Z, n_threads: _sums(Z, weights)


@dataclass(frozen=True)
class Function(Kernel):
    """A kernel given as a Python function of two blocks of rows.

    Parameters
    ----------
    function : callable
        Given n rows and m rows (of anything), returns their kernel values, shape (n, m), as an
        array or a sparse matrix.
    rows : rows, optional
        What an expansion calls the function with, and takes the values of its centres from. A
        function may look at all of its rows: at their mean, or at whether both blocks are one.
    places : ndarray of int64, optional
        Where the centres stand among `rows`.

    Examples
    --------
    >>> import numpy as np
    >>> Function(lambda X, Z: X @ Z.T)(np.eye(2), np.ones((1, 2)))
    array([[1.],
           [1.]])
    """

    function: Callable[[Any, Any], Any]
    rows: Any = field(default=None, repr=False, compare=False)
    places: NDArray[np.int64] | None = field(default=None, repr=False, compare=False)

    compiled: ClassVar[bool] = False

    def __call__(self, X: Any, Z: Any) -> NDArray[np.float64]:
        """Gram matrix as one call of the function gives it, checked."""
        given = self.function(X, Z)
        values = np.asarray(given.toarray() if sparse.issparse(given) else given, np.float64)
        name = getattr(self.function, "__name__", repr(self.function))
        expected = (_length(X), _length(Z))
        if values.shape != expected:
            raise ValueError(
                f"kernel {name} returned shape {values.shape} for {expected[0]} and {expected[1]} "
                f"rows; it must return {expected}."
            )
        if not np.isfinite(values).all():
            raise ValueError(
                f"The dual coefficients or intercepts are not finite: kernel {name} returned "
                "values that are not finite; check its input."
            )
        return values

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return the diagonal of the Gram matrix."""
        return np.diagonal(self(X, X)).copy()

    def core(self) -> _core.Kernel:
        """Return the form of a matrix of values: the core never calls back into Python."""
        return Precomputed().core()

    def expansion(self, centres: Any, weights: NDArray[np.float64], n_threads: int = 1) -> Sums:
        """Return f(Z) = k(Z, centres) weights."""
        if self.rows is None:
            return lambda Z, n_threads: _sums(self(Z, centres), weights)
        return lambda Z, n_threads: _sums(self(Z, self.rows)[:, self.places], weights)


def _sums(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values times weights, in one layout: the same bits wherever the values come from."""
    return np.asarray(np.asfortranarray(values) @ weights)


def _length(rows: Any) -> int:
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)
