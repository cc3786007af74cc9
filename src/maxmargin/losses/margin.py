"""Losses of the margin z = y f, which is positive where the prediction has the right sign.

With labels y of -1 and +1 they are

    hinge           max(0, 1 - z)           kink at 1: the support vector machine
    squared hinge   max(0, 1 - z)^2         differentiable
    modified Huber  max(0, 1 - z)^2         from -1 down the line that continues it, -4 z
    perceptron      max(0, margin - z)      kink at 0: no margin asked, unless it is given
    zero-one        1 if z <= 0 else 0      what the others stand in for
    logistic        log(1 + exp(-z))        divided by log 2 it lies above the zero-one loss
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr, expit

from maxmargin import _core
from maxmargin.losses.loss import Array, Bounds, MarginLoss, array, where
from maxmargin.losses.tube import Tube
from maxmargin.prompt import keywords


@keywords(margin="Perceptron(margin=...), a hinge with its kink there")
@dataclass(frozen=True)
class Hinge(MarginLoss):
    """The hinge loss h(z) = max(0, 1 - z).

    Examples
    --------
    >>> hinge = Hinge()
    >>> hinge.value([-1.0, 0.5, 1.0, 2.0])
    array([2. , 0.5, 0. , 0. ])

    At the kink z = 1 every slope between -1 and 0 belongs to a supporting line.

    >>> low, high = hinge.subdifferential(1.0)
    >>> float(low), float(high)
    (-1.0, 0.0)
    """

    def value(self, z: ArrayLike) -> Array:
        """max(0, 1 - z)."""
        return np.maximum(0.0, 1.0 - array(z))

    def subdifferential(self, z: ArrayLike) -> Bounds:
        """{-1} below 1, [-1, 0] at 1, {0} above."""
        z = array(z)
        return where(z <= 1, -1.0, 0.0), where(z < 1, -1.0, 0.0)

    def conjugate(self, s: ArrayLike) -> Array:
        """h*(s) = s on [-1, 0]."""
        s = array(s)
        return where((s >= -1) & (s <= 0), s, np.inf)

    def prox(self, z: ArrayLike, tau: float = 1.0) -> Array:
        """max(z, min(z + tau, 1)): up by tau, but not past the kink."""
        z = array(z)
        return np.maximum(z, np.minimum(z + tau, 1.0))

    def tube(self, y: Array, C: Array) -> Tube:
        """Slopes between -1 and 0."""
        return Tube.one_sided(y, y * C)

    def core(self) -> tuple[_core.StreamLoss, float]:
        """Return its name in the core."""
        return _core.StreamLoss.hinge, 0.0


@dataclass(frozen=True)
class SquaredHinge(MarginLoss):
    """The squared hinge loss h(z) = max(0, 1 - z)^2.

    Examples
    --------
    >>> loss = SquaredHinge()
    >>> loss.value([-1.0, 0.5, 2.0])
    array([4.  , 0.25, 0.  ])
    >>> loss.subdifferential(0.5)
    (np.float64(-1.0), np.float64(-1.0))
    """

    def value(self, z: ArrayLike) -> Array:
        """max(0, 1 - z)^2."""
        return np.maximum(0.0, 1.0 - array(z)) ** 2

    def subdifferential(self, z: ArrayLike) -> Bounds:
        """{-2 max(0, 1 - z)}."""
        slope = np.minimum(0.0, 2.0 * (array(z) - 1.0))
        return slope, slope

    def conjugate(self, s: ArrayLike) -> Array:
        """h*(s) = s + s^2 / 4 for s <= 0."""
        s = array(s)
        return where(s <= 0, s + s**2 / 4, np.inf)

    def prox(self, z: ArrayLike, tau: float = 1.0) -> Array:
        """(z + 2 tau) / (1 + 2 tau) below 1, z above."""
        z = array(z)
        return where(z < 1, (z + 2 * tau) / (1 + 2 * tau), z)

    def curvature(self, z: ArrayLike) -> Array:
        """2 below 1 and 0 above; at 1, where the second derivative jumps, 0."""
        return where(array(z) < 1, 2.0, 0.0)

    def tube(self, y: Array, C: Array) -> Tube:
        """Slopes of at most 0, with the conjugate's quadratic."""
        return Tube.one_sided(y, y * np.inf, 1.0 / (2.0 * C))

    def core(self) -> tuple[_core.StreamLoss, float]:
        """Return its name in the core."""
        return _core.StreamLoss.squared_hinge, 0.0


@dataclass(frozen=True)
class ModifiedHuber(MarginLoss):
    """The modified Huber loss: h(z) = max(0, 1 - z)^2 down to z = -1, and -4 z below.

    A squared hinge whose pull on a row far on the wrong side is bounded.

    Reference: T. Zhang, Solving large scale linear prediction problems using stochastic gradient
    descent algorithms (2004).

    Examples
    --------
    >>> ModifiedHuber().value([-3.0, -1.0, 0.5, 2.0])
    array([12.  ,  4.  ,  0.25,  0.  ])
    """

    def value(self, z: ArrayLike) -> Array:
        """max(0, 1 - z)^2 from -1 up, -4 z below."""
        z = array(z)
        return where(z >= -1, np.maximum(0.0, 1.0 - z) ** 2, -4.0 * z)

    def subdifferential(self, z: ArrayLike) -> Bounds:
        """{-2 max(0, 1 - z)}, but not below -4."""
        slope = np.clip(2.0 * (array(z) - 1.0), -4.0, 0.0)
        return slope, slope

    def conjugate(self, s: ArrayLike) -> Array:
        """h*(s) = s + s^2 / 4 on [-4, 0]."""
        s = array(s)
        return where((s >= -4) & (s <= 0), s + s**2 / 4, np.inf)

    def prox(self, z: ArrayLike, tau: float = 1.0) -> Array:
        """Return z + 4 tau up to -1, then (z + 2 tau) / (1 + 2 tau), and from 1 on z."""
        z = array(z)
        curved = where(z < 1, (z + 2 * tau) / (1 + 2 * tau), z)
        return where(z + 4 * tau <= -1, z + 4 * tau, curved)

    def curvature(self, z: ArrayLike) -> Array:
        """2 between -1 and 1 and 0 elsewhere; at the ends, where it jumps, 0."""
        return where(np.abs(array(z)) < 1, 2.0, 0.0)

    def tube(self, y: Array, C: Array) -> Tube:
        """Slopes between -4 and 0, with the conjugate's quadratic."""
        return Tube.one_sided(y, 4.0 * y * C, 1.0 / (2.0 * C))

    def core(self) -> tuple[_core.StreamLoss, float]:
        """Return its name in the core."""
        return _core.StreamLoss.modified_huber, 0.0


@dataclass(frozen=True)
class Perceptron(MarginLoss):
    """The perceptron loss h(z) = max(0, margin - z): without a margin, w = 0 costs nothing.

    Parameters
    ----------
    margin : float
        What is asked of z; with 1 it is the hinge.

    Examples
    --------
    >>> Perceptron().value([-2.0, 0.0, 0.1])
    array([2., 0., 0.])
    """

    margin: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.margin < np.inf:
            raise ValueError(f"margin must be 0 or more and finite, got {self.margin!r}")

    def value(self, z: ArrayLike) -> Array:
        """max(0, margin - z)."""
        return np.maximum(0.0, self.margin - array(z))

    def subdifferential(self, z: ArrayLike) -> Bounds:
        """{-1} below the margin, [-1, 0] at it, {0} above."""
        z = array(z)
        return where(z <= self.margin, -1.0, 0.0), where(z < self.margin, -1.0, 0.0)

    def conjugate(self, s: ArrayLike) -> Array:
        """h*(s) = margin s on [-1, 0]."""
        s = array(s)
        return where((s >= -1) & (s <= 0), self.margin * s, np.inf)

    def prox(self, z: ArrayLike, tau: float = 1.0) -> Array:
        """max(z, min(z + tau, margin)): up by tau, but not past the kink."""
        z = array(z)
        return np.maximum(z, np.minimum(z + tau, self.margin))

    def tube(self, y: Array, C: Array) -> Tube:
        """Slopes between -1 and 0, with the kink at the margin."""
        return Tube.one_sided(self.margin * y, y * C)

    def core(self) -> tuple[_core.StreamLoss, float]:
        """Return its name in the core, and the margin."""
        return _core.StreamLoss.perceptron, self.margin


@dataclass(frozen=True)
class ZeroOne(MarginLoss):
    """The zero-one loss: 1 for a margin z <= 0, 0 for z > 0. A score of zero is an error.

    It is not convex: where it is 1 no line supports it, and the subdifferential is empty, written
    (inf, -inf). Its best convex lower bound, the conjugate's conjugate, is the constant 0, so
    nothing is left of it to minimise: this is why the other losses take its place.

    Examples
    --------
    >>> loss = ZeroOne()
    >>> loss.value([-1.0, 0.0, 0.1])
    array([1., 1., 0.])
    >>> loss.subdifferential([-1.0, 0.1])
    (array([inf,  0.]), array([-inf,   0.]))
    """

    def value(self, z: ArrayLike) -> Array:
        """1 if z <= 0 else 0."""
        return where(array(z) <= 0, 1.0, 0.0)

    def subdifferential(self, z: ArrayLike) -> Bounds:
        """{0} above 0, empty below."""
        wrong = array(z) <= 0
        return where(wrong, np.inf, 0.0), where(wrong, -np.inf, 0.0)

    def conjugate(self, s: ArrayLike) -> Array:
        """h*(0) = 0, +inf elsewhere."""
        return where(array(s) == 0, 0.0, np.inf)

    def prox(self, z: ArrayLike, tau: float = 1.0) -> Array:
        """0 for -sqrt(2 tau) <= z <= 0, z elsewhere.

        The 0 stands for the smallest positive number: as a limit it costs no loss.
        """
        z = array(z)
        return where((z <= 0) & (z**2 <= 2 * tau), 0.0, z)


@dataclass(frozen=True)
class Logistic(MarginLoss):
    """The logistic loss h(z) = scale log(1 + exp(-z)), scale 1, or 1 / log 2 if `scaled`.

    Only the scaled one is 1 at z = 0 and so lies above the zero-one loss everywhere.

    Parameters
    ----------
    scaled : bool
        Divide by log 2.

    Examples
    --------
    >>> bool(Logistic().value(0.0) >= 1), bool(Logistic(scaled=True).value(0.0) >= 1)
    (False, True)
    """

    scaled: bool = False

    @property
    def scale(self) -> float:
        """1, or 1 / log 2."""
        return float(1 / np.log(2)) if self.scaled else 1.0

    def value(self, z: ArrayLike) -> Array:
        """Return scale log(1 + exp(-z))."""
        return self.scale * np.logaddexp(0.0, -array(z))

    def subdifferential(self, z: ArrayLike) -> Bounds:
        """{-scale / (1 + exp(z))}."""
        slope = -self.scale * expit(-array(z))
        return slope, slope

    def conjugate(self, s: ArrayLike) -> Array:
        """Return scale (p log p + (1 - p) log(1 - p)) with p = -s / scale in [0, 1]."""
        p = -array(s) / self.scale
        inside = (p >= 0) & (p <= 1)
        p = np.clip(p, 0.0, 1.0)
        return where(inside, -self.scale * (entr(p) + entr(1 - p)), np.inf)

    def prox(self, z: ArrayLike, tau: float = 1.0) -> Array:
        """Solve x = z + tau scale / (1 + exp(x)) for x."""
        z = array(z)
        reach = tau * self.scale
        # The root lies in [z, z + reach]; Newton's step, kept inside what is known of it.
        low, high = z, z + reach
        x = (low + high) / 2
        for _ in range(100):
            pull = reach * expit(-x)
            excess = x - z - pull
            low, high = where(excess < 0, x, low), where(excess < 0, high, x)
            newton = x - excess / (1 + pull * expit(x))
            moved = where((newton > low) & (newton < high), newton, (low + high) / 2)
            if np.array_equal(moved, x):
                break
            x = moved
        return array(x)

    def curvature(self, z: ArrayLike) -> Array:
        """Return scale exp(z) / (1 + exp(z))^2, at most scale / 4."""
        z = array(z)
        return array(self.scale * expit(z) * expit(-z))

    def core(self) -> tuple[_core.StreamLoss, float] | None:
        """Return its name in the core, which has the one of scale 1."""
        return None if self.scaled else (_core.StreamLoss.logistic, 0.0)
