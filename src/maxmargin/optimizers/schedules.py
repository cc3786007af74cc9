"""Step sizes as functions of the iteration t = 1, 2, ...

    Constant           size                ends near the optimum; on it, if J is smooth
    Harmonic           size / (delay + t)  sum infinite, squares summable: converges
    InverseSquareRoot  size / sqrt(t)      the best one can do for merely convex functions
    StronglyConvex     1 / (lambda t)      for functions at least as curved as lambda/2 |w|^2

A schedule is anything that can be called with t; a number stands for the constant one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from maxmargin.prompt import keywords

Schedule: TypeAlias = Callable[[int], float]


_SIZES = {
    **dict.fromkeys(["step", "step_size", "eta", "alpha", "lr", "learning_rate", "c"], "size="),
    **dict.fromkeys(["decay", "t0", "offset"], "delay="),
}


def schedule_of(size: Schedule | float) -> Schedule:
    """Return a schedule as it is, and a number as a constant one.

    Parameters
    ----------
    size : callable or float
        What was given as a schedule.

    Examples
    --------
    >>> schedule_of(0.1)
    Constant(size=0.1)
    """
    if isinstance(size, Real):
        return Constant(float(size))
    if isinstance(size, type) or not callable(size):
        raise TypeError(
            f"schedule must be a step size such as 0.01, or a function of t = 1, 2, ... such as "
            f"InverseSquareRoot(0.1), got {size!r}"
        )
    return size


@keywords(**_SIZES)
@dataclass(frozen=True)
class Constant:
    """The step size `size`, always.

    Examples
    --------
    >>> [Constant(0.1)(t) for t in (1, 10)]
    [0.1, 0.1]
    """

    size: float

    def __post_init__(self) -> None:
        _check_positive(self)

    def __call__(self, t: int) -> float:
        """Return size."""
        return self.size


@keywords(**_SIZES)
@dataclass(frozen=True)
class Harmonic:
    """The step size size / (delay + t), delay > -1.

    Examples
    --------
    >>> [Harmonic(size=2.0, delay=3.0)(t) for t in (1, 5)]
    [0.5, 0.25]
    """

    size: float
    delay: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.size < np.inf or not -1 < self.delay < np.inf:
            raise ValueError(f"size must be positive and delay above -1, got {self!r}")

    def __call__(self, t: int) -> float:
        """Return size / (delay + t)."""
        return self.size / (self.delay + t)


@keywords(**_SIZES)
@dataclass(frozen=True)
class InverseSquareRoot:
    """The step size size / sqrt(t).

    Examples
    --------
    >>> [InverseSquareRoot(size=1.0)(t) for t in (1, 4)]
    [1.0, 0.5]
    """

    size: float

    def __post_init__(self) -> None:
        _check_positive(self)

    def __call__(self, t: int) -> float:
        """Return size / sqrt(t)."""
        return float(self.size / np.sqrt(t))


@dataclass(frozen=True)
class StronglyConvex:
    """The step size 1 / (lam t), with lam the strong convexity: 2 a for a |w|^2.

    Examples
    --------
    >>> [StronglyConvex(lam=0.5)(t) for t in (1, 4)]
    [2.0, 0.5]
    """

    lam: float

    def __post_init__(self) -> None:
        _check_positive(self)

    def __call__(self, t: int) -> float:
        """Return 1 / (lambda t)."""
        return 1 / (self.lam * t)


def _check_positive(schedule: Any) -> None:
    for entry in fields(schedule):
        value = getattr(schedule, entry.name)
        if not 0 < value < np.inf:
            raise ValueError(f"{entry.name} must be positive and finite, got {value!r}")
