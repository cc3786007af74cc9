"""What a picture asks of a fitted classifier, whoever made it: classes, scores, support vectors."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_outlier_detector
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from maxmargin.plots.estimator import described, last_step
from maxmargin.plots.table import Table, dense


@dataclass(frozen=True, eq=False)
class Classifier:
    """A fitted classifier as one function of rows.

    Parameters
    ----------
    estimator : estimator
        Fitted, with `classes_` and `predict`; a pipeline is asked about its last step. One that
        tells inliers from outliers is a classifier of 1 and -1.
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
        """What kind of model it is, with the parameters that matter most."""
        return described(self._last)

    @cached_property
    def table(self) -> Table:
        """The data as numbers."""
        return Table.of(self.X)

    @property
    def is_one_class(self) -> bool:
        """Whether it tells inliers from outliers."""
        return bool(is_outlier_detector(self.estimator))

    @property
    def classes(self) -> NDArray[Any]:
        """Labels in the order of their codes."""
        return np.asarray([-1, 1] if self.is_one_class else self.estimator.classes_)

    @property
    def names(self) -> NDArray[Any]:
        """What to call the classes."""
        return np.array(["outlier", "inlier"]) if self.is_one_class else self.classes

    @property
    def has_scores(self) -> bool:
        """Whether there is one decision value per row, positive for the second of two classes."""
        return len(self.classes) == 2 and hasattr(self.estimator, "decision_function")

    @property
    def has_margin(self) -> bool:
        """Whether decision values of -1 and +1 mean a margin: the model was fitted by a hinge."""
        hinge = getattr(self._last, "loss", None) in ("hinge", "squared_hinge")
        hinge = hinge or (hasattr(self._last, "support_") and not self.is_one_class)
        return self.has_scores and hinge

    @property
    def has_pairs(self) -> bool:
        """Whether there are more than two classes, with a decision value for each pair of them."""
        return (
            len(self.classes) > 2
            and hasattr(self._last, "decision_function_shape")
            and getattr(self._last, "multi_class", "ovo") == "ovo"
        )

    @property
    def features(self) -> Any:
        """The rows as the last step sees them."""
        pipeline = isinstance(self.estimator, Pipeline)
        return self.estimator[:-1].transform(self.X) if pipeline else self.table.values

    def codes(self, labels: ArrayLike | None) -> NDArray[np.int64]:
        """Numbers of labels in `classes`.

        Parameters
        ----------
        labels : array-like of shape (n,) or None
            Labels of the data; None for those that the model gives them.
        """
        if labels is None:
            labels = self.estimator.predict(self.X)
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
            Rows, as numbers of `table`.
        """
        with warnings.catch_warnings():
            # Fitted with names, asked with the same columns in the same order.
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            data = self.table.rows(rows)  # pipelines may choose columns by name
            if self.has_scores:
                return np.asarray(self.estimator.decision_function(data), np.float64).ravel()
            return self.codes(self.estimator.predict(data)).astype(np.float64)

    def leads(self, codes: NDArray[np.int64]) -> NDArray[np.float64]:
        """How far the class of each row of `X` is ahead of all others; several classes.

        The least of the decision values of its pairs, or its score minus the highest other.

        Parameters
        ----------
        codes : ndarray of shape (n,)
            The class of each row.
        """
        k, own = len(self.classes), np.arange(len(codes))
        if not self.has_pairs:
            scores = np.array(self.estimator.decision_function(self.X), np.float64)
            mine = scores[own, codes]
            scores[own, codes] = -np.inf
            return np.asarray(mine - scores.max(axis=1))
        machine = copy(self._last)
        machine.decision_function_shape = "ovo"
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            values = np.asarray(machine.decision_function(self.features))
        least = np.full(len(codes), np.inf)
        for output, (first, second) in enumerate(combinations(range(k), 2)):
            for code, sign in ((first, 1.0), (second, -1.0)):
                mine = codes == code
                least[mine] = np.minimum(least[mine], sign * values[mine, output])
        return least

    def alphas(self) -> NDArray[np.float64] | None:
        """Largest dual variable of each row of `X`, or None if they are not the training rows."""
        last = self._last
        if not hasattr(last, "support_") or not hasattr(last, "support_vectors_"):
            return None
        rows = dense(self.features)
        support = np.asarray(last.support_)
        vectors = dense(last.support_vectors_)
        if len(rows) <= support.max(initial=-1) or not np.array_equal(rows[support], vectors):
            return None
        alphas = np.zeros(len(rows))
        alphas[support] = np.abs(dense(getattr(last, "alphas_", last.dual_coef_))).max(axis=0)
        return alphas
