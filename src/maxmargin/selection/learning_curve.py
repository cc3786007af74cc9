"""The score by the number of rows that are learnt from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import indexable

from maxmargin.prompt import Brief
from maxmargin.selection.grid_search import GridSearchCV
from maxmargin.selection.stages import sample_order

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve(Brief):
    """Scores by the number of training rows.

    Parameters
    ----------
    n_rows : ndarray of shape (n_sizes,)
        Rows that were learnt from, the fewest over the splits.
    training, held_out : ndarrays of shape (n_sizes, n_splits)
        Scores.

    Examples
    --------
    >>> LearningCurve(np.array([10]), np.ones((1, 2)), np.ones((1, 2))).held_out.mean()
    np.float64(1.0)
    """

    n_rows: NDArray[np.int64]
    training: Array
    held_out: Array

    def display(self) -> Any:
        """Return the picture as data, a `maxmargin.plots.LearningDisplay`."""
        from maxmargin.plots import LearningDisplay

        return LearningDisplay(self.n_rows, self.training, self.held_out)

    def plot(self, ax: Any = None) -> Any:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        Axes
            Where it was drawn.
        """
        return self.display().plot(ax)


def learning_curve(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    shares: Sequence[float] = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0),
    cv: Any = None,
    scoring: Any = None,
    n_jobs: int | None = None,
) -> LearningCurve:
    """Judge an estimator by shares of the training rows; all of them share their work.

    Parameters
    ----------
    estimator : estimator
        As `GridSearchCV` takes it.
    X, y : array-likes
        Rows and their classes or targets.
    shares : sequence of float
        Shares of the training rows of each split, of each class alike.
    cv, scoring, n_jobs
        As in `GridSearchCV`.

    Returns
    -------
    LearningCurve
        Scores, and a picture of them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.selection import learning_curve
    >>> curve = learning_curve(SVC(), *load_iris(return_X_y=True), shares=[0.25, 1.0])
    >>> curve.n_rows, curve.held_out.shape
    (array([ 30, 120]), (2, 5))
    """
    wrong = [share for share in shares if not 0 < share <= 1]
    if wrong or len(shares) == 0:
        raise ValueError(f"shares is {shares!r}; they must be numbers above 0 and at most 1.")
    X, y = indexable(X, y)
    classifies = is_classifier(estimator)
    targets = np.asarray(y)
    codes = np.unique(targets, return_inverse=True)[1] if classifies else targets
    splits = list(check_cv(cv, y, classifier=classifies).split(X, y))
    cuts = []
    for share in shares:
        for train, test in splits:
            order = train[sample_order(codes[train], classifies)]
            cuts.append((order[: max(1, round(share * len(order)))], test))
    search = GridSearchCV(
        estimator,
        {},
        cv=cuts,
        scoring=scoring,
        n_jobs=n_jobs,
        refit=False,
        return_train_score=True,
    ).fit(X, y)
    scores = {
        side: np.array([search.cv_results_[f"split{k}_{side}_score"][0] for k in range(len(cuts))])
        for side in ("train", "test")
    }
    shape = (len(shares), len(splits))
    sizes = np.array([len(train) for train, _ in cuts]).reshape(shape)
    return LearningCurve(
        sizes.min(axis=1), scores["train"].reshape(shape), scores["test"].reshape(shape)
    )
