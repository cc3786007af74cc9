"""The compiled linear engine: Newton steps on the primal, or coordinate descent on the dual.

Every answer has a primal point (w, b) and a dual point beta whose objectives P and D enclose the
optimum; the methods stop on the relative gap (P - D) / max(|P|, |D|), or on the violation of beta
where a kernel problem is solved.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.data import ChunkedMatrix
from maxmargin.kernels import Linear
from maxmargin.losses import EpsilonInsensitive, Hinge, Loss
from maxmargin.problems import (
    DualProblem,
    Intercept,
    LinearProblem,
    Solution,
    SolverSettings,
    Status,
    Work,
    core_certificate,
    trace_of,
)
from maxmargin.solvers.watch import Watch

STATUS = {
    _core.LinearStatus.optimal: Status.OPTIMAL,
    _core.LinearStatus.precision: Status.PRECISION,
    _core.LinearStatus.max_iterations: Status.MAX_ITERATIONS,
    _core.LinearStatus.stopped: Status.INTERRUPTED,
}
METHODS = {
    "newton": _core.LinearMethod.newton,
    "newton-cg": _core.LinearMethod.newton_cg,
    "descent": _core.LinearMethod.descent,
}


@dataclass(frozen=True, eq=False)
class RemoteParts:
    """Rows of a linear problem that are elsewhere, in parts, and how they are asked.

    Parameters
    ----------
    n_features : int
        Columns.
    kinked : bool
        Whether the loss has kinks.
    intercept : Intercept
        How the intercept enters.
    scale : float
        The size of a typical residual at w = 0.
    shapes : LinearAnswer
        The sum over all parts of what `_core.LinearRows.shape` says.
    count : int
        How many parts there are.
    exchange : callable
        ``exchange(request, poll)`` sends a request to `_core.LinearRows.answer` of every part and
        returns the sum of the answers; it calls ``poll()`` now and then while it waits.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import Hinge
    >>> from maxmargin.problems import linear_problem
    >>> problem = linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), Hinge())
    >>> rows = _core.LinearRows(problem.core(), 1)
    >>> here = RemoteParts(1, True, problem.intercept, 1.0, rows.shape(), 1,
    ...                    lambda request, poll: rows.answer(request))
    >>> newton_on_parts(here, SolverSettings(tol=1e-4), Watch()).w.round(3)
    array([1.])
    """

    n_features: int
    kinked: bool
    intercept: Intercept
    scale: float
    shapes: _core.LinearAnswer
    count: int
    exchange: Callable[[NDArray[np.float64], Callable[[], None]], _core.LinearAnswer]


def newton(
    problem: LinearProblem,
    settings: SolverSettings,
    watch: Watch,
    method: str = "newton",
    start: Solution | None = None,
) -> Solution:
    """Solve a linear problem down to a relative gap of tol; small ones to rounding.

    Parameters
    ----------
    problem : LinearProblem
        With the squared norm as its penalty.
    settings : SolverSettings
        Limits.
    watch : Watch
        Asked about every 50 ms whether to stop.
    method : {"newton", "newton-cg", "descent"}
        Newton steps with the matrix of second derivatives, or without it, or coordinate descent.
    start : Solution, optional
        Weights, intercept and dual variables to begin with, one of the latter for each row.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import SquaredHinge
    >>> from maxmargin.problems import linear_problem
    >>> problem = linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), SquaredHinge())
    >>> newton(problem, SolverSettings(tol=1e-4), Watch()).w.round(3)
    array([0.8])
    """
    began = time.perf_counter()
    answer = _solve(problem, settings, watch, method, (settings.tol, np.inf), start)
    solution = solution_of(answer, answer.intercept, method)
    if not isinstance(problem.X, ChunkedMatrix):
        return solution
    return replace(solution, trace=_with_passes(solution.trace, problem.X, began))


def newton_on_parts(
    parts: RemoteParts, settings: SolverSettings, watch: Watch, method: str = "newton"
) -> Solution:
    """Solve a linear problem whose rows are elsewhere, as `newton` does.

    Parameters
    ----------
    parts : RemoteParts
        The rows.
    settings : SolverSettings
        Limits; `n_threads` are for Newton's equations.
    watch : Watch
        Asked about every 50 ms whether to stop. What has been asked of the rows is waited for.
    method : {"newton", "newton-cg"}
        With the matrix of second derivatives, or without it.

    Returns
    -------
    Solution
        Without dual variables: these are where the rows are.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import SquaredHinge
    >>> from maxmargin.problems import linear_problem
    >>> problem = linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), SquaredHinge())
    >>> rows = _core.LinearRows(problem.core(), 1)
    >>> parts = RemoteParts(1, False, problem.intercept, 1.0, rows.shape(), 1,
    ...                     lambda request, poll: rows.answer(request))
    >>> newton_on_parts(parts, SolverSettings(tol=1e-4), Watch()).w.round(3)
    array([0.8])
    """
    intercept = parts.intercept
    answer, error = _core.solve_linear_remote(
        (parts.n_features, parts.kinked, intercept.present, intercept.penalty, parts.scale),
        parts.shapes,
        parts.count,
        parts.exchange,
        METHODS[method],
        settings.tol,
        settings.max_iter,
        settings.n_threads,
        watch.hook,
    )
    if error is not None and settings.on_interrupt == "raise":
        raise error
    return replace(solution_of(answer, answer.intercept, method), beta=None)


def descend_all(
    problems: Sequence[LinearProblem], settings: SolverSettings, watch: Watch
) -> list[Solution]:
    """Solve several problems by coordinate descent, as many at a time as there are threads.

    Parameters
    ----------
    problems : sequence of LinearProblem
        With losses that have a tube.
    settings, watch
        As in `newton`.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import Hinge
    >>> from maxmargin.problems import linear_problem
    >>> problem = linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), Hinge())
    >>> found = descend_all([problem, problem], SolverSettings(tol=1e-4), Watch())
    >>> [solution.w.round(3) for solution in found]
    [array([1.]), array([1.])]
    """
    answers, error = _core.descend_all(
        [problem.core() for problem in problems],
        settings.tol,
        settings.max_iter,
        settings.n_threads,
        watch.hook,
    )
    if error is not None and settings.on_interrupt == "raise":
        raise error
    return [
        problem.untouched() if answer is None else solution_of(answer, answer.intercept, "descent")
        for problem, answer in zip(problems, answers, strict=True)
    ]


def primal(problem: DualProblem, settings: SolverSettings, watch: Watch) -> Solution:
    """Solve a kernel problem whose kernel is linear, through its primal.

    Parameters
    ----------
    problem : DualProblem
        With `kernels.Linear`, variables that sum to zero and no ridge.
    settings : SolverSettings
        `tol` is an upper bound of the KKT violation, as in `smo`.
    watch : Watch
        Asked about every 50 ms whether to stop.

    Returns
    -------
    Solution
        As `smo` returns it. The intercept is the one that belongs to beta.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> problem = c_svc(check_data([[-1.0], [1.0]], [-1, 1]), Linear())
    >>> primal(problem, SolverSettings(), Watch()).beta
    array([-0.5,  0.5])
    """
    if (
        not isinstance(problem.kernel, Linear)
        or problem.totals != (0.0,)
        or problem.ridge is not None
    ):
        raise ValueError(
            f"kernel is {problem.kernel} and totals are {problem.totals}; the primal needs "
            'Linear(), a sum of 0 and no ridge. Use method="smo".'
        )
    with np.errstate(over="ignore"):
        if not np.isfinite(problem.kernel.diagonal(problem.X)).all():
            raise ValueError(
                "The dual coefficients or intercepts are not finite: kernel values overflow "
                "float64; scale the data"
            )
    # What counts here is the tube; the loss tells whether targets have a scale.
    loss: Loss = EpsilonInsensitive(problem.epsilon) if problem.epsilon > 0 else Hinge()
    stated = LinearProblem(
        X=problem.X,
        rows=problem.rows,
        loss=loss,
        C=problem.upper - problem.lower,
        target=problem.target,
        lower=problem.lower,
        upper=problem.upper,
        epsilon=problem.epsilon,
    )
    answer = _solve(stated, settings, watch, "newton", (settings.ending_gap, settings.tol))
    return solution_of(answer, answer.dual_intercept, "primal")


def _solve(
    problem: LinearProblem,
    settings: SolverSettings,
    watch: Watch,
    method: str,
    tolerances: tuple[float, float],
    start: Solution | None = None,
) -> _core.LinearSolution:
    """Call the core with the gap and the violation that are enough."""
    # Chunks are read in order, by one thread.
    threads = 1 if isinstance(problem.X, ChunkedMatrix) else settings.n_threads
    answer, error = _core.solve_linear(
        problem.core(),
        METHODS[method],
        *tolerances,
        settings.max_iter,
        threads,
        watch.hook,
        beginning(start),
    )
    if error is not None and settings.on_interrupt == "raise":
        raise error
    return answer


def beginning(
    start: Solution | None,
) -> tuple[NDArray[np.float64], float, NDArray[np.float64]] | None:
    """Return a solution as the core takes it to begin with.

    Parameters
    ----------
    start : Solution, optional
        With weights and dual variables, else the core begins where it likes.

    Examples
    --------
    >>> beginning(None) is None
    True
    """
    if start is None or start.w is None or start.beta is None:
        return None
    return start.w, start.multipliers[0], start.beta


def solution_of(answer: _core.LinearSolution, intercept: float, method: str) -> Solution:
    """Return what the core has found.

    Parameters
    ----------
    answer : LinearSolution
        The core's.
    intercept : float
        The one to use: of the primal point, or of the dual one.
    method : str
        By what it was found.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import Hinge
    >>> from maxmargin.problems import linear_problem
    >>> problem = linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), Hinge())
    >>> answer, _ = _core.solve_linear(problem.core(), METHODS["newton"], 1e-4, np.inf, -1, 1, None)
    >>> solution_of(answer, answer.intercept, "newton").w
    array([1.])
    """
    return Solution(
        status=STATUS[answer.status],
        certificate=core_certificate(answer.certificate),
        multipliers=(intercept,),
        beta=answer.b,
        w=answer.w,
        trace=trace_of(answer.trace),
        work=Work(
            iterations=answer.steps,
            newton_steps=answer.newton_steps,
            seconds=answer.seconds,
            certificate_seconds=answer.certificate_seconds,
        ),
        method=method,
    )


def _with_passes(trace: NDArray[np.void], matrix: ChunkedMatrix, began: float) -> NDArray[np.void]:
    """Add to each row how often the source has been read by then, the first scan included."""
    loads = np.searchsorted(matrix.loads, began + trace["time"])
    # The core's clock starts later; at the end nothing is left to be read.
    loads[-1] = len(matrix.loads)
    counted = np.empty(len(trace), [*trace.dtype.descr, ("passes", np.float64)])
    for name in trace.dtype.names or ():
        counted[name] = trace[name]
    counted["passes"] = 1 + loads / (len(matrix.starts) - 1)
    return counted
