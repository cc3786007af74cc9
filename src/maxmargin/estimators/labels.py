"""Classes of labels and the numbers of classes, without sorting where labels are small integers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Integers that span no more than this are counted, others sorted.
_SPAN = 1 << 16


def distinct(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the classes of some labels in order.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Labels of any type.

    Examples
    --------
    >>> distinct(np.array([7, 3, 7]))
    array([3, 7])
    """
    if not _countable(labels):
        return np.unique(labels)
    low, places = _places(labels)
    present: NDArray[np.int64] = np.flatnonzero(np.bincount(places))
    return (present + low).astype(labels.dtype)


def numbers(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int64]:
    """Return the place of each label among the classes, and -1 where it is none of them.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Labels.
    classes : ndarray of shape (n_classes,)
        Classes in order.

    Examples
    --------
    >>> numbers(np.array([7, 3, 5]), np.array([3, 7])).tolist()
    [1, 0, -1]
    """
    if _countable(labels) and labels.dtype == classes.dtype:
        low, places = _places(labels)
        table = np.full(int(places.max()) + 1, -1)
        known = (np.asarray(classes, np.int64) - low).astype(np.int64)
        inside = (known >= 0) & (known < len(table))
        table[known[inside]] = np.flatnonzero(inside)
        return np.asarray(table[places])
    found = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
    return np.where(classes[found] == labels, found, -1)


def _countable(labels: NDArray[Any]) -> bool:
    if labels.dtype.kind == "b":
        return len(labels) > 0
    if labels.dtype.kind != "i" or len(labels) == 0:
        return False
    return int(labels.max()) - int(labels.min()) < _SPAN


def _places(labels: NDArray[Any]) -> tuple[int, NDArray[Any]]:
    """Labels as numbers from 0, and what was taken off."""
    if labels.dtype.kind == "b":
        return 0, labels.view(np.uint8)
    low = int(labels.min())
    return low, labels.astype(np.int64) - low
