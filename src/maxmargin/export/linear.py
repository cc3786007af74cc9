"""Kernel machines whose kernels are inner products: their vectors collapse to weights."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Columns, Constant, Kernel, Linear, Precomputed, Scaled, Sum

Array: TypeAlias = NDArray[np.float64]


def linear_weights(
    kernel: Kernel, vectors: Array, support: NDArray[np.int64], weights: Array, n_features: int
) -> tuple[Array, Array] | None:
    """Return the weights of the features and a constant for each output, None if there are none.

    A precomputed kernel is linear in the values that it is given.

    Parameters
    ----------
    kernel : Kernel
        The kernel of a machine.
    vectors, support, weights : ndarrays
        Its support vectors, their places in the training data, and weights of shape (m, p).
    n_features : int
        Columns of the data; of a kernel matrix, the training rows.

    Examples
    --------
    >>> linear_weights(2 * Linear().on([1]) + 1, np.eye(2), np.arange(2), np.ones((2, 1)), 2)
    (array([[0.],
           [2.]]), array([2.]))
    """
    coef = np.zeros((n_features, weights.shape[1]))
    constant = np.zeros(weights.shape[1])
    if isinstance(kernel, Precomputed):
        coef[support] = weights
    elif isinstance(kernel, Linear):
        coef = np.asarray(vectors.T @ weights)
    elif isinstance(kernel, Constant):
        constant = kernel.value * weights.sum(axis=0)
    elif isinstance(kernel, Scaled):
        return _scaled(
            linear_weights(kernel.kernel, vectors, support, weights, n_features), kernel.factor
        )
    elif isinstance(kernel, Columns):
        chosen: Any = list(kernel.columns)
        inner = linear_weights(kernel.kernel, vectors[:, chosen], support, weights, len(chosen))
        if inner is None:
            return None
        coef[chosen], constant = inner
    elif isinstance(kernel, Sum):
        parts = [linear_weights(p, vectors, support, weights, n_features) for p in kernel.parts]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        coef, constant = (np.sum(each, axis=0) for each in zip(*known, strict=True))
    else:
        return None
    return coef, constant


def _scaled(found: tuple[Array, Array] | None, factor: float) -> tuple[Array, Array] | None:
    return None if found is None else (factor * found[0], factor * found[1])
