"""Where stochastic steps are."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Iterate:
    """Where stochastic steps are; another pass can go on from here.

    Parameters
    ----------
    weights, mean : ndarray of shape (n_outputs, d)
        The last iterate; and the result, which is the average or, without averaging, the same.
    intercepts, mean_intercepts : ndarray of shape (n_outputs,)
        Their intercepts.
    steps : int
        How many were made.
    eta0 : float
        First step size; 0 where it has not been chosen yet.
    begin : int
        Steps before the average begins.
    intercept_rate : float
        Steps of the intercepts as a share of those of the weights; chosen with eta0.
    mistakes : ndarray of shape (n_passes, n_outputs)
        Rows that moved each output of the perceptron's rule, pass by pass.

    Examples
    --------
    >>> Iterate.zero(3).weights
    array([[0., 0., 0.]])
    """

    weights: Array
    intercepts: Array
    mean: Array
    mean_intercepts: Array
    steps: int = 0
    eta0: float = 0.0
    begin: int = 0
    intercept_rate: float = 1.0
    mistakes: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), np.int64))

    @classmethod
    def zero(cls, n_features: int, n_outputs: int = 1, eta0: float = 0.0) -> Iterate:
        """Return where every descent begins."""
        matrix, vector = np.zeros((n_outputs, n_features)), np.zeros(n_outputs)
        return cls(matrix, vector, matrix, vector, eta0=eta0)
