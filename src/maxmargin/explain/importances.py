"""Permutation importance: what a model's score loses when one feature is shuffled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.inspection import permutation_importance

from maxmargin.prompt import Brief

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Importances(Brief):
    """What the score loses when each feature is shuffled.

    Made by `importances`. The names of scikit-learn's `permutation_importance` are here too.

    Parameters
    ----------
    names : list of str
        The features.
    values : ndarray of shape (n_features, n_repeats)
        Score of the rows as they are, less that with the feature shuffled.
    score : float
        Score of the rows as they are.
    scoring : str
        What the score is.
    """

    names: list[str]
    values: Array
    score: float
    scoring: str

    @property
    def mean(self) -> Array:
        """Mean loss of each feature, shape (n_features,)."""
        return np.asarray(self.values.mean(axis=1))

    @property
    def std(self) -> Array:
        """Standard deviation over the repeats, shape (n_features,)."""
        return np.asarray(self.values.std(axis=1))

    @property
    def order(self) -> NDArray[np.int64]:
        """Numbers of the features, the most important first."""
        return np.argsort(-self.mean, kind="stable")

    importances = property(lambda self: self.values, doc="As `values`.")
    importances_mean = property(lambda self: self.mean, doc="As `mean`.")
    importances_std = property(lambda self: self.std, doc="As `std`.")


def importances(
    model: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    scoring: Any = None,
    n_repeats: int = 5,
    random_state: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Importances:
    """Return what the score of a model loses when each feature is shuffled.

    Parameters
    ----------
    model : estimator
        Fitted: a machine, or a pipeline that ends with one.
    X, y : array-likes
        Rows and targets to score on, best such as the model has not seen.
    scoring : str, callable or None
        One scorer, as scikit-learn takes it; None for the model's own `score`.
    n_repeats : int
        Shuffles of each feature.
    random_state : int, RandomState or None
        As in scikit-learn's `permutation_importance`, whose shuffles these are.
    sample_weight : array-like, optional
        What each row counts in the score.

    Returns
    -------
    Importances
        `mean`, `std`, `values`, `names`, `order`.
    """
    found = permutation_importance(
        model, X, y, scoring=scoring, n_repeats=n_repeats, random_state=random_state,
        sample_weight=sample_weight,
    )  # fmt: skip
    names = [str(name) for name in getattr(X, "columns", range(np.shape(X)[1]))]
    return Importances(names, found.importances, 0.0, str(scoring))
