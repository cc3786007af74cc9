"""Solvers: from a problem to its solution."""

from maxmargin.solvers.lp import LPSolution, LPStatus, solve_lp
from maxmargin.solvers.qp import QPSolution, QPStatus, solve_qp

__all__ = ["LPSolution", "LPStatus", "QPSolution", "QPStatus", "solve_lp", "solve_qp"]
