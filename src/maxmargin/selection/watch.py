"""What happens while a search runs: its time limit, its callback, a line of progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Seconds between calls of the callback and between lines of progress.
_PERIOD = 0.1


@dataclass(frozen=True, eq=False)
class SearchProgress:
    """How far a search is; what its callback is given.

    Parameters
    ----------
    done, total : int
        Fits, of those that are planned by now.
    seconds : float
        Since the search began.
    params : list of dict
        The candidates.
    scores : ndarray of shape (n_candidates, n_splits)
        Of the first scorer; NaN where a candidate was not judged yet.

    Examples
    --------
    >>> SearchProgress(5, 10, 1.0, [{"C": 1.0}], np.array([[0.5, np.nan]])).seconds_left
    1.0
    """

    done: int
    total: int
    seconds: float
    params: list[dict[str, Any]]
    scores: NDArray[np.float64]

    @property
    def seconds_left(self) -> float:
        """What is left at the pace so far."""
        return self.seconds * (self.total - self.done) / max(self.done, 1)


class SearchWatch:
    """Asked about every 50 ms whether a search is to stop.

    Parameters
    ----------
    time_limit : float or None
        Seconds.
    callback : callable or None
        Called about every 100 ms with a `SearchProgress`; True stops the search.
    keep : bool
        Whether Ctrl-C ends the search with what it has instead of raising.
    verbose : int
        Whether to show a line of progress.

    Attributes
    ----------
    stopped : str
        Why it was stopped; empty if it was not.

    Examples
    --------
    >>> watch = SearchWatch(time_limit=0.0)
    >>> watch.tick(0), watch.stopped
    (True, 'time_limit=0.0 s was reached')
    """

    def __init__(
        self,
        time_limit: float | None = None,
        callback: Callable[[SearchProgress], bool | None] | None = None,
        keep: bool = False,
        verbose: int = 0,
    ) -> None:
        self.stopped = ""
        self.total = 0
        self.done = 0
        self.limited = time_limit is not None or callback is not None or keep
        self._time_limit = time_limit
        self._callback = callback
        self._keep = keep
        self._verbose = verbose
        self._began = self._next = time.perf_counter()
        self._look: Callable[[], tuple[list[dict[str, Any]], NDArray[np.float64]]] = lambda: (
            [],
            np.zeros((0, 0)),
        )
        self._shown = False

    @property
    def seconds(self) -> float:
        """Since the search began."""
        return time.perf_counter() - self._began

    def look_at(self, scores: Callable[[], tuple[list[dict[str, Any]], Any]]) -> None:
        """Take note of where the candidates and their scores are.

        Parameters
        ----------
        scores : callable
            Returns both.
        """
        self._look = scores

    def tick(self, done: int) -> bool:
        """Look at the clock, call the callback, show the line; tell whether to stop.

        Parameters
        ----------
        done : int
            Fits of the present call that are done.
        """
        now = time.perf_counter()
        if self._time_limit is not None and now - self._began >= self._time_limit:
            self.stopped = self.stopped or f"time_limit={self._time_limit} s was reached"
        if now >= self._next and not self.stopped:
            self._next = now + _PERIOD
            self._tell(self.done + done)
        return bool(self.stopped)

    def finished(self, fits: int) -> None:
        """Take note that fits are done and scored.

        Parameters
        ----------
        fits : int
            How many.
        """
        self.done += fits
        if self._callback is not None and not self.stopped:
            self._tell(self.done)

    def interrupted(self, error: BaseException) -> None:
        """Take an interrupt as a wish to stop, or raise it.

        Parameters
        ----------
        error : BaseException
            What has ended the solver.
        """
        if not self._keep or not isinstance(error, KeyboardInterrupt):
            raise error
        self.stopped = self.stopped or "it was interrupted"

    def close(self) -> None:
        """End the line of progress."""
        if self._shown:
            print(file=sys.stderr)

    def _tell(self, done: int) -> None:
        progress = SearchProgress(done, self.total, self.seconds, *self._look())
        if self._verbose:
            self._show(progress)
        if self._callback is not None and self._callback(progress):
            self.stopped = self.stopped or "the callback asked for it"

    def _show(self, progress: SearchProgress) -> None:
        if not sys.stderr.isatty():
            return
        self._shown = True
        text = f"maxmargin  {progress.seconds:7.1f} s  {progress.done} of {progress.total} fits"
        if progress.done:
            text += f"  about {progress.seconds_left:.0f} s left"
        print(f"{text:<80}\r", end="", file=sys.stderr, flush=True)
