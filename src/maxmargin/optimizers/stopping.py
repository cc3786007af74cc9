"""When to stop: each rule looks at the progress of a run and says whether it is met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Progress:
    """What is known after step t; `step_length` always, `change` and `gap` only at recorded ones.

    Examples
    --------
    >>> StepLength(1e-3).met(Progress(t=7, step_length=1e-4))
    True
    """

    t: int
    step_length: float
    change: float | None = None
    gap: float | None = None


class Stop(Protocol):
    """A reason to stop.

    Examples
    --------
    >>> class After:
    ...     def met(self, progress):
    ...         return progress.t >= 5
    >>> stop: Stop = After()
    >>> stop.met(Progress(t=5, step_length=1.0))
    True
    """

    def met(self, progress: Progress) -> bool:
        """Tell whether it is time to stop."""


@dataclass(frozen=True)
class StepLength:
    """Stop when |w_t - w_{t-1}| <= tol.

    Examples
    --------
    >>> StepLength(tol=1e-3).met(Progress(t=1, step_length=0.1))
    False
    """

    tol: float

    def met(self, progress: Progress) -> bool:
        """Tell whether step_length <= tol."""
        return progress.step_length <= self.tol


@dataclass(frozen=True)
class ObjectiveChange:
    """Stop when J changed by at most tol since it was last recorded.

    Examples
    --------
    >>> ObjectiveChange(tol=1e-3).met(Progress(t=1, step_length=0.1, change=1e-4))
    True
    """

    tol: float

    def met(self, progress: Progress) -> bool:
        """Tell whether change <= tol."""
        return progress.change is not None and progress.change <= self.tol


@dataclass(frozen=True)
class Gap:
    """Stop when the best value is within tol of a lower bound of the optimum.

    Needs `certify=True` in `minimize`. The only rule of the three that proves something.

    Examples
    --------
    >>> Gap(tol=1e-3).met(Progress(t=1, step_length=0.1, gap=1e-4))
    True
    """

    tol: float

    def met(self, progress: Progress) -> bool:
        """Tell whether gap <= tol."""
        return progress.gap is not None and progress.gap <= self.tol
