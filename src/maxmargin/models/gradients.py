"""Derivatives of decision values by the features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

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
    Precomputed,
    Product,
    Scaled,
    Sigmoid,
    Sum,
)
from maxmargin.models.kernel import KernelModel
from maxmargin.models.linear import LinearModel

Array = NDArray[np.float64]
#: Centres whose derivatives are held at once.
_TOGETHER = 512
#: Step of a central difference, in units of the value: the cube root of the rounding.
_STEP = np.finfo(np.float64).eps ** (1 / 3)


def decision_gradients(model: KernelModel | LinearModel, rows: Any) -> Array:
    """Return the derivative of each output by each feature, shape (n, d, p).

    Parameters
    ----------
    model : KernelModel or LinearModel
        The model.
    rows : rows of shape (n, d)
        Where.

    Examples
    --------
    >>> decision_gradients(LinearModel.plain(np.array([[1.0, 2.0]]), np.zeros(1)), np.ones((1, 2)))
    array([[[1.],
            [2.]]])
    """
    if isinstance(model, LinearModel):
        return np.repeat(model.dense_coef.T[None], rows.shape[0], axis=0)
    if isinstance(model.kernel, Precomputed) or not hasattr(rows, "shape"):
        raise ValueError("gradients need rows of numbers, and a kernel of them.")
    X = np.asarray(_dense(rows), np.float64)
    if not _has_formula(model.kernel):
        return np.stack([_differences(model, x) for x in X])
    found = np.zeros((*X.shape, model.weights.shape[1]))
    for begin in range(0, len(model.support), _TOGETHER):
        part = slice(begin, begin + _TOGETHER)
        Z = np.asarray(_dense(model.vectors[part]), np.float64)
        for i, x in enumerate(X):
            found[i] += _gradient(model.kernel, x, Z)[1].T @ model.weights[part]
    return found


def _dense(rows: Any) -> Any:
    return rows.toarray() if sparse.issparse(rows) else rows


def _differences(model: KernelModel, x: Array) -> Array:
    """Return central differences, of a kernel whose formula is not known."""
    steps = _STEP * np.maximum(1.0, np.abs(x))
    ahead, back = model.decide(x + np.diag(steps)), model.decide(x - np.diag(steps))
    return np.asarray((ahead - back) / (2 * steps[:, None]))


def _has_formula(kernel: Kernel) -> bool:
    if isinstance(kernel, Sum | Product):
        return all(map(_has_formula, kernel.parts))
    if isinstance(kernel, Scaled | Columns):
        return _has_formula(kernel.kernel)
    known = RBF | Laplacian | Chi2 | Matern | Linear | Polynomial | Sigmoid | Cosine | Constant
    return isinstance(kernel, known)


def _gradient(kernel: Kernel, x: Array, Z: Array) -> tuple[Array, Array]:
    """Return k(x, z) of each row z, shape (m,), and its derivatives by x, shape (m, d)."""
    if isinstance(kernel, Columns):
        places = list(kernel._numbers())
        k, inner = _gradient(kernel.kernel, x[places], Z[:, places])
        slope = np.zeros(Z.shape)
        slope[:, places] = inner
        return k, slope
    if isinstance(kernel, Scaled):
        k, slope = _gradient(kernel.kernel, x, Z)
        return kernel.factor * k, kernel.factor * slope
    if isinstance(kernel, Sum | Product):
        k, slope = _gradient(kernel.parts[0], x, Z)
        for part in kernel.parts[1:]:
            other, its = _gradient(part, x, Z)
            if isinstance(kernel, Sum):
                k, slope = k + other, slope + its
            else:
                k, slope = k * other, slope * other[:, None] + k[:, None] * its
        return k, slope
    k = kernel(x[None, :], Z)[0]
    return k, _leaf_gradient(kernel, k, x, Z)


def _leaf_gradient(kernel: Kernel, k: Array, x: Array, Z: Array) -> Array:
    """Return the derivatives of a kernel that is not made of others."""
    away = x - Z
    match kernel:
        case RBF():
            return -2 * kernel.gamma * away * k[:, None]
        case Laplacian():
            return -kernel.gamma * np.sign(away) * k[:, None]
        case Chi2():
            total = x + Z
            share = away / np.where(total > 0, total, 1.0)
            return -kernel.gamma * (share * (2.0 - share)) * k[:, None]
        case Matern():
            return _matern_gradient(kernel, away)
        case Linear():
            return Z
        case Polynomial():
            inner = kernel.gamma * (Z @ x) + kernel.coef0
            power = kernel.degree * inner ** (kernel.degree - 1) if kernel.degree else 0 * inner
            return np.asarray(kernel.gamma * power[:, None] * Z)
        case Sigmoid():
            return np.asarray(kernel.gamma * (1 - k**2)[:, None] * Z)
        case Cosine():
            length, lengths = np.linalg.norm(x), np.linalg.norm(Z, axis=1, keepdims=True)
            if length == 0:
                return np.zeros_like(Z)
            unit = Z / np.where(lengths > 0, lengths, 1.0)
            return np.asarray((unit - k[:, None] * (x / length)) / length)
        case _:  # a constant
            return np.zeros_like(Z)


def _matern_gradient(kernel: Matern, away: Array) -> Array:
    """Return (dk / dt) (dt / dx), with t = sqrt(2 nu) |x - z| / length_scale."""
    r = np.linalg.norm(away, axis=1)
    if kernel.nu == np.inf:
        slope = -np.exp(-((r / kernel.length_scale) ** 2) / 2) / kernel.length_scale**2
        return np.asarray(slope[:, None] * away)
    rate = np.sqrt(2 * kernel.nu) / kernel.length_scale
    t = rate * r
    slope = {0.5: -np.ones_like(t), 1.5: -t, 2.5: -t * (1 + t) / 3}[kernel.nu] * np.exp(-t)
    direction = away / np.where(r > 0, r, 1.0)[:, None]
    return np.asarray(rate * slope[:, None] * direction)
