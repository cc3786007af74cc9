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
from maxmargin.problems.lp import LinearProgram, least_slack, separation
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

__all__ = [
    "CONVENTIONS",
    "C_MEAN",
    "HALF_MEAN",
    "HALF_SUM",
    "LAMBDA_MEAN",
    "LAMBDA_SUM",
    "MEAN",
    "SUM",
    "Convention",
    "InterceptRange",
    "LinearProgram",
    "Objective",
    "QuadraticProgram",
    "convert",
    "hard_margin_primal",
    "intercept_range",
    "least_slack",
    "lowest",
    "objective_factor",
    "separation",
    "smallest",
    "soft_margin_dual",
    "soft_margin_primal",
    "tube_primal",
    "weights_from_dual",
]
