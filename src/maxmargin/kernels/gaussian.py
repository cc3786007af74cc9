"""The Gaussian kernel as lectures write it: c exp(-|u - v|^2 / (2 sigma^2)).

The engine's RBF kernel is exp(-gamma |u - v|^2): gamma = 1 / (2 sigma^2), and c = 1. A prefactor c
multiplies the Gram matrix, which is the same as multiplying C by c and the dual variables by 1/c:
the decision function of a soft margin with (c k, C) is that with (k, c C).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gaussian:
    """The kernel k(u, v) = c exp(-|u - v|^2 / (2 sigma^2)).

    Parameters
    ----------
    sigma : float
        Width: the distance at which the kernel has fallen to exp(-1/2) of its peak.
    c : float
        Peak, k(u, u).

    Examples
    --------
    >>> k = Gaussian(sigma=2.0, c=3.0)
    >>> k([[0.0]], [[0.0], [2.0]]).round(4)
    array([[3.    , 1.8196]])
    >>> k.gamma
    0.125
    >>> Gaussian.from_gamma(0.125)
    Gaussian(sigma=2.0, c=1.0)
    """

    sigma: float = 1.0
    c: float = 1.0

    def __post_init__(self) -> None:
        for name, value in (("sigma", self.sigma), ("c", self.c)):
            if not 0 < value < np.inf:
                raise ValueError(f"{name} must be positive and finite, got {value!r}")

    @classmethod
    def from_gamma(cls, gamma: float, c: float = 1.0) -> "Gaussian":
        """Return the kernel c exp(-gamma |u - v|^2)."""
        if not 0 < gamma < np.inf:
            raise ValueError(f"gamma must be positive and finite, got {gamma!r}")
        return cls(sigma=float(1 / np.sqrt(2 * gamma)), c=c)

    @property
    def gamma(self) -> float:
        """1 / (2 sigma^2)."""
        return 1 / (2 * self.sigma**2)

    def __call__(self, U: ArrayLike, V: ArrayLike) -> Array:
        """Return the Gram matrix of the rows of U and V."""
        U, V = np.asarray(U, dtype=float), np.asarray(V, dtype=float)
        squared = ((U[:, None, :] - V[None, :, :]) ** 2).sum(axis=-1)
        return np.asarray(self.c * np.exp(-self.gamma * squared))
