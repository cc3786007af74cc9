"""What is told while problems are solved, and may end it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from maxmargin.problems import Solution, Solutions, Status, trace_row

#: Called about every 50 ms with the latest row of a trace; returning True stops the solver.
Progress: TypeAlias = Callable[[np.void], bool | None]


class Watch:
    """Stands between solvers and a progress function: numbers the parts, remembers a wish to stop.

    Derive from it to be told more: `solved` is called when a problem is.

    Parameters
    ----------
    progress : callable, optional
        Given rows of a trace.

    Attributes
    ----------
    parts : sequence of int
        The numbers of the problems that the solver has been given.
    reason : Status or None
        Why to stop, once that is so.
    one_by_one : bool
        Whether each problem is to be solved before the next begins.
    limited : bool
        Whether the time may end before all problems are solved: then all are solved coarsely first.
    coarse : bool
        Whether that is so now: rows of the trace are those of some rows of the data.

    Examples
    --------
    >>> watch = Watch(lambda row: row["iterations"] >= 9)
    >>> watch.hook(0, 0.1, 9, 1.0, 1.0, 0.0, 0.0, 2), watch.reason.name
    (True, 'INTERRUPTED')
    """

    one_by_one = False
    limited = False
    coarse = False

    def __init__(self, progress: Progress | None = None) -> None:
        self.reason: Status | None = None
        self.parts: Sequence[int] = (0,)
        self._progress = progress

    @classmethod
    def of(cls, progress: Progress | Watch | None) -> Watch:
        """Return a watch that calls a function, or the watch itself."""
        return progress if isinstance(progress, Watch) else cls(progress)

    def see(self, row: np.void) -> bool:
        """Look at a row of a trace; tell whether to stop.

        Parameters
        ----------
        row : numpy.void
            A row of `TRACE`, with the part counted among those that the solver was given.
        """
        if self._progress is not None:
            row = row.copy()
            row["part"] = self.parts[row["part"]]
            if self._progress(row):
                self.reason = self.reason or Status.INTERRUPTED
        return self.reason is not None

    def hook(self, *values: float) -> bool:
        """Do so with the numbers that the compiled core reports."""
        return self.see(trace_row(values))

    @property
    def expired(self) -> bool:
        """Whether to stop, also between problems."""
        return self.reason is not None

    @property
    def seconds_left(self) -> float:
        """Time that is left for the whole fit."""
        return float("inf")

    def solved(self, solutions: Sequence[Solution]) -> None:
        """Take note of the solutions of some problems.

        Parameters
        ----------
        solutions : sequence of Solution
            Those of `parts`.
        """
        if Status.INTERRUPTED in Solutions.of(solutions).statuses:
            self.reason = self.reason or Status.INTERRUPTED
