"""A bar of progress while a fit runs: the gap, and the time that is left."""

from __future__ import annotations

import sys
from math import log
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class FitBar:
    """Called by an estimator's `callback` with the latest row of its trace.

    The violation of a fit, or its gap, falls about exponentially, so the bar shows its logarithm on
    the way to `tol`. Nothing is shown where nobody looks.

    Parameters
    ----------
    tol : float
        Where it is to go.
    n_parts : int
        How many problems the fit consists of.
    measure : {"violation", "gap"}
        What `tol` bounds.
    show : bool
        Whether to show it at all.

    Examples
    --------
    >>> with FitBar(1e-3, 1, "violation", show=False) as bar:
    ...     bar({"part": 0, "violation": 0.5, "gap": 0.1})
    """

    def __init__(self, tol: float, n_parts: int, measure: str, show: bool = True) -> None:
        self._tol, self._n_parts, self._measure = tol, max(n_parts, 1), measure
        self._first: dict[int, float] = {}
        self._bar = Progress(
            TextColumn("fitting"),
            BarColumn(),
            TextColumn("gap {task.fields[gap]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._shown = show and sys.stderr.isatty()
        self._task = self._bar.add_task("fit", total=1.0, gap="")

    def __call__(self, row: Any) -> None:
        """Move the bar."""
        if not self._shown:
            return
        part, value = int(row["part"]), float(row[self._measure])
        first = self._first.setdefault(part, value)
        way = log(first / self._tol) if first > self._tol else 0.0
        done = log(first / max(value, self._tol)) / way if way > 0 else 1.0
        completed = (part + min(max(done, 0.0), 1.0)) / self._n_parts
        self._bar.update(self._task, completed=completed, gap=f"{float(row['gap']):.1e}")

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
