"""Kernel values between movable vectors Z and fixed rows X, and how these change with Z.

`values` is K_ij = k(z_i, x_j). `pulled` is the gradient of sum_ij G_ij K_ij in Z for numbers G_ij,
from products of matrices wherever there are some:

    g(<z, x>)      (G g') X
    g(|z - x|^2)   2 (sum_j G_ij g'_ij z_i - (G g') X)
"""

from __future__ import annotations

from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import (
    RBF,
    Chi2,
    Columns,
    Constant,
    Cosine,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Product,
    Scaled,
    Sum,
)

Array: TypeAlias = NDArray[np.float64]


def values(kernel: Kernel, Z: Array, X: Array) -> Array:
    """Return K_ij = k(z_i, x_j) by products of matrices.

    Parameters
    ----------
    kernel : Kernel
        A positive semidefinite kernel of `maxmargin.kernels`.
    Z, X : ndarrays of shapes (n, d) and (m, d)
        Vectors.

    Examples
    --------
    >>> values(RBF(1.0), np.zeros((1, 2)), np.zeros((1, 2)))
    array([[1.]])
    """
    match kernel:
        case Scaled():
            return kernel.factor * values(kernel.kernel, Z, X)
        case Sum():
            return np.asarray(sum(values(part, Z, X) for part in kernel.parts))
        case Product():
            return np.asarray(prod(values(part, Z, X) for part in kernel.parts))
        case Columns():
            places = np.array(kernel.columns, np.int64)
            return values(kernel.kernel, Z[:, places], X[:, places])
        case RBF():
            return np.asarray(np.exp(-kernel.gamma * _squares(Z, X)))
        case Matern():
            return _matern(kernel, _squares(Z, X))[0]
        case Laplacian() | Chi2():
            return np.asarray(np.exp(-kernel.gamma * _distances(kernel, Z, X)))
        case _:
            return kernel(Z, X)


def pulled(kernel: Kernel, Z: Array, X: Array, G: Array) -> Array:
    """Return the gradient of sum_ij G_ij k(z_i, x_j) in Z.

    Parameters
    ----------
    kernel, Z, X
        As in `values`.
    G : ndarray of shape (n, m)
        Factors.

    Examples
    --------
    >>> pulled(Linear(), np.zeros((1, 2)), np.array([[3.0, 4.0]]), np.ones((1, 1)))
    array([[3., 4.]])
    """
    match kernel:
        case Constant():
            return np.zeros_like(Z)
        case Scaled():
            return pulled(kernel.kernel, Z, X, kernel.factor * G)
        case Sum():
            return np.asarray(sum(pulled(part, Z, X, G) for part in kernel.parts))
        case Product():
            found = [values(part, Z, X) for part in kernel.parts]
            others = (
                prod((v for k, v in enumerate(found) if k != j), start=G) for j in range(len(found))
            )
            pairs = zip(kernel.parts, others, strict=True)
            return np.asarray(sum(pulled(part, Z, X, rest) for part, rest in pairs))
        case Columns():
            places = np.array(kernel.columns, np.int64)
            gradient = np.zeros_like(Z)
            gradient[:, places] = pulled(kernel.kernel, Z[:, places], X[:, places], G)
            return gradient
        case Linear():
            return np.asarray(G @ X)
        case Polynomial():
            inner = kernel.gamma * (Z @ X.T) + kernel.coef0
            slope = kernel.degree * kernel.gamma * inner ** max(kernel.degree - 1, 0)
            return np.asarray((G * slope) @ X)
        case Cosine():
            return _cosine(Z, X, G)
        case RBF():
            slope = -kernel.gamma * np.exp(-kernel.gamma * _squares(Z, X))
            return _by_distance(Z, X, G * slope)
        case Matern():
            return _by_distance(Z, X, G * _matern(kernel, _squares(Z, X))[1])
        case Laplacian() | Chi2():
            return _by_columns(kernel, Z, X, G)
    raise AssertionError(f"{kernel!r} was to be refused before")


def _squares(Z: Array, X: Array) -> Array:
    centre = X.mean(axis=0)
    Z, X = Z - centre, X - centre
    sums = (Z**2).sum(axis=1)[:, None] + (X**2).sum(axis=1) - 2 * (Z @ X.T)
    return np.asarray(np.maximum(sums, 0.0))


def _by_distance(Z: Array, X: Array, slopes: Array) -> Array:
    return np.asarray(2 * (slopes.sum(axis=1)[:, None] * Z - slopes @ X))


def _matern(kernel: Matern, squares: Array) -> tuple[Array, Array]:
    """Return values and their derivatives by |z - x|^2."""
    if kernel.nu == np.inf:
        rate = 0.5 / kernel.length_scale**2
        decay = np.exp(-rate * squares)
        return decay, -rate * decay
    rate = 2 * kernel.nu / kernel.length_scale**2
    t = np.sqrt(rate * squares)
    decay = np.exp(-t)
    if kernel.nu == 0.5:
        # It has a tip at 0, where 0 is as good a slope as any.
        return decay, np.where(t > 0, -rate * decay / (2 * np.where(t > 0, t, 1.0)), 0.0)
    if kernel.nu == 1.5:
        return (1 + t) * decay, -rate / 2 * decay
    return (1 + t + t**2 / 3) * decay, -rate / 6 * (1 + t) * decay


def _cosine(Z: Array, X: Array, G: Array) -> Array:
    length = np.linalg.norm(Z, axis=1, keepdims=True)
    own = np.where(length > 0, length, 1.0)
    others = np.linalg.norm(X, axis=1, keepdims=True)
    unit = X / np.where(others > 0, others, 1.0)
    along = (G * (Z / own @ unit.T)).sum(axis=1, keepdims=True)
    return np.asarray((G @ unit - along * Z / own) / own)


def _distances(kernel: Laplacian | Chi2, Z: Array, X: Array) -> Array:
    """Add up a distance column by column."""
    sums = np.zeros((len(Z), len(X)))
    for z, x in zip(Z.T, X.T, strict=True):
        difference = z[:, None] - x
        if isinstance(kernel, Laplacian):
            sums += np.abs(difference)
        else:
            total = z[:, None] + x
            sums += difference**2 / np.where(total > 0, total, 1.0)
    return sums


def _by_columns(kernel: Laplacian | Chi2, Z: Array, X: Array, G: Array) -> Array:
    slopes = -kernel.gamma * G * np.exp(-kernel.gamma * _distances(kernel, Z, X))
    gradient = np.empty_like(Z)
    for k, (z, x) in enumerate(zip(Z.T, X.T, strict=True)):
        difference = z[:, None] - x
        if isinstance(kernel, Laplacian):
            change = np.sign(difference)
        else:
            # (z - x)^2 / (z + x) has the slope q (2 - q), q = (z - x) / (z + x).
            total = z[:, None] + x
            q = difference / np.where(total > 0, total, 1.0)
            change = q * (2 - q)
        gradient[:, k] = (slopes * change).sum(axis=1)
    return gradient
