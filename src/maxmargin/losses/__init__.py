"""Losses, penalties and the calculus of their subdifferentials."""

from typing import TYPE_CHECKING

from maxmargin.losses.calculus import (
    Chain,
    Line,
    Maximum,
    Piecewise,
    Scale,
    Sum,
    contains_zero,
    is_margin_loss,
    supporting_fan,
    supporting_line,
)
from maxmargin.losses.loss import Convex, ConvexFunction, Loss, MarginLoss, Penalty, ResidualLoss
from maxmargin.losses.margin import (
    Hinge,
    Logistic,
    ModifiedHuber,
    Perceptron,
    SquaredHinge,
    ZeroOne,
)
from maxmargin.losses.named import MARGIN_LOSSES, RESIDUAL_LOSSES, loss_of, named_loss
from maxmargin.losses.penalty import L1, L2
from maxmargin.losses.polyhedral import Polyhedral
from maxmargin.losses.residual import (
    Absolute,
    EpsilonInsensitive,
    Huber,
    Squared,
    SquaredEpsilonInsensitive,
)
from maxmargin.losses.tube import Tube
from maxmargin.prompt import hints

__all__ = [
    "L1",
    "L2",
    "MARGIN_LOSSES",
    "RESIDUAL_LOSSES",
    "Absolute",
    "Chain",
    "Convex",
    "ConvexFunction",
    "EpsilonInsensitive",
    "Hinge",
    "Huber",
    "Line",
    "Logistic",
    "Loss",
    "MarginLoss",
    "Maximum",
    "ModifiedHuber",
    "Penalty",
    "Perceptron",
    "Piecewise",
    "Polyhedral",
    "ResidualLoss",
    "Scale",
    "Squared",
    "SquaredEpsilonInsensitive",
    "SquaredHinge",
    "Sum",
    "Tube",
    "ZeroOne",
    "contains_zero",
    "is_margin_loss",
    "loss_of",
    "named_loss",
    "supporting_fan",
    "supporting_line",
]

if not TYPE_CHECKING:
    __getattr__ = hints(
        __name__,
        __all__,
        {
            **dict.fromkeys(["CrossEntropy", "LogLoss", "cross_entropy", "Log"], "Logistic()"),
            **dict.fromkeys(["MSE", "OLS", "LeastSquares", "SquaredError", "SSE"], "Squared()"),
            **dict.fromkeys(["MAE", "LAD", "AbsoluteError"], "Absolute()"),
            **dict.fromkeys(["SVR", "Tubeloss", "InsensitiveLoss"], "EpsilonInsensitive(epsilon)"),
            **dict.fromkeys(["Misclassification", "Classification", "Error"], "ZeroOne()"),
            **dict.fromkeys(["Ridge", "SquaredNorm", "Norm"], "L2()"),
            **dict.fromkeys(["Lasso"], "L1()"),
            **dict.fromkeys(["Affine", "Linear", "Constant"], "Line(slope, offset)"),
            **dict.fromkeys(["Max"], "Maximum((h, g))"),
            **dict.fromkeys(["Add", "Plus"], "h + g"),
        },
    )
