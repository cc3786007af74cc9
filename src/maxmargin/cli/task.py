"""What is to be learnt: classes, numbers, or where the data lie."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.files.table import EXACT

#: Whole numbers with more different values than this are taken for measurements.
MOST_CLASSES = 50
#: So many are classes, however few rows there are; more of them only if most occur again.
FEW_CLASSES = 20


class Task(enum.Enum):
    """The tasks.

    Examples
    --------
    >>> Task("regression")
    <Task.REGRESSION: 'regression'>
    """

    CLASSIFICATION = "classification"
    REGRESSION = "regression"
    ONE_CLASS = "one-class"


def detect_task(y: NDArray[Any]) -> tuple[Task, str]:
    """Tell classes from numbers, and why.

    Parameters
    ----------
    y : ndarray
        The target.

    Examples
    --------
    >>> detect_task(np.array([1.0, 2.0, 1.0]))[0]
    <Task.CLASSIFICATION: 'classification'>
    >>> detect_task(np.array([1.5, 2.0, 1.0]))[0]
    <Task.REGRESSION: 'regression'>
    """
    if y.dtype.kind not in "fiu":
        return Task.CLASSIFICATION, "the target is text"
    if not (y == np.round(y)).all():
        return Task.REGRESSION, "the target has fractions"
    different = len(np.unique(y))
    if different > MOST_CLASSES or different > max(FEW_CLASSES, len(y) / 2):
        return Task.REGRESSION, f"the target has {different} different numbers"
    return Task.CLASSIFICATION, f"the target is {different} whole numbers"


def as_target(y: NDArray[Any], task: Task) -> NDArray[Any]:
    """Return the target as the task needs it: whole numbers as such, or real ones.

    Parameters
    ----------
    y : ndarray
        As read.
    task : Task
        The task.

    Examples
    --------
    >>> as_target(np.array([1.0, 2.0]), Task.CLASSIFICATION)
    array([1, 2])
    """
    if task is Task.CLASSIFICATION:
        whole = y.dtype.kind == "f" and bool((y == np.round(y)).all())
        if whole and (np.abs(y) >= EXACT).any():
            raise ValueError(
                "the target has whole numbers above 2^53, which its format does not keep apart; "
                "number the classes, or give the data as a table"
            )
        if y.dtype.kind == "f" and not whole:
            odd = y[y != np.round(y)][0]
            raise ValueError(f"the target has fractions such as {odd:g}, so it has no classes")
        return y.astype(np.int64) if whole else y
    if y.dtype.kind not in "fiub":
        raise ValueError(f"the target is text such as {y[0]!r}; regression needs numbers")
    return y.astype(np.float64)
