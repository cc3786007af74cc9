"""Losses, penalties and the calculus of their subdifferentials."""

from maxmargin.losses.calculus import (
    Chain,
    Line,
    Maximum,
    Piecewise,
    Scale,
    Sum,
    contains_zero,
    supporting_fan,
    supporting_line,
)
from maxmargin.losses.loss import Convex, Loss, MarginLoss, Penalty, ResidualLoss
from maxmargin.losses.margin import (
    Hinge,
    Logistic,
    ModifiedHuber,
    Perceptron,
    SquaredHinge,
    ZeroOne,
)
from maxmargin.losses.named import MARGIN_LOSSES, RESIDUAL_LOSSES, named_loss
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

__all__ = [
    "L1",
    "L2",
    "MARGIN_LOSSES",
    "RESIDUAL_LOSSES",
    "Absolute",
    "Chain",
    "Convex",
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
    "named_loss",
    "supporting_fan",
    "supporting_line",
]
