"""What stands in `sklearn.svm` while it is patched.

Each substitute is a machine of maxmargin and, to `isinstance`, one of scikit-learn as well. The
linear ones penalise the intercept unless told otherwise, as scikit-learn does, so that a program
gets the numbers it had before.
"""

from __future__ import annotations

from abc import ABCMeta
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import svm
from sklearn.utils import check_random_state

from maxmargin import estimators


class Substitute(ABCMeta):
    """The type of classes that stand in the place of another library's.

    The last two bases of a substitute are ours and theirs. All that it does is ours; theirs is a
    base for `isinstance` only, and an instance of either counts as one of the substitute.

    Examples
    --------
    >>> from sklearn import svm
    >>> from maxmargin.patch.substitutes import SVC
    >>> isinstance(SVC(), svm.SVC), isinstance(svm.SVC(), SVC), SVC.fit is estimators.SVC.fit
    (True, True, True)
    """

    def mro(cls) -> list[type]:
        """Return the order in which attributes are looked up: theirs after all of ours."""
        if not _stands_in(cls):
            return super().mro()
        *before, ours, theirs = cls.__bases__
        known = [cls, *before, *ours.__mro__[:-1]]
        return [*known, *(base for base in theirs.__mro__ if base not in known)]

    def __instancecheck__(cls, instance: object) -> bool:
        # By `mro`, which knows nothing of instance checks: ours, or theirs, is not asked in turn.
        wanted = {cls, *(cls.__bases__[-2:] if _stands_in(cls) else ())}
        return not wanted.isdisjoint(type(instance).__mro__)


def _stands_in(cls: type) -> bool:
    """Whether a class is a substitute itself; those that users derive from one are not."""
    return bool(vars(cls)["__module__"] == __name__)


def own_type(value: object) -> type:
    """Return the type of a value; of a substitute, or of a machine on a cluster, what it is here.

    Parameters
    ----------
    value : object
        Anything.

    Examples
    --------
    >>> own_type(SVC()) is estimators.SVC, own_type(1)
    (True, <class 'int'>)
    """
    kind = type(value)
    if isinstance(kind, Substitute) and _stands_in(kind):
        return kind.__bases__[-2]
    return vars(kind).get("_namesake") or kind


def _with_default(init: Any, **defaults: Any) -> Any:
    """Return a constructor with other values of keyword parameters that are not given."""
    copy = FunctionType(init.__code__, init.__globals__, argdefs=init.__defaults__)
    copy.__kwdefaults__ = {**init.__kwdefaults__, **defaults}
    return copy


class Drawing:
    """Takes a number from the random state at each fit, as scikit-learn's machines do.

    Nothing here is random, but what a program draws afterwards stays what it was.
    """

    def _keep(self, *fitted: Any) -> None:
        check_random_state(getattr(self, "random_state", None)).randint(np.iinfo(np.int32).max)
        super()._keep(*fitted)  # type: ignore[misc]


class SVC(Drawing, estimators.SVC, svm.SVC, metaclass=Substitute):  # type: ignore[misc]
    """`maxmargin.SVC` in the place of `sklearn.svm.SVC`."""


class NuSVC(Drawing, estimators.NuSVC, svm.NuSVC, metaclass=Substitute):  # type: ignore[misc]
    """`maxmargin.NuSVC` in the place of `sklearn.svm.NuSVC`."""


class SVR(Drawing, estimators.SVR, svm.SVR, metaclass=Substitute):  # type: ignore[misc]
    """`maxmargin.SVR` in the place of `sklearn.svm.SVR`."""


class NuSVR(Drawing, estimators.NuSVR, svm.NuSVR, metaclass=Substitute):  # type: ignore[misc]
    """`maxmargin.NuSVR` in the place of `sklearn.svm.NuSVR`."""


class OneClassSVM(Drawing, estimators.OneClassSVM, svm.OneClassSVM, metaclass=Substitute):  # type: ignore[misc]
    """`maxmargin.OneClassSVM` in the place of `sklearn.svm.OneClassSVM`."""


class LinearSVC(Drawing, estimators.LinearSVC, svm.LinearSVC, metaclass=Substitute):  # type: ignore[misc]
    """`maxmargin.LinearSVC(intercept="penalized")` in the place of `sklearn.svm.LinearSVC`."""

    __init__ = _with_default(estimators.LinearSVC.__init__, intercept="penalized")


class LinearSVR(Drawing, estimators.LinearSVR, svm.LinearSVR, metaclass=Substitute):  # type: ignore[misc]
    """`maxmargin.LinearSVR(intercept="penalized")` in the place of `sklearn.svm.LinearSVR`."""

    __init__ = _with_default(estimators.LinearSVR.__init__, intercept="penalized")


def l1_min_c(
    X: Any,
    y: ArrayLike,
    *,
    loss: str = "squared_hinge",
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
) -> float:
    """Return the lowest C for which the L1 penalty of scikit-learn's `LinearSVC` leaves a weight.

    Parameters
    ----------
    X, y : array-likes
        Training rows and class labels.
    loss, fit_intercept, intercept_scaling
        As in `maxmargin.l1_min_c`; the intercept is penalised.
    """
    return estimators.l1_min_c(
        X,
        y,
        loss=loss,
        fit_intercept=fit_intercept,
        intercept_scaling=intercept_scaling,
        intercept="penalized",
    )
