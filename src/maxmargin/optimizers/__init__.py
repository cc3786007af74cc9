"""Optimizers: schedules, rules and stopping rules, composed by one loop; the perceptron."""

from typing import TYPE_CHECKING

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
from maxmargin.prompt import hints

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

if not TYPE_CHECKING:
    __getattr__ = hints(
        __name__,
        __all__,
        {
            **dict.fromkeys(
                ["SGD", "sgd", "StochasticGradientDescent", "stochastic_gradient_descent"],
                "minimize(J, start, step_size, batch=1, seed=0), or pegasos(J, max_iter=...)",
            ),
            **dict.fromkeys(
                [
                    "gradient_descent",
                    "GradientDescent",
                    "subgradient_descent",
                    "SubgradientDescent",
                    "subgradient_method",
                    "descend",
                    "optimize",
                    "optimise",
                ],
                "minimize(J, start, step_size)",
            ),
            **dict.fromkeys(["Fixed", "LearningRate", "StepSize"], "a number, or Constant(size)"),
            **dict.fromkeys(["Sqrt", "SquareRoot"], "InverseSquareRoot(size)"),
            **dict.fromkeys(["Decay", "InverseTime", "OneOverT", "Falling"], "Harmonic(size)"),
            **dict.fromkeys(["HeavyBall", "Polyak"], "rule=Momentum(0.9)"),
            **dict.fromkeys(["Averaging", "Averaged", "ASGD"], "rule=Average()"),
            **dict.fromkeys(["Projection", "Projected"], "rule=Project(Plain(), Ball(radius))"),
            **dict.fromkeys(["Tolerance", "tol"], "stop=[ObjectiveChange(...)] or stop=[Gap(...)]"),
        },
    )
