"""Sequential minimal optimisation with a Newton finish: the compiled kernel engine."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import (
    TRACE,
    CertificatePart,
    DualProblem,
    Solution,
    SolverSettings,
    Status,
    Work,
    core_problems,
    first_point,
)

#: In the core's order.
_STATUS = (Status.OPTIMAL, Status.PRECISION, Status.MAX_ITERATIONS, Status.INTERRUPTED)


def smo(
    problem: DualProblem,
    settings: SolverSettings | None = None,
    start: NDArray[np.float64] | None = None,
    progress: Callable[[np.void], bool | None] | None = None,
) -> Solution:
    """Solve a problem and certify the answer.

    Parameters
    ----------
    problem : DualProblem
        What to solve.
    settings : SolverSettings, optional
        Tolerance and limits.
    start : ndarray of shape (n,), optional
        Feasible point to begin from.
    progress : callable, optional
        Called about every 50 ms with the latest row of the trace; returning True stops the solver.

    Returns
    -------
    Solution
        Never a failure: how it ended is in its `status`.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems import c_svc
    >>> solution = smo(c_svc(check_data([[0.0], [1.0], [3.0]], [-1, 1, 1]), RBF(gamma=1.0)))
    >>> solution.status.name, bool(solution.certificate.gap < 1e-12)
    ('OPTIMAL', True)
    """
    return smo_all([problem], settings, None if start is None else [start], progress)[0]


def smo_all(
    problems: Sequence[DualProblem],
    settings: SolverSettings | None = None,
    starts: Sequence[NDArray[np.float64] | None] | None = None,
    progress: Callable[[np.void], bool | None] | None = None,
) -> list[Solution]:
    """Solve several problems on the same data, as many at a time as there are threads.

    Parameters
    ----------
    problems : sequence of DualProblem
        Of one formulation, with the same data and the same kernel.
    settings, progress
        As of `smo`.
    starts : sequence of ndarray or None, optional
        Feasible points to begin from; None for zero.

    Returns
    -------
    list of Solution
        One a problem, whatever the number of threads; those that were not begun when the solver was
        stopped are certified like the others.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> data = check_data([[0.0], [1.0], [3.0]], [-1, 1, 1])
    >>> found = smo_all([c_svc(data, Linear(), C) for C in (0.1, 10.0)])
    >>> [solution.b.round(2) for solution in found]
    [array([-0.1,  0.1,  0. ]), array([-2.,  2.,  0.])]
    """
    settings = settings or SolverSettings()
    answer, error = _core.solve_all(
        core_problems(problems),
        _joined_starts(problems, starts),
        settings.tol,
        settings.max_iter,
        int(settings.cache_size * 2**20),
        settings.n_threads,
        settings.alone,
        None if progress is None else lambda *row: bool(progress(trace_row(row))),
    )
    if error is not None and settings.on_interrupt == "raise":
        raise error
    return _solutions(problems, answer)


def _joined_starts(
    problems: Sequence[DualProblem], starts: Sequence[NDArray[np.float64] | None] | None
) -> NDArray[np.float64] | None:
    if starts is None or all(start is None for start in starts):
        return None
    return np.concatenate(
        [
            first_point(problem) if start is None else start
            for problem, start in zip(problems, starts, strict=True)
        ]
    )


def _solutions(problems: Sequence[DualProblem], answer: _core.Solutions) -> list[Solution]:
    b, certificates = answer.b, answer.certificates
    columns, rows = answer.trace
    trace = trace_rows(columns)
    ends = np.cumsum([problem.n_variables for problem in problems]).tolist()
    counts, amounts = answer.counts.tolist(), answer.amounts.tolist()
    solutions, begin = [], 0
    for p, (problem, end) in enumerate(zip(problems, ends, strict=True)):
        status, steps, newton_steps, rows_computed, *work = counts[p]
        seconds, certificate_seconds, *costs = amounts[p]
        solutions.append(
            Solution(
                b=b[begin:end],
                multipliers=certificates[p].intercepts[: len(problem.totals)],
                status=_STATUS[status],
                certificate=CertificatePart.from_core(certificates[p]),
                trace=trace[rows[p] : rows[p + 1]],
                iterations=steps + newton_steps,
                newton_steps=newton_steps,
                rows_computed=rows_computed,
                seconds=seconds,
                certificate_seconds=certificate_seconds,
                work=Work(*work, *costs),
            )
        )
        begin = end
    return solutions


def trace_row(values: tuple[float, ...]) -> np.void:
    """Return what the core reports while it runs as a row of `TRACE`."""
    row: np.void = np.array([values], TRACE)[0]
    return row


def trace_rows(columns: NDArray[np.float64]) -> NDArray[np.void]:
    """Return the core's trace as rows of `TRACE`."""
    trace = np.zeros(len(columns), TRACE)
    names = (TRACE.names or ())[1:]
    for name, values in zip(names, columns.T, strict=True):
        trace[name] = values
    return trace
