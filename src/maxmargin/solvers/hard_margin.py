"""The hard margin, by soft margins with growing C.

A soft-margin solution with every alpha strictly below C has no slack to pay for: it is the
hard-margin solution. Where alphas stay at C, their convex weights approach points in which the
hulls of the classes meet, if they do. So C grows until one of the two is seen.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import (
    DualProblem,
    HullPoints,
    InfeasibleError,
    Solution,
    SolverSettings,
    Status,
    UndecidableError,
)
from maxmargin.solvers.smo import smo

_STAGES = 9


def hard_margin(
    problem: DualProblem,
    settings: SolverSettings | None = None,
    progress: Callable[[np.void], bool | None] | None = None,
) -> tuple[DualProblem, Solution]:
    """Separate two classes with the largest margin, or prove that they cannot be.

    Parameters
    ----------
    problem : DualProblem
        A C-SVC problem; its box is replaced.
    settings : SolverSettings, optional
        Tolerance and limits.
    progress : callable, optional
        As of `smo`.

    Returns
    -------
    problem : DualProblem
        The soft-margin problem with the same solution.
    solution : Solution
        Its solution.

    Raises
    ------
    InfeasibleError
        With points of both hulls that coincide.
    UndecidableError
        When float64 cannot tell.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> data = check_data([[0.0], [1.0], [4.0]], [-1, -1, 1])
    >>> hard_margin(c_svc(data, Linear()))[1].b.round(4)
    array([ 0.    , -0.2222,  0.2222])
    """
    settings = settings or SolverSettings()
    scale = _extent(problem)
    C = 1.0 / scale**2 if scale > 0 else 1.0
    start: NDArray[np.float64] | None = None
    hulls = earlier = None
    for _ in range(_STAGES):
        soft = soft_margin(problem, C)
        solution = smo(soft, settings, start, progress)
        solution = _joined(earlier, solution)
        earlier = solution
        limited = solution.status is Status.MAX_ITERATIONS and settings.max_iter >= 0
        if solution.status is Status.INTERRUPTED or limited:
            return soft, solution
        if solution.status is Status.OPTIMAL and np.abs(solution.b).max() < C:
            return soft, solution
        hulls = _hulls(soft, solution, scale)
        if hulls.meet:
            raise InfeasibleError(hulls)
        start, C = solution.b, 100.0 * C
    assert hulls is not None
    raise UndecidableError(hulls.distance, scale)


def soft_margin(problem: DualProblem, C: float) -> DualProblem:
    """Give every row of a C-SVC problem the same C.

    Parameters
    ----------
    problem : DualProblem
        A C-SVC problem.
    C : float
        Penalty of a unit of slack.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> soft_margin(c_svc(check_data([[0.0], [1.0]], [-1, 1]), Linear()), 5.0).upper
    array([0., 5.])
    """
    end = C * problem.target
    return replace(problem, lower=np.minimum(0.0, end), upper=np.maximum(0.0, end))


def _joined(earlier: Solution | None, later: Solution) -> Solution:
    """Count the work of all stages."""
    if earlier is None:
        return later
    trace = later.trace.copy()
    trace["time"] += earlier.seconds
    trace["iterations"] += earlier.iterations
    return replace(
        later,
        trace=np.concatenate([earlier.trace, trace]),
        iterations=earlier.iterations + later.iterations,
        newton_steps=earlier.newton_steps + later.newton_steps,
        rows_computed=earlier.rows_computed + later.rows_computed,
        seconds=earlier.seconds + later.seconds,
        certificate_seconds=earlier.certificate_seconds + later.certificate_seconds,
        work=earlier.work + later.work,
    )


def _extent(problem: DualProblem) -> float:
    """Largest distance of a row to the first one, in the kernel's space."""
    diagonal, first = problem.kernel.norms(problem.X, problem.rows)
    return float(np.sqrt(max(0.0, (diagonal + diagonal[0] - 2 * first).max())))


def _hulls(problem: DualProblem, solution: Solution, scale: float) -> HullPoints:
    """Normalise the alphas of each class to sum to one: distance = 2 |w| / sum(alpha)."""
    alpha = np.abs(solution.b)
    positive, negative = solution.b > 0, solution.b < 0
    total = float(alpha.sum())
    # D = t'b - 1/2 b'Kb, and |w|^2 = b'Kb.
    squared_norm = 2.0 * (float(problem.target @ solution.b) - solution.certificate.dual)
    return HullPoints(
        positive_rows=problem.rows[positive],
        positive_weights=alpha[positive] / alpha[positive].sum(),
        negative_rows=problem.rows[negative],
        negative_weights=alpha[negative] / alpha[negative].sum(),
        distance=2.0 * float(np.sqrt(max(0.0, squared_norm))) / total,
        scale=scale,
    )
