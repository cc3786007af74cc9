"""Some rows of a data file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Block:
    """Rows that were read together.

    Parameters
    ----------
    X : ndarray, CSR or DataFrame
        Features.
    y : ndarray or None
        The target, where the file has one.
    first : int
        The number of its first row in the file, from 1.
    queries : ndarray of int64 or None
        What groups rows to be ranked, where LIBSVM text has it.
    target : str or None
        The name of the target's column in a table.
    ids : ndarray of str or None
        What names the rows, where a table has such a column; None where a name is missing.
    id : str or None
        The name of that column.

    Examples
    --------
    >>> Block(np.eye(2), np.array([0, 1])).n_rows
    2
    """

    X: Any
    y: NDArray[Any] | None
    first: int = 1
    queries: NDArray[np.int64] | None = None
    target: str | None = None
    ids: NDArray[Any] | None = None
    id: str | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])
