"""Penalties on the weights: sums over the coordinates of one function of one number.

    L2   factor w_j^2      factor 1/2 or 1, as the convention has it
    L1   |w_j|             kink at 0, which makes weights exactly zero

They have the same methods as a loss; an objective adds them up over the penalised coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.losses.loss import Array, Bounds, ConvexFunction, array
from maxmargin.losses.residual import Absolute


@dataclass(frozen=True)
class L2(ConvexFunction):
    """The squared norm, factor |w|^2, one coordinate at a time: h(w) = factor w^2.

    Parameters
    ----------
    factor : float
        1 for |w|^2, 1/2 for half of it.

    Examples
    --------
    >>> w = [3.0, -4.0]
    >>> float(L2().value(w).sum()), float(L2(factor=0.5).value(w).sum())
    (25.0, 12.5)
    """

    factor: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.factor < np.inf:
            raise ValueError(f"factor must be positive and finite, got {self.factor!r}")

    def value(self, w: ArrayLike) -> Array:
        """Return factor w^2."""
        return self.factor * array(w) ** 2

    def subdifferential(self, w: ArrayLike) -> Bounds:
        """{2 factor w}."""
        slope = 2 * self.factor * array(w)
        return slope, slope

    def conjugate(self, s: ArrayLike) -> Array:
        """h*(s) = s^2 / (4 factor)."""
        return array(s) ** 2 / (4 * self.factor)

    def prox(self, w: ArrayLike, tau: float = 1.0) -> Array:
        """Return w / (1 + 2 tau factor)."""
        return array(w) / (1 + 2 * tau * self.factor)

    def curvature(self, w: ArrayLike) -> Array:
        """Return 2 factor."""
        return np.full_like(w, 2 * self.factor, dtype=float)


@dataclass(frozen=True)
class L1(Absolute):
    """The sum of sizes, one coordinate at a time: h(w) = |w|, the absolute loss of a weight.

    Examples
    --------
    >>> float(L1().value([3.0, -4.0]).sum())
    7.0
    >>> L1().prox([3.0, -0.5], tau=1.0)
    array([ 2., -0.])
    """
