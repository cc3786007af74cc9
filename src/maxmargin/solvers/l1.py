"""Linear machines with an L1 penalty, by Newton's method on a few features at a time.

    minimise over w, b   |w|_1 + |b| / scaling + sum_i C_i h(y_i (w'x_i + b))

The steps are the core's (`cpp/linear/l1.cpp`); their answer is certified here.
"""

from __future__ import annotations

import time

from maxmargin import _core
from maxmargin.problems import LinearProblem, Solution, SolverSettings, Status, Work, trace_of
from maxmargin.solvers.linear import STATUS, beginning
from maxmargin.solvers.watch import Watch


def l1(
    problem: LinearProblem,
    settings: SolverSettings,
    watch: Watch,
    start: Solution | None = None,
) -> Solution:
    """Solve a problem with an L1 penalty and certify the answer.

    Parameters
    ----------
    problem : LinearProblem
        With penalty `L1()`.
    settings : SolverSettings
        Limits; `tol` is an upper bound of the relative duality gap.
    watch : Watch
        Asked about every 50 ms whether to stop.
    start : Solution, optional
        Weights and intercept to begin with; their features are the first working set.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import L1, SquaredHinge
    >>> from maxmargin.problems import linear_problem
    >>> data = check_data([[-1.0, 0.1], [1.0, 0.1]], [-1, 1])
    >>> solution = l1(linear_problem(data, SquaredHinge(), penalty=L1()), SolverSettings(), Watch())
    >>> solution.w.round(6), solution.status.name
    (array([0.75, 0.  ]), 'OPTIMAL')
    """
    answer, error = _core.solve_l1(
        problem.core(),
        settings.tol,
        settings.max_iter,
        settings.n_threads,
        watch.hook,
        beginning(start),
    )
    if error is not None and settings.on_interrupt == "raise":
        raise error
    before, w, beta = time.perf_counter(), answer.w, answer.b
    certificate = problem.certify_point(w, answer.intercept, beta)
    status = STATUS[answer.status]
    if certificate.gap <= settings.tol and status is not Status.INTERRUPTED:
        status = Status.OPTIMAL
    certifying = time.perf_counter() - before
    return Solution(
        status=status,
        certificate=certificate,
        multipliers=(answer.intercept,),
        beta=beta,
        w=w,
        trace=trace_of(answer.trace),
        work=Work(
            iterations=answer.steps,
            newton_steps=answer.newton_steps,
            seconds=answer.seconds + certifying,
            certificate_seconds=certifying,
        ),
        method="working-set",
    )
