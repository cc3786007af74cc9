"""Usual scores of many models at once: what scikit-learn's functions say, without a call for each.

A function returns None where scikit-learn would have more to say, such as a warning of a class that
nobody is in; then its own scorers are asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Predictions:
    """What models say of the same rows.

    Parameters
    ----------
    truth : ndarray of shape (n,)
        Targets, or the numbers of classes; -1 for one that the models do not know.
    predicted : ndarray of shape (..., n)
        Targets, or numbers of classes.
    decision : ndarray of shape (..., n) or None
        Of two classes.
    names : ndarray or None
        The classes.
    """

    truth: NDArray[Any]
    predicted: NDArray[Any]
    decision: Array | None = None
    names: NDArray[Any] | None = None

    @property
    def counts(self) -> Array:
        """Rows of class i that are said to be j, of each model."""
        assert self.names is not None
        k, lead = len(self.names), self.predicted.shape[:-1]
        pairs = (self.truth * k + self.predicted).reshape(-1, len(self.truth))
        places = pairs + k * k * np.arange(len(pairs))[:, None]
        counts = np.bincount(places.ravel(), minlength=k * k * len(pairs))
        return counts.reshape(*lead, k, k).astype(np.float64)


def accuracy(said: Predictions) -> Array | None:
    """Return the share of rows that are right."""
    return np.asarray((said.predicted == said.truth).mean(axis=-1)) if len(said.truth) else None


def balanced_accuracy(said: Predictions) -> Array | None:
    """Return the mean share of rows that are right, over the classes."""
    if (said.truth < 0).any():
        return None
    counts = said.counts
    sizes = counts.sum(axis=-1)
    if (sizes == 0).any():
        return None
    return np.asarray((np.diagonal(counts, axis1=-2, axis2=-1) / sizes).mean(axis=-1))


def f1(said: Predictions) -> Array | None:
    """Return F1 of the class 1 of two."""
    names = [] if said.names is None else said.names.tolist()
    if len(names) != 2 or names[1] != 1 or (said.truth < 0).any():
        return None
    return _f1(said.counts, slice(1, 2))


def f1_macro(said: Predictions) -> Array | None:
    """Return the mean F1 of the classes."""
    return None if (said.truth < 0).any() else _f1(said.counts, slice(None))


def _f1(counts: Array, classes: slice) -> Array | None:
    """Return the mean of 2 hits / (rows + predictions)."""
    hits = np.diagonal(counts, axis1=-2, axis2=-1)[..., classes]
    both = (counts.sum(axis=-1) + counts.sum(axis=-2))[..., classes]
    return None if (both == 0).any() else np.asarray((2 * hits / both).mean(axis=-1))


def roc_auc(said: Predictions) -> Array | None:
    """Return the share of pairs of rows, one of each class, that are in order; ties are halves."""
    positive = said.truth == 1
    n = int(positive.sum())
    if said.decision is None or (said.truth < 0).any() or not 0 < n < len(positive):
        return None
    ranks = rankdata(said.decision, axis=-1)[..., positive].sum(axis=-1)
    return np.asarray((ranks - n * (n + 1) / 2) / (n * (len(positive) - n)))


def r2(said: Predictions) -> Array | None:
    """Return 1 - (squares of the residuals) / (squares about the mean)."""
    if len(said.truth) < 2:
        return None
    residual = np.square(said.truth - said.predicted).sum(axis=-1)
    spread = float(np.square(said.truth - said.truth.mean()).sum())
    if spread == 0.0:  # as scikit-learn has it
        return np.where(residual == 0.0, 1.0, 0.0)
    return np.asarray(1.0 - residual / spread)


def squared_error(said: Predictions) -> Array | None:
    """Return minus the mean of the squared residuals."""
    return np.asarray(-np.square(said.truth - said.predicted).mean(axis=-1))


def root_squared_error(said: Predictions) -> Array | None:
    """Return minus the root of the mean of the squared residuals."""
    return np.asarray(-np.sqrt(np.square(said.truth - said.predicted).mean(axis=-1)))


def absolute_error(said: Predictions) -> Array | None:
    """Return minus the mean of the absolute residuals."""
    return np.asarray(-np.abs(said.truth - said.predicted).mean(axis=-1))


Score = Callable[[Predictions], Array | None]
OF_CLASSES: dict[str | None, Score] = {
    None: accuracy,
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "f1": f1,
    "f1_macro": f1_macro,
    "roc_auc": roc_auc,
}
OF_NUMBERS: dict[str | None, Score] = {
    None: r2,
    "r2": r2,
    "neg_mean_squared_error": squared_error,
    "neg_root_mean_squared_error": root_squared_error,
    "neg_mean_absolute_error": absolute_error,
}


def direct_scores(scoring: Any, classifies: bool) -> dict[str, Score] | None:
    """Return the functions of a scoring by name, if all of it can be computed directly.

    Parameters
    ----------
    scoring : object
        As scikit-learn's searches take it.
    classifies : bool
        Whether there are classes.

    Examples
    --------
    >>> list(direct_scores(["accuracy", "roc_auc"], True)), direct_scores("r2", True)
    (['accuracy', 'roc_auc'], None)
    """
    known = OF_CLASSES if classifies else OF_NUMBERS
    if scoring is None or isinstance(scoring, str):
        return {"score": known[scoring]} if scoring in known else None
    named = scoring if isinstance(scoring, dict) else None
    if named is None and isinstance(scoring, list | tuple):
        named = {name: name for name in scoring if isinstance(name, str)}
        named = named if len(named) == len(scoring) else None
    if not named or not all(isinstance(v, str) and v in known for v in named.values()):
        return None
    return {name: known[value] for name, value in named.items()}
