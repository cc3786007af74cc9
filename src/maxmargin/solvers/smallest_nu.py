"""The smallest nu that leaves a margin, by soft margins with growing C.

Where nu is so small that the reduced hulls of the classes meet, nu-SVC has no boundary: w and rho
are zero. The soft margin with C solves nu-SVC, too, with rho = 1 / C before the division by rho and

    nu = sum(alpha) / (C sum(s)),

which falls as C grows, down to the smallest nu that leaves a margin. So C grows until nu stays.
"""

from __future__ import annotations

from dataclasses import replace
from math import frexp, ldexp

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import DualProblem, Solution, SolverSettings, Status
from maxmargin.solvers.hard_margin import added, extent
from maxmargin.solvers.smo import smo
from maxmargin.solvers.watch import Watch

#: C grows by this factor from stage to stage: a power of two, so that no bit is lost.
_GROWTH = 128.0
#: With a kernel that is not positive semidefinite there may be no end to it.
_STAGES = 4
#: Two values of nu are the same when this is all that they differ by.
_SAME = 1e-3


def smallest_nu(problem: DualProblem, settings: SolverSettings, watch: Watch) -> Solution:
    """Solve nu-SVC for the smallest nu that leaves a margin, up to about a thousandth of it.

    Parameters
    ----------
    problem : DualProblem
        Of nu-SVC, with a nu that leaves none.
    settings : SolverSettings
        Tolerance and limits.
    watch : Watch
        Asked about every 50 ms whether to stop.

    Returns
    -------
    Solution
        That of `problem.summing_to(beta)`, which the certificate speaks of; with `soft_c`, the C of
        the soft margin that it is when it is divided by rho.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import nu_svc
    >>> data = check_data([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> problem = nu_svc(data, Linear(), nu=0.2)
    >>> found = smallest_nu(problem, SolverSettings(), Watch())
    >>> found.status.name, round(problem.summing_to(found.beta).totals[0], 3)
    ('DEGENERATE', 1.333)
    """
    scale = extent(problem)
    C = ldexp(1.0, -frexp(scale**2)[1]) if scale > 0 else 1.0
    best = _stage(problem, C, None, settings, watch)
    for _ in range(_STAGES):
        if best.status > Status.PRECISION:
            break
        C *= _GROWTH
        later = added(best, _stage(problem, C, best.beta, settings, watch))
        if later.status > Status.PRECISION:  # the stage before has a model, too
            best = replace(best, status=later.status, trace=later.trace, work=later.work)
            break
        settled = _share(best) - _share(later) <= _SAME * _share(best)
        best = later
        if settled:
            break
    return _as_nu(problem, best)


def _stage(
    problem: DualProblem,
    C: float,
    start: NDArray[np.float64] | None,
    settings: SolverSettings,
    watch: Watch,
) -> Solution:
    """Solve the soft margin of the same rows, with C times their weights."""
    soft = replace(
        problem,
        target=np.where(problem.group == 0, 1.0, -1.0),
        lower=C * problem.lower,
        upper=C * problem.upper,
        totals=(0.0,),
        group=None,
        unit_margin=False,
    )
    [found] = smo([soft], settings, watch, [start])
    return replace(found, soft_c=C)


def _share(soft: Solution) -> float:
    """sum(alpha) / C, which is nu times the sum of the weights."""
    assert soft.beta is not None
    assert soft.soft_c is not None
    return float(np.abs(soft.beta).sum()) / soft.soft_c


def _as_nu(problem: DualProblem, soft: Solution) -> Solution:
    """Multiply a soft margin by rho = 1 / C, which makes it a solution of nu-SVC."""
    assert soft.beta is not None
    assert soft.soft_c is not None
    rho, [b] = 1.0 / soft.soft_c, soft.multipliers
    beta = rho * soft.beta
    return replace(
        soft,
        status=Status.DEGENERATE if soft.status <= Status.PRECISION else soft.status,
        certificate=problem.summing_to(beta).certify_point(beta),
        multipliers=(rho * (b - 1.0), rho * (b + 1.0)),
        beta=beta,
        method="smallest nu",
    )
