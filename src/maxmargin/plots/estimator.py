"""What every picture asks of an estimator of anyone's: its last step, and to be fitted.

A hyperplane that nobody fitted, such as the last iterate of an optimizer, can be drawn like one.
"""

from numbers import Real
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
    """Return an estimator as it is, and what has a hyperplane as a classifier.

    Parameters
    ----------
    estimator : estimator, Hyperplane, run or solution
        Any; runs of optimizers and solutions of programs are taken by `Hyperplane.of`.

    Examples
    --------
    >>> drawable(Hyperplane([1.0, 1.0])).classes_
    array([-1,  1])
    """
    if hasattr(estimator, "trace") or (hasattr(estimator, "w") and not hasattr(estimator, "fit")):
        estimator = Hyperplane.of(estimator)
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


#: What models of this library and of scikit-learn are called in a title.
WORDS = {
    "SVC": "support vector machine",
    "NuSVC": "support vector machine",
    "HardMarginSVC": "hard margin",
    "LinearSVC": "linear support vector machine",
    "SGDSVC": "linear machine by stochastic steps",
    "SGDClassifier": "linear machine by stochastic steps",
    "OneClassSVM": "one-class machine",
    "SVR": "support vector regression",
    "NuSVR": "support vector regression",
    "LinearSVR": "linear support vector regression",
    "SGDSVR": "linear regression by stochastic steps",
    "LogisticRegression": "logistic regression",
    "RidgeClassifier": "ridge regression",
    "Perceptron": "perceptron",
    "PlaneClassifier": "hyperplane",
}
KERNELS = {"linear": "linear", "rbf": "RBF", "poly": "polynomial", "sigmoid": "sigmoid"}


def described(estimator: Any) -> str:
    """Return what a model is, in words, with the parameters that matter most.

    Parameters
    ----------
    estimator : estimator
        Any.

    Examples
    --------
    >>> from maxmargin import SVC, HardMarginSVC, LinearSVC
    >>> described(SVC(kernel="linear", C=10)), described(HardMarginSVC(kernel="linear"))
    ('support vector machine, linear kernel, C = 10', 'hard margin, linear kernel')
    >>> described(LinearSVC(loss="hinge"))
    'linear support vector machine, hinge loss, C = 1'
    """
    kind = type(estimator).__name__
    words = [WORDS.get(kind, kind)]
    kernel, loss = getattr(estimator, "kernel", None), getattr(estimator, "loss", None)
    if isinstance(kernel, str) and kind in WORDS:
        words.append(f"{KERNELS.get(kernel, kernel)} kernel")
    elif kernel is not None and kind in WORDS:
        words.append(f"kernel {kernel}" if len(str(kernel)) <= 40 else "kernel of its own")
    elif isinstance(loss, str) and kind.startswith(("Linear", "SGD")):
        words.append(f"{loss.replace('_', ' ')} loss")
    for name in ("C", "nu"):
        value = getattr(estimator, name, None)
        if isinstance(value, Real) and kind in WORDS:
            words.append(f"{name} = {value:g}")
    return ", ".join(words)


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
