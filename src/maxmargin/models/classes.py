"""From the outputs of a model to classes.

    two classes   one output, positive for the second class
    "ovo"         an output for each pair of classes, ordered as `one_vs_one` orders its pairs and
                  positive for the first class: each votes, the class with most votes wins
    "ovr"         an output for each class: the highest wins

Among equals the class with the lowest number wins, or the first in `precedence`. Who wins at an
output of zero is said here and nowhere else: of a pair the later class, as in LIBSVM, but in
`scores` the first, as in scikit-learn; of two classes alone the second in a kernel machine, as in
LIBSVM, and the first in a linear machine, as in LIBLINEAR (`zero`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a model, and how its outputs speak for them.

    Parameters
    ----------
    names : ndarray of shape (k,)
        Labels in order.
    scheme : {"ovo", "ovr"}
        Of more than two classes: one output per pair, or one per class.
    zero : {0, 1}
        Of two classes, the number of the one that an output of zero speaks for.
    rounding : float
        Of two classes: outputs of at most this size count as zero.
    precedence : ndarray of int64, shape (k,), optional
        The numbers of the classes, first the one that wins among equals. None: as they are.

    Examples
    --------
    >>> Classes(np.array(["a", "b", "c"])).predict(np.array([[1.0, -1.0, -1.0]]))
    array(['c'], dtype='<U1')
    """

    names: NDArray[Any]
    scheme: Literal["ovo", "ovr"] = "ovo"
    zero: int = 1
    rounding: float = 0.0
    precedence: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        k = len(self.names)
        if self.precedence is not None and sorted(self.precedence.tolist()) != list(range(k)):
            raise ValueError(f"precedence must have each of the numbers 0 to {k - 1} once")

    @classmethod
    def listed(cls, labels: NDArray[Any]) -> Classes:
        """Return the classes of a machine of LIBSVM that lists its labels in this order.

        Among equals the first of them wins, and at an output of zero the later of two.

        Parameters
        ----------
        labels : ndarray of shape (k,)
            Different labels.

        Examples
        --------
        >>> Classes.listed(np.array([1, -1])).predict(np.array([[0.0], [0.5]]))
        array([-1,  1])
        """
        order = np.argsort(labels)
        zero = int(labels[0] < labels[1])
        return cls(labels[order], zero=zero, precedence=np.argsort(order))

    def output_of(self, first: int, second: int) -> tuple[int, float]:
        """Return the output about two classes, and 1 if it is positive for the first, else -1.

        Parameters
        ----------
        first, second : int
            Numbers of two classes, in either order.

        Examples
        --------
        >>> Classes(np.arange(3)).output_of(2, 1), Classes(np.arange(2)).output_of(0, 1)
        ((2, -1.0), (0, -1.0))
        """
        k, (low, high) = len(self.names), sorted((first, second))
        sign = 1.0 if (first < second) == (k > 2) else -1.0
        return low * (2 * k - low - 1) // 2 + high - low - 1, sign

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        k = len(self.names)
        return 1 if k == 2 else k if self.scheme == "ovr" else k * (k - 1) // 2

    @property
    def keys(self) -> list[tuple[Any, Any]]:
        """The classes that each output is about; None for all others."""
        names = self.names.tolist()
        if self.scheme == "ovr" and len(names) > 2:
            return [(name, None) for name in names]
        return list(combinations(names, 2))

    def predict(self, outputs: Array, *, break_ties: bool = False) -> NDArray[Any]:
        """Return the class of each row of outputs.

        Parameters
        ----------
        outputs : ndarray of shape (n, n_outputs)
            Outputs of a model.
        break_ties : bool
            Whether the class with the highest score wins instead of the first with most votes.
        """
        return np.asarray(self.names[self.codes(outputs, break_ties=break_ties)])

    def codes(self, outputs: Array, *, break_ties: bool = False) -> NDArray[np.int64]:
        """Return the number of the class of each row of outputs.

        Parameters
        ----------
        outputs, break_ties
            As in `predict`.
        """
        if len(self.names) == 2:
            second = outputs[:, 0] >= -self.rounding if self.zero else outputs[:, 0] > self.rounding
            return second.astype(np.int64)
        if self.scheme == "ovr":
            return np.asarray(outputs.argmax(axis=1))
        totals = self.scores(outputs) if break_ties else self._votes(outputs)
        if self.precedence is None:
            return np.asarray(totals.argmax(axis=1))
        return np.asarray(self.precedence[totals[:, self.precedence].argmax(axis=1)])

    def scores(self, outputs: Array) -> Array:
        """Return a score for each class: its votes, with the sum of its outputs breaking ties.

        The sum c of a class's outputs is squeezed to c / (3 (|c| + 1)), within (-1/3, 1/3), so that
        it never outweighs a vote.

        Parameters
        ----------
        outputs : ndarray of shape (n, k (k - 1) / 2)
            Outputs of the pairs.

        Examples
        --------
        >>> Classes(np.arange(3)).scores(np.array([[1.0, 1.0, -1.0]])).round(2)
        array([[ 2.22, -0.22,  1.  ]])
        """
        k = len(self.names)
        first, second = _pairs(k)
        votes = _totals(np.where(outputs >= 0, first, second), None, k)
        sums = _totals(first, outputs, k) - _totals(second, outputs, k)
        return np.asarray(votes + sums / (3 * (np.abs(sums) + 1)))

    def settled(self, outputs: Array, errors: Array) -> NDArray[np.bool_]:
        """Tell which rows keep their class when outputs move by less than their errors.

        Parameters
        ----------
        outputs, errors : ndarrays of shape (n, n_outputs)
            Outputs, and how far they may be from the exact ones.

        Examples
        --------
        >>> two = Classes(np.arange(2))
        >>> two.settled(np.array([[1.0], [-0.1]]), np.array([[0.5], [0.5]]))
        array([ True, False])
        """
        if len(self.names) == 2:
            edge = -self.rounding if self.zero else self.rounding
            return np.asarray(np.abs(outputs - edge) > errors)[:, 0]
        if self.scheme == "ovr":
            return _highest_settled(outputs, errors)
        return self._vote_settled(outputs, errors)

    def _votes(self, outputs: Array) -> NDArray[Any]:
        first, second = _pairs(len(self.names))
        wins = outputs > 0
        if self.precedence is not None:
            place = np.argsort(self.precedence)
            wins |= (outputs == 0) & (place[first] > place[second])
        return _totals(np.where(wins, first, second), None, len(self.names))

    def _vote_settled(self, outputs: Array, errors: Array) -> NDArray[np.bool_]:
        """Let pairs whose sign is open vote for neither class.

        Then the winner must have more votes than any other class would have with all of its open
        pairs.
        """
        k = len(self.names)
        sure = np.abs(outputs) > errors
        settled = np.asarray(sure.all(axis=1))
        rows = np.flatnonzero(~settled)
        first, second = _pairs(k)
        certain = sure[rows].astype(np.float64)
        votes = _totals(np.where(outputs[rows] > 0, first, second), certain, k)
        most = votes + _totals(first, 1 - certain, k) + _totals(second, 1 - certain, k)
        winner = votes.argmax(axis=1)[:, None]
        np.put_along_axis(most, winner, -1, axis=1)
        settled[rows] = np.take_along_axis(votes, winner, axis=1)[:, 0] > most.max(axis=1)
        return settled


@cache
def _pairs(n_classes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the second class of each pair."""
    first, second = np.triu_indices(n_classes, 1)
    return first, second


def _totals(classes: NDArray[np.int64], values: Array | None, n_classes: int) -> NDArray[Any]:
    """Sum up the values of each class (None: count them) in each row, in the order of the pairs."""
    rows = len(classes) if values is None else len(values)
    places = classes + n_classes * np.arange(rows)[:, None]
    given = None if values is None else values.ravel()
    return np.bincount(places.ravel(), given, n_classes * rows).reshape(rows, n_classes)


def _highest_settled(outputs: Array, errors: Array) -> NDArray[np.bool_]:
    """Tell which rows keep their highest output."""
    slack = errors + 4 * np.finfo(np.float64).eps * np.abs(outputs)  # intercepts were added
    winner = outputs.argmax(axis=1)[:, None]
    low = np.take_along_axis(outputs - slack, winner, axis=1)[:, 0]
    others = outputs + slack
    np.put_along_axis(others, winner, -np.inf, axis=1)
    return np.asarray(low > others.max(axis=1))
