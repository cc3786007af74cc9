"""What happens while a fit runs: time limit, callback and a line of progress."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import Any

import numpy as np

from maxmargin.estimators.callbacks import FitTasks
from maxmargin.problems import Solution, Status
from maxmargin.solvers import Watch

#: The share of the time so far that tells how fast a fit is now.
RECENT = 0.3


class Progress(Watch):
    """Asked by the solver about every 50 ms whether to stop.

    Parameters
    ----------
    tol : float
        What the measure is to fall to, for the time left.
    time_limit : float or None
        Seconds for the whole fit.
    callback : callable or None
        Called about every 100 ms with the latest row of the trace; True stops the fit.
    verbose : bool or int
        Whether to show a line of progress.
    n_parts : int
        Number of problems the fit consists of.
    tasks : FitTasks or None
        scikit-learn's callbacks.
    keep : bool
        Whether an interrupt ends the fit with what it has instead of raising.
    start : float or None
        When the fit began, by `time.perf_counter`; now if None.
    measure : {"violation", "gap"}
        The column of the trace that is to fall to tol.

    Attributes
    ----------
    interruption : str
        Why it said stop, in words, if that was an interrupt.

    Examples
    --------
    >>> Progress(tol=1e-3).reason is None
    True
    """

    def __init__(
        self,
        tol: float,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        verbose: bool | int = False,
        n_parts: int = 1,
        tasks: FitTasks | None = None,
        keep: bool = False,
        start: float | None = None,
        measure: str = "violation",
    ) -> None:
        super().__init__()
        # scikit-learn's callbacks are told of each problem before the next begins.
        self.one_by_one = tasks is not None and tasks.watched
        self.limited = time_limit is not None or callback is not None or keep
        self.interruption = "it was interrupted"
        self._tol = tol
        self._measure = measure
        self._start = time.perf_counter() if start is None else start
        self._deadline = np.inf if time_limit is None else self._start + time_limit
        self._callback = callback
        self._verbose = bool(verbose)
        self._n_parts = n_parts
        self._tasks = tasks
        self._keep = keep
        self._next = self._start
        self._course: deque[tuple[float, float]] = deque()
        self._worst = -np.inf
        self._shown = False

    def see(self, row: np.void) -> bool:
        """Look at the clock, call the callback, show the line."""
        now = time.perf_counter()
        if now >= self._deadline:
            self.reason = Status.TIME_LIMIT
        # Who has said stop is not asked again.
        if now >= self._next and self.reason is not Status.INTERRUPTED:
            self._next = now + 0.1
            row["part"], row["time"] = self.parts[row["part"]], now - self._start
            if self.coarse:  # a gap on some of the rows is none of the fit
                row["primal"], row["dual"] = np.inf, -np.inf
                row["gap"], row["violation"] = np.inf, np.inf
            if self._verbose:
                self._show(row)
            if self._asked_to_stop(row):
                self.reason = self.reason or Status.INTERRUPTED
        return self.reason is not None

    def _asked_to_stop(self, row: np.void) -> bool:
        """Ask the callbacks; where interrupts are kept, an exception in one is a wish to stop."""
        try:
            wanted = self._callback is not None and bool(self._callback(row))
            return wanted or (self.one_by_one and self._tasks is not None and self._tasks.tick())
        except Exception as error:
            if not self._keep:
                raise
            self.interruption = f"the callback raised {error!r}"
            return True

    @property
    def expired(self) -> bool:
        """Whether the fit is to stop, also between problems."""
        if self.reason is None and time.perf_counter() >= self._deadline:
            self.reason = Status.TIME_LIMIT
        return self.reason is not None

    @property
    def seconds_left(self) -> float:
        """Time that is left for the whole fit."""
        return float(self._deadline - time.perf_counter())

    def solved(self, solutions: Sequence[Solution]) -> None:
        """Take note that problems are done, or were ended by an interrupt."""
        if self.limited or self._verbose or self.one_by_one:
            self._see_last(solutions)
        if self.one_by_one and self._tasks is not None and self._tasks.part_done():
            self.reason = self.reason or Status.INTERRUPTED
        super().solved(solutions)

    def _see_last(self, solutions: Sequence[Solution]) -> None:
        """Look at the last row of the last trace."""
        seen = [part for part, solution in enumerate(solutions) if len(solution.trace) > 0]
        if seen:
            last = solutions[seen[-1]].trace[-1].copy()
            last["part"] = seen[-1]
            self.see(last)

    def deferring_interrupts(self) -> AbstractContextManager[None]:
        """Where interrupts are kept, take a first Ctrl-C as a wish to stop wherever it arrives.

        A SIGINT that the process ignores, as in the background of a script, stays ignored.
        """
        # Only the main thread gets signals.
        if (
            not self._keep
            or threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None)  # None: not Python's
        ):
            return nullcontext()
        return self._noting_an_interrupt()

    @contextmanager
    def _noting_an_interrupt(self) -> Iterator[None]:
        """Take a first Ctrl-C as a wish to stop; a second one is raised."""

        def note(signum: int, frame: FrameType | None) -> None:
            if self.reason is not None:
                raise KeyboardInterrupt
            self.reason = Status.INTERRUPTED

        before = signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _show(self, row: np.void) -> None:
        part = f"problem {row['part'] + 1}/{self._n_parts}  " if self._n_parts > 1 else ""
        text = (
            f"maxmargin  {row['time']:7.1f} s  {part}gap {row['gap']:.1e}  "
            + (f"violation {row['violation']:.1e}  " if self._measure == "violation" else "")
            + f"{row['n_support']} support vectors"
            + self._outlook(row)
        )
        # A terminal shows one line that changes; a file gets a line each time.
        self._shown = sys.stderr.isatty()
        line = f"{text:<100}\r" if self._shown else text + "\n"
        print(line, end="", file=sys.stderr, flush=True)

    def _outlook(self, row: np.void) -> str:
        """Say how long it may take: after the last step the certificate, over all rows."""
        if self._n_parts == 1 and 0 < row[self._measure] <= self._tol:
            return "  making the certificate"
        left = self._seconds_left(row)
        return "" if left is None else f"  about {left:.0f} s left"

    def _seconds_left(self, row: np.void) -> float | None:
        """Extrapolate the measure to tol: at the end it falls about exponentially.

        On many rows it first stands still, until all of them have been looked at. That says nothing
        of the end: nothing is told before half of it is gone, and then by its latest rate.
        """
        value = float(row[self._measure])
        if self._n_parts > 1 or not 0 < value < np.inf:
            return None
        now, log = float(row["time"]), float(np.log(max(value, self._tol)))
        self._worst = max(self._worst, log)
        self._course.append((now, log))
        while len(self._course) > 1 and self._course[1][0] <= (1 - RECENT) * now:
            self._course.popleft()
        then, before = self._course[0]
        rate = (before - log) / max(now - then, 1e-9)
        if rate <= 0 or log > self._worst - np.log(2):
            return None
        return (log - float(np.log(self._tol))) / rate

    def close(self) -> None:
        """End the line of progress."""
        if self._shown:
            print(file=sys.stderr)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
