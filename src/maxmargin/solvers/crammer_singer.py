"""Crammer and Singer's machine in the compiled core: coordinate descent, then Newton steps."""

from __future__ import annotations

from maxmargin import _core
from maxmargin.problems import (
    CrammerSingerProblem,
    Solution,
    SolverSettings,
    Work,
    core_certificate,
    trace_of,
)
from maxmargin.solvers.linear import STATUS
from maxmargin.solvers.watch import Watch


def crammer_singer_steps(
    problem: CrammerSingerProblem, settings: SolverSettings, watch: Watch
) -> Solution:
    """Solve the problem of all classes down to a relative gap of tol; small ones to rounding.

    Parameters
    ----------
    problem : CrammerSingerProblem
        The problem.
    settings : SolverSettings
        Limits; `max_iter` counts passes of coordinate descent and Newton steps.
    watch : Watch
        Asked about every 50 ms whether to stop.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.problems import crammer_singer_problem
    >>> problem = crammer_singer_problem(check_data([[-1.0], [0.0], [1.0]], [0, 1, 2]))
    >>> crammer_singer_steps(problem, SolverSettings(tol=1e-4), Watch()).status.name
    'OPTIMAL'
    """
    answer, error = _core.solve_crammer_singer(
        problem.core(), settings.tol, settings.max_iter, settings.n_threads, watch.hook
    )
    if error is not None and settings.on_interrupt == "raise":
        raise error
    return Solution(
        status=STATUS[answer.status],
        certificate=core_certificate(answer.certificate),
        multipliers=tuple(answer.intercepts.tolist()),
        beta=answer.b,
        w=answer.w,
        trace=trace_of(answer.trace),
        work=Work(
            iterations=answer.steps,
            newton_steps=answer.newton_steps,
            seconds=answer.seconds,
            certificate_seconds=answer.certificate_seconds,
        ),
        method="crammer-singer",
    )
