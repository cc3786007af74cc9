"""What a picture asks of a fitted classifier, whoever made it: classes, scores, support vectors."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from maxmargin.plots.estimator import last_step
from maxmargin.plots.section import dense


@dataclass(frozen=True, eq=False)
class Classifier:
    """A fitted classifier as one function of rows.

    Parameters
    ----------
    estimator : estimator
        Fitted, with `classes_` and `predict`; a pipeline is asked about its last step.
    X : array-like of shape (n, d)
        The data it was fitted to, or data like it.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = [[-1.0], [1.0], [5.0]], ["left", "right", "right"]
    >>> classifier = Classifier(SVC(kernel="linear").fit(X, y), X)
    >>> classifier.scores(np.array([[0.5]])), classifier.alphas()
    (array([0.5]), array([0.5, 0.5, 0. ]))
    """

    estimator: Any
    X: Any

    def __post_init__(self) -> None:
        check_is_fitted(self.estimator)
        if getattr(self._last, "kernel", None) == "precomputed":
            raise ValueError(
                "estimator has kernel='precomputed', which knows no features to draw; "
                "GramDisplay draws its matrix."
            )

    @property
    def _last(self) -> Any:
        return last_step(self.estimator)

    @property
    def name(self) -> str:
        """What kind of model it is."""
        return type(self._last).__name__

    @property
    def classes(self) -> NDArray[Any]:
        """Labels in the order of their codes."""
        return np.asarray(self.estimator.classes_)

    @property
    def has_scores(self) -> bool:
        """Whether there is one decision value per row, positive for the second of two classes."""
        return len(self.classes) == 2 and hasattr(self.estimator, "decision_function")

    @property
    def has_margin(self) -> bool:
        """Whether decision values of -1 and +1 mean a margin: the model was fitted by a hinge."""
        hinge = getattr(self._last, "loss", None) in ("hinge", "squared_hinge")
        return self.has_scores and (hinge or hasattr(self._last, "support_"))

    def codes(self, labels: ArrayLike) -> NDArray[np.int64]:
        """Numbers of labels in `classes`.

        Parameters
        ----------
        labels : array-like of shape (n,)
            Labels.
        """
        places = {label: code for code, label in enumerate(self.classes.tolist())}
        try:
            return np.array([places[label] for label in np.asarray(labels).tolist()], np.int64)
        except KeyError as error:
            raise ValueError(
                f"y has the label {error.args[0]!r}, which the estimator was not fitted to; its "
                f"classes are {', '.join(map(repr, self.classes.tolist()))}."
            ) from None

    def scores(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Decision values where there are some, codes of the predicted classes where not.

        Parameters
        ----------
        rows : ndarray of shape (n, d)
            Rows.
        """
        with warnings.catch_warnings():
            # Fitted with names, asked with the same columns in the same order.
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            data = self._like_training(rows)
            if self.has_scores:
                return np.asarray(self.estimator.decision_function(data), np.float64).ravel()
            return self.codes(self.estimator.predict(data)).astype(np.float64)

    def alphas(self) -> NDArray[np.float64] | None:
        """Largest dual variable of each row of `X`, or None if they are not the training rows."""
        last = self._last
        if not hasattr(last, "support_") or not hasattr(last, "support_vectors_"):
            return None
        pipeline = isinstance(self.estimator, Pipeline)
        rows = dense(self.estimator[:-1].transform(self.X) if pipeline else self.X)
        support = np.asarray(last.support_)
        vectors = dense(last.support_vectors_)
        if len(rows) <= support.max(initial=-1) or not np.array_equal(rows[support], vectors):
            return None
        alphas = np.zeros(len(rows))
        alphas[support] = np.abs(dense(getattr(last, "alphas_", last.dual_coef_))).max(axis=0)
        return alphas

    def _like_training(self, rows: NDArray[np.float64]) -> Any:
        """Make a data frame where X is one, because pipelines may choose columns by name."""
        if not hasattr(self.X, "columns"):
            return rows
        names = list(self.X.columns)
        if hasattr(self.X, "iloc"):
            return type(self.X)(rows, columns=names)
        return type(self.X)(rows, schema=names)
