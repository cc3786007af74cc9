"""How stochastic steps are made."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Method: TypeAlias = Literal["asgd", "sgd", "pegasos", "perceptron", "averaged-perceptron"]


@dataclass(frozen=True)
class Steps:
    """How steps are made, whose number and sizes `solvers.stochastic` explains.

    Parameters
    ----------
    method : {"asgd", "sgd", "pegasos", "perceptron", "averaged-perceptron"}
        Step sizes and averaging.
    batch : int
        Rows per step.
    shuffle : bool
        Whether each pass has a new random order; otherwise it is that of the rows.
    seed : int
        Of these orders.
    eta0 : float
        First step size; 0 for the best on a sample.

    Examples
    --------
    >>> Steps(batch=8).method
    'asgd'
    """

    method: Method = "asgd"
    batch: int = 1
    shuffle: bool = True
    seed: int = 0
    eta0: float = 0.0

    @property
    def averaged(self) -> bool:
        """Whether the average is the result."""
        return self.method in ("asgd", "pegasos", "averaged-perceptron")
