"""The calculus of subdifferentials of convex functions of one variable.

    scaling   d(factor h)(z)             = factor dh(z)                  for factor > 0
    sum       d(h_1 + h_2)(z)            = dh_1(z) + dh_2(z)
    chain     d(h(slope z + offset))(z)  = slope dh(slope z + offset)
    maximum   d(max(h_1, h_2))(z)        = hull of those dh_i(z) that attain it
    pieces    dh(z)                      = [left derivative, right derivative]

Each rule is an object with `value` and `subdifferential`, so the rules nest: with lines as the
only bricks, Maximum((Line(0, 0), Line(-1, 1))) is the hinge. `3 * h` is Scale(3, h), `h + g` is
Sum((h, g)). What the intervals are for: 0 in dh(z) says that z is a minimiser, and each g in dh(z)
is the slope of a supporting line.

Composed of losses of margins, or of losses of residuals, a function is such a loss itself.

Reference: R. T. Rockafellar, Convex Analysis, sections 23-25 (1970).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.losses.loss import (
    Array,
    Bounds,
    Convex,
    ConvexFunction,
    MarginLoss,
    ResidualLoss,
    _Uncompiled,
    array,
    where,
)
from maxmargin.prompt import keywords

if TYPE_CHECKING:
    from maxmargin.losses.tube import Tube

# Two values count as equal, and a point as lying on a kink, within this relative distance.
TIE = 1e-12


@dataclass(frozen=True)
class Line(ConvexFunction):
    """The line h(z) = slope z + offset.

    Examples
    --------
    >>> float(Line(slope=-1.0, offset=1.0).value(3.0))
    -2.0
    """

    slope: float
    offset: float

    def value(self, z: ArrayLike) -> Array:
        """Return slope z + offset."""
        return self.slope * array(z) + self.offset

    def subdifferential(self, z: ArrayLike) -> Bounds:
        """{slope}."""
        slope = where(True, self.slope, array(z))
        return slope, slope


class Composed(_Uncompiled):
    """A function made of others: it sees predictions and targets through the number they do.

    Examples
    --------
    >>> from maxmargin.losses import Absolute, Hinge, SquaredHinge
    >>> float((2 * Hinge() + SquaredHinge()).argument(0.5, y=-1.0))
    -0.5
    >>> (Hinge() + Absolute()).argument(0.5, y=-1.0)
    Traceback (most recent call last):
    TypeError: Hinge() + Absolute() is made of losses of the margin y f and of the residual f - y; \
a function of predictions and targets is made of one kind
    """

    def _parts(self) -> tuple[Convex, ...]:
        """Return what it is made of."""
        raise NotImplementedError

    def argument(self, f: ArrayLike, y: ArrayLike) -> Array:
        """Return the margin y f or the residual f - y."""
        seen: Array = self._loss().argument(f, y)
        return seen

    def slope(self, y: ArrayLike) -> Array:
        """Return y or 1, the derivative of that number in f."""
        slope: Array = self._loss().slope(y)
        return slope

    def _loss(self) -> Any:
        """Return a part that tells through which number all of them see."""
        kinds = _kinds(self)
        if len(kinds) == 1:
            return next(part for part in self._parts() if _kinds(part))
        seen = "losses of the margin y f and of the residual f - y" if kinds else "no loss"
        raise TypeError(
            f"{self!r} is made of {seen}; a function of predictions and targets is made of one kind"
        )


def _kinds(function: Any) -> set[type]:
    """Which of the two kinds of losses a function has in it."""
    if isinstance(function, Composed):
        return set().union(*map(_kinds, function._parts()))
    return {kind for kind in (MarginLoss, ResidualLoss) if isinstance(function, kind)}


def _check_parts(function: Any) -> None:
    parts = function.parts
    if not isinstance(parts, tuple | list) or len(parts) == 0:
        name = type(function).__name__
        raise TypeError(f"parts must be a tuple of functions, {name}((h, g)), got {parts!r}")
    made = tuple(Line(0.0, float(part)) if isinstance(part, Real) else part for part in parts)
    wrong = [part for part in made if not hasattr(part, "subdifferential")]
    if wrong:
        raise TypeError(f"parts must be convex functions or numbers, got {wrong[0]!r}")
    object.__setattr__(function, "parts", made)


def is_margin_loss(function: Any) -> bool:
    """Tell whether a function is a loss of margins, or composed of such losses.

    Parameters
    ----------
    function : Convex
        Any.

    Examples
    --------
    >>> from maxmargin.losses import Absolute, Hinge
    >>> is_margin_loss(2 * Hinge()), is_margin_loss(Absolute())
    (True, False)
    """
    return MarginLoss in _kinds(function)


def added(first: Convex | float, second: Convex | float) -> ConvexFunction:
    """Return the sum of convex functions and numbers; sums of sums are one sum.

    Parameters
    ----------
    first, second : Convex or float
        What to add; a number is a constant function.

    Examples
    --------
    >>> from maxmargin.losses import Absolute, Hinge
    >>> Hinge() + Absolute() + 1
    Hinge() + Absolute() + 1
    """
    parts: list[Convex] = []
    for part in (first, second):
        if isinstance(part, Sum):
            parts.extend(part.parts)
        elif isinstance(part, Real):
            parts.append(Line(0.0, float(part)))
        elif not hasattr(part, "subdifferential"):
            raise TypeError(f"{part!r} is no convex function and no number; add losses or numbers")
        else:
            parts.append(part)  # type: ignore[arg-type]
    return Sum(tuple(parts))


@dataclass(frozen=True, repr=False)
class Scale(Composed):
    """A positive multiple of a convex function, factor h: its subdifferential is factor dh.

    Parameters
    ----------
    factor : float
        Greater than 0.
    part : Convex
        h.

    Examples
    --------
    >>> from maxmargin.losses import Hinge
    >>> low, high = Scale(3.0, Hinge()).subdifferential(1.0)
    >>> float(low), float(high)
    (-3.0, 0.0)
    """

    factor: float
    part: Convex

    def __post_init__(self) -> None:
        if not 0 < self.factor < np.inf:
            raise ValueError(
                f"factor must be positive and finite, got {self.factor!r}: a negative multiple "
                "of a convex function is not convex"
            )

    def value(self, z: ArrayLike) -> Array:
        """Return factor h(z)."""
        return self.factor * self.part.value(z)

    def subdifferential(self, z: ArrayLike) -> Bounds:
        """Return factor dh(z)."""
        low, high = self.part.subdifferential(z)
        return self.factor * low, self.factor * high

    def conjugate(self, s: ArrayLike) -> Array:
        """(factor h)*(s) = factor h*(s / factor)."""
        return array(self.factor * self.part.conjugate(array(s) / self.factor))  # type: ignore[attr-defined]

    def tube(self, y: Array, C: Array) -> Tube | None:
        """Return the dual form of C factor h."""
        own: Tube | None = self.part.tube(y, self.factor * C)  # type: ignore[attr-defined]
        return own

    def _parts(self) -> tuple[Convex, ...]:
        return (self.part,)

    def __repr__(self) -> str:
        text = f"({self.part!r})" if isinstance(self.part, Sum) else repr(self.part)
        return f"{self.factor:g} * {text}"


@keywords()
@dataclass(frozen=True, repr=False)
class Sum(Composed):
    """The sum of convex functions: the subdifferentials add up end by end.

    Parameters
    ----------
    parts : tuple of Convex
        The functions.

    Examples
    --------
    >>> from maxmargin.losses import Absolute, Squared
    >>> low, high = Sum((Absolute(), Squared())).subdifferential(0.0)
    >>> float(low), float(high)
    (-1.0, 1.0)
    """

    parts: tuple[Convex, ...]

    def __post_init__(self) -> None:
        _check_parts(self)

    def value(self, z: ArrayLike) -> Array:
        """h_1(z) + h_2(z) + ..."""
        return sum(part.value(z) for part in self.parts)  # type: ignore[return-value]

    def subdifferential(self, z: ArrayLike) -> Bounds:
        """dh_1(z) + dh_2(z) + ..."""
        lows, highs = zip(*(part.subdifferential(z) for part in self.parts), strict=True)
        return sum(lows), sum(highs)

    def _parts(self) -> tuple[Convex, ...]:
        return self.parts

    def __repr__(self) -> str:
        flat = (isinstance(part, Line) and part.slope == 0 for part in self.parts)
        return " + ".join(
            f"{part.offset:g}" if constant else repr(part)  # type: ignore[attr-defined]
            for part, constant in zip(self.parts, flat, strict=True)
        )


@dataclass(frozen=True)
class Chain(Composed):
    """A convex function of a line, h(slope z + offset): its subdifferential is slope dh.

    Parameters
    ----------
    part : Convex
        h.
    line : Line
        What its argument is.

    Examples
    --------
    The kink of |1 - 2 z| is at z = 1/2, and its slopes are those of |z| times 2.

    >>> from maxmargin.losses import Absolute
    >>> low, high = Chain(Absolute(), Line(slope=-2.0, offset=1.0)).subdifferential(0.5)
    >>> float(low), float(high)
    (-2.0, 2.0)
    """

    part: Convex
    line: Line

    def value(self, z: ArrayLike) -> Array:
        """Return h(slope z + offset)."""
        return self.part.value(self.line.value(z))

    def __post_init__(self) -> None:
        if not isinstance(self.line, Line):
            raise TypeError(f"line must be Line(slope, offset), got {self.line!r}")

    def subdifferential(self, z: ArrayLike) -> Bounds:
        """Return slope dh(slope z + offset); a negative slope swaps the ends."""
        low, high = self.part.subdifferential(self.line.value(z))
        ends = self.line.slope * low, self.line.slope * high
        return (ends[1], ends[0]) if self.line.slope < 0 else ends

    def _parts(self) -> tuple[Convex, ...]:
        return (self.part,)


@keywords()
@dataclass(frozen=True)
class Maximum(Composed):
    """The largest of convex functions: the hull of the subdifferentials that attain it.

    Parameters
    ----------
    parts : tuple of Convex
        The functions.

    Examples
    --------
    >>> hinge = Maximum((Line(0.0, 0.0), Line(-1.0, 1.0)))
    >>> hinge.subdifferential([0.0, 1.0, 2.0])
    (array([-1., -1.,  0.]), array([-1.,  0.,  0.]))
    """

    parts: tuple[Convex, ...]

    def __post_init__(self) -> None:
        _check_parts(self)

    def value(self, z: ArrayLike) -> Array:
        """max(h_1(z), h_2(z), ...)."""
        largest: Array = np.max([part.value(z) for part in self.parts], axis=0)
        return largest

    def subdifferential(self, z: ArrayLike) -> Bounds:
        """[least low, greatest high] over the parts that attain the maximum."""
        values = np.array([part.value(z) for part in self.parts])
        bounds = np.array([part.subdifferential(z) for part in self.parts])
        attained = np.isclose(values, values.max(axis=0), rtol=TIE, atol=TIE)
        low: Array = np.where(attained, bounds[:, 0], np.inf).min(axis=0)
        high: Array = np.where(attained, bounds[:, 1], -np.inf).max(axis=0)
        return low, high

    def _parts(self) -> tuple[Convex, ...]:
        return self.parts


Curve: TypeAlias = Callable[[Array], Any]


@dataclass(frozen=True)
class Piecewise(ConvexFunction):
    """A convex function glued from differentiable pieces: kinks[i] ends piece i.

    Parameters
    ----------
    pieces : sequence of (function, derivative)
        From left to right, one more than there are kinks.
    kinks : sequence of float
        Where one piece ends and the next begins, increasing. Gluing there must keep the
        function continuous and its slope from falling, otherwise it would not be convex.

    Examples
    --------
    >>> absolute = Piecewise(pieces=((lambda z: -z, lambda z: -1.0), (lambda z: z, lambda z: 1.0)),
    ...                      kinks=(0.0,))
    >>> absolute.subdifferential([-2.0, 0.0, 2.0])
    (array([-1., -1.,  1.]), array([-1.,  1.,  1.]))
    """

    pieces: Sequence[tuple[Curve, Curve]]
    kinks: Sequence[float]

    def __post_init__(self) -> None:
        if len(self.pieces) != len(self.kinks) + 1:
            raise ValueError(
                f"pieces must be one more than kinks, got {len(self.pieces)} pieces "
                f"and {len(self.kinks)} kinks"
            )
        if np.any(np.diff(self.kinks) <= 0):
            raise ValueError(f"kinks must increase, got {self.kinks!r}")
        for kink, (left, left_slope), (right, right_slope) in zip(
            self.kinks, self.pieces, self.pieces[1:], strict=False
        ):
            at = array(kink)
            if not np.isclose(left(at), right(at), rtol=TIE, atol=TIE):
                raise ValueError(
                    f"the pieces must meet at the kink {kink!r}, got {left(at)} and {right(at)}"
                )
            if left_slope(at) > right_slope(at) + TIE:
                raise ValueError(
                    f"the slope must not fall at the kink {kink!r}, got {left_slope(at)} then "
                    f"{right_slope(at)}: the function is not convex there"
                )

    def value(self, z: ArrayLike) -> Array:
        """Return the value of the piece in which z lies."""
        return self._each([h for h, _ in self.pieces], z, side="left")

    def subdifferential(self, z: ArrayLike) -> Bounds:
        """[slope of the piece on the left, slope of the piece on the right]."""
        slopes = [slope for _, slope in self.pieces]
        return self._each(slopes, z, side="left"), self._each(slopes, z, side="right")

    def _each(self, curves: list[Curve], z: ArrayLike, side: Literal["left", "right"]) -> Array:
        """Evaluate each curve where its piece is; a kink belongs to the piece on that side."""
        z = array(z)
        piece = np.searchsorted(self.kinks, z, side=side)
        values = np.empty_like(z)
        for i, curve in enumerate(curves):
            values[piece == i] = curve(z[piece == i])
        return values


def contains_zero(function: Convex, z: ArrayLike, tol: float = 0.0) -> NDArray[np.bool_]:
    """Tell whether z minimises a convex function: 0 in dh(z), up to `tol`.

    Examples
    --------
    >>> from maxmargin.losses import Hinge
    >>> contains_zero(Hinge(), [0.0, 1.0, 5.0])
    array([False,  True,  True])
    """
    low, high = function.subdifferential(z)
    return np.logical_and(low <= tol, high >= -tol)


def supporting_line(function: Convex, z: float, g: float) -> Line:
    """Return the line h(z) + g (x - z) of x, which touches h at z and lies nowhere above it.

    Parameters
    ----------
    function : Convex
    z : float
        Where the line touches.
    g : float
        Its slope, an element of the subdifferential at z.

    Examples
    --------
    >>> from maxmargin.losses import Hinge
    >>> supporting_line(Hinge(), z=1.0, g=-0.5)
    Line(slope=-0.5, offset=0.5)
    """
    low, high = (float(end) for end in function.subdifferential(z))
    if not low <= g <= high:
        raise ValueError(
            f"g must be a subgradient at z={z!r}, a number in [{low:g}, {high:g}], got {g!r}"
        )
    return Line(slope=float(g), offset=float(function.value(z)) - g * z)


def supporting_fan(function: Convex, z: float, n_lines: int) -> tuple[Line, ...]:
    """Return supporting lines at z with slopes spread evenly over the subdifferential.

    Parameters
    ----------
    function : Convex
        What they support.
    z : float
        Where they touch.
    n_lines : int
        How many.

    Examples
    --------
    >>> from maxmargin.losses import Absolute
    >>> [line.slope for line in supporting_fan(Absolute(), z=0.0, n_lines=3)]
    [-1.0, 0.0, 1.0]
    """
    low, high = function.subdifferential(z)
    return tuple(supporting_line(function, z, float(g)) for g in np.linspace(low, high, n_lines))
