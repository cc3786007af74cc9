"""Sequential minimal optimisation with a Newton finish: the compiled kernel engine."""

from collections.abc import Callable

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
)

_STATUS = {
    _core.Status.optimal: Status.OPTIMAL,
    _core.Status.precision: Status.PRECISION,
    _core.Status.max_iterations: Status.MAX_ITERATIONS,
    _core.Status.stopped: Status.INTERRUPTED,
}


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
    settings = settings or SolverSettings()
    answer, error = _core.solve(
        problem.core(),
        start,
        settings.tol,
        settings.max_iter,
        int(settings.cache_size * 2**20),
        settings.n_threads,
        None if progress is None else lambda *row: bool(progress(trace_row(row))),
    )
    if error is not None and settings.on_interrupt == "raise":
        raise error
    return Solution(
        b=answer.b,
        multipliers=answer.certificate.intercepts[: len(problem.totals)],
        status=_STATUS[answer.status],
        certificate=CertificatePart.from_core(answer.certificate),
        trace=trace_rows(answer.trace),
        iterations=answer.steps + answer.newton_steps,
        newton_steps=answer.newton_steps,
        rows_computed=answer.rows_computed,
        seconds=answer.seconds,
        certificate_seconds=answer.certificate_seconds,
        work=Work.from_core(answer),
    )


def trace_row(values: tuple[float, ...]) -> np.void:
    """Return what the core reports while it runs as a row of `TRACE`."""
    row: np.void = np.array([(0, *values)], TRACE)[0]
    return row


def trace_rows(columns: NDArray[np.float64]) -> NDArray[np.void]:
    """Return the core's trace as rows of `TRACE`."""
    trace = np.zeros(len(columns), TRACE)
    names = (TRACE.names or ())[1:]
    for name, values in zip(names, columns.T, strict=True):
        trace[name] = values
    return trace
