"""Quadratic programs solved by Clarabel, an interior-point method.

It shares no code with the engine and so can judge it. Needs `pip install maxmargin[qp]`.

Reference: P. Goulart and Y. Chen, Clarabel: an interior-point solver for conic programs with
quadratic objectives (2024).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.losses.loss import Array
from maxmargin.problems.qp import QuadraticProgram


class QPStatus(Enum):
    """How the solver ended.

    SOLVED within the tolerance asked for; INACCURATE: as near as rounding allowed, at least
    within its square root; INFEASIBLE: no point satisfies the constraints; UNBOUNDED: the
    objective falls for ever; FAILED: anything else.

    Examples
    --------
    >>> QPStatus("solved")
    <QPStatus.SOLVED: 'solved'>
    """

    SOLVED = "solved"
    INACCURATE = "inaccurate"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    FAILED = "failed"


_STATUS = {
    "Solved": QPStatus.SOLVED,
    "AlmostSolved": QPStatus.INACCURATE,
    "PrimalInfeasible": QPStatus.INFEASIBLE,
    "AlmostPrimalInfeasible": QPStatus.INFEASIBLE,
    "DualInfeasible": QPStatus.UNBOUNDED,
    "AlmostDualInfeasible": QPStatus.UNBOUNDED,
}


@dataclass(frozen=True, eq=False)
class QPSolution:
    """A minimiser of a quadratic program, with its multipliers.

    Attributes
    ----------
    theta : array
        The minimiser.
    value : float
        The objective there.
    status : QPStatus
    equality, inequality : array
        The multipliers of the equalities and of the inequalities. For the hard and the soft
        margin the latter are the alphas; for their dual the former is b.
    gap : float
        Primal minus dual objective, what is left to prove.
    n_iter : int

    Examples
    --------
    >>> from maxmargin.problems import hard_margin_primal
    >>> solution = solve_qp(hard_margin_primal([[-1.0], [3.0]], [-1.0, 1.0]))
    >>> solution.theta.round(9), solution.inequality.round(9)
    (array([ 0.5, -0.5]), array([0.125, 0.125]))
    """

    theta: Array
    value: float
    status: QPStatus
    equality: Array
    inequality: Array
    gap: float
    n_iter: int


def solve_qp(program: QuadraticProgram, tol: float = 1e-12, max_iter: int = 200) -> QPSolution:
    """Minimise a quadratic program by an interior-point method.

    Parameters
    ----------
    program : QuadraticProgram
    tol : float
        Relative and absolute tolerance of the gap and of the constraints.
    max_iter : int

    Returns
    -------
    QPSolution

    Examples
    --------
    >>> from maxmargin.problems import soft_margin_primal
    >>> program = soft_margin_primal([[-1.0], [1.0]], [-1.0, 1.0], parameter=0.1)
    >>> solution = solve_qp(program)
    >>> solution.status
    <QPStatus.SOLVED: 'solved'>
    >>> round(solution.value, 9)
    0.18
    """
    clarabel = _clarabel()
    m = len(program.linear)
    below, above = np.isfinite(program.lower), np.isfinite(program.upper)
    identity = sparse.eye(m, format="csc")
    constraints = sparse.vstack(
        [program.equalities, program.inequalities, -identity[below], identity[above]], format="csc"
    )
    bounds = np.concatenate(
        [program.equal_to, program.at_most, -program.lower[below], program.upper[above]]
    )
    n_equal = len(program.equal_to)
    cones = [clarabel.ZeroConeT(n_equal), clarabel.NonnegativeConeT(len(bounds) - n_equal)]
    solver = clarabel.DefaultSolver(
        sparse.triu(program.hessian, format="csc"),
        program.linear,
        constraints,
        bounds,
        [cone for cone in cones if cone.dim],
        _settings(clarabel, tol, max_iter),
    )
    return _solution(solver.solve(), program)


def _settings(clarabel: Any, tol: float, max_iter: int) -> Any:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = max_iter
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tol
    # Without it the last digits are lost when the variables are tiny, as alpha / C of a large C.
    settings.iterative_refinement_reltol = settings.iterative_refinement_abstol = 1e-16
    # What "almost solved" may mean: no worse than half the digits asked for.
    loose = float(np.sqrt(tol))
    settings.reduced_tol_gap_abs = settings.reduced_tol_gap_rel = loose
    settings.reduced_tol_feas = loose
    return settings


def _solution(result: Any, program: QuadraticProgram) -> QPSolution:
    theta, multipliers = np.array(result.x), np.array(result.z)
    n_equal, n_rows = len(program.equal_to), len(program.equal_to) + len(program.at_most)
    return QPSolution(
        theta=theta,
        value=program.value(theta),
        status=_STATUS.get(str(result.status), QPStatus.FAILED),
        equality=multipliers[:n_equal],
        inequality=multipliers[n_equal:n_rows],
        gap=float(result.obj_val - result.obj_val_dual),
        n_iter=int(result.iterations),
    )


def _clarabel() -> Any:
    try:
        import clarabel
    except ImportError as error:
        raise ImportError(
            "quadratic programs are solved by clarabel, which is not installed; "
            "run: pip install maxmargin[qp]"
        ) from error
    return clarabel
