"""From the outputs of k (k - 1) / 2 pairs of classes to one class.

Outputs are ordered as `one_vs_one` orders its pairs; a positive one speaks for the first class.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray


@cache
def _pairs(n_classes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the second class of each pair."""
    first, second = np.triu_indices(n_classes, 1)
    return first, second


def _totals(
    classes: NDArray[np.int64], values: NDArray[np.float64] | None, n_classes: int
) -> NDArray[Any]:
    """Sum up the values of each class (None: count them) in each row, in the order of the pairs."""
    rows = len(classes) if values is None else len(values)
    places = classes + n_classes * np.arange(rows)[:, None]
    given = None if values is None else values.ravel()
    return np.bincount(places.ravel(), given, n_classes * rows).reshape(rows, n_classes)


def vote(decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.int64]:
    """Let each pair vote; the class with most votes wins, the lowest number among equals.

    Parameters
    ----------
    decisions : ndarray of shape (n, k (k - 1) / 2)
        Outputs of the pairs.
    n_classes : int
        Number of classes k.

    Examples
    --------
    >>> import numpy as np
    >>> vote(np.array([[1.0, -1.0, -1.0]]), 3)
    array([2])
    """
    winners = np.where(decisions > 0, *_pairs(n_classes))
    return np.asarray(_totals(winners, None, n_classes).argmax(axis=1))


def class_scores(decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """One score a class: its votes, with the sum of its outputs breaking ties.

    The sum c of a class's outputs is squeezed to c / (3 (|c| + 1)), within (-1/3, 1/3), so that it
    never outweighs a vote.

    Parameters
    ----------
    decisions : ndarray of shape (n, k (k - 1) / 2)
        Outputs of the pairs.
    n_classes : int
        Number of classes k.

    Examples
    --------
    >>> import numpy as np
    >>> class_scores(np.array([[1.0, 1.0, -1.0]]), 3).round(2)
    array([[ 2.22, -0.22,  1.  ]])
    """
    first, second = _pairs(n_classes)
    votes = _totals(np.where(decisions >= 0, first, second), None, n_classes)
    sums = _totals(first, decisions, n_classes) - _totals(second, decisions, n_classes)
    return np.asarray(votes + sums / (3 * (np.abs(sums) + 1)))
