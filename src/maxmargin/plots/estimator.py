"""What every picture asks of an estimator of anyone's: its last step, and to be fitted."""

from typing import Any

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted


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
    estimator : estimator
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
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return clone(estimator).fit(X, y)
    return estimator
