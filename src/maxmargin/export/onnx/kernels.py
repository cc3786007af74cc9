"""Kernel values in a graph: functions of products of matrices wherever there is one.

RBF, Matern    |x - z|^2 = |x|^2 - 2 <x, z> + |z|^2, both moved to the mean of the vectors
Laplacian,     sums over the columns, one row after the other: no product has them, and rows x
chi2           vectors x columns at once would be more than memory has
Matern(0.5)    so too: the root of a distance makes a small error of |x - z|^2 a large one
"""

from __future__ import annotations

from functools import reduce
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.export.onnx.graph import Graph
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
    Sigmoid,
    Sum,
)

Array: TypeAlias = NDArray[np.float64]


def kernel_values(g: Graph, kernel: Kernel, x: str, vectors: Array) -> str:
    """Add the nodes of k(x_i, z_j), shape (n, m).

    Parameters
    ----------
    g : Graph
        Where to.
    kernel : Kernel
        One that `check_kernel` has accepted.
    x : str
        Rows, shape (n, d).
    vectors : ndarray of shape (m, d)
        z.
    """
    match kernel:
        case Scaled():
            return g("Mul", kernel_values(g, kernel.kernel, x, vectors), kernel.factor)
        case Sum() | Product():
            operator = "Add" if isinstance(kernel, Sum) else "Mul"
            parts = [kernel_values(g, part, x, vectors) for part in kernel.parts]
            return reduce(lambda left, right: g(operator, left, right), parts)
        case Columns():
            places = np.array(kernel.columns)
            return kernel_values(g, kernel.kernel, g.columns(x, places), vectors[:, places])
        case Constant():
            return g.full(x, len(vectors), kernel.value)
        case Linear():
            return _products(g, x, vectors)
        case Polynomial():
            inner = _products(g, x, vectors, kernel.gamma, kernel.coef0)
            return g("Pow", inner, float(kernel.degree))
        case Sigmoid():
            return g("Tanh", _products(g, x, vectors, kernel.gamma, kernel.coef0))
        case Cosine():
            return _products(g, _unit_rows(g, x), _unit(vectors))
        case RBF():
            return g("Exp", _distances(g, x, vectors, -kernel.gamma))
        case Laplacian():
            distances = g.sum_over_columns(x, vectors, _absolute)
            return g("Exp", g("Mul", distances, -kernel.gamma))
        case Chi2():
            distances = g.sum_over_columns(x, vectors, _chi2)
            return g("Exp", g("Mul", distances, -kernel.gamma))
        case Matern():
            return _matern(g, kernel, x, vectors)
    raise AssertionError(f"{kernel!r} was to be refused before")


def _products(g: Graph, x: str, vectors: Array, factor: float = 1.0, constant: float = 0.0) -> str:
    """Return factor <x, z> + constant, both rounded as the precision has them."""
    added = [np.array([constant])] if constant else []
    return g("Gemm", x, factor * vectors, *added, transB=1)


def _distances(g: Graph, x: str, vectors: Array, factor: float) -> str:
    """Return factor |x - z|^2, never of another sign than the factor."""
    centre = vectors.mean(axis=0).astype(g.dtype).astype(np.float64)
    near, moved = g("Sub", x, centre), vectors - centre
    own = g("Mul", g("ReduceSumSquare", near, np.array([1]), keepdims=1), factor)
    theirs = factor * (moved**2).sum(axis=1)
    sums = g("Add", g("Gemm", near, -2 * factor * moved, theirs, transB=1), own)
    return g("Min" if factor <= 0 else "Max", sums, 0.0)


def _matern(g: Graph, kernel: Matern, x: str, vectors: Array) -> str:
    if kernel.nu == np.inf:
        return g("Exp", _distances(g, x, vectors, -0.5 / kernel.length_scale**2))
    factor = 2 * kernel.nu / kernel.length_scale**2
    if kernel.nu == 0.5:
        squares = g("Mul", g.sum_over_columns(x, vectors, _square), factor)
    else:
        squares = _distances(g, x, vectors, factor)
    t = g("Sqrt", squares)
    decay = g("Exp", g("Neg", t))
    if kernel.nu == 0.5:
        return decay
    polynomial = g("Add", t, 1.0)
    if kernel.nu == 2.5:
        polynomial = g("Add", polynomial, g("Div", squares, 3.0))
    return g("Mul", polynomial, decay)


def _square(g: Graph, x: str, z: str) -> str:
    difference = g("Sub", x, z)
    return g("Mul", difference, difference)


def _absolute(g: Graph, x: str, z: str) -> str:
    return g("Abs", g("Sub", x, z))


def _chi2(g: Graph, x: str, z: str) -> str:
    difference, total = g("Sub", x, z), g("Add", x, z)
    safe = g("Where", g("Greater", total, 0.0), total, 1.0)
    return g("Mul", difference, g("Div", difference, safe))


def _unit_rows(g: Graph, x: str) -> str:
    """Scale rows to length one, by their largest entry first so that no square overflows."""
    largest = g("ReduceMax", g("Abs", x), np.array([1]), keepdims=1)
    near = g("Div", x, g("Where", g("Greater", largest, 0.0), largest, 1.0))
    length = g("Sqrt", g("ReduceSumSquare", near, np.array([1]), keepdims=1))
    return g("Div", near, g("Where", g("Greater", length, 0.0), length, 1.0))


def _unit(rows: Array) -> Array:
    largest = np.abs(rows).max(axis=1, keepdims=True)
    near = rows / np.where(largest > 0, largest, 1.0)
    return np.asarray(near / np.where(largest > 0, np.linalg.norm(near, axis=1, keepdims=True), 1))
