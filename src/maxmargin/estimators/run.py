"""One fit from its beginning to its end, whatever the machine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from maxmargin.estimators.blas import OneBlasThread
from maxmargin.estimators.callbacks import FitTasks
from maxmargin.estimators.progress import Progress
from maxmargin.problems import Certificate, Solution, SolverSettings, Status
from maxmargin.solvers import fit_report


class FitRun:
    """The clock of a fit, what watches it, and the estimator as it was where the fit fails.

    Parameters
    ----------
    machine : Machine
        The estimator that is being fitted.

    Attributes
    ----------
    report : dict
        What the fit has cost, once problems were solved.
    """

    def __init__(self, machine: Any) -> None:
        self.report: dict[str, Any] = {}
        self._machine = machine
        self._began = time.perf_counter()
        self._before = dict(vars(machine))
        self._interruption = ""
        self._blas = OneBlasThread()

    def __enter__(self) -> Self:
        self._blas.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: Any, trace: TracebackType | None
    ) -> None:
        self._blas.__exit__()
        if kind is not None:
            vars(self._machine).clear()
            vars(self._machine).update(self._before)

    def progress(self, n_parts: int = 1, tasks: FitTasks | None = None) -> Progress:
        """Return what watches the solver: time limit, callback, a line of progress.

        Parameters
        ----------
        n_parts : int
            Number of problems.
        tasks : FitTasks, optional
            scikit-learn's callbacks.
        """
        machine = self._machine
        return Progress(
            max(machine._goal, 1e-12),
            machine.time_limit,
            machine.callback,
            machine.verbose,
            n_parts,
            tasks,
            machine.on_interrupt == "keep",
            self._began,
            machine._measure,
        )

    def solve(
        self,
        problems: Sequence[Any],
        settings: SolverSettings,
        starts: Sequence[Any],
        tasks: FitTasks,
    ) -> Sequence[Solution]:
        """Solve all problems, watching time and interrupts over all of them.

        Parameters
        ----------
        problems, settings, starts
            As in `solvers.solve`.
        tasks : FitTasks
            scikit-learn's callbacks.
        """
        began = time.perf_counter()
        solutions = self._watched(problems, settings, starts, tasks)
        now = time.perf_counter()
        self.report = fit_report(solutions, settings.n_threads, now - self._began, now - began)
        return solutions

    def finish(self) -> dict[str, Any]:
        """Return the report, with the time of all that was done by now."""
        return {**self.report, "seconds": time.perf_counter() - self._began}

    def solve_more(self, problems: Sequence[Any], settings: SolverSettings) -> Sequence[Solution]:
        """Solve problems that the fit needs beside its own, within the same limits.

        Parameters
        ----------
        problems, settings
            As in `solvers.solve`.
        """
        return self._watched(problems, settings, [None] * len(problems), None)

    def _watched(
        self,
        problems: Sequence[Any],
        settings: SolverSettings,
        starts: Sequence[Any],
        tasks: FitTasks | None,
    ) -> Sequence[Solution]:
        with self.progress(len(problems), tasks) as progress, progress.deferring_interrupts():
            solutions: Sequence[Solution] = self._machine._solve(
                problems, settings, progress, starts
            )
        self._interruption = progress.interruption
        return solutions

    def early_end(self, status: Status, certificate: Certificate, cause: str) -> str:
        """Return how far from the optimum an unfinished fit is, and what may have slowed it down.

        Parameters
        ----------
        status : Status
            How it ended.
        certificate : Certificate
            How good it is.
        cause : str
            What else is to be said.
        """
        machine = self._machine
        worst = certificate.worst.violation + certificate.worst.bound
        known = worst < float("inf")
        change = f" Decision values may change by about {worst:.1e}." if known else ""
        reason = f"The fit ended early: {self.limit(status)}"
        if status is Status.MAX_ITERATIONS and machine.max_iter >= 0:
            reason = machine._at_limit.format(machine.max_iter)
        return (
            f"{reason}. Its relative duality gap is {certificate.gap:.1e}: the objective is within "
            f"that share of the optimum.{change} tol is {machine.tol:g}.{cause}"
        )

    def limit(self, status: Status) -> str:
        """Say what ended the solver early, where that is not the caller's `max_iter`.

        Parameters
        ----------
        status : Status
            Worse than OPTIMAL.
        """
        return {
            Status.MAX_ITERATIONS: "the safety limit of steps was reached",
            Status.TIME_LIMIT: f"time_limit={self._machine.time_limit} s was reached",
            Status.INTERRUPTED: self._interruption,
            Status.PRECISION: "steps in float64 no longer improve it",
        }[status]
