"""The perceptron's rule for data of any size: the compiled form of `optimizers.perceptron`.

    at each row with y_i (w'x_i + b) <= margin:   (w, b) <- (w, b) + s_i y_i (x_i, 1)

Rows of weight s_i = 1 that some (w, b) separates by a distance gamma in the space of (x_i, 1) are
mistaken at most (R^2 + 2 margin) / gamma^2 times, R being the length of the longest (x_i, 1).

References: A. Novikoff (1962); W. Krauth and M. Mezard, learning algorithms with optimal stability
(1987), for the margin; Y. Freund and R. Schapire (1999), for the average.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems.risk import LinearRisk
from maxmargin.problems.solution import TRACE, Status
from maxmargin.solvers.stochastic import Iterate


@dataclass(frozen=True, eq=False)
class Learned:
    """What the rule has led to.

    Parameters
    ----------
    iterate : Iterate
        The last (w, b), and the average of all.
    mistakes : ndarray of shape (n_passes, n_outputs)
        Rows that moved each output, a row a pass.
    status : Status
        OPTIMAL: a whole pass went without a mistake. MAX_ITERATIONS or INTERRUPTED: it did not.

    Examples
    --------
    >>> risk = LinearRisk(np.array([[-1.0], [3.0]]), np.array([-1.0, 1.0]), np.ones(2),
    ...                   "perceptron", 0.0, alpha=0.0)
    >>> learn(risk).mistakes.ravel().tolist()
    [1, 0]
    """

    iterate: Iterate
    mistakes: NDArray[np.int64]
    status: Status


def learn(
    risk: LinearRisk,
    start: Iterate | None = None,
    *,
    average: bool = False,
    max_iter: int = 1000,
    seed: int | None = None,
    n_threads: int = 1,
    progress: Callable[[np.void], bool | None] | None = None,
) -> Learned:
    """Apply the rule in passes until one has no mistake.

    Parameters
    ----------
    risk : LinearRisk
        Rows and labels; its loss is "perceptron", its width the margin, its alpha 0.
    start : Iterate, optional
        Where to go on from.
    average : bool
        Whether to average all (w, b).
    max_iter : int
        Most passes.
    seed : int, optional
        Of a new random order in each pass; without one rows come in their own order.
    n_threads : int
        Threads for the outputs; results do not depend on it.
    progress : callable, optional
        Called about every 50 ms with the latest row of a trace; returning True stops.

    Returns
    -------
    Learned
        The hyperplanes and the mistakes.

    Examples
    --------
    >>> X, y = np.array([[-1.0, 0.0], [1.0, 1.0], [2.0, -1.0]]), np.array([-1.0, 1.0, 1.0])
    >>> done = learn(LinearRisk(X, y, np.ones(3), "perceptron", 0.0, alpha=0.0))
    >>> done.iterate.weights, done.status.name
    (array([[2., 1.]]), 'OPTIMAL')
    """
    data, rows = risk.data, risk.rows
    start = start or Iterate.zero(risk.X.shape[1], risk.n_outputs)
    plan = risk.plan(average=average)
    descent = _core.Descent.over(data, plan, risk.n_outputs, n_threads)
    descent.steps = start.steps
    descent.set(False, start.weights, start.intercepts)
    if average:
        descent.set(True, start.mean, start.mean_intercepts)
    mistakes: list[NDArray[np.int64]] = []
    status, asked = Status.MAX_ITERATIONS, time.perf_counter()
    for made in range(max_iter):
        row = np.array([(0, 0, made, 0, 0, 1, np.inf, 0)], TRACE)[0]
        hook = None if progress is None else lambda *_, row=row: bool(progress(row.copy()))
        order = rows if seed is None else _core.shuffled(data, rows, seed + made)
        before, expected = descent.updates, descent.steps + order.size
        error = descent.run(data, risk.y, risk.weight, order, n_threads, hook)
        if error is not None:
            raise error
        mistakes.append(descent.updates - before)
        if descent.steps < expected:
            status = Status.INTERRUPTED
            break
        if not mistakes[-1].any():
            status = Status.OPTIMAL
            break
        # A pass may be shorter than the time between two questions of the core's.
        if progress is not None and time.perf_counter() - asked > 0.05:
            asked = time.perf_counter()
            if progress(row.copy()):
                status = Status.INTERRUPTED
                break
    weights, intercepts = descent.weights(False), descent.intercepts(False)
    mean, mean_intercepts = weights, intercepts
    if average:
        mean, mean_intercepts = descent.weights(True), descent.intercepts(True)
    iterate = Iterate(weights, intercepts, mean, mean_intercepts, descent.steps, 1.0)
    return Learned(iterate, np.array(mistakes), status)


def mistake_bounds(risk: LinearRisk, iterate: Iterate, n_threads: int = 1) -> NDArray[np.float64]:
    """Return (R^2 + 2 margin) / gamma^2 for the last (w, b) of each output.

    No run of the rule makes more mistakes. Infinite where (w, b) does not separate the rows.

    Parameters
    ----------
    risk : LinearRisk
        The rows.
    iterate : Iterate
        The hyperplanes.
    n_threads : int
        Threads to use.

    Examples
    --------
    >>> risk = LinearRisk(np.array([[-1.0], [3.0]]), np.array([-1.0, 1.0]), np.ones(2),
    ...                   "perceptron", 0.0, alpha=0.0)
    >>> mistake_bounds(risk, learn(risk).iterate)
    array([5.])
    """
    constant = risk.intercept != "none"
    scores = _core.linear_scores(risk.data, iterate.weights, iterate.intercepts, n_threads)
    scores = scores[risk.rows]
    labels = risk.y[risk.rows, None]
    if risk.n_outputs > 1:
        labels = np.where(labels == np.arange(risk.n_outputs), 1.0, -1.0)
    squares = (iterate.weights**2).sum(axis=1) + constant * iterate.intercepts**2
    gamma = (labels * scores).min(axis=0) / np.sqrt(np.maximum(squares, np.finfo(float).tiny))
    R2 = float(risk.squared_norms()[risk.rows].max()) + constant
    with np.errstate(divide="ignore"):
        return np.where(gamma > 0, (R2 + 2 * risk.width) / gamma**2, np.inf)
