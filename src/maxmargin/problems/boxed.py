"""What problems with a box share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


class Boxed:
    """A problem whose dual variables lie in a box: one interval for each of them."""

    rows: NDArray[np.int64]
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

    def on_rows(self, places: NDArray[np.int64]) -> Self:
        """Return the same problem on some of its rows, where there is a variable for each row.

        Parameters
        ----------
        places : ndarray of int64
            Which of `rows`.
        """
        own = ("rows", "target", "lower", "upper", "group", "ridge", "C")
        given: dict[str, Any] = {
            name: values[places]
            for name, values in vars(self).items()
            if name in own and values is not None
        }
        return replace(self, **given)  # type: ignore[type-var]
