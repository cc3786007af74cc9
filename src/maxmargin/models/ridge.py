"""Kernel ridge regression: the kernel trick applied to a second linear method.

    minimise  |y - Phi w|^2 + lambda |w|^2

Its minimiser is w = Phi'alpha with (K + lambda I) alpha = y and K = Phi Phi', so that

    f(x) = sum_i alpha_i k(x_i, x)

needs inner products only. Two routes, one result: ridge regression on the features, or this.
Unlike a support vector machine it keeps every sample: no alpha_i is zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve

from maxmargin.losses.loss import Array, array
from maxmargin.problems.samples import samples
from maxmargin.prompt import Brief


@dataclass(frozen=True, eq=False, repr=False)
class KernelRidge(Brief):
    """The function f(x) = sum_i alpha_i k(x_i, x).

    Parameters
    ----------
    X : array of shape (n, d)
        The samples it was fitted on.
    alpha : array of shape (n,)
    kernel : callable
        From two blocks of rows to their Gram matrix.

    Examples
    --------
    >>> from maxmargin.kernels import Gaussian
    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0]
    >>> model = kernel_ridge(X, y, Gaussian(sigma=0.5), lam=1e-9)
    >>> model.predict(X).round(6)
    array([0., 1., 0.])
    """

    X: Array
    alpha: Array
    kernel: Callable[[Array, Array], Array]

    def predict(self, Z: ArrayLike) -> Array:
        """sum_i alpha_i k(x_i, z)."""
        return array(self.kernel(array(Z), self.X) @ self.alpha)


def kernel_ridge(
    X: ArrayLike, y: ArrayLike, kernel: Callable[[Array, Array], Array], lam: float
) -> KernelRidge:
    """Solve (K + lambda I) alpha = y.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
    kernel : callable
        From two blocks of rows to their Gram matrix.
    lam : float
        lambda, positive.

    Returns
    -------
    KernelRidge

    Examples
    --------
    A straight line through the origin, by inner products only.

    >>> model = kernel_ridge([[1.0], [2.0]], [2.0, 4.0], lambda U, V: U @ V.T, lam=5.0)
    >>> model.predict([[1.0]])
    array([1.])
    """
    if not 0 < lam < np.inf:
        raise ValueError(f"lam must be positive and finite, got {lam!r}")
    if isinstance(kernel, type) or not callable(kernel):
        raise TypeError(
            f"kernel must be a function of two matrices of rows, such as RBF(gamma=1.0), "
            f"got {kernel!r}"
        )
    X, y = samples(X, y, signs=False)
    K = kernel(X, X)
    return KernelRidge(X, solve(K + lam * np.eye(len(y)), y, assume_a="pos"), kernel)
