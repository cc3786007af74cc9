"""Regression by kernel machines: all but the formulation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from maxmargin.estimators.single_machine import SingleMachine
from maxmargin.estimators.training import Training, regression_data


class KernelRegressor(RegressorMixin, SingleMachine):  # type: ignore[misc]
    """Regression by a kernel machine: all but the formulation."""

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        X = self._check_rows(X, reset=reset)
        data = regression_data(X, y, sample_weight, type(self).__name__)
        return self._with_kernel(data, reset=reset)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the target of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows; with a precomputed kernel, its values against all training rows or against the
            support vectors alone.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted targets.
        """
        return self._decide(X)[:, 0]
