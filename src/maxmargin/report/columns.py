"""The user's table, column by column: numbers as they are, texts as numbers of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

#: Sparse tables of more cells than this are not looked at column by column.
MOST_CELLS = 20_000_000


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of a table.

    Make it with `of`.

    Parameters
    ----------
    names : list of str
        What they are called; x1, x2, ... where nobody has named them.
    values : ndarray of shape (n, d) or None
        Numbers, NaN where one is missing; a text is the number of its place in `texts`. None if
        the table is too large to be looked at column by column.
    texts : dict of int to list of str
        The different texts of a column.

    Examples
    --------
    >>> import pandas as pd
    >>> columns = Columns.of(pd.DataFrame({"size": [1.0, None], "town": ["Rom", "Bern"]}))
    >>> columns.names, columns.values[:, 1], columns.texts
    (['size', 'town'], array([1., 0.]), {1: ['Bern', 'Rom']})
    """

    names: list[str]
    values: NDArray[np.float64] | None
    texts: dict[int, list[str]]

    @classmethod
    def of(cls, X: Any, names: Any = None) -> Columns:
        """Read any table.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Rows.
        names : sequence of str, optional
            What the columns are called, where the rows do not say.
        """
        if hasattr(X, "columns"):
            return cls._of_frame(X)
        d = int(X.shape[1])
        known = [f"x{j + 1}" for j in range(d)] if names is None else [str(name) for name in names]
        if sparse.issparse(X):
            few = X.shape[0] * d <= MOST_CELLS
            return cls(known, X.toarray().astype(np.float64) if few else None, {})
        values = np.asarray(X)
        if values.dtype.kind not in "OUS":
            return cls(known, values.astype(np.float64), {})
        return cls._of_cells(known, [values[:, j] for j in range(d)])

    @classmethod
    def _of_frame(cls, X: Any) -> Columns:
        cells = [np.asarray(X[name]) for name in X.columns]
        return cls._of_cells([str(name) for name in X.columns], cells)

    @classmethod
    def _of_cells(cls, names: list[str], cells: list[NDArray[Any]]) -> Columns:
        values, texts = np.empty((len(cells[0]), len(cells))), {}
        for j, column in enumerate(cells):
            try:
                values[:, j] = column.astype(np.float64)
            except (TypeError, ValueError):
                missing = np.array([_is_missing(cell) for cell in column.tolist()])
                words = np.array([str(cell) for cell in column.tolist()], dtype=object)
                known, codes = np.unique(words[~missing].astype(str), return_inverse=True)
                texts[j] = known.tolist()
                values[missing, j], values[~missing, j] = np.nan, codes
        return cls(names, values, texts)

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.names)


def _is_missing(cell: Any) -> bool:
    # A cell that is not equal to itself is NaN, or pandas' NA, whose comparison is no truth value.
    return cell is None or type(cell).__name__ == "NAType" or cell != cell
