"""Optimizers: schedules, rules and stopping rules, composed by one loop; the perceptron."""

from maxmargin.optimizers.minimize import Ending, Minimizable, Run, minimize
from maxmargin.optimizers.pegasos import pegasos
from maxmargin.optimizers.perceptron import PerceptronRun, mistake_bound, perceptron
from maxmargin.optimizers.rules import Average, Ball, Momentum, Nesterov, Plain, Project, Rule
from maxmargin.optimizers.schedules import (
    Constant,
    Harmonic,
    InverseSquareRoot,
    Schedule,
    StronglyConvex,
)
from maxmargin.optimizers.stopping import Gap, ObjectiveChange, Progress, StepLength, Stop

__all__ = [
    "Average",
    "Ball",
    "Constant",
    "Ending",
    "Gap",
    "Harmonic",
    "InverseSquareRoot",
    "Minimizable",
    "Momentum",
    "Nesterov",
    "ObjectiveChange",
    "PerceptronRun",
    "Plain",
    "Progress",
    "Project",
    "Rule",
    "Run",
    "Schedule",
    "StepLength",
    "Stop",
    "StronglyConvex",
    "minimize",
    "mistake_bound",
    "pegasos",
    "perceptron",
]
