"""What machines with weights of the features share: coef_, intercept_, scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import ClassifierMixin, RegressorMixin

from maxmargin.estimators.machine import Machine
from maxmargin.models import LinearModel
from maxmargin.problems import Intercept


class LinearMachine(Machine):
    """Base of the machines whose model is weights of the features."""

    fit_intercept: bool
    intercept: str
    model_: LinearModel

    def _intercept(self) -> Intercept:
        """How the intercept enters the problem."""
        if not self.fit_intercept:
            return Intercept.none()
        scaling = getattr(self, "intercept_scaling", 1.0)
        return Intercept() if self.intercept == "free" else Intercept.penalized(scaling)

    @property
    def coef_(self) -> Any:
        """Weights of the features, one row per output."""
        self._check_fitted()
        return self.model_.coef

    @coef_.setter
    def coef_(self, value: Any) -> None:
        self.model_ = replace(self.model_, coef=_rows_of_weights(value))

    def sparsify(self) -> Self:
        """Make `coef_` sparse, which takes less memory where most weights are zero.

        Returns
        -------
        self : estimator
            The fitted estimator.
        """
        self._check_fitted()
        self.model_ = replace(self.model_, coef=sparse.csr_matrix(self.model_.coef))
        return self

    def densify(self) -> Self:
        """Make `coef_` an array again.

        Returns
        -------
        self : estimator
            The fitted estimator.
        """
        self._check_fitted()
        self.model_ = replace(self.model_, coef=self.model_.dense_coef)
        return self

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The intercept of each output."""
        self._check_fitted()
        return self.model_.intercepts

    @intercept_.setter
    def intercept_(self, value: ArrayLike) -> None:
        self.model_ = replace(self.model_, intercepts=np.atleast_1d(np.asarray(value, np.float64)))

    def _decide(self, X: Any) -> NDArray[np.float64]:
        self._check_fitted()
        return self.model_.decide(self._check_rows(X, reset=False), self._threads())


def _rows_of_weights(value: Any) -> Any:
    """Return weights, dense or CSR, with a row for each output."""
    if sparse.issparse(value):
        return value.tocsr()
    return np.atleast_2d(np.asarray(value, np.float64))


class LinearClassifier(ClassifierMixin, LinearMachine):  # type: ignore[misc]
    """Linear machines with one score per class, or a single one for two classes."""

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes in order."""
        self._check_fitted()
        assert self.model_.classes is not None
        return self.model_.classes.names

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive speaks for `classes_[1]`. More: one score per class.
        """
        outputs = self._decide(X)
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs

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
        self._check_fitted()
        return self.model_.predict(self._check_rows(X, reset=False), self._threads())


class LinearRegressor(RegressorMixin, LinearMachine):  # type: ignore[misc]
    """Linear machines with one output, the predicted target."""

    @property
    def coef_(self) -> Any:
        """Weights of the features, shape (n_features,); of one row where they are sparse."""
        self._check_fitted()
        coef = self.model_.coef
        return coef if sparse.issparse(coef) else np.asarray(coef[0])

    @coef_.setter
    def coef_(self, value: Any) -> None:
        self.model_ = replace(self.model_, coef=_rows_of_weights(value))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the target of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted targets.
        """
        return self._decide(X)[:, 0]
