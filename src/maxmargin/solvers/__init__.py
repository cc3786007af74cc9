"""Solvers: from problems to their solutions."""

from typing import TYPE_CHECKING

from maxmargin.prompt import hints
from maxmargin.solvers.hard_margin import soft_margin
from maxmargin.solvers.linear import RemoteParts, newton_on_parts
from maxmargin.solvers.lp import LPSolution, LPStatus, solve_lp
from maxmargin.solvers.paths import PathOutputs, solve_paths
from maxmargin.solvers.qp import QPSolution, QPStatus, solve_qp
from maxmargin.solvers.report import fit_report, least_seconds
from maxmargin.solvers.solve import LINEAR_METHODS, MATRIX_COLUMNS, choose, solve, with_reason
from maxmargin.solvers.stochastic import Stall, advance, mistake_bounds
from maxmargin.solvers.tighten import tighten
from maxmargin.solvers.watch import Progress, Watch

__all__ = [
    "LINEAR_METHODS",
    "MATRIX_COLUMNS",
    "LPSolution",
    "LPStatus",
    "PathOutputs",
    "Progress",
    "QPSolution",
    "QPStatus",
    "RemoteParts",
    "Stall",
    "Watch",
    "advance",
    "choose",
    "fit_report",
    "least_seconds",
    "mistake_bounds",
    "newton_on_parts",
    "soft_margin",
    "solve",
    "solve_lp",
    "solve_paths",
    "solve_qp",
    "tighten",
    "with_reason",
]

if not TYPE_CHECKING:
    __getattr__ = hints(
        __name__,
        __all__,
        {
            **dict.fromkeys(["qp", "quadprog", "QP"], "solve_qp(program)"),
            **dict.fromkeys(["lp", "linprog", "LP"], "solve_lp(program)"),
            **dict.fromkeys(["smo", "SMO"], 'solve([problem], SolverSettings(method="smo"))'),
            **dict.fromkeys(["minimize", "pegasos", "perceptron"], "maxmargin.optimizers"),
        },
    )
