"""How stochastic steps are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Method: TypeAlias = Literal["asgd", "sgd", "pegasos", "perceptron", "averaged-perceptron"]
LearningRate: TypeAlias = Literal["auto", "optimal", "constant", "invscaling", "adaptive"]


@dataclass(frozen=True)
class Steps:
    """How steps are made, whose number and sizes `solvers.stochastic` explains.

    Parameters
    ----------
    method : {"asgd", "sgd", "pegasos", "perceptron", "averaged-perceptron"}
        Step sizes and averaging, unless `learning_rate` and `average` say otherwise.
    batch : int
        Rows per step.
    shuffle : bool
        Whether each pass has a new random order; otherwise it is that of the rows.
    seed : int
        Of these orders.
    eta0 : float
        First step size; 0 for the best on a sample.
    learning_rate : {"auto", "optimal", "constant", "invscaling", "adaptive"}
        Step sizes; "auto" for those of the method.
    power : float
        By which those of "invscaling" fall.
    average : int or None
        The row from which on all iterates weigh alike in the result, 0 for the last iterate alone;
        None for what the method does.
    patience : int or None
        Passes in a row without progress that are too many; None for two of 1,000 rows in all.

    Examples
    --------
    >>> Steps(batch=8).averaged, Steps("sgd").averaged, Steps("sgd", average=1).averaged
    (True, False, True)
    """

    method: Method = "asgd"
    batch: int = 1
    shuffle: bool = True
    seed: int = 0
    eta0: float = 0.0
    learning_rate: LearningRate = "auto"
    power: float = 0.5
    average: int | None = None
    patience: int | None = None

    @property
    def averaged(self) -> bool:
        """Whether the average is the result."""
        if self.average is not None:
            return self.average > 0
        return self.method in ("asgd", "pegasos", "averaged-perceptron")
