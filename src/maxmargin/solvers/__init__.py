"""Solvers: from a problem to its solution."""

from maxmargin.solvers.hard_margin import hard_margin
from maxmargin.solvers.linear import linear, linear_dual
from maxmargin.solvers.lp import LPSolution, LPStatus, solve_lp
from maxmargin.solvers.qp import QPSolution, QPStatus, solve_qp
from maxmargin.solvers.smo import smo

__all__ = [
    "LPSolution",
    "LPStatus",
    "QPSolution",
    "QPStatus",
    "hard_margin",
    "linear",
    "linear_dual",
    "smo",
    "solve_lp",
    "solve_qp",
]
