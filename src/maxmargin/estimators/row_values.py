"""What a fitted machine has for each row: its dual variable, and its slack."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_outlier_detector
from sklearn.utils.validation import check_consistent_length


def alpha_of(values: NDArray[np.float64], places: NDArray[np.int32], n: int) -> NDArray[np.float64]:
    """Return the dual variable of each row, zero for all but the support vectors.

    Parameters
    ----------
    values : ndarray of shape (n_problems, n_support)
        Those of the support vectors.
    places : ndarray of shape (n_support,)
        Their rows.
    n : int
        Number of samples.

    Returns
    -------
    ndarray of shape (n,), or (n_problems, n) of several problems

    Examples
    --------
    >>> alpha_of(np.array([[0.5, 0.5]]), np.array([0, 2]), 4)
    array([0.5, 0. , 0.5, 0. ])
    """
    alpha = np.zeros((len(values), n))
    alpha[:, places] = values
    return alpha[0] if len(alpha) == 1 else alpha


def slack_of(model: Any, X: Any, y: ArrayLike | None) -> NDArray[np.float64]:
    """Return the slack of each row in a fitted machine.

    Parameters
    ----------
    model : Machine
        Fitted.
    X, y : array-likes
        Rows, with their labels or targets; a machine of one class needs none.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = [[-2.0], [0.5], [2.0]], ["no", "no", "yes"]
    >>> slack_of(SVC(kernel="linear", C=0.1).fit(X, y), X, y).round(3)
    array([0.   , 0.188, 1.588])
    """
    if is_outlier_detector(model):
        return _positive(-model.decision_function(X))
    if y is None:
        raise ValueError("y is None; slack is measured against labels or targets, slack(X, y)")
    check_consistent_length(X, y)
    if hasattr(model, "classes_"):
        return _positive(1.0 - _signs(model, y) * model.decision_function(X))
    width = getattr(model, "epsilon_", getattr(model, "epsilon", None))
    if width is None or "insensitive" not in getattr(model, "loss", "epsilon_insensitive"):
        raise ValueError(f"{type(model).__name__} has no tube, with loss={model.loss!r}: no slack")
    return _positive(np.abs(model.predict(X) - np.asarray(y, np.float64)) - width)


def _positive(values: Any) -> NDArray[np.float64]:
    return np.asarray(np.maximum(0.0, values))


def _signs(model: Any, y: ArrayLike) -> NDArray[np.float64]:
    classes = model.classes_.tolist()
    if len(classes) != 2:
        raise ValueError(
            f"slack is that of two classes, but there are {len(classes)}: each of the problems has "
            "its own. Fit two of the classes, or use problems.one_vs_one"
        )
    unknown = set(np.asarray(y).tolist()) - set(classes)
    if unknown:
        raise ValueError(
            f"y has the label {unknown.pop()!r}, which the model was not fitted to; its classes "
            f"are {', '.join(map(repr, classes))}"
        )
    return np.where(np.asarray(y) == classes[1], 1.0, -1.0)
