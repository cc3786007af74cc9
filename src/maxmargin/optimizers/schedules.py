"""Step sizes as functions of the iteration t = 1, 2, ...

    Constant           a               ends within O(a) of the optimum, gradient steps on it
    Harmonic           a / (b + t)     sum infinite, squares summable: converges
    InverseSquareRoot  a / sqrt(t)     the best one can do for merely convex functions
    StronglyConvex     1 / (lambda t)  for functions at least as curved as lambda/2 |w|^2

A schedule is anything that can be called with t.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np

Schedule: TypeAlias = Callable[[int], float]


@dataclass(frozen=True)
class Constant:
    """The step size a, always.

    Examples
    --------
    >>> [Constant(0.1)(t) for t in (1, 10)]
    [0.1, 0.1]
    """

    a: float

    def __post_init__(self) -> None:
        _check_positive(self)

    def __call__(self, t: int) -> float:
        """Return a."""
        return self.a


@dataclass(frozen=True)
class Harmonic:
    """The step size a / (b + t), b > -1.

    Examples
    --------
    >>> [Harmonic(a=2.0, b=3.0)(t) for t in (1, 5)]
    [0.5, 0.25]
    """

    a: float
    b: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.a < np.inf or not -1 < self.b < np.inf:
            raise ValueError(f"a must be positive and b above -1, got {self!r}")

    def __call__(self, t: int) -> float:
        """Return a / (b + t)."""
        return self.a / (self.b + t)


@dataclass(frozen=True)
class InverseSquareRoot:
    """The step size a / sqrt(t).

    Examples
    --------
    >>> [InverseSquareRoot(a=1.0)(t) for t in (1, 4)]
    [1.0, 0.5]
    """

    a: float

    def __post_init__(self) -> None:
        _check_positive(self)

    def __call__(self, t: int) -> float:
        """Return a / sqrt(t)."""
        return float(self.a / np.sqrt(t))


@dataclass(frozen=True)
class StronglyConvex:
    """The step size 1 / (lambda t), with lambda the strong convexity: 2 a for a |w|^2.

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
