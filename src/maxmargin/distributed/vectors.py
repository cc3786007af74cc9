"""Rows that are away from home: by their places among all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


@dataclass(frozen=True, eq=False)
class Vectors:
    """Rows with their places among the rows of all partitions, and the numbers of their classes.

    Parameters
    ----------
    places : ndarray of int64
        In ascending order.
    rows : ndarray or CSR
        As many rows.
    codes : ndarray of int64
        The number of the class of each; 0 where there are none.

    Examples
    --------
    >>> known = Vectors(np.array([3, 7]), np.array([[0.3], [0.7]]), np.zeros(2, np.int64))
    >>> known.at(np.array([7])).tolist(), known.missing(np.array([5, 7])).tolist()
    ([[0.7]], [5])
    """

    places: NDArray[np.int64]
    rows: Any
    codes: NDArray[np.int64]

    @classmethod
    def none(cls, n_features: int) -> Vectors:
        """Return no rows of some width."""
        nothing = np.zeros(0, np.int64)
        return cls(nothing, np.zeros((0, n_features)), nothing)

    def at(self, places: NDArray[np.int64]) -> Any:
        """Return the rows of some places, all of them known."""
        return self.rows[np.searchsorted(self.places, places)]

    def missing(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of some places whose rows are not here."""
        return np.setdiff1d(places, self.places)

    def among(self, places: NDArray[np.int64]) -> Vectors:
        """Return those whose places are among some."""
        here = np.flatnonzero(np.isin(self.places, places))
        return Vectors(self.places[here], self.rows[here], self.codes[here])

    def joined(self, others: Sequence[Vectors]) -> Vectors:
        """Return these and others, each place once."""
        parts = [part for part in (self, *others) if len(part.places)]
        if len(parts) < 2:
            return parts[0] if parts else self
        places, first = np.unique(
            np.concatenate([part.places for part in parts]), return_index=True
        )
        codes = np.concatenate([part.codes for part in parts])
        return Vectors(places, stacked([part.rows for part in parts])[first], codes[first])

    def __sizeof__(self) -> int:
        """Bytes, by which it is decided how they are sent."""
        data = self.rows.data if sparse.issparse(self.rows) else self.rows
        return 16 * len(self.places) + int(data.nbytes * (2 if sparse.issparse(self.rows) else 1))


def stacked(parts: Sequence[Any]) -> Any:
    """Return rows one below the other; CSR where any of them are.

    Parameters
    ----------
    parts : sequence of ndarray or CSR
        Of the same width.

    Examples
    --------
    >>> stacked([np.ones((1, 2)), sparse.csr_array(np.eye(2))]).toarray().tolist()
    [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """
    if len(parts) == 1:
        return parts[0]
    if any(sparse.issparse(part) for part in parts):
        kind = next(type(part) for part in parts if sparse.issparse(part))
        return kind(sparse.vstack([sparse.csr_array(part) for part in parts], format="csr"))
    return np.concatenate(parts)


def alike(rows: Any, other: Any) -> Any:
    """Return rows stored as others are: dense, or CSR.

    Parameters
    ----------
    rows, other : ndarray or CSR
        What to store, and the pattern.

    Examples
    --------
    >>> alike(sparse.csr_array(np.eye(2)), np.ones((1, 2))).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if sparse.issparse(rows) == sparse.issparse(other):
        return rows
    return rows.toarray() if sparse.issparse(rows) else type(other)(rows)
