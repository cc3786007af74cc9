"""Problems as pure data: conventions, regularised risks, quadratic and linear programs."""

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
    convert,
    objective_factor,
)
from maxmargin.problems.dual import DualProblem, c_svc, certify, epsilon_svr, one_class, untouched
from maxmargin.problems.hulls import HullPoints, InfeasibleError, UndecidableError
from maxmargin.problems.lp import LinearProgram, least_slack, separation
from maxmargin.problems.multiclass import Pair, one_vs_one
from maxmargin.problems.objective import Objective, lowest, smallest
from maxmargin.problems.qp import (
    InterceptRange,
    QuadraticProgram,
    hard_margin_primal,
    intercept_range,
    soft_margin_dual,
    soft_margin_primal,
    tube_primal,
    weights_from_dual,
)
from maxmargin.problems.solution import (
    TRACE,
    Certificate,
    CertificatePart,
    Solution,
    SolverSettings,
    Status,
)

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
    "DualProblem",
    "HullPoints",
    "InfeasibleError",
    "InterceptRange",
    "LinearProgram",
    "Objective",
    "Pair",
    "QuadraticProgram",
    "Solution",
    "SolverSettings",
    "Status",
    "UndecidableError",
    "c_svc",
    "certify",
    "convert",
    "epsilon_svr",
    "hard_margin_primal",
    "intercept_range",
    "least_slack",
    "lowest",
    "objective_factor",
    "one_class",
    "one_vs_one",
    "separation",
    "smallest",
    "soft_margin_dual",
    "soft_margin_primal",
    "tube_primal",
    "untouched",
    "weights_from_dual",
]
