"""What a fit has cost, and how near it came to what the machine can do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from maxmargin import _core
from maxmargin.problems import Solution, Solutions, Work

#: Shorter fits are not held against the machine, which takes a hundredth of a second to measure.
ROOFLINE_SECONDS = 1.0


def fit_report(
    solutions: Sequence[Solution], n_threads: int, seconds: float, solver_seconds: float
) -> dict[str, float | str | None]:
    """Sum up the work of the parts of a fit.

    Parameters
    ----------
    solutions : sequence of Solution
        One for each part, at least one.
    n_threads : int
        How many threads the fit was given.
    seconds, solver_seconds : float
        Time of the whole fit, and of the solver, which may have solved parts side by side.

    Returns
    -------
    dict
        As documented for `SVC.fit_report_`.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems import c_svc
    >>> from maxmargin.solvers import solve
    >>> problem = c_svc(check_data([[0.0], [1.0], [3.0]], [-1, 1, 1]), RBF(gamma=1.0))
    >>> report = fit_report(solve([problem]), n_threads=1, seconds=0.5, solver_seconds=0.4)
    >>> report["method"], report["kernel_entries"], report["kernel_rows"], report["roofline"]
    ('smo', 6, 0, None)
    """
    found = Solutions.of(solutions)
    work, steps = found.work, found.pair_steps
    in_turn = max(*steps, sum(steps) / n_threads)
    counted = solver_seconds >= ROOFLINE_SECONDS and work.flops > 0
    least = least_seconds(work, in_turn, _peak(n_threads)) if counted else None
    costs = {name: value for name, value in vars(work).items() if name != "seconds"}
    return {
        "method": found.method,
        "seconds": seconds,
        "solver_seconds": solver_seconds,
        "problem_seconds": work.seconds,
        **costs,
        "certificate_share": work.certificate_seconds / work.seconds if work.seconds > 0 else 0.0,
        "roofline": None if least is None else least / solver_seconds,
    }


def least_seconds(work: Work, pair_steps: float, peak: tuple[float, float, float]) -> float:
    """Return the time this work takes at the peak: max(flops / F, bytes / BW) + steps t.

    Parameters
    ----------
    work : Work
        Operations and bytes.
    pair_steps : float
        Those that follow one another: of one problem, or of a thread.
    peak : tuple of float
        F in operations per second, BW in bytes per second, t in seconds per step.

    Returns
    -------
    float
        Seconds.

    Examples
    --------
    >>> least_seconds(Work(flops=4e9, bytes=10**9), 1000, (2e9, 1e9, 1e-6))
    2.001
    """
    flops, bandwidth, step = peak
    return max(work.flops / flops, work.bytes / bandwidth) + pair_steps * step


_peak = cache(_core.measure_peak)
