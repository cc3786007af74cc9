"""What every picture asks of an estimator of anyone's: its last step, and to be fitted.

A hyperplane that nobody fitted, such as the last iterate of an optimizer, can be drawn like one.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from maxmargin.models import Hyperplane


class PlaneClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A hyperplane as a classifier of the labels -1 and +1, with a margin where f is -1 and +1.

    Parameters
    ----------
    plane : Hyperplane
        The hyperplane.

    Examples
    --------
    >>> PlaneClassifier(Hyperplane([2.0, 0.0], -1.0)).predict(np.array([[0.0, 0.0], [1.0, 0.0]]))
    array([-1,  1])
    """

    loss = "hinge"

    def __init__(self, plane: Hyperplane) -> None:
        self.plane = plane
        self.classes_ = np.array([-1, 1])

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any) -> "PlaneClassifier":
        """Return the classifier as it is.

        Parameters
        ----------
        X, y : array-likes
            Not looked at.
        """
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return w'x + b of each row.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        """
        return self.plane.score(X)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return the side of each row; the boundary itself is on that of -1.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        """
        return np.where(self.decision_function(X) > 0, 1, -1)


def drawable(estimator: Any) -> Any:
    """Return an estimator as it is, a hyperplane as a classifier.

    Parameters
    ----------
    estimator : estimator or Hyperplane
        Any.

    Examples
    --------
    >>> drawable(Hyperplane([1.0, 1.0])).classes_
    array([-1,  1])
    """
    return PlaneClassifier(estimator) if isinstance(estimator, Hyperplane) else estimator


def last_step(estimator: Any) -> Any:
    """Return the model at the end of a pipeline, or the estimator itself.

    Parameters
    ----------
    estimator : estimator
        Any.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from maxmargin import SVC
    >>> last_step(make_pipeline(StandardScaler(), SVC(C=2.0)))
    SVC(C=2.0)
    """
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def fitted(estimator: Any, X: Any, y: Any) -> Any:
    """Return an estimator as it is if it is fitted, or else a clone of it that is.

    Parameters
    ----------
    estimator : estimator or Hyperplane
        Any.
    X, y : array-likes
        What to fit it to.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> model = SVC()
    >>> fitted(model, [[0.0], [1.0]], [0, 1]) is model
    False
    >>> model.fit([[0.0], [1.0]], [0, 1]) is fitted(model, [[0.0], [1.0]], [0, 1])
    True
    """
    estimator = drawable(estimator)
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return clone(estimator).fit(X, y)
    return estimator
