"""The hard margin and the hard tube, by soft ones with growing C.

A soft-margin solution with every alpha strictly below C has no slack to pay for: it is the
hard-margin solution. Where alphas stay at C, their convex weights approach points in which the
hulls of the classes meet, if they do. So C grows until one of the two is seen. In the same way
errors outside a tube cost nothing, or the rows above and below it approach a contradiction.
"""

from __future__ import annotations

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
    TubePoints,
    UndecidableError,
)
from maxmargin.solvers.smo import smo
from maxmargin.solvers.watch import Watch

_STAGES = 9
#: C grows by this factor from stage to stage.
_GROWTH = 100.0
#: A violation up to this share of the margin leaves rows on their sides.
_KEPT = 0.5


def hard_margin(
    problem: DualProblem, settings: SolverSettings, watch: Watch, *, alone: bool = True
) -> Solution:
    """Separate two classes with the largest margin, or prove that they cannot be.

    Parameters
    ----------
    problem : DualProblem
        A C-SVC or epsilon-SVR problem with infinite C.
    settings : SolverSettings
        Tolerance and limits.
    watch : Watch
        Asked about every 50 ms whether to stop.
    alone : bool
        As in `smo`.

    Returns
    -------
    Solution
        That of the soft margin with C = `soft_c`, which is the hard one's.

    Raises
    ------
    InfeasibleError
        With points of both hulls, or rows above and below the tube, that coincide.
    UndecidableError
        When float64 cannot tell.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> data = check_data([[0.0], [1.0], [4.0]], [-1, -1, 1])
    >>> problem = c_svc(data, Linear(), C=np.inf)
    >>> hard_margin(problem, SolverSettings(), Watch()).beta.round(4)
    array([ 0.    , -0.2222,  0.2222])
    """
    scale, spread = extent(problem), float(np.ptp(problem.target)) / 2
    C = spread / scale**2 if scale > 0 and spread > 0 else 1.0
    start: NDArray[np.float64] | None = None
    hulls = earlier = None
    for _ in range(_STAGES):
        soft = soft_margin(problem, C)
        [found] = smo([soft], settings, watch, [start], alone=alone)
        solution = earlier = replace(added(earlier, found), soft_c=C, method="hard margin")
        assert solution.beta is not None
        limited = solution.status is Status.MAX_ITERATIONS and settings.max_iter >= 0
        if solution.status is Status.INTERRUPTED or limited:
            return solution
        # Where float64 ends before tol, rows that keep half of the margin are separated even so.
        optimal = solution.status is Status.OPTIMAL
        kept = optimal or (_two_classes(problem) and solution.certificate.worst.within(_KEPT))
        if kept and np.abs(solution.beta).max() < C:
            return solution
        if not solution.beta.any():
            raise ValueError(
                "the kernel's values are too far apart for a step in float64: "
                "scale the data, e.g. with sklearn.preprocessing.StandardScaler"
            )
        hulls = _hulls(soft, solution, scale, spread)
        if hulls.meet:
            raise InfeasibleError(hulls)
        if not kept:  # nor will it be with a larger C
            break
        start, C = solution.beta, _GROWTH * C
    assert hulls is not None
    raise UndecidableError(hulls)


def soft_margin(problem: DualProblem, C: float) -> DualProblem:
    """Give every row of a hard problem the same C.

    Parameters
    ----------
    problem : DualProblem
        A C-SVC or epsilon-SVR problem with infinite C.
    C : float
        Penalty of a unit of slack, or of a unit outside the tube.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> soft_margin(c_svc(check_data([[0.0], [1.0]], [-1, 1]), Linear(), np.inf), 5.0).upper
    array([0., 5.])
    """
    return replace(problem, lower=np.maximum(problem.lower, -C), upper=np.minimum(problem.upper, C))


def added(earlier: Solution | None, later: Solution) -> Solution:
    """Return a later stage of the same problem with the trace and the work of all stages.

    Parameters
    ----------
    earlier : Solution or None
        All stages so far, if there were any.
    later : Solution
        The next one.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> from maxmargin.solvers import solve
    >>> [one] = solve([c_svc(check_data([[-1.0], [1.0]], [-1, 1]), Linear())])
    >>> added(one, one).work.iterations == 2 * one.work.iterations
    True
    """
    if earlier is None:
        return later
    trace = later.trace.copy()
    trace["time"] += earlier.work.seconds
    trace["iterations"] += earlier.work.iterations
    trace = np.concatenate([earlier.trace, trace])
    return replace(later, trace=trace, work=earlier.work + later.work)


def extent(problem: DualProblem) -> float:
    """Return the largest distance of a row to the first one, in the kernel's space.

    Parameters
    ----------
    problem : DualProblem
        A problem.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> extent(c_svc(check_data([[1.0], [2.0], [5.0]], [-1, 1, 1]), Linear()))
    4.0
    """
    diagonal, first = problem.kernel.norms(problem.X, problem.rows)
    return float(np.sqrt(max(0.0, (diagonal + diagonal[0] - 2 * first).max())))


def _two_classes(problem: DualProblem) -> bool:
    """Whether each row has its side; else it is a tube."""
    return bool((np.minimum(-problem.lower, problem.upper) == 0).all())


def _hulls(problem: DualProblem, solution: Solution, scale: float, spread: float) -> HullPoints:
    """Normalise the alphas of each sign to sum to one: distance = 2 |w| / sum(alpha)."""
    beta = solution.beta
    assert beta is not None
    alpha, positive, negative = np.abs(beta), beta > 0, beta < 0
    # D = gain - 1/2 beta'K beta, and |w|^2 = beta'K beta.
    gain, total = float(problem.target @ beta - problem.epsilon * alpha.sum()), float(alpha.sum())
    squared_norm = 2.0 * (gain - solution.certificate.dual)
    points = HullPoints(
        positive_rows=problem.rows[positive],
        positive_weights=alpha[positive] / alpha[positive].sum(),
        negative_rows=problem.rows[negative],
        negative_weights=alpha[negative] / alpha[negative].sum(),
        distance=2.0 * float(np.sqrt(max(0.0, squared_norm))) / total,
        scale=scale,
    )
    if _two_classes(problem):
        return points
    return TubePoints(**vars(points), excess=2 * gain / total, spread=spread)
