"""Kernel problems solved down to a gap, where that is what is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isinf

import numpy as np

from maxmargin.problems import DualProblem, Solution, SolverSettings, Status
from maxmargin.solvers.smo import smo
from maxmargin.solvers.watch import Watch

#: What the violation goes down to each time, as a share of the last tolerance.
FINER = 0.1


def close_gaps(
    problems: Sequence[DualProblem],
    solutions: Sequence[Solution],
    settings: SolverSettings,
    watch: Watch,
) -> list[Solution]:
    """Go on with solutions, to ever smaller violations, until their gaps are at most tol_gap.

    A violation bounds the gap only as far as the box of the dual variables does: the larger C is,
    the less it says.

    Parameters
    ----------
    problems : sequence of DualProblem
        Of one formulation, with the same data and the same kernel.
    solutions : sequence of Solution
        Their solutions down to a violation of `tol`.
    settings : SolverSettings
        With a `tol_gap`.
    watch : Watch
        Asked about every 50 ms whether to stop.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> problem = c_svc(check_data([[0.0], [1.0], [3.0]], [-1, 1, 1]), Linear(), C=1e6)
    >>> settings = SolverSettings(tol=1.0, tol_gap=1e-6)
    >>> coarse = smo([problem], settings, Watch(), [None], alone=False)
    >>> close_gaps([problem], coarse, settings, Watch())[0].certificate.gap <= 1e-6
    True
    """
    found, alone = list(solutions), len(problems) == 1
    tol = settings.tol
    if isinf(tol):  # the core has ended at the gap, or with all that float64 has
        return found
    while True:
        wide = [
            k
            for k, now in enumerate(found)
            if now.status is Status.OPTIMAL and _wide(now, settings)
        ]
        if not wide or watch.expired:
            break
        tol *= FINER
        steps = max(found[k].work.pair_steps for k in wide)
        left = settings.max_iter if settings.max_iter < 0 else max(0, settings.max_iter - steps)
        again = smo(
            [problems[k] for k in wide],
            replace(settings, tol=tol, max_iter=left),
            watch,
            [found[k].beta for k in wide],
            alone=alone,
        )
        for k, after in zip(wide, again, strict=True):
            found[k] = _joined(found[k], after)
    return [replace(now, status=_status(now, settings)) for now in found]


def _wide(solution: Solution, settings: SolverSettings) -> bool:
    return settings.tol_gap is not None and not solution.certificate.gap <= settings.tol_gap


def _status(solution: Solution, settings: SolverSettings) -> Status:
    """Return how a solution ended by what was asked for, not by the smaller tolerances since."""
    if _wide(solution, settings):
        return max(solution.status, Status.PRECISION)
    within = solution.certificate.worst.within(settings.tol)
    return Status.OPTIMAL if within else solution.status


def _joined(before: Solution, after: Solution) -> Solution:
    """Return a solution with the way to where it began."""
    trace = after.trace.copy()
    trace["time"] += before.work.seconds
    trace["iterations"] += before.work.pair_steps
    return replace(
        after, work=before.work + after.work, trace=np.concatenate([before.trace, trace])
    )
