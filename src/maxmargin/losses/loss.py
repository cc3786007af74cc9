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
All functions take numbers or arrays and work element by element. A loss is called like the function
it is, and added and multiplied like one: `Hinge()(0.3)`, `2 * Hinge() + SquaredHinge()`.

What the solvers need of a loss besides: `tube`, its dual form where that is an interval and a
quadratic (`losses.tube`), and `core`, its name in the compiled core. A loss without them works in
`maxmargin.optimizers`, and the solvers refuse it.
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin import _core
from maxmargin.prompt import Hinted

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


def where(condition: ArrayLike, yes: ArrayLike, no: ArrayLike) -> Array:
    """Choose element by element, of numbers a number.

    Examples
    --------
    >>> float(where(True, 1.0, 2.0)), where([True, False], 1.0, 2.0)
    (1.0, array([1., 2.]))
    """
    chosen: Array = np.where(condition, yes, no)[()]
    return chosen


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


class ConvexFunction(Hinted):
    """What follows from the value and the subdifferential of a convex function of one number.

    It can be called, has a gradient where it has no kink, and can be added to others and multiplied
    with positive numbers.

    Examples
    --------
    >>> from maxmargin.losses import Absolute, Hinge
    >>> float(Hinge()(0.3)), float(Hinge().gradient(0.3))
    (0.7, -1.0)
    >>> h = 2 * Hinge() + Absolute() / 2
    >>> h, float(h(0.0)), float(h.subgradient(-1.0))
    (2 * Hinge() + 0.5 * Absolute(), 2.0, -2.5)

    Of the slopes at a kink a subgradient is the one nearest to zero, and there is no gradient.

    >>> float(Absolute().subgradient(0.0))
    0.0
    >>> Absolute().gradient(0.0)
    Traceback (most recent call last):
    ValueError: Absolute() has a kink at 0: its slopes there are [-1, 1], and none of them is the \
gradient; subgradient() chooses one, subdifferential() has both ends
    """

    #: numpy leaves `np.float64(2) * loss` to the loss.
    __array_ufunc__ = None
    _meant: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["derivative", "grad", "diff", "deriv"], "gradient(z)"),
        **dict.fromkeys(["loss", "evaluate", "eval", "f"], "value(z), or call it"),
        **dict.fromkeys(["subgradients", "subgrad"], "subdifferential(z) or subgradient(z)"),
        **dict.fromkeys(["proximal", "proximal_step"], "prox(z, tau)"),
        **dict.fromkeys(["hessian", "second_derivative"], "curvature(z), of smooth losses"),
        **dict.fromkeys(
            ["minimum", "argmin", "minimise", "minimize", "minimizer"],
            "contains_zero(h, z), which tells whether z is a minimiser",
        ),
        **dict.fromkeys(["dual", "fenchel", "legendre"], "conjugate(s)"),
        **dict.fromkeys(
            ["plot", "draw", "show"],
            "maxmargin.plots.LossDisplay.from_losses([loss]).plot() or "
            "SubgradientDisplay.from_loss(loss, at=1.0).plot()",
        ),
    }

    def value(self, z: ArrayLike, /) -> Array:
        """h(z)."""
        raise NotImplementedError(f"{type(self).__name__} must define value(z)")

    def subdifferential(self, z: ArrayLike, /) -> Bounds:
        """(low, high), the left and the right derivative at z."""
        raise NotImplementedError(f"{type(self).__name__} must define subdifferential(z)")

    def __call__(self, z: ArrayLike) -> Array:
        """h(z)."""
        return self.value(z)

    def subgradient(self, z: ArrayLike) -> Array:
        """Return the element of the subdifferential that is nearest to zero: at a kink a choice."""
        low, high = self.subdifferential(z)
        self._refuse_empty(z, low, high)
        chosen: Array = np.clip(0.0, low, high)
        return chosen

    def gradient(self, z: ArrayLike) -> Array:
        """Return the derivative h'(z), which there is where h has no kink."""
        low, high = self.subdifferential(z)
        self._refuse_empty(z, low, high)
        kinks = np.flatnonzero(low != high)
        if len(kinks):
            at, left, right = (np.atleast_1d(part)[kinks[0]] for part in (z, low, high))
            raise ValueError(
                f"{self!r} has a kink at {at:g}: its slopes there are [{left:g}, {right:g}], and "
                "none of them is the gradient; subgradient() chooses one, subdifferential() has "
                "both ends"
            )
        return low

    def _refuse_empty(self, z: ArrayLike, low: Array, high: Array) -> None:
        if np.any(low > high):
            at = np.atleast_1d(z)[np.flatnonzero(low > high)[0]]
            raise ValueError(
                f"{self!r} has no subgradient at {at:g}: no line through its value there stays "
                "below it, because it is not convex"
            )

    def __add__(self, other: Convex | float) -> ConvexFunction:
        from maxmargin.losses.calculus import added  # which derives from what is defined here

        return added(self, other)

    def __radd__(self, other: Convex | float) -> ConvexFunction:
        from maxmargin.losses.calculus import added

        return self if isinstance(other, Real) and other == 0 else added(other, self)

    def __mul__(self, other: float) -> ConvexFunction:
        from maxmargin.losses.calculus import Scale

        if isinstance(other, Real):
            return Scale(float(other), self)
        raise TypeError(
            f"{self!r} is multiplied with {other!r}: only positive multiples are sure to be "
            "convex, as are sums, h + g, and Maximum((h, g))"
        )

    __rmul__ = __mul__

    def __pow__(self, other: float) -> ConvexFunction:
        raise TypeError(
            f"{self!r} is raised to a power, which need not be convex; the squared losses are "
            "SquaredHinge(), Squared() and SquaredEpsilonInsensitive()"
        )

    def __gt__(self, other: object) -> bool:
        raise TypeError(
            f"{self!r} and {other!r} are functions, and neither is the larger one everywhere; the "
            "larger at each place is Maximum((h, g))"
        )

    __lt__ = __ge__ = __le__ = __gt__

    def __truediv__(self, other: float) -> ConvexFunction:
        return self * (1.0 / other)

    def __neg__(self) -> ConvexFunction:
        return -1.0 * self

    def __sub__(self, other: ConvexFunction | float) -> ConvexFunction:
        return self + -other


class _Uncompiled(ConvexFunction):
    """Stands for what a loss of the user's own does not have to tell."""

    def argument(self, f: ArrayLike, y: ArrayLike) -> Array:
        """Return the number through which the loss sees prediction and target."""
        raise NotImplementedError(f"{type(self).__name__} must define argument(f, y)")

    def __call__(self, z: ArrayLike, y: ArrayLike | None = None) -> Array:
        """h(z); with labels or targets y, the loss of predictions z."""
        return self.value(z if y is None else self.argument(z, y))

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
    >>> float(loss(0.0)), float(loss(2.0, y=-1.0)) == float(loss(-2.0))
    (1.0, True)
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
    >>> float(loss(2.0)), float(loss(3.0, y=1.0))
    (16.0, 16.0)
    """

    def argument(self, f: ArrayLike, y: ArrayLike) -> Array:
        """Return the residual f - y."""
        return np.subtract(f, y, dtype=float)

    def slope(self, y: ArrayLike) -> Array:
        """Return 1, the derivative of f - y in f."""
        return np.ones_like(y, dtype=float)
