"""Stochastic steps on partitions, and the bound of how far they got as sums over the workers.

    P(w, b) = alpha/2 |w|^2 + l1 |w|_1 + 1/n sum_i s_i h(u_i)
    D(v)    = - 1/n sum_i s_i (h*(v_i) - v_i o_i) - sum_j max(0, |p_j| - l1)^2 / (2 alpha)

are those of `cpp/stream/bound.h`, where v and p are explained; here every sum over rows is one over
partitions, and what is left to do with the sums is done by the client.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.distributed.share import Partition, Share
from maxmargin.estimators.classes import numbers
from maxmargin.estimators.training import Training
from maxmargin.losses import EpsilonInsensitive, Hinge, Loss, MarginLoss, Perceptron
from maxmargin.models import Classes
from maxmargin.problems import Intercept, Iterate, LinearRisk, SolverSettings
from maxmargin.solvers import Watch, advance

Array = NDArray[np.float64]

#: The share of a margin, or of a tube, over which slopes next to a kink are averaged.
WINDOW = 0.2


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


@dataclass(frozen=True, eq=False)
class RiskSums:
    """Sums over rows that the objective and its bound are made of, for each output.

    Parameters
    ----------
    loss, square : ndarray of shape (n_outputs,)
        Of the losses of rows, and of their squares.
    conjugate, terms : ndarray of shape (n_outputs, 2)
        Of s_i (h*(v_i) - v_i o_i) and of s_i v_i u'_i, where the latter is positive and elsewhere.
    pulls : ndarray of shape (n_outputs, 2, d)
        Of s_i v_i u'_i x_i, likewise.
    rows : int
        How many count.

    Examples
    --------
    >>> one = RiskSums(np.ones(1), np.ones(1), np.zeros((1, 2)), np.zeros((1, 2)),
    ...                np.zeros((1, 2, 3)), 4)
    >>> (one + one).rows
    8
    """

    loss: Array
    square: Array
    conjugate: Array
    terms: Array
    pulls: Array
    rows: int

    def __add__(self, other: RiskSums) -> RiskSums:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return RiskSums(*(a + b for a, b in pairs))

    def bound(
        self, weights: Array, intercepts: Array, penalties: tuple[float, float], how: Intercept
    ) -> list[tuple[float, float, float]]:
        """Return objective, lower bound, and deviation of the losses of rows, of each output.

        Parameters
        ----------
        weights, intercepts : ndarrays
            Where the sums were taken.
        penalties : tuple of float
            alpha and l1.
        how : Intercept
            How the intercept enters.
        """
        alpha, l1 = penalties
        found = []
        for k, (w, b) in enumerate(zip(weights, intercepts, strict=True)):
            square = w @ w + (b * b if how.penalty > 0 else 0.0)
            mean = self.loss[k] / self.rows
            primal = alpha / 2 * square + l1 * np.abs(w).sum() + mean
            spread = np.sqrt(max(0.0, self.square[k] / self.rows - mean**2))
            found.append((float(primal), self._dual(k, alpha, l1, how), float(spread)))
        return found

    def _dual(self, k: int, alpha: float, l1: float, how: Intercept) -> float:
        """Return the largest D over multiples of v, the signs balanced for a free intercept."""
        by = np.ones(2)
        if how.present and how.penalty == 0:
            sizes = np.abs(self.terms[k])
            by = np.divide(sizes.min(), sizes, out=np.ones(2), where=sizes > 0)
        linear = -float(by @ self.conjugate[k]) / self.rows
        pulls = by @ self.pulls[k] / self.rows
        if how.penalty > 0:
            pulls = np.append(pulls, by @ self.terms[k] / self.rows)
        return max(0.0, _best_multiple(linear, np.abs(pulls), alpha, l1))


def _best_multiple(linear: float, sizes: Array, alpha: float, l1: float) -> float:
    """Return the largest m linear - sum_j max(0, m |p_j| - l1)^2 / (2 alpha), m from 0 to 1.

    It is concave in m: where it still rises is found by halving.
    """
    largest = float(sizes.max(initial=0.0))
    low = l1 / largest if largest > l1 else 1.0  # up to here nothing is subtracted
    if alpha == 0 or low == 1.0:
        return low * linear
    high = 1.0
    for _ in range(60):
        middle = (low + high) / 2
        rising = linear > np.maximum(0.0, middle * sizes - l1) @ sizes / alpha
        low, high = (middle, high) if rising else (low, middle)
    return float(low * linear - (np.maximum(0.0, low * sizes - l1) ** 2).sum() / (2 * alpha))


def risk_sums(
    share: Share, state: Stated, weights: Array, intercepts: Array, unit: float
) -> RiskSums:
    """Return a worker's part of the sums.

    Parameters
    ----------
    share : Share
        The worker's.
    state : Stated
        The risk.
    weights, intercepts : ndarrays
        Where to take them.
    unit : float
        The scale of margins or residuals.

    Examples
    --------
    >>> risk_sums(Share("fit", []), None, np.zeros((1, 2)), np.zeros(1), 1.0).rows
    0
    """
    k, d = weights.shape
    none = RiskSums(
        np.zeros(k), np.zeros(k), np.zeros((k, 2)), np.zeros((k, 2)), np.zeros((k, 2, d)), 0
    )
    parts = (state(part) for part in share.partitions if part.weight.any())
    return reduce(add, (_sums(risk, weights, intercepts, unit) for risk in parts), none)


def _sums(risk: LinearRisk, weights: Array, intercepts: Array, unit: float) -> RiskSums:
    rows = risk.rows
    X = risk.X if len(rows) == risk.X.shape[0] else risk.X[rows]
    scores, found = X @ weights.T + intercepts, []
    for k in range(risk.n_outputs):
        y = risk.y[rows] if risk.n_outputs == 1 else np.where(risk.y[rows] == k, 1.0, -1.0)
        own = np.where(y > 0, risk.own[k], 1.0) if len(risk.own) else 1.0
        weight = risk.weight[rows] * own
        u = risk.loss.argument(scores[:, k], y)
        losses, v = weight * risk.loss.value(u), _dual_point(risk.loss, u, WINDOW * unit)
        at_zero = 0.0 if isinstance(risk.loss, MarginLoss) else -y
        terms = weight * v * risk.loss.slope(y)
        conjugate = weight * (risk.loss.conjugate(v) - v * at_zero)
        signs = [terms >= 0, terms < 0]
        split = [np.where(sign, terms, 0.0) for sign in signs]
        found.append((
            losses.sum(), (losses**2).sum(), [conjugate[sign].sum() for sign in signs],
            [part.sum() for part in split], [X.T @ part for part in split],
        ))  # fmt: skip
    loss, square, conjugates, sums, pulls = (
        np.array(column, np.float64) for column in zip(*found, strict=True)
    )
    return RiskSums(loss, square, conjugates, sums, pulls, len(rows))


def _dual_point(loss: Loss, u: Array, r: float) -> Array:
    """Return a point of the domain of h*: the slope, or next to a kink the mean of those around."""
    if isinstance(loss, Hinge | Perceptron | EpsilonInsensitive):
        # Rounding must not lead out of the domain, whose ends are -1 and 0 or 1.
        return np.clip((loss.value(u + r) - loss.value(u - r)) / (2 * r), -1.0, 1.0)
    return np.asarray(loss.subdifferential(u)[0])
