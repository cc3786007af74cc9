"""The one picture of a fitted model that shows the most of it truthfully."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import is_outlier_detector

from maxmargin.plots.decision import BoundaryDisplay
from maxmargin.plots.display import Display
from maxmargin.plots.estimator import drawable, last_step
from maxmargin.plots.leads import LeadDisplay
from maxmargin.plots.predictions import PredictionDisplay
from maxmargin.plots.regression import RegressionDisplay
from maxmargin.plots.table import Table


def picture_of(
    estimator: Any,
    X: Any,
    y: ArrayLike | None,
    *,
    features: Sequence[int | str] | str | None = None,
    fill: str | ArrayLike = "median",
) -> Display:
    """Choose the display of a fitted model and data.

    ::

        classes     two features, or two that are named: regions and boundary (`BoundaryDisplay`);
                    else each row at its decision value, or at the lead of its class (`LeadDisplay`)
        one class   the same as two classes, outliers and inliers
        numbers     one feature, or one that is named: the curve and its tube (`RegressionDisplay`);
                    else targets against predictions (`PredictionDisplay`)

    Parameters
    ----------
    estimator : estimator or Hyperplane
        Fitted, or a pipeline that ends with a fitted one.
    X : array-like of shape (n_samples, n_features)
        The data it was fitted to, or data like it; a data frame names the features.
    y : array-like of shape (n_samples,) or None
        Labels or targets; None for inliers and outliers as the model tells them.
    features : sequence of int or str, "output", "pca" or None
        Two columns of a classifier or one of a regression; or as in
        `BoundaryDisplay.from_estimator`.
    fill : {"median", "mean"} or array-like of shape (n_features,)
        What features that are not shown are fixed at.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.plots import picture_of
    >>> X, y = [[0.0, 1.0], [1.0, 0.0]], [0, 1]
    >>> type(picture_of(SVC().fit(X, y), X, y)).__name__
    'BoundaryDisplay'
    """
    estimator, table = drawable(estimator), Table.of(X)
    d = table.values.shape[1]
    if hasattr(estimator, "classes_") or is_outlier_detector(estimator):
        several = len(getattr(estimator, "classes_", ())) > 2
        plane = features is not None or (d == 2 and not table.texts)
        if several and not plane and y is not None and hasattr(estimator, "decision_function"):
            return LeadDisplay.from_estimator(estimator, X, y)
        return BoundaryDisplay.from_estimator(estimator, X, y, features=features, fill=fill)
    if y is None:
        raise ValueError("y is None; a picture of a regression needs its targets.")
    if features is None and (d != 1 or table.texts):
        return PredictionDisplay.from_estimator(estimator, X, y)
    if isinstance(features, str) or len(features or [0]) != 1:
        raise ValueError(f"features is {features!r}; a regression is drawn along one column.")
    name = type(last_step(estimator)).__name__
    if d == 1:
        return RegressionDisplay.from_estimators(X, y, {name: estimator})
    assert features is not None
    return RegressionDisplay.along(estimator, X, y, features[0], fill=fill)
