"""Linear problems on partitions: the passes of Newton's method as calls on the workers' shares.

The method runs in the client, in the compiled core, as on one machine. What belongs to a row, its
score, dual variable and curvature, stays with its partition; a pass is a request of a few numbers
to all workers, and a sum of their answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.data import Dataset
from maxmargin.distributed.share import Partition, Share, pooled
from maxmargin.estimators.classes import numbers
from maxmargin.estimators.exact_linear_machine import refuse_overflow
from maxmargin.losses import Loss
from maxmargin.problems import Intercept, LinearProblem, linear_problem


class Statement(Protocol):
    """What turns a partition into its part of a linear problem, on its worker."""

    loss: Loss
    intercept: Intercept

    def __call__(self, partition: Partition) -> LinearProblem:
        """State the problem of one partition."""


@dataclass(frozen=True, eq=False)
class OneAgainstRest:
    """The problem of a class against all others.

    Parameters
    ----------
    names : ndarray
        All classes, in order.
    positive : int
        The class, by its place.
    factors : ndarray of float64
        Of the rows of each class.
    loss, C, intercept
        As in `linear_problem`.

    Examples
    --------
    >>> from maxmargin.distributed.share import read_partition
    >>> from maxmargin.losses import Hinge
    >>> part = read_partition(0, [[0.0], [1.0]], ["a", "b"], None, "classes", "LinearSVC")
    >>> stated = OneAgainstRest(np.array(["a", "b"]), 1, np.ones(2), Hinge(), 2.0, Intercept())
    >>> stated(part).upper
    array([0., 2.])
    """

    names: NDArray[Any]
    positive: int
    factors: NDArray[np.float64]
    loss: Loss
    C: float
    intercept: Intercept

    def __call__(self, partition: Partition) -> LinearProblem:
        """State the problem of one partition."""
        codes = numbers(partition.y, self.names)
        signs = np.where(codes == self.positive, 1.0, -1.0)
        data = Dataset(partition.X, signs, partition.weight * self.factors[codes])
        return linear_problem(data, self.loss, self.C, intercept=self.intercept)


@dataclass(frozen=True, eq=False)
class Regression:
    """The problem of targets.

    Parameters
    ----------
    loss, C, intercept
        As in `linear_problem`.

    Examples
    --------
    >>> from maxmargin.distributed.share import read_partition
    >>> from maxmargin.losses import EpsilonInsensitive
    >>> part = read_partition(0, [[0.0], [1.0]], [1.5, 2.0], None, "numbers", "LinearSVR")
    >>> Regression(EpsilonInsensitive(0.1), 1.0, Intercept())(part).target
    array([1.5, 2. ])
    """

    loss: Loss
    C: float
    intercept: Intercept

    def __call__(self, partition: Partition) -> LinearProblem:
        """State the problem of one partition."""
        data = Dataset(partition.X, partition.y, partition.weight)
        return linear_problem(data, self.loss, self.C, intercept=self.intercept)


class OpenedRows:
    """The rows of a share as the core asks them, one for each partition that has any that count.

    Parameters
    ----------
    share : Share
        The worker's.
    state : OneAgainstRest or Regression
        The problem.
    scale : float
        The size of a typical residual at w = 0, over all workers.

    Examples
    --------
    >>> from maxmargin.distributed.share import read_partition
    >>> from maxmargin.losses import EpsilonInsensitive
    >>> part = read_partition(0, [[0.0], [1.0]], [1.5, 2.0], None, "numbers", "LinearSVR")
    >>> regression = Regression(EpsilonInsensitive(0.1), 1.0, Intercept())
    >>> OpenedRows(Share("fit", [part]), regression, 1.0).shapes.sums  # rows, entries, bounds
    array([2., 2., 2.])
    """

    def __init__(self, share: Share, state: Statement, scale: float) -> None:
        self._rows = []
        self.kinked = False
        for partition in share.partitions:
            if partition.weight.any():
                refuse_overflow(partition.X)
                problem = state(partition)
                self.kinked = problem.kinked
                self._rows.append(_core.LinearRows(problem.core(scale), share.n_threads))
        self.count = len(self._rows)

    @property
    def shapes(self) -> _core.LinearAnswer:
        """What the core is to know of them, in sum."""
        return _sum([rows.shape() for rows in self._rows])

    def answer(self, request: NDArray[np.float64]) -> _core.LinearAnswer:
        """Answer a request of the core, in sum."""
        return _sum([rows.answer(request) for rows in self._rows])


def _sum(answers: list[_core.LinearAnswer]) -> _core.LinearAnswer:
    """Add answers up; a worker without rows has nothing to say."""
    return reduce(add, answers, _core.LinearAnswer(np.zeros(0), np.zeros(0)))


def open_rows(share: Share, state: Statement, scale: float) -> tuple[_core.LinearAnswer, int, int]:
    """Begin a problem on a worker; return shapes, how many parts there are, and with kinks.

    Parameters
    ----------
    share : Share
        The worker's.
    state, scale
        As in `OpenedRows`.

    Examples
    --------
    >>> from maxmargin.losses import EpsilonInsensitive
    >>> open_rows(Share("fit", []), Regression(EpsilonInsensitive(), 1.0, Intercept()), 1.0)[1]
    0
    """
    rows = share.kept["linear"] = OpenedRows(share, state, scale)
    return rows.shapes, rows.count, int(rows.kinked)


def answer(share: Share, request: NDArray[np.float64]) -> _core.LinearAnswer:
    """Answer a request on a worker.

    Parameters
    ----------
    share : Share
        The worker's, after `open_rows`.
    request : ndarray
        The core's.
    """
    rows: OpenedRows = share.kept["linear"]
    return rows.answer(request)


def target_moments(share: Share) -> tuple[float, float, float]:
    """Return count, mean and sum of squares about it, of the targets of rows that count.

    Parameters
    ----------
    share : Share
        The worker's.

    Examples
    --------
    >>> from maxmargin.distributed.share import read_partition
    >>> part = read_partition(0, [[0.0], [1.0]], [1.0, 3.0], None, "numbers", "LinearSVR")
    >>> target_moments(Share("fit", [part]))
    (2.0, 2.0, 2.0)
    """
    found = []
    for partition in share.partitions:
        y = partition.y[partition.weight > 0]
        if len(y):
            found.append((float(len(y)), float(y.mean()), float(len(y) * y.var())))
    return pooled(found)
