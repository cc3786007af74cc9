"""What a fit has cost, and how near it came to what the machine can do."""

import math
from collections.abc import Sequence
from functools import cache, reduce
from operator import add

from maxmargin import _core
from maxmargin.problems import Solution, Work

#: Shorter fits are not held against the machine, which takes a hundredth of a second to measure.
ROOFLINE_SECONDS = 1.0


def fit_report(
    solutions: Sequence[Solution], n_threads: int, seconds: float
) -> dict[str, float | None]:
    """Sum up the work of the parts of a fit.

    Parameters
    ----------
    solutions : sequence of Solution
        One for each part, at least one.
    n_threads : int
        How many threads the fit was given.
    seconds : float
        Time of the whole, in which parts may have been solved side by side.

    Returns
    -------
    dict
        As documented for `SVC.fit_report_`.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems import c_svc
    >>> from maxmargin.solvers import smo
    >>> problem = c_svc(check_data([[0.0], [1.0], [3.0]], [-1, 1, 1]), RBF(gamma=1.0))
    >>> report = fit_report([smo(problem)], n_threads=1, seconds=0.5)
    >>> report["kernel_entries"], report["kernel_rows"], report["roofline"]
    (6, 0, None)
    """
    work = reduce(add, (solution.work for solution in solutions))
    problem_seconds = math.fsum(solution.seconds for solution in solutions)
    certificate_seconds = math.fsum(solution.certificate_seconds for solution in solutions)
    steps = [solution.iterations - solution.newton_steps for solution in solutions]
    in_turn = max(*steps, sum(steps) / n_threads)
    counted = seconds >= ROOFLINE_SECONDS and work.flops > 0
    least = least_seconds(work, in_turn, _peak(n_threads)) if counted else None
    return {
        "seconds": seconds,
        "problem_seconds": problem_seconds,
        "certificate_seconds": certificate_seconds,
        "kernel_seconds": work.kernel_seconds,
        "gradient_seconds": work.gradient_seconds,
        "pair_seconds": work.pair_seconds,
        "newton_seconds": work.newton_seconds,
        "certificate_share": certificate_seconds / problem_seconds if problem_seconds > 0 else 0.0,
        "pair_steps": sum(steps),
        "newton_steps": sum(solution.newton_steps for solution in solutions),
        "kernel_entries": work.kernel_entries,
        "exact_entries": work.exact_entries,
        "kernel_rows": sum(solution.rows_computed for solution in solutions),
        "cache_hits": work.cache_hits,
        "bytes": work.bytes,
        "flops": work.flops,
        "roofline": None if least is None else least / seconds,
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
        F in operations a second, BW in bytes a second, t in seconds a step.

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
