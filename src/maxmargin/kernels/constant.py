"""The kernel that is the same for all rows; written `k + 1`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin import _core
from maxmargin.kernels.kernel import Kernel, check_positive


@dataclass(frozen=True)
class Constant(Kernel):
    """The same positive number for any two rows.

    Added to another kernel, it is one more feature that is constant: in a machine without an
    intercept of its own it is a penalised one, and beside a free intercept it changes nothing.

    Parameters
    ----------
    value : float
        The number.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> (Linear() + 1)([[2.0]], [[3.0]])
    array([[7.]])
    """

    value: float = 1.0

    def __post_init__(self) -> None:
        check_positive("value", self.value)

    def __call__(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix of equal values."""
        return np.full((np.shape(X)[0], np.shape(Z)[0]), float(self.value))

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return the value for each row."""
        return np.full(X.shape[0], float(self.value))

    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel: a polynomial of degree 0."""
        one = _core.Kernel(_core.KernelKind.polynomial, gamma=1.0, coef0=1.0, degree=0)
        return one.scaled(self.value)
