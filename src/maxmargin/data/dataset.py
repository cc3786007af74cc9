"""A data set that has been checked: rows, targets and weights of one length."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows, with a target and a weight each.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        float32 or float64, row-major. With a precomputed kernel, its matrix of shape (n, n).
    y : ndarray of shape (n,)
        Targets, float64: -1 and +1 for a binary problem, real numbers for a regression.
    weight : ndarray of shape (n,)
        What each row counts, float64 and not negative.

    Examples
    --------
    >>> import numpy as np
    >>> Dataset(np.eye(2), np.array([-1.0, 1.0]), np.ones(2)).n_rows
    2
    """

    X: Any
    y: NDArray[np.float64]
    weight: NDArray[np.float64]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)
