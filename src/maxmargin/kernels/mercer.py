"""Mercer's condition on a sample: a Gram matrix is symmetric and positive semi-definite.

A function k is a kernel, an inner product of some features, if and only if on every finite sample
a'K a = sum_ij a_i a_j k(x_i, x_j) >= 0 for all a. A sample cannot prove that, but one negative
eigenvalue disproves it, and its eigenvector is the witness.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.prompt import Brief, brief

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Mercer(Brief):
    """What a Gram matrix says about its kernel.

    Attributes
    ----------
    holds : bool
        Symmetric, and no eigenvalue below -tolerance.
    asymmetry : float
        The largest |K_ij - K_ji|.
    eigenvalues : array
        Of the symmetric part, ascending.
    witness : array
        The unit vector a with the least a'K a, which is eigenvalues[0].
    tolerance : float
        What rounding explains: n times machine precision times the largest entry, or as given.

    Examples
    --------
    >>> check_mercer([[2.0, 1.0], [1.0, 2.0]]).holds
    True
    """

    holds: bool
    asymmetry: float
    eigenvalues: Array
    witness: Array
    tolerance: float


def check_mercer(K: ArrayLike, tol: float | None = None) -> Mercer:
    """Check Mercer's condition of a Gram matrix.

    Parameters
    ----------
    K : array of shape (n, n)
    tol : float
        Asymmetry and negative eigenvalues up to this count as rounding.

    Returns
    -------
    Mercer

    Examples
    --------
    tanh(u v - 1) is not a kernel: two points suffice to see it.

    >>> x = np.array([0.1, 1.0])
    >>> report = check_mercer(np.tanh(np.outer(x, x) - 1))
    >>> report.holds, bool(report.eigenvalues[0] < 0)
    (False, True)
    """
    if callable(K):
        raise TypeError(f"K must be a Gram matrix, got {brief(K)}; of rows X it is kernel(X, X)")
    K = np.asarray(K, dtype=float)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"K must be a square matrix, got shape {K.shape}")
    if not np.isfinite(K).all():
        raise ValueError("K must be finite, got NaN or infinity")
    tolerance = len(K) * np.finfo(float).eps * np.abs(K).max() if tol is None else tol
    asymmetry = float(np.abs(K - K.T).max())
    eigenvalues, vectors = np.linalg.eigh((K + K.T) / 2)
    return Mercer(
        holds=bool(asymmetry <= tolerance and eigenvalues[0] >= -tolerance),
        asymmetry=asymmetry,
        eigenvalues=eigenvalues,
        witness=vectors[:, 0],
        tolerance=float(tolerance),
    )
