"""Solvers: the only loops."""

from maxmargin.solvers.lp import LPSolution, LPStatus, solve_lp
from maxmargin.solvers.qp import QPSolution, QPStatus, solve_qp
from maxmargin.solvers.smo import smo

__all__ = ["LPSolution", "LPStatus", "QPSolution", "QPStatus", "smo", "solve_lp", "solve_qp"]
