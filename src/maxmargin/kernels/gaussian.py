"""The Gaussian kernel as lectures write it: prefactor exp(-|u - v|^2 / (2 sigma^2)).

The engine's RBF kernel is exp(-gamma |u - v|^2): gamma = 1 / (2 sigma^2), prefactor 1. A
prefactor multiplies the Gram matrix, which is the same as multiplying C by it: the soft margin with
(prefactor k, C) has the decision function of (k, prefactor C).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.kernels.kernel import of_points
from maxmargin.prompt import keywords

Array = NDArray[np.float64]


@keywords(c="prefactor=", gamma="Gaussian.from_gamma(gamma)", width="sigma=", s="sigma=")
@dataclass(frozen=True)
class Gaussian:
    """The kernel k(u, v) = prefactor exp(-|u - v|^2 / (2 sigma^2)).

    Parameters
    ----------
    sigma : float
        Width: the distance at which the kernel has fallen to exp(-1/2) of its peak.
    prefactor : float
        The peak, k(u, u).

    Examples
    --------
    >>> k = Gaussian(sigma=2.0, prefactor=3.0)
    >>> k([[0.0]], [[0.0], [2.0]]).round(4)
    array([[3.    , 1.8196]])
    >>> k.gamma
    0.125
    >>> Gaussian.from_gamma(0.125)
    Gaussian(sigma=2.0, prefactor=1.0)
    """

    sigma: float = 1.0
    prefactor: float = 1.0

    def __post_init__(self) -> None:
        for name, value in (("sigma", self.sigma), ("prefactor", self.prefactor)):
            if not 0 < value < np.inf:
                raise ValueError(f"{name} must be positive and finite, got {value!r}")

    @classmethod
    def from_gamma(cls, gamma: float, prefactor: float = 1.0) -> Gaussian:
        """Return the kernel prefactor exp(-gamma |u - v|^2)."""
        if not 0 < gamma < np.inf:
            raise ValueError(f"gamma must be positive and finite, got {gamma!r}")
        return cls(sigma=float(1 / np.sqrt(2 * gamma)), prefactor=prefactor)

    @property
    def gamma(self) -> float:
        """1 / (2 sigma^2)."""
        return 1 / (2 * self.sigma**2)

    @of_points
    def __call__(self, U: ArrayLike, V: ArrayLike) -> Array:
        """Return the Gram matrix of the rows of U and V."""
        U, V = np.asarray(U, dtype=float), np.asarray(V, dtype=float)
        squared = ((U[:, None, :] - V[None, :, :]) ** 2).sum(axis=-1)
        return np.asarray(self.prefactor * np.exp(-self.gamma * squared))
