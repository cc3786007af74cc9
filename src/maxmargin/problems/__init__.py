"""Problems as pure data: conventions, regularised risks, quadratic and linear programs."""

from typing import TYPE_CHECKING

from maxmargin.problems.certificate import Certificate, CertificatePart
from maxmargin.problems.conventions import (
    C_MEAN,
    CONVENTIONS,
    HALF_MEAN,
    HALF_SUM,
    LAMBDA_MEAN,
    LAMBDA_SUM,
    MEAN,
    SUM,
    Convention,
    convention_of,
    convert,
    objective_factor,
)
from maxmargin.problems.crammer_singer import CrammerSingerProblem, crammer_singer_problem
from maxmargin.problems.dual import (
    DualProblem,
    DualProblems,
    certify_points,
    core_certificate,
    first_point,
    untouched,
)
from maxmargin.problems.formulations import (
    c_svc,
    check_nu,
    epsilon_svr,
    largest_nu,
    loss_dual,
    nu_svc,
    nu_svr,
    one_class,
)
from maxmargin.problems.held_rows import HeldRows
from maxmargin.problems.hulls import HullPoints, InfeasibleError, TubePoints, UndecidableError
from maxmargin.problems.iterate import Iterate
from maxmargin.problems.linear import Intercept, LinearProblem, linear_problem
from maxmargin.problems.lp import LinearProgram, least_slack, separation
from maxmargin.problems.multiclass import Pair, one_vs_one, one_vs_rest, stacked_pairs
from maxmargin.problems.objective import Objective, lowest, smallest
from maxmargin.problems.path_grid import PathGrid, PathPart
from maxmargin.problems.qp import (
    InterceptRange,
    QuadraticProgram,
    Reading,
    hard_margin_dual,
    hard_margin_primal,
    intercept_range,
    soft_margin_dual,
    soft_margin_primal,
    tube_dual,
    tube_primal,
    weights_from_dual,
)
from maxmargin.problems.risk import LinearRisk, risk_certificate
from maxmargin.problems.settings import SolverSettings
from maxmargin.problems.solution import Solution
from maxmargin.problems.solutions import Solutions
from maxmargin.problems.start import nearest_feasible
from maxmargin.problems.status import Status
from maxmargin.problems.steps import Steps
from maxmargin.problems.trace import TRACE, trace_of, trace_row
from maxmargin.problems.work import Work
from maxmargin.prompt import hints

__all__ = [
    "CONVENTIONS",
    "C_MEAN",
    "HALF_MEAN",
    "HALF_SUM",
    "LAMBDA_MEAN",
    "LAMBDA_SUM",
    "MEAN",
    "SUM",
    "TRACE",
    "Certificate",
    "CertificatePart",
    "Convention",
    "CrammerSingerProblem",
    "DualProblem",
    "DualProblems",
    "HeldRows",
    "HullPoints",
    "InfeasibleError",
    "Intercept",
    "InterceptRange",
    "Iterate",
    "LinearProblem",
    "LinearProgram",
    "LinearRisk",
    "Objective",
    "Pair",
    "PathGrid",
    "PathPart",
    "QuadraticProgram",
    "Reading",
    "Solution",
    "Solutions",
    "SolverSettings",
    "Status",
    "Steps",
    "TubePoints",
    "UndecidableError",
    "Work",
    "c_svc",
    "certify_points",
    "check_nu",
    "convention_of",
    "convert",
    "core_certificate",
    "crammer_singer_problem",
    "epsilon_svr",
    "first_point",
    "hard_margin_dual",
    "hard_margin_primal",
    "intercept_range",
    "largest_nu",
    "least_slack",
    "linear_problem",
    "loss_dual",
    "lowest",
    "nearest_feasible",
    "nu_svc",
    "nu_svr",
    "objective_factor",
    "one_class",
    "one_vs_one",
    "one_vs_rest",
    "risk_certificate",
    "separation",
    "smallest",
    "soft_margin_dual",
    "soft_margin_primal",
    "stacked_pairs",
    "trace_of",
    "trace_row",
    "tube_dual",
    "tube_primal",
    "untouched",
    "weights_from_dual",
]

if not TYPE_CHECKING:
    __getattr__ = hints(
        __name__,
        __all__,
        {
            **dict.fromkeys(["RegularizedRisk", "Risk", "J"], "Objective(X, y, loss, C=1.0)"),
            **dict.fromkeys(["primal", "svm_primal"], "soft_margin_primal(X, y, C=1.0)"),
            **dict.fromkeys(["dual", "svm_dual"], "soft_margin_dual(K, y, C=1.0)"),
            **dict.fromkeys(["svr_primal"], "tube_primal(X, y, C=1.0, epsilon=0.1)"),
            **dict.fromkeys(["svr_dual"], "tube_dual(K, y, C=1.0, epsilon=0.1)"),
            **dict.fromkeys(["solve_qp", "solve_lp", "solve"], "maxmargin.solvers"),
            **dict.fromkeys(
                ["perceptron_lp", "linear_program"], "separation(X, y) or least_slack(X, y)"
            ),
        },
    )
