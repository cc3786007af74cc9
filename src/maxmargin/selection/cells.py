"""The table of a search: scores, times and certificates of each C on each fold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata


class Cells:
    """Filled by the folds as they come; what is missing stays NaN.

    Parameters
    ----------
    Cs : ndarray of shape (m,)
        The grid.
    n_folds : int
        Number of folds.

    Examples
    --------
    >>> cells = Cells(np.array([0.1, 1.0]), 2)
    >>> for fold in (0, 1):
    ...     cells.put(fold, 0, {"score": 0.8}, 0.01, 0.001, 1e-5, 1e-6)
    >>> cells.results()["mean_test_score"]
    array([0.8, nan])
    """

    def __init__(self, Cs: NDArray[np.float64], n_folds: int) -> None:
        self.Cs = Cs
        self._shape = (n_folds, len(Cs))
        self.scores: dict[str, NDArray[np.float64]] = {}
        self._fit, self._score, self._gap, self._violation = (
            np.full(self._shape, np.nan) for _ in range(4)
        )

    def put(
        self,
        fold: int,
        k: int,
        scores: dict[str, float],
        fit_seconds: float,
        score_seconds: float,
        gap: float,
        violation: float,
    ) -> None:
        """Take down one cell.

        Parameters
        ----------
        fold, k : int
            Which fold and which C.
        scores : dict
            By the names of the scorers.
        fit_seconds, score_seconds : float
            What it took.
        gap, violation : float
            The worst of its problems.
        """
        for name, value in scores.items():
            self.scores.setdefault(name, np.full(self._shape, np.nan))[fold, k] = value
        self._fit[fold, k], self._score[fold, k] = fit_seconds, score_seconds
        self._gap[fold, k], self._violation[fold, k] = gap, violation

    def fail(self, fold: int, names: Sequence[str], value: float) -> None:
        """Take down a fold that could not be fitted.

        Parameters
        ----------
        fold : int
            Which fold.
        names : sequence of str
            Of the scorers.
        value : float
            Their score.
        """
        for name in names:
            self.scores.setdefault(name, np.full(self._shape, np.nan))[fold] = value

    def results(self) -> dict[str, Any]:
        """Return the table as `GridSearchCV` has it, with the certificates beside it."""
        parameter = np.ma.MaskedArray(self.Cs, mask=False, dtype=object)
        table: dict[str, Any] = {}
        for name, values in (("fit", self._fit), ("score", self._score)):
            table[f"mean_{name}_time"], table[f"std_{name}_time"] = _moments(values)
        table["param_C"] = parameter
        table["params"] = [{"C": float(C)} for C in self.Cs]
        for name, values in self.scores.items():
            for fold, row in enumerate(values):
                table[f"split{fold}_test_{name}"] = row
            # As GridSearchCV: a C that one fold has no score of has none.
            mean, std = values.mean(axis=0), values.std(axis=0)
            table[f"mean_test_{name}"], table[f"std_test_{name}"] = mean, std
            worst = np.nanmin(mean) - 1 if np.isfinite(mean).any() else 0.0
            ranks = rankdata(-np.nan_to_num(mean, nan=worst), method="min")
            table[f"rank_test_{name}"] = ranks.astype(np.int32)
        for name, values in (("gap", self._gap), ("violation", self._violation)):
            known = np.where(np.isnan(values), -np.inf, values).max(axis=0)
            table[name] = np.where(np.isinf(known), np.nan, known)
        return table


def _moments(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and deviation over the folds that are there."""
    count = np.maximum((~np.isnan(values)).sum(axis=0), 1)
    mean = np.nansum(values, axis=0) / count
    return mean, np.sqrt(np.nansum((values - mean) ** 2, axis=0) / count)
