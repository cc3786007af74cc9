"""From the outputs of a classifier to probabilities.

    two classes   a sigmoid of the output, P = 1 / (1 + exp(A f + B)); or a Venn-Abers interval
    "ovo"         a sigmoid for each pair of classes, and the probabilities that fit all pairs best
    "ovr"         a softmax of one output per class, each with its slope and offset

They are learnt from outputs of rows that the machine was not fitted to. Then they are moved, as
little as it takes, so that the predicted class has the largest: the probabilities of a machine and
its predictions never contradict each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.models.classes import Classes

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Method: TypeAlias = Literal["sigmoid", "venn-abers"]

#: What decides ties: so small a share of a probability, and logarithms still differ.
_APART = 4e-15
#: A probability is below another if it is at most this share of it.
_BELOW = (1 - _APART) / (1 + _APART)


@dataclass(frozen=True, eq=False)
class Sigmoids:
    """A sigmoid for each pair of classes, or one of two classes.

    Parameters
    ----------
    slopes, offsets : ndarrays of shape (p,)
        A and B of 1 / (1 + exp(A f + B)), the probability of the class that a positive output f
        speaks for.

    Examples
    --------
    >>> two = Sigmoids(np.array([-1.0]), np.array([0.0]))
    >>> two.probabilities(np.array([[0.0], [2.0]]), 2).round(2)
    array([[0.5 , 0.5 ],
           [0.12, 0.88]])
    """

    slopes: Array
    offsets: Array

    def probabilities(self, outputs: Array, n_classes: int, n_threads: int = 1) -> Array:
        """Return the probability of each class, shape (n, n_classes).

        Parameters
        ----------
        outputs : ndarray of shape (n, p)
            Outputs of the machine.
        n_classes : int
            Number of classes.
        n_threads : int
            Threads to use.
        """
        if n_classes > 2:
            return _core.couple(outputs, self.slopes, self.offsets, n_classes, n_threads)
        # Two classes are the softmax of 0 and -(A f + B).
        both = np.column_stack([np.zeros(len(outputs)), outputs])
        slopes, offsets = (np.concatenate([[0.0], -part]) for part in (self.slopes, self.offsets))
        return _core.softmax(both, slopes, offsets, n_threads)


@dataclass(frozen=True, eq=False)
class Softmax:
    """P_k proportional to exp(a_k f_k + b_k), of machines with one output per class.

    Parameters
    ----------
    slopes, offsets : ndarrays of shape (k,)
        a and b.

    Examples
    --------
    >>> three = Softmax(np.ones(3), np.zeros(3))
    >>> three.probabilities(np.array([[0.0, 0.0, 1.0]]), 3).round(2)
    array([[0.21, 0.21, 0.58]])
    """

    slopes: Array
    offsets: Array

    def probabilities(self, outputs: Array, n_classes: int, n_threads: int = 1) -> Array:
        """Return the probability of each class, shape (n, n_classes).

        Parameters
        ----------
        outputs, n_classes, n_threads
            As in `Sigmoids`.
        """
        return _core.softmax(outputs, self.slopes, self.offsets, n_threads)


@dataclass(frozen=True, eq=False)
class VennAbers:
    """Intervals of the probability of the second of two classes.

    Isotonic regression of all rows and a new one says `low` if that is of the first class and
    `high` if it is of the second: one of the two is calibrated, whatever the distribution of rows.

    Parameters
    ----------
    scores : ndarray of shape (m,)
        Distinct outputs of held-out rows, ascending.
    low, high : ndarrays of shape (2 m + 1,)
        Ends of the interval between two scores (even places) and at a score (odd ones).

    Examples
    --------
    >>> f, codes = np.array([[-1.0], [1.0]]), np.array([0, 1])
    >>> found = calibrate("venn-abers", Classes(np.array([0, 1])), f, codes, np.ones(2))
    >>> found.interval(np.array([[-1.0], [0.0], [3.0]])).round(2)
    array([[0. , 0.5],
           [0. , 1. ],
           [0.5, 1. ]])
    """

    scores: Array
    low: Array
    high: Array

    def interval(self, outputs: Array) -> Array:
        """Return the ends of the interval of each row, shape (n, 2).

        Parameters
        ----------
        outputs : ndarray of shape (n, 1)
            Outputs of the machine.
        """
        below = np.searchsorted(self.scores, outputs[:, 0], "left")
        up_to = np.searchsorted(self.scores, outputs[:, 0], "right")
        return np.column_stack([self.low[below + up_to], self.high[below + up_to]])

    def probabilities(self, outputs: Array, n_classes: int, n_threads: int = 1) -> Array:
        """Return the probability of each class, shape (n, 2): high / (1 - low + high).

        It is the one of the least regret in log-loss, whichever end is right.

        Parameters
        ----------
        outputs, n_classes, n_threads
            As in `Sigmoids`.
        """
        low, high = self.interval(outputs).T
        second = high / (1 - low + high)
        return np.column_stack([1 - second, second])


Calibration: TypeAlias = Sigmoids | Softmax | VennAbers


def calibrate(
    method: Method,
    classes: Classes,
    outputs: Array,
    codes: Codes,
    weight: Array,
    n_threads: int = 1,
) -> Calibration:
    """Learn probabilities from the outputs of held-out rows.

    Parameters
    ----------
    method : {"sigmoid", "venn-abers"}
        The latter of two classes only.
    classes : Classes
        What the outputs speak for.
    outputs : ndarray of shape (n, n_outputs)
        Of rows that the machine has not seen; not a number where that is not known. A pair of
        classes is asked about its own rows alone.
    codes : ndarray of int64, shape (n,)
        Number of the class of each row.
    weight : ndarray of shape (n,)
        What each row counts: probabilities are those of the weighted rows.
    n_threads : int
        Threads to use.

    Examples
    --------
    >>> two = Classes(np.array(["no", "yes"]))
    >>> f, codes = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> found = calibrate("sigmoid", two, f, codes, np.ones(4))
    >>> found.probabilities(np.array([[1.5]]), 2).round(3)
    array([[0.267, 0.733]])
    """
    k = len(classes.names)
    if method == "venn-abers":
        return _venn_abers(outputs[:, 0], codes, weight)
    if k > 2 and classes.scheme == "ovr":
        known = ~np.isnan(outputs).any(axis=1)
        slopes, offsets = _core.fit_softmax(outputs[known], codes[known], weight[known])
        return Softmax(slopes, offsets)
    # Of two classes alone the second is the positive one.
    pairs = [(1, 0)] if k == 2 else list(combinations(range(k), 2))
    return _sigmoids(pairs, outputs, codes, weight, n_threads)


def _sigmoids(
    pairs: list[tuple[int, int]], outputs: Array, codes: Codes, weight: Array, n_threads: int
) -> Sigmoids:
    members = [np.flatnonzero(codes == c) for c in range(max(map(max, pairs)) + 1)]
    rows, signs, scores = [], [], []
    for p, (positive, negative) in enumerate(pairs):
        own = np.concatenate([members[positive], members[negative]])
        sign = np.repeat([1.0, -1.0], [len(members[positive]), len(members[negative])])
        known = ~np.isnan(outputs[own, p])
        rows.append(own[known])
        signs.append(sign[known])
        scores.append(outputs[rows[-1], p])
    starts = np.concatenate([[0], np.cumsum([len(own) for own in rows])]).astype(np.int64)
    slopes, offsets = _core.fit_sigmoids(
        np.concatenate(scores),
        np.concatenate(signs),
        weight[np.concatenate(rows)],
        starts,
        n_threads,
    )
    return Sigmoids(slopes, offsets)


def _venn_abers(scores: Array, codes: Codes, weight: Array) -> VennAbers:
    known = ~np.isnan(scores)
    distinct, place = np.unique(scores[known], return_inverse=True)
    every = np.bincount(place, weight[known], len(distinct))
    positive = np.bincount(place, weight[known] * (codes[known] == 1), len(distinct))
    sums = (np.concatenate([[0.0], np.cumsum(part)]) for part in (every, positive))
    return VennAbers(distinct, *_core.venn_abers(*sums))


def towards(probabilities: Array, codes: Codes) -> Array:
    """Move probabilities, as little as it takes, so that given classes have the largest.

    Where a class is not on top, it and those above it get their common mean, largest first and
    until none that is left is above that mean: the nearest probabilities with this class on top.

    Parameters
    ----------
    probabilities : ndarray of shape (n, k)
        Rows with sum 1.
    codes : ndarray of int64, shape (n,)
        The class that is to have the largest in each row, ties won as `argmax` does.

    Examples
    --------
    >>> towards(np.array([[0.5, 0.3, 0.2]]), np.array([2])).round(2)
    array([[0.35, 0.3 , 0.35]])
    """
    winner = codes[:, None]
    own, others = np.take_along_axis(probabilities, winner, axis=1), probabilities.copy()
    np.put_along_axis(others, winner, -1.0, axis=1)
    moved = np.flatnonzero((others > _BELOW * own).any(axis=1))
    if len(moved) == 0:
        return probabilities
    given, winner, own = probabilities[moved], winner[moved], own[moved]
    others = -np.sort(-others[moved], axis=1)
    # means[:, t]: of the class itself and the t largest others; the last place is the class's own.
    sums = np.concatenate([own, own + np.cumsum(others[:, :-1], axis=1)], axis=1)
    sums[:, -1] = 1.0  # whatever the order of its terms, so that ties of all classes are equal
    means = sums / np.arange(1, sums.shape[1] + 1)
    above = np.logical_and.accumulate(others > _BELOW * means, axis=1)
    pooled = above.sum(axis=1, keepdims=True)
    mean = np.take_along_axis(means, pooled, axis=1)
    raised = np.minimum(given, (1 - _APART) * mean)
    np.put_along_axis(raised, winner, (1 + _APART) * mean, axis=1)
    result = probabilities.copy()
    result[moved] = raised
    return result


def probabilities_of(model: Any, outputs: Array, codes: Codes, n_threads: int) -> Array:
    """Return the probabilities of a calibrated model, its predictions on top.

    Parameters
    ----------
    model : KernelModel or LinearModel
        With `classes` and a `calibration`.
    outputs, codes : ndarrays
        Outputs of some rows, and the numbers of their predicted classes.
    n_threads : int
        Threads to use.
    """
    k = len(model.classes.names)
    return towards(model.calibration.probabilities(outputs, k, n_threads), codes)
