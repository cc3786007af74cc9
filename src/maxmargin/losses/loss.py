"""What a loss is: a function of one number, with everything convex analysis says about it.

A loss h sees a prediction f and a target y through one number only: the margin z = y f for
labels -1 and +1, or the residual r = f - y for real targets. About that number it tells

    value(z)            h(z)
    subdifferential(z)  (low, high): every g with h(x) >= h(z) + g (x - z) for all x
    conjugate(s)        h*(s) = sup_z  s z - h(z), +inf outside its domain
    prox(z, tau)        argmin_x  tau h(x) + (x - z)^2 / 2
    curvature(z)        h''(z), for the losses that are differentiable everywhere

A subgradient is a choice in (low, high), a minimiser is where 0 lies in it, and the box of the
dual problem is the domain of the conjugate: one notion serves teaching, solving and certifying.
All functions take numbers or arrays and work element by element.

What the solvers need of a loss besides: `tube`, its dual form where that is an interval and a
quadratic (`losses.tube`), and `core`, its name in the compiled core. A loss without them works in
`maxmargin.optimizers`, and the solvers refuse it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin import _core

if TYPE_CHECKING:
    from maxmargin.losses.tube import Tube

Array: TypeAlias = NDArray[np.float64]
Bounds: TypeAlias = tuple[Array, Array]


def array(x: ArrayLike) -> Array:
    """Return x as an array of float64.

    Examples
    --------
    >>> array([1, 2])
    array([1., 2.])
    """
    return np.asarray(x, dtype=float)


class Convex(Protocol):
    """A convex function of one number: its value and its subdifferential.

    Examples
    --------
    Anything with these two methods takes part in the calculus of subdifferentials.

    >>> from maxmargin.losses import Absolute, contains_zero
    >>> contains_zero(Absolute(), 0.0)
    np.True_
    """

    def value(self, z: ArrayLike, /) -> Array:
        """h(z)."""

    def subdifferential(self, z: ArrayLike, /) -> Bounds:
        """(low, high), the left and the right derivative at z."""


class Loss(Convex, Protocol):
    """A convex function of the one number through which it sees prediction and target.

    Examples
    --------
    >>> from maxmargin.losses import Absolute, Hinge
    >>> float(Hinge().argument(0.5, -1.0)), float(Absolute().argument(0.5, -1.0))
    (-0.5, 1.5)
    """

    def argument(self, f: ArrayLike, y: ArrayLike, /) -> Array:
        """Return y f or f - y."""

    def slope(self, y: ArrayLike, /) -> Array:
        """Return y or 1, the derivative of that number in f."""

    def conjugate(self, s: ArrayLike, /) -> Array:
        """h*(s)."""

    def tube(self, y: Array, C: Array, /) -> Tube | None:
        """Return the dual form of C h, or None where it is no tube."""

    def core(self) -> tuple[_core.StreamLoss, float] | None:
        """Return the compiled loss and its width, or None where there is none."""


class _Uncompiled:
    """Stands for what a loss of the user's own does not have to tell."""

    def tube(self, y: Array, C: Array) -> Tube | None:
        """Return the dual form of C h, or None where it is no tube."""
        return None

    def core(self) -> tuple[_core.StreamLoss, float] | None:
        """Return the compiled loss and its width, or None where there is none."""
        return None


class Penalty(Convex, Protocol):
    """A convex function of one weight, with the conjugate that the dual problem needs.

    Examples
    --------
    >>> from maxmargin.losses import L2
    >>> float(L2().conjugate(2.0))
    1.0
    """

    def conjugate(self, s: ArrayLike, /) -> Array:
        """h*(s)."""


class MarginLoss(_Uncompiled):
    """A loss of the margin z = y f, for labels y in {-1, +1}.

    Derive from it, add `value` and `subdifferential`, and the optimizers accept your loss; with
    `conjugate` they also bound how far from optimal they are.

    Examples
    --------
    >>> class Exponential(MarginLoss):
    ...     def value(self, z):
    ...         return np.exp(-np.asarray(z))
    ...
    ...     def subdifferential(self, z):
    ...         return -np.exp(-np.asarray(z)), -np.exp(-np.asarray(z))
    >>> loss = Exponential()
    >>> float(loss.value(loss.argument(f=0.0, y=-1.0)))
    1.0
    """

    def argument(self, f: ArrayLike, y: ArrayLike) -> Array:
        """Return the margin y f."""
        return np.multiply(y, f, dtype=float)

    def slope(self, y: ArrayLike) -> Array:
        """Return y, the derivative of y f in f."""
        return array(y)


class ResidualLoss(_Uncompiled):
    """A loss of the residual r = f - y, for real targets y.

    Examples
    --------
    >>> class Quartic(ResidualLoss):
    ...     def value(self, r):
    ...         return np.asarray(r) ** 4
    ...
    ...     def subdifferential(self, r):
    ...         return 4 * np.asarray(r) ** 3, 4 * np.asarray(r) ** 3
    >>> loss = Quartic()
    >>> float(loss.value(loss.argument(f=3.0, y=1.0)))
    16.0
    """

    def argument(self, f: ArrayLike, y: ArrayLike) -> Array:
        """Return the residual f - y."""
        return np.subtract(f, y, dtype=float)

    def slope(self, y: ArrayLike) -> Array:
        """Return 1, the derivative of f - y in f."""
        return np.ones_like(y, dtype=float)
