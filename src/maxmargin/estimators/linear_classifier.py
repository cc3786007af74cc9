"""Linear classifiers with a row of weights an output: checked input, classes, scores."""

from __future__ import annotations

from abc import ABC
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from maxmargin import _core
from maxmargin.data import canonical
from maxmargin.estimators.base import check_weight
from maxmargin.estimators.labels import distinct, numbers
from maxmargin.estimators.threads import count_threads
from maxmargin.kernels import Linear


class LinearScorer(BaseEstimator, ABC):  # type: ignore[misc]
    """What machines with a row of weights an output share: checked rows, scores."""

    n_jobs: int | None
    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_rows(self, X: Any, *, reset: bool) -> Any:
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=[np.float64, np.float32],
            order="C",
        )
        return canonical(X) if sparse.issparse(X) else X

    def _scores(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        X = self._check_rows(X, reset=False)
        threads = count_threads(self.n_jobs)
        return _core.linear_scores(Linear().data(X), self.coef_, self.intercept_, threads)


class LinearClassifier(ClassifierMixin, LinearScorer):  # type: ignore[misc]
    """Classes as numbers, and the way back: one score a class, or one alone for two."""

    class_weight: dict[Any, float] | Literal["balanced"] | None
    classes_: NDArray[Any]

    @property
    def _n_outputs(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _check_labels(self, y: Any, X: Any) -> NDArray[Any]:
        labels: NDArray[Any] = column_or_1d(y, warn=True)
        if labels.dtype.kind not in "bi":  # which are classes whatever their values
            assert_all_finite(labels, input_name="y")
            check_classification_targets(labels)
        check_consistent_length(X, labels)
        return labels

    def _learn_classes(self, labels: NDArray[Any], weight: NDArray[np.float64]) -> None:
        self.classes_ = distinct(labels if weight.all() else labels[weight > 0])
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has {len(self.classes_)} class {', '.join(map(str, self.classes_))} in the "
                "rows of positive weight; a classifier needs at least two classes. Use OneClassSVM "
                "for one."
            )

    def _check_classes(self, classes: ArrayLike | None) -> None:
        """Take the classes of a stream, which its first block has to name."""
        known = getattr(self, "classes_", None)
        if known is None and classes is None:
            raise ValueError("classes is None; the first partial_fit must be given all classes.")
        if classes is None:
            return
        named = np.unique(np.asarray(classes))
        if known is not None and not np.array_equal(named, known):
            raise ValueError(
                f"classes is {list(named)} but the stream began with {list(known)}; give the same."
            )
        if len(named) < 2:
            raise ValueError(f"classes is {list(named)}; a classifier needs at least two.")
        self.classes_ = named

    def _checked(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool
    ) -> tuple[Any, NDArray[Any], NDArray[np.float64]]:
        """Check rows, labels and weights; a reset forgets what earlier rows looked like."""
        X = self._check_rows(X, reset=reset)
        labels = self._check_labels(y, X)
        return X, labels, check_weight(sample_weight, labels)

    def _checked_block(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None,
        sample_weight: ArrayLike | None,
        first: bool,
    ) -> tuple[Any, NDArray[Any], NDArray[np.float64]]:
        """Check a block of a stream, whose first one has to name the classes."""
        if self.class_weight == "balanced":
            raise ValueError(
                'class_weight is "balanced", which needs all rows; give a stream a dict instead.'
            )
        checked = self._checked(X, y, sample_weight, reset=first)
        self._check_classes(classes)
        return checked

    def _targets(
        self, labels: NDArray[Any], weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Labels as the core takes them, and weights with those of the classes in them."""
        codes = numbers(labels, self.classes_)
        unknown = (codes < 0) & (weight > 0)
        if unknown.any():
            raise ValueError(
                f"y has the class {labels[np.argmax(unknown)]!r}, which is not among "
                f"{list(self.classes_)}; name all classes in the first partial_fit."
            )
        if self.class_weight is not None:
            factors = self._class_factors(codes, weight)
            weight = weight * factors[codes]
        if self._n_outputs == 1:
            codes = 2 * codes - 1
        return codes.astype(np.float64), weight

    def _class_factors(
        self, codes: NDArray[np.int64], weight: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        if self.class_weight == "balanced":
            present = weight > 0
            counts = np.bincount(codes[present], weight[present], len(self.classes_))
            return np.asarray(weight.sum() / (len(self.classes_) * counts))
        factors = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_)
        bad = ~(np.isfinite(factors) & (factors > 0))
        if bad.any():
            k = int(np.argmax(bad))
            raise ValueError(
                f"class_weight of class {self.classes_[k]} is {factors[k]}; it must be a finite "
                "number greater than 0."
            )
        return np.asarray(factors, np.float64)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive speaks for `classes_[1]`. More: one score a class.
        """
        scores = self._scores(X)
        return scores[:, 0] if self._n_outputs == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        scores = self._scores(X)
        codes = (scores[:, 0] >= 0).astype(np.int64) if scores.shape[1] == 1 else scores.argmax(1)
        return np.asarray(self.classes_[codes])
