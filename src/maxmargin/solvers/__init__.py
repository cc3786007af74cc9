"""Solvers: from a problem to its solution."""

from maxmargin.solvers.hard_margin import hard_margin
from maxmargin.solvers.l1 import l1
from maxmargin.solvers.linear import linear, linear_dual
from maxmargin.solvers.lp import LPSolution, LPStatus, solve_lp
from maxmargin.solvers.perceptron import Learned, learn, mistake_bounds
from maxmargin.solvers.qp import QPSolution, QPStatus, solve_qp
from maxmargin.solvers.report import fit_report, least_seconds
from maxmargin.solvers.smo import smo, smo_all
from maxmargin.solvers.stochastic import Descended, Iterate, Steps, advance, descend, tighten

__all__ = [
    "Descended",
    "Iterate",
    "LPSolution",
    "LPStatus",
    "Learned",
    "QPSolution",
    "QPStatus",
    "Steps",
    "advance",
    "descend",
    "fit_report",
    "hard_margin",
    "l1",
    "learn",
    "least_seconds",
    "linear",
    "linear_dual",
    "mistake_bounds",
    "smo",
    "smo_all",
    "solve_lp",
    "solve_qp",
    "tighten",
]
