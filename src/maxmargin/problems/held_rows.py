"""Rows that no step is made for, which tell when steps no longer help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels import Linear


@dataclass(frozen=True, eq=False)
class HeldRows:
    """Rows held out of a fit, and how well models do on them.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        The rows.
    judge : callable
        From outputs of shape (n, n_outputs) to a number, the larger the better.

    Examples
    --------
    >>> held = HeldRows(np.array([[-1.0], [2.0]]), lambda outputs: (outputs[:, 0] > 0).mean())
    >>> float(held.score(np.array([[1.0]]), np.zeros(1)))
    0.5
    """

    X: Any
    judge: Callable[[NDArray[np.float64]], float]

    @cached_property
    def data(self) -> _core.Data:
        """The core's view of the rows."""
        return Linear().data(self.X)

    def score(
        self, weights: NDArray[np.float64], intercepts: NDArray[np.float64], n_threads: int = 1
    ) -> float:
        """Return how well a model does.

        Parameters
        ----------
        weights : ndarray of shape (n_outputs, d)
            Weights.
        intercepts : ndarray of shape (n_outputs,)
            Intercepts.
        n_threads : int
            Threads to use.
        """
        return self.judge(_core.linear_scores(self.data, weights, intercepts, n_threads))
