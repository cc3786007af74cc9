"""Sequential minimal optimisation with a Newton finish: the compiled kernel engine."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import (
    Certificate,
    CertificatePart,
    DualProblem,
    Solution,
    SolverSettings,
    Status,
    Work,
    core_problems,
    first_point,
    trace_of,
)
from maxmargin.solvers.watch import Watch

#: In the core's order.
_STATUS = (Status.OPTIMAL, Status.PRECISION, Status.MAX_ITERATIONS, Status.INTERRUPTED)


def smo(
    problems: Sequence[DualProblem],
    settings: SolverSettings,
    watch: Watch,
    starts: Sequence[NDArray[np.float64] | None],
    *,
    alone: bool = True,
) -> list[Solution]:
    """Solve problems on the same data, as many at a time as there are threads.

    Parameters
    ----------
    problems : sequence of DualProblem
        Of one formulation, with the same data and the same kernel.
    settings : SolverSettings
        Tolerance and limits.
    watch : Watch
        Asked about every 50 ms whether to stop.
    starts : sequence of ndarray or None
        Feasible points to begin from; None for zero, or the first variables filled until the sums
        are met.
    alone : bool
        Whether this is all there is to solve; one of many ends at `tol` and shares the cache.

    Returns
    -------
    list of Solution
        One per problem, whatever the number of threads; those that were not begun when the
        solver was stopped are certified like the others.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> data = check_data([[0.0], [1.0], [3.0]], [-1, 1, 1])
    >>> problems = [c_svc(data, Linear(), C) for C in (0.1, 10.0)]
    >>> found = smo(problems, SolverSettings(), Watch(), [None, None])
    >>> [solution.beta.round(2) for solution in found]
    [array([-0.1,  0.1,  0. ]), array([-2.,  2.,  0.])]
    """
    answer, error = _core.solve_all(
        core_problems(problems),
        _joined_starts(problems, starts),
        settings.tol,
        settings.ending_gap,
        settings.max_iter,
        int(settings.cache_size * 2**20),
        settings.n_threads,
        alone,
        watch.hook,
    )
    if error is not None and settings.on_interrupt == "raise":
        raise error
    return _solutions(problems, answer, answer.gradient if settings.gradients else None)


def _joined_starts(
    problems: Sequence[DualProblem], starts: Sequence[NDArray[np.float64] | None]
) -> NDArray[np.float64] | None:
    if all(start is None for start in starts):
        return None
    return np.concatenate(
        [
            first_point(problem) if start is None else start
            for problem, start in zip(problems, starts, strict=True)
        ]
    )


def _solutions(
    problems: Sequence[DualProblem],
    answer: _core.Solutions,
    gradient: NDArray[np.float64] | None,
) -> list[Solution]:
    columns, rows = answer.trace
    beta, trace = answer.b, trace_of(columns)
    judged, counts, amounts = answer.certificates, answer.counts, answer.amounts
    ends = accumulate(problem.n_variables for problem in problems)
    solutions, begin = [], 0
    for p, (problem, end) in enumerate(zip(problems, ends, strict=True)):
        status, convex, *counted = counts[p]
        primal, dual, gap, violation, bound, first, second = judged[p]
        part = CertificatePart(primal, dual, gap, violation, bound, bool(convex))
        solutions.append(
            Solution(
                status=_STATUS[status],
                certificate=Certificate((part,)),
                multipliers=(first, second)[: len(problem.totals)],
                beta=beta[begin:end],
                trace=trace[rows[p] : rows[p + 1]],
                work=Work(*counted, *amounts[p]),
                method="smo",
                gradient=None if gradient is None else gradient[begin:end],
            )
        )
        begin = end
    return solutions
