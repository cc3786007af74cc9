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


def signs_settled(decisions: NDArray[np.float64], errors: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which rows keep all their signs when outputs move by less than their errors.

    Parameters
    ----------
    decisions, errors : ndarrays of shape (n, p)
        Outputs, and how far they may be from the exact ones.

    Examples
    --------
    >>> import numpy as np
    >>> signs_settled(np.array([[1.0], [-0.1]]), np.array([[0.5], [0.5]]))
    array([ True, False])
    """
    return np.asarray((np.abs(decisions) > errors).all(axis=1))


def vote_settled(decisions: NDArray[np.float64], errors: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which rows keep the class they vote for when outputs move by less than their errors.

    Pairs whose sign is open vote for neither class; then the winner must have more votes than any
    other class would have with all of its open pairs.

    Parameters
    ----------
    decisions, errors : ndarrays of shape (n, k (k - 1) / 2)
        Outputs of the pairs, and how far they may be from the exact ones.

    Examples
    --------
    >>> import numpy as np
    >>> vote_settled(np.array([[1.0, 1.0, -0.1], [0.1, 1.0, 1.0]]), np.full((2, 3), 0.5))
    array([ True, False])
    """
    n_classes = round((1 + (1 + 8 * decisions.shape[1]) ** 0.5) / 2)
    sure = np.abs(decisions) > errors
    settled = np.asarray(sure.all(axis=1))
    rows = np.flatnonzero(~settled)
    first, second = _pairs(n_classes)
    certain = sure[rows].astype(np.float64)
    votes = _totals(np.where(decisions[rows] > 0, first, second), certain, n_classes)
    most = votes + _totals(first, 1 - certain, n_classes) + _totals(second, 1 - certain, n_classes)
    winner = votes.argmax(axis=1)[:, None]
    np.put_along_axis(most, winner, -1, axis=1)
    settled[rows] = np.take_along_axis(votes, winner, axis=1)[:, 0] > most.max(axis=1)
    return settled


def highest_settled(
    decisions: NDArray[np.float64], errors: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Tell which rows keep their highest output when all move by less than their errors.

    Parameters
    ----------
    decisions, errors : ndarrays of shape (n, k)
        Outputs of the classes, and how far they may be from the exact ones.

    Examples
    --------
    >>> import numpy as np
    >>> highest_settled(np.array([[0.0, 1.0], [0.0, 0.1]]), np.full((2, 2), 0.2))
    array([ True, False])
    """
    slack = errors + 4 * np.finfo(np.float64).eps * np.abs(decisions)  # intercepts were added
    winner = decisions.argmax(axis=1)[:, None]
    low = np.take_along_axis(decisions - slack, winner, axis=1)[:, 0]
    others = decisions + slack
    np.put_along_axis(others, winner, -np.inf, axis=1)
    return np.asarray(low > others.max(axis=1))


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
