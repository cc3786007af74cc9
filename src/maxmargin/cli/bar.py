"""A bar of progress over one fit or many: how far they are, and the gap of the one that runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import log
from time import perf_counter
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from maxmargin import LinearSVC, LinearSVR
from maxmargin.selection import SearchProgress


class FitBar:
    """Shows how much of some fits is done. Nothing is shown where nobody looks.

    The violation of a fit, or its gap, falls about exponentially, so the share that is done is that
    of its logarithm on the way to `tol`; of a fit with a time limit at least that of the time. It
    never goes back.

    Parameters
    ----------
    text : str
        What is done.
    n_fits : int
        How many fits there are.
    show : bool
        Whether to show it at all.

    Attributes
    ----------
    done : float
        The share that is done, from 0 to 1.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> with FitBar("fitting", 2, show=False) as bar:
    ...     model = bar.fit(SVC(), [[0.0], [1.0]], [0, 1])
    ...     bar.done
    0.5
    """

    def __init__(self, text: str, n_fits: int = 1, show: bool = True) -> None:
        self.done, self._n_fits, self._finished = 0.0, max(n_fits, 1), 0
        columns = [TextColumn(text), BarColumn(), TextColumn("{task.fields[note]}")]
        columns += [TimeElapsedColumn()]
        if n_fits > 1:
            columns += [TextColumn("left"), TimeRemainingColumn()]
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._shown = show and sys.stderr.isatty()
        self._task = self._bar.add_task(text, total=1.0, note="")

    def fit(self, model: Any, X: Any, y: Any, labels: Any = None) -> Any:
        """Fit a model and show how far it is.

        Parameters
        ----------
        model : estimator
            The machine, or a pipeline that ends with it.
        X, y : rows and targets
            The training data.
        labels : ndarray, optional
            The targets, where y is not in this process.
        """
        machine = model[-1] if isinstance(model, Pipeline) else model
        machine.callback = _Course(self, machine, y if labels is None else labels)
        try:
            model.fit(X, y)
        finally:
            machine.callback = None
        self._finished += 1
        self.move(0.0)
        return model

    def follow(self) -> Callable[[SearchProgress], None]:
        """Return what a search calls to show how far it is.

        Examples
        --------
        >>> from maxmargin.selection import SearchProgress
        >>> with FitBar("searching", 4, show=False) as bar:
        ...     bar.follow()(SearchProgress(2, 4, 1.0, [], None))
        ...     bar.done
        0.5
        """
        before = self._finished

        def take_note(progress: SearchProgress) -> None:
            self._finished = before + progress.done
            self.move(0.0)

        return take_note

    def move(self, share: float, note: str = "") -> None:
        """Move the bar.

        Parameters
        ----------
        share : float
            How much of the fit that runs is done.
        note : str
            What to say of it.
        """
        self.done = min(1.0, max(self.done, (self._finished + share) / self._n_fits))
        fits = f"{self._finished} of {self._n_fits} fits" if self._n_fits > 1 else note
        self._bar.update(self._task, completed=self.done, note=fits)

    def __enter__(self) -> FitBar:
        if self._shown:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            self._bar.stop()


class _Course:
    """Called by an estimator's `callback` with the latest row of its trace."""

    def __init__(self, bar: FitBar, machine: Any, y: Any) -> None:
        exact = isinstance(machine, LinearSVC | LinearSVR)
        k = len(set(y)) if y is not None and is_classifier(machine) else 2
        self._n_parts = k if exact and k > 2 else k * (k - 1) // 2
        self._bar, self._measure = bar, "gap" if exact else "violation"
        self._tol, self._limit = machine.tol, machine.time_limit
        self._start = perf_counter()
        self._first: dict[int, float] = {}
        self._shares: dict[int, float] = {}

    def __call__(self, row: Any) -> None:
        part, value = int(row["part"]), float(row[self._measure])
        first = self._first.setdefault(part, value)
        way = log(first / self._tol) if first > self._tol else 0.0
        self._shares[part] = log(first / max(value, self._tol)) / way if way > 0 else 1.0
        # Parts before the last one that was seen, and not seen themselves, ended in between.
        last = max(self._shares)
        done = sum(min(max(self._shares.get(k, 1.0), 0.0), 1.0) for k in range(last + 1))
        share = done / max(self._n_parts, last + 1)
        if self._limit is not None:
            share = max(share, (perf_counter() - self._start) / self._limit)
        self._bar.move(min(share, 1.0), f"gap {float(row['gap']):.1e}")
