"""How a fit ended."""

from __future__ import annotations

import enum


class Status(enum.IntEnum):
    """How a fit ended, best first.

    Examples
    --------
    >>> print(max(Status.OPTIMAL, Status.TIME_LIMIT))
    TIME_LIMIT
    """

    #: A violation, its own error included, or a gap of at most tol is certified.
    OPTIMAL = 0
    #: Steps in float64 no longer improve it, and tol is not certified.
    PRECISION = 1
    #: max_iter was reached first.
    MAX_ITERATIONS = 2
    #: time_limit was reached first.
    TIME_LIMIT = 3
    #: Ctrl-C, or the callback asked to stop.
    INTERRUPTED = 4
    #: What was asked for has no solution that predicts; the nearest one that has was solved.
    DEGENERATE = 5

    def __str__(self) -> str:
        return self.name

    __format__ = enum.Enum.__format__  # of its name, not of its number
