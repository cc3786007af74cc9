"""What is known of each candidate of a search, split by split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Table:
    """Scores, times and certificates of candidates, NaN where they were not reached.

    Parameters
    ----------
    n_splits : int
        Number of splits.

    Attributes
    ----------
    params : list of dict
        The candidates.
    columns : dict of str to ndarray of shape (n_candidates, n_splits)
        By name; those of scores begin with "test_" or "train_".
    n_rows : ndarray of int64
        On how many rows each candidate was judged.
    errors : dict of (int, int) to Exception
        What went wrong, by candidate and split.

    Examples
    --------
    >>> table = Table(2)
    >>> table.add([{"C": 1.0}]).tolist()
    [0]
    >>> table.put("test_score", np.array([0]), 1, 0.5)
    >>> table.columns["test_score"]
    array([[nan, 0.5]])
    """

    def __init__(self, n_splits: int) -> None:
        self.n_splits = n_splits
        self.params: list[dict[str, Any]] = []
        self.columns: dict[str, Array] = {}
        self.n_rows = np.zeros(0, np.int64)
        self.errors: dict[tuple[int, int], Exception] = {}

    def add(self, params: Sequence[dict[str, Any]]) -> NDArray[np.int64]:
        """Add candidates; returns their positions.

        Parameters
        ----------
        params : sequence of dict
            The candidates.
        """
        first, new = len(self.params), np.full((len(params), self.n_splits), np.nan)
        self.params += params
        self.columns = {name: np.concatenate([old, new]) for name, old in self.columns.items()}
        self.n_rows = np.concatenate([self.n_rows, np.zeros(len(params), np.int64)])
        return np.arange(first, len(self.params))

    def put(self, name: str, positions: NDArray[np.int64], split: int, values: Any) -> None:
        """Set values of some candidates in a split.

        Parameters
        ----------
        name : str
            Of the column.
        positions : ndarray of int64
            The candidates.
        split : int
            The split.
        values : float or ndarray
            Of the same shape.
        """
        if name not in self.columns:
            self.columns[name] = np.full((len(self.params), self.n_splits), np.nan)
        self.columns[name][positions, split] = values

    def forget(self, positions: NDArray[np.int64]) -> None:
        """Leave out what is known of some candidates, which are to be judged anew.

        Parameters
        ----------
        positions : ndarray of int64
            The candidates.
        """
        for column in self.columns.values():
            column[positions] = np.nan

    def copy(self, first: int, other: int, split: int) -> None:
        """Give a candidate what is known of another one in a split.

        Parameters
        ----------
        first, other : int
            From whom, to whom.
        split : int
            The split.
        """
        for column in self.columns.values():
            column[other, split] = column[first, split]

    @property
    def metrics(self) -> list[str]:
        """The names of the scores."""
        return [name.removeprefix("test_") for name in self.columns if name.startswith("test_")]

    @property
    def scores(self) -> Array:
        """The first of the scores."""
        names = self.metrics
        if not names:
            return np.full((len(self.params), self.n_splits), np.nan)
        return self.columns[f"test_{names[0]}"]

    def mean_scores(self, metric: str | None = None) -> Array:
        """Return the mean of a score over the splits; NaN where one is not known.

        Parameters
        ----------
        metric : str, optional
            Its name; by default the first.
        """
        values = self.scores if metric is None else self.columns[f"test_{metric}"]
        return np.asarray(values.mean(axis=1))
