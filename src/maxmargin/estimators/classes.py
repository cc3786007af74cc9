"""Labels and class weights: from what a caller gives to the numbers of classes."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from maxmargin.estimators.training import Training, check_weight
from maxmargin.models import Classes

ClassWeight: TypeAlias = dict[Any, float] | Literal["balanced"] | None

#: Integers that span no more than this are counted, others sorted.
_SPAN = 1 << 16
#: What scikit-learn's classifiers say of one class, LinearSVC apart.
ONE_CLASS = "The number of classes has to be greater than one; got 1 class"
#: What they say where weights leave one class, NuSVC apart.
ONE_CLASS_LEFT = "Invalid input - all samples with positive weights belong to the same class"


def numbered(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the classes of some labels in order, and the place of each label among them.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Labels of any type.

    Examples
    --------
    >>> names, codes = numbered(np.array([7, 3, 7]))
    >>> names, codes
    (array([3, 7]), array([1, 0, 1]))
    """
    whole = len(labels) > 0 and labels.dtype.kind in "bi"
    low, high = (int(labels.min()), int(labels.max())) if whole else (0, _SPAN)
    if high - low >= _SPAN:
        names, codes = np.unique(labels, return_inverse=True)
        return names, codes.reshape(-1)
    places = labels.astype(np.int64) - low
    counts = np.bincount(places)
    present = counts.nonzero()[0]
    codes = places if len(present) == len(counts) else ((counts > 0).cumsum() - 1)[places]
    return (present + low).astype(labels.dtype), codes


def numbers(labels: NDArray[Any], names: NDArray[Any]) -> NDArray[np.int64]:
    """Return the place of each label among given classes, and -1 where it is none of them.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Labels.
    names : ndarray of shape (n_classes,)
        Classes in order.

    Examples
    --------
    >>> numbers(np.array([7, 3, 5]), np.array([3, 7])).tolist()
    [1, 0, -1]
    """
    found = np.searchsorted(names, labels).clip(max=len(names) - 1)
    return np.where(names[found] == labels, found, -1)


def check_labels(y: Any, X: Any) -> NDArray[Any]:
    """Return labels as an array, or say what is wrong with them.

    Parameters
    ----------
    y : array-like of shape (n,)
        Class labels.
    X : rows
        The rows they belong to.
    """
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    whole = type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biu"
    labels: NDArray[Any] = np.asarray(y) if whole else column_or_1d(y, warn=True)
    if labels.dtype.kind not in "biu":  # which are classes whatever their values
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
    if not isinstance(X, np.ndarray) or len(X) != len(labels):
        check_consistent_length(X, labels)
    return labels


def check_names(
    labels: NDArray[Any],
    given: NDArray[Any] | None = None,
    one_class: str = ONE_CLASS,
    one_class_left: str = ONE_CLASS_LEFT,
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the classes and their places in labels that count, or say that there is only one.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Labels of rows of positive weight.
    given : ndarray, optional
        Labels of all rows.
    one_class, one_class_left : str
        How the error begins where there is only one class, and where the weights leave only one.
    """
    names, codes = numbered(labels)
    if labels.dtype.kind in "biu" and 2 * len(names) > len(labels):
        check_classification_targets(labels)  # warns that these may be no classes
    if len(names) < 2:
        by_weight = given is not None and len(np.unique(given)) > 1
        raise ValueError(
            f"{one_class_left if by_weight else one_class}: y has {len(names)} class "
            f"{', '.join(map(str, names))} in them; a classifier needs at least two classes. Use "
            "OneClassSVM for one."
        )
    return names, codes


def class_weights(
    class_weight: ClassWeight,
    names: NDArray[Any],
    codes: NDArray[np.int64],
    weight: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the factor of each class.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        As scikit-learn takes it.
    names : ndarray of shape (k,)
        The classes.
    codes, weight : ndarray of shape (n,)
        Class and weight of each row that counts.

    Examples
    --------
    >>> names, codes = np.array(["a", "b"]), np.array([0, 1, 1])
    >>> class_weights("balanced", names, codes, np.ones(3))
    array([1.5 , 0.75])
    """
    if class_weight is None:
        return np.ones(len(names))
    if class_weight == "balanced":
        counts = np.bincount(codes, weight, len(names))
        return np.asarray(weight.sum() / (len(names) * counts))
    factors = compute_class_weight(class_weight, classes=names, y=names)
    bad = ~(np.isfinite(factors) & (factors > 0))
    if bad.any():
        k = int(np.argmax(bad))
        raise ValueError(
            f"class_weight of class {names[k]} is {factors[k]}; it must be a finite "
            "number greater than 0."
        )
    return np.asarray(factors, np.float64)


def classification_data(
    X: Any,
    y: Any,
    sample_weight: ArrayLike | None,
    class_weight: ClassWeight,
    *,
    one_class: str = ONE_CLASS,
    one_class_left: str = ONE_CLASS_LEFT,
    **scheme: Any,
) -> Training:
    """Return checked rows with the numbers of their classes and their weights.

    Parameters
    ----------
    X : rows
        Checked.
    y, sample_weight : array-likes
        Labels and weights.
    class_weight : dict, "balanced" or None
        Factors of the classes.
    one_class, one_class_left : str
        As in `check_names`.
    **scheme
        How outputs speak for classes, as in `Classes`.
    """
    labels = given = check_labels(y, X)
    weight = check_weight(sample_weight, labels)
    rows, counting = np.arange(len(labels)), weight
    if sample_weight is not None:
        rows = np.flatnonzero(weight)
        labels, counting = labels[rows], weight[rows]
    names, codes = check_names(labels, given, one_class, one_class_left)
    return Training(
        X,
        codes,
        counting,
        rows,
        given=None if sample_weight is None else weight,
        classes=Classes(names, **scheme),
        class_weight=class_weights(class_weight, names, codes, counting),
    )
