"""The matrix of a kernel, by the compiled core."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels import Kernel, Precomputed


def kernel_matrix(kernel: Kernel, X: Any, n_threads: int = 1) -> NDArray[np.float64]:
    """Return the values of a kernel for each pair of rows, in float64.

    Parameters
    ----------
    kernel : Kernel
        Compiled.
    X : rows
        Checked rows, or the square matrix of a `Precomputed` kernel.
    n_threads : int
        Threads; the values do not depend on it.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> kernel_matrix(Linear(), np.array([[1.0], [2.0]]))
    array([[1., 2.],
           [2., 4.]])
    """
    if isinstance(kernel, Precomputed):
        return np.asarray(X, np.float64)
    values, error = _core.kernel_matrix(kernel.data(X), kernel.core(), n_threads, None)
    if error is not None:
        raise error
    return values
