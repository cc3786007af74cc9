"""What problems with a box share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Boxed:
    """A problem whose dual variables lie in a box: one interval for each of them."""

    target: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    @property
    def n_variables(self) -> int:
        """Number of dual variables."""
        return len(self.target)

    def feasible(self, beta: NDArray[np.float64]) -> bool:
        """Whether these are as many variables as there are, inside the box.

        Parameters
        ----------
        beta : ndarray
            Dual variables.
        """
        inside = len(beta) == self.n_variables
        return inside and bool(((beta >= self.lower) & (beta <= self.upper)).all())
