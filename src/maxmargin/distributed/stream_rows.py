"""Stochastic steps on partitions, and the sums that certificates are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.distributed.share import Partition, Share
from maxmargin.estimators.classes import numbers
from maxmargin.estimators.training import Training
from maxmargin.models import Classes
from maxmargin.problems import Iterate, LinearRisk, SolverSettings
from maxmargin.solvers import Watch, advance

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stated:
    """How a partition becomes its part of a risk, on its worker.

    Parameters
    ----------
    machine : SGDSVC or SGDSVR
        Of one machine, with the parameters.
    classes : Classes or None
        Of a classifier.
    factors : ndarray or None
        Of the weights of each class.

    Examples
    --------
    >>> from maxmargin import SGDSVR
    >>> from maxmargin.distributed.share import read_partition
    >>> part = read_partition(0, [[0.0], [1.0]], [1.5, 2.0], None, "numbers", "SGDSVR")
    >>> Stated(SGDSVR(alpha=0.1), None, None)(part).lam
    0.1
    """

    machine: Any
    classes: Classes | None
    factors: Array | None

    def __call__(self, partition: Partition) -> LinearRisk:
        """State the risk of one partition."""
        y = partition.y
        if self.classes is not None:  # of other classes are rows that do not count
            y = np.maximum(numbers(y, self.classes.names), 0)
        every = np.arange(len(y))
        data = Training(
            partition.X, y, partition.weight, every,
            classes=self.classes, class_weight=self.factors,
        )  # fmt: skip
        [risk] = self.machine._state(data)
        return risk  # type: ignore[no-any-return]


def learn(
    share: Share,
    chosen: Sequence[int],
    iterate: Iterate,
    state: Stated,
    settings: SolverSettings,
    made: int,
) -> Iterate:
    """Go on by the steps of some of a worker's partitions, in the order given.

    Parameters
    ----------
    share : Share
        The worker's.
    chosen : sequence of int
        The partitions' numbers.
    iterate : Iterate
        Where steps are.
    state : Stated
        The risk.
    settings : SolverSettings
        How steps are made.
    made : int
        The number of this pass, for the order of rows.

    Examples
    --------
    >>> start = Iterate.zero(1)
    >>> learn(Share("fit", []), [], start, None, SolverSettings(), 1) is start
    True
    """
    own = {part.number: part for part in share.partitions}
    steps: Any = settings.method
    for number in chosen:
        if own[number].weight.any():
            risk = state(own[number])
            seed = steps.seed + made + 7919 * number
            order = _core.shuffled(risk.data, risk.rows, seed) if steps.shuffle else risk.rows
            iterate = advance(
                risk, replace(settings, n_threads=share.n_threads), Watch(), iterate, order
            )
    return iterate


def risk_sums(
    share: Share, state: Stated, weights: Array, intercepts: Array, unit: float
) -> Array | float:
    """Return a worker's part of the sums that certificates are made of.

    Parameters
    ----------
    share : Share
        The worker's.
    state : Stated
        The risk.
    weights, intercepts, unit
        As in `LinearRisk.sums`.

    Examples
    --------
    >>> risk_sums(Share("fit", []), None, np.zeros((1, 2)), np.zeros(1), 1.0)  # of no rows
    0.0
    """
    parts = (state(part) for part in share.partitions if part.weight.any())
    return sum(
        (risk.sums(weights, intercepts, unit, n_threads=share.n_threads) for risk in parts), 0.0
    )
