"""Rows known by what they hold, not by where they stand.

What is decided by the content of rows does not depend on their order, and copies of a row stay
together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Hashes = NDArray[np.uint64]

#: Entries that are hashed at a time.
_BLOCK = 1 << 20


def scatter(numbers: Hashes) -> Hashes:
    """Return for each number another that looks random: SplitMix64's, always the same.

    Parameters
    ----------
    numbers : ndarray of uint64
        Any numbers.

    Examples
    --------
    >>> scatter(np.arange(3, dtype=np.uint64)) >> np.uint64(56)
    array([  0, 226, 110], dtype=uint64)
    """
    z = numbers * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def hashes(X: Any) -> Hashes:
    """Return a number for each row that equal rows have in common, dense or sparse.

    Parameters
    ----------
    X : ndarray or canonical CSR of shape (n, d)
        Finite rows.

    Examples
    --------
    >>> found = hashes(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -0.0]]))
    >>> bool(found[0] == found[2]), bool(found[0] == found[1])
    (True, False)
    """
    n, d = X.shape
    factors = scatter(np.arange(1, d + 1, dtype=np.uint64)) | np.uint64(1)
    if sparse.issparse(X):
        terms = _mixed(X.data) * factors[X.indices]
        ends = np.concatenate([[np.uint64(0)], np.cumsum(terms, dtype=np.uint64)])
        return scatter(ends[X.indptr[1:]] - ends[X.indptr[:-1]])
    step = max(1, _BLOCK // max(d, 1))
    blocks = [_mixed(X[begin : begin + step]) @ factors for begin in range(0, max(n, 1), step)]
    return scatter(np.concatenate(blocks))


def distinct(
    X: Any, keys: NDArray[np.int64], weight: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Order rows by key and content, and tell which are the same.

    Parameters
    ----------
    X : ndarray or canonical CSR of shape (n, d)
        Finite rows.
    keys : ndarray of int64, shape (n,)
        What rows must share beside their content to be the same.
    weight : ndarray of shape (n,)
        What orders equal rows.

    Returns
    -------
    order : ndarray of int64, shape (n,)
        Places of the rows, equal ones one after the other.
    number : ndarray of int64, shape (n,)
        For each place in this order, the number of its distinct row.

    Examples
    --------
    >>> order, number = distinct(np.array([[5.0], [7.0], [5.0]]), np.array([1, 0, 1]), np.ones(3))
    >>> order, number
    (array([1, 0, 2]), array([0, 1, 1]))
    """
    found = hashes(X)
    order = np.lexsort((weight, found, keys))
    same = (np.diff(found[order]) == 0) & (np.diff(keys[order]) == 0)
    candidates = np.flatnonzero(same)
    # Rows of the same number are nearly always equal; those that are not stay apart.
    same[candidates] = _equal(X, order[candidates], order[candidates + 1])
    return order, np.concatenate([[0], np.cumsum(~same)])


def _mixed(values: NDArray[Any]) -> Hashes:
    """Bits of numbers, with those of the mantissa's end, often zero, filled; 0 for zeros."""
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)
    return np.asarray(bits ^ (bits >> np.uint64(32)))


def _equal(X: Any, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.bool_]:
    if sparse.issparse(X):
        different: NDArray[np.int64] = np.asarray((X[first] != X[second]).sum(axis=1)).ravel()
        return np.asarray(different == 0)
    return np.asarray((X[first] == X[second]).all(axis=1))
