"""Losses of the residual r = f - y.

    squared                      r^2, or half of it
    absolute                     |r|                      kink at 0
    epsilon-insensitive          max(0, |r| - epsilon)    kinks at -epsilon and epsilon
    squared epsilon-insensitive  max(0, |r| - epsilon)^2
    Huber                        r^2 / 2 up to delta, then the line that continues it

Against an outlier the squared loss pulls with a force 2 |r|; absolute, epsilon-insensitive and
Huber pull with a bounded one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from maxmargin import _core
from maxmargin.losses.loss import Array, Bounds, ResidualLoss, array, where
from maxmargin.losses.tube import Tube
from maxmargin.prompt import keywords


@dataclass(frozen=True)
class Squared(ResidualLoss):
    """The squared loss h(r) = scale r^2, scale 1, or 1/2 if `halved`.

    Parameters
    ----------
    halved : bool
        Divide by 2, so that the slope is r.

    Examples
    --------
    >>> Squared().value([-1.0, 3.0]), Squared(halved=True).value([-1.0, 3.0])
    (array([1., 9.]), array([0.5, 4.5]))
    """

    halved: bool = False

    @property
    def scale(self) -> float:
        """1, or 1/2."""
        return 0.5 if self.halved else 1.0

    def value(self, r: ArrayLike) -> Array:
        """Return scale r^2."""
        return self.scale * array(r) ** 2

    def subdifferential(self, r: ArrayLike) -> Bounds:
        """{2 scale r}."""
        slope = 2 * self.scale * array(r)
        return slope, slope

    def conjugate(self, s: ArrayLike) -> Array:
        """h*(s) = s^2 / (4 scale)."""
        return array(s) ** 2 / (4 * self.scale)

    def prox(self, r: ArrayLike, tau: float = 1.0) -> Array:
        """Return r / (1 + 2 scale tau)."""
        return array(r) / (1 + 2 * self.scale * tau)

    def curvature(self, r: ArrayLike) -> Array:
        """Return 2 scale."""
        return np.full_like(r, 2.0 * self.scale, dtype=float)

    def tube(self, y: Array, C: Array) -> Tube:
        """All slopes, with the conjugate's quadratic."""
        return Tube.two_sided(y, np.full(len(y), np.inf), 1.0 / (2.0 * self.scale * C))

    def core(self) -> tuple[_core.StreamLoss, float]:
        """Return its name in the core; r^2 is the square of a tube without width."""
        if self.halved:
            return _core.StreamLoss.squared_error, 0.0
        return _core.StreamLoss.squared_epsilon_insensitive, 0.0


@dataclass(frozen=True)
class Absolute(ResidualLoss):
    """The absolute loss h(r) = |r|.

    Examples
    --------
    >>> Absolute().subdifferential([-3.0, 0.0, 2.0])
    (array([-1., -1.,  1.]), array([-1.,  1.,  1.]))
    """

    def value(self, r: ArrayLike) -> Array:
        """|r|."""
        return np.abs(array(r))

    def subdifferential(self, r: ArrayLike) -> Bounds:
        """{sign r}, and [-1, 1] at 0."""
        r = array(r)
        return where(r <= 0, -1.0, 1.0), where(r < 0, -1.0, 1.0)

    def conjugate(self, s: ArrayLike) -> Array:
        """h*(s) = 0 on [-1, 1]."""
        return where(np.abs(array(s)) <= 1, 0.0, np.inf)

    def prox(self, r: ArrayLike, tau: float = 1.0) -> Array:
        """Return r moved by tau towards 0, but not past it."""
        r = array(r)
        return np.sign(r) * np.maximum(0.0, np.abs(r) - tau)

    def tube(self, y: Array, C: Array) -> Tube:
        """Slopes between -1 and 1."""
        return Tube.two_sided(y, C)


@keywords(**dict.fromkeys(["eps", "width", "tol"], "epsilon="))
@dataclass(frozen=True)
class EpsilonInsensitive(ResidualLoss):
    """The epsilon-insensitive loss h(r) = max(0, |r| - epsilon): support vector regression.

    Parameters
    ----------
    epsilon : float
        Half the width of the tube inside which a residual costs nothing.

    Examples
    --------
    >>> EpsilonInsensitive(epsilon=0.5).value([-0.4, 0.5, 2.0])
    array([0. , 0. , 1.5])
    """

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        _check_width("epsilon", self.epsilon)

    def value(self, r: ArrayLike) -> Array:
        """max(0, |r| - epsilon)."""
        return np.maximum(0.0, np.abs(array(r)) - self.epsilon)

    def subdifferential(self, r: ArrayLike) -> Bounds:
        """{0} inside the tube, {sign r} outside, the interval between on its walls."""
        r = array(r)
        low = where(r > self.epsilon, 1.0, where(r > -self.epsilon, 0.0, -1.0))
        high = where(r >= self.epsilon, 1.0, where(r >= -self.epsilon, 0.0, -1.0))
        return low, high

    def conjugate(self, s: ArrayLike) -> Array:
        """h*(s) = epsilon |s| on [-1, 1]."""
        size = np.abs(array(s))
        return where(size <= 1, self.epsilon * size, np.inf)

    def prox(self, r: ArrayLike, tau: float = 1.0) -> Array:
        """Move r by tau towards 0, but not past the tube's wall; inside the tube leave it."""
        r = array(r)
        size = np.abs(r)
        return np.sign(r) * np.minimum(size, np.maximum(size - tau, self.epsilon))

    def tube(self, y: Array, C: Array) -> Tube:
        """Slopes between -1 and 1, and the tube."""
        return Tube.two_sided(y, C, epsilon=self.epsilon)

    def core(self) -> tuple[_core.StreamLoss, float]:
        """Return its name in the core, and epsilon."""
        return _core.StreamLoss.epsilon_insensitive, self.epsilon


@keywords(**dict.fromkeys(["eps", "width", "tol"], "epsilon="))
@dataclass(frozen=True)
class SquaredEpsilonInsensitive(ResidualLoss):
    """The squared epsilon-insensitive loss h(r) = max(0, |r| - epsilon)^2.

    Parameters
    ----------
    epsilon : float
        Half the width of the tube inside which a residual costs nothing.

    Examples
    --------
    >>> SquaredEpsilonInsensitive(epsilon=0.5).value([-0.4, 0.5, 2.5])
    array([0., 0., 4.])
    """

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        _check_width("epsilon", self.epsilon)

    def value(self, r: ArrayLike) -> Array:
        """max(0, |r| - epsilon)^2."""
        return np.maximum(0.0, np.abs(array(r)) - self.epsilon) ** 2

    def subdifferential(self, r: ArrayLike) -> Bounds:
        """{2 sign(r) max(0, |r| - epsilon)}."""
        r = array(r)
        slope = 2 * np.sign(r) * np.maximum(0.0, np.abs(r) - self.epsilon)
        return slope, slope

    def conjugate(self, s: ArrayLike) -> Array:
        """h*(s) = epsilon |s| + s^2 / 4."""
        s = array(s)
        return self.epsilon * np.abs(s) + s**2 / 4

    def prox(self, r: ArrayLike, tau: float = 1.0) -> Array:
        """sign(r) (|r| + 2 tau epsilon) / (1 + 2 tau) outside the tube, r inside."""
        r = array(r)
        size = np.abs(r)
        outside = np.sign(r) * (size + 2 * tau * self.epsilon) / (1 + 2 * tau)
        return where(size <= self.epsilon, r, outside)

    def curvature(self, r: ArrayLike) -> Array:
        """2 outside the tube and 0 inside; on its walls, where it jumps, 0."""
        return where(np.abs(array(r)) > self.epsilon, 2.0, 0.0)

    def tube(self, y: Array, C: Array) -> Tube:
        """All slopes, with the conjugate's quadratic, and the tube."""
        return Tube.two_sided(y, np.full(len(y), np.inf), 1.0 / (2.0 * C), self.epsilon)

    def core(self) -> tuple[_core.StreamLoss, float]:
        """Return its name in the core, and epsilon."""
        return _core.StreamLoss.squared_epsilon_insensitive, self.epsilon


@keywords(**dict.fromkeys(["epsilon", "width", "threshold"], "delta="))
@dataclass(frozen=True)
class Huber(ResidualLoss):
    """The Huber loss h(r) = r^2 / 2 for |r| <= delta, delta (|r| - delta / 2) beyond.

    Parameters
    ----------
    delta : float
        Where the parabola ends and the line begins.

    Examples
    --------
    >>> Huber(delta=1.0).value([0.5, 1.0, 3.0])
    array([0.125, 0.5  , 2.5  ])
    """

    delta: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.delta < np.inf:
            raise ValueError(f"delta must be positive and finite, got {self.delta!r}")

    def value(self, r: ArrayLike) -> Array:
        """r^2 / 2 up to delta, delta (|r| - delta / 2) beyond."""
        size = np.abs(array(r))
        inside = np.minimum(size, self.delta)
        return inside**2 / 2 + self.delta * (size - inside)

    def subdifferential(self, r: ArrayLike) -> Bounds:
        """{r} clipped to [-delta, delta]."""
        slope = np.clip(array(r), -self.delta, self.delta)
        return slope, slope

    def conjugate(self, s: ArrayLike) -> Array:
        """h*(s) = s^2 / 2 on [-delta, delta]."""
        s = array(s)
        return where(np.abs(s) <= self.delta, s**2 / 2, np.inf)

    def prox(self, r: ArrayLike, tau: float = 1.0) -> Array:
        """Return r / (1 + tau) while within delta, beyond it r moved by tau delta towards 0."""
        r = array(r)
        near = np.abs(r) <= self.delta * (1 + tau)
        return where(near, r / (1 + tau), r - tau * self.delta * np.sign(r))

    def curvature(self, r: ArrayLike) -> Array:
        """1 within delta and 0 beyond; at delta, where it jumps, 0."""
        return where(np.abs(array(r)) < self.delta, 1.0, 0.0)

    def tube(self, y: Array, C: Array) -> Tube:
        """Slopes between -delta and delta, with the conjugate's quadratic."""
        return Tube.two_sided(y, self.delta * C, 1.0 / C)

    def core(self) -> tuple[_core.StreamLoss, float]:
        """Return its name in the core, and delta."""
        return _core.StreamLoss.huber, self.delta


def _check_width(name: str, width: float) -> None:
    if not 0 <= width < np.inf:
        raise ValueError(f"{name} must be 0 or more and finite, got {width!r}")
