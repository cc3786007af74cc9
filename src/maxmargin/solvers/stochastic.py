"""Stochastic subgradient descent for linear models: the compiled loop, pass by pass.

    "asgd"     averaged         eta_t = eta0 / max(1 + alpha eta0 t, (1 + decay t)^(3/4))
    "sgd"      last iterate     eta_t = eta0 / max(1 + alpha eta0 t, 1 + decay t)
    "pegasos"  averaged         eta_t = 1 / (alpha t), projected on a ball that holds the optimum

The first term is Bottou's. decay is 1/1000 a row: where alpha is tiny, steps that only alpha makes
smaller stay so large that the average settles beside the optimum. eta0 is the best of the powers
of 2 on a sample of rows, and the intercept's steps are q <= 1 times as large, q the root of the
mean square of a feature that a step meets there: b is the weight of a feature that every row has,
and steps that suit rare words would throw it about. The average begins with the second half of the
first pass.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.data import Dataset
from maxmargin.problems import Intercept, SolverSettings, linear_problem
from maxmargin.problems.risk import LinearRisk, RiskCertificate
from maxmargin.problems.solution import TRACE, Status
from maxmargin.solvers.linear import linear

Array = NDArray[np.float64]
Method: TypeAlias = Literal["asgd", "sgd", "pegasos"]
Progress: TypeAlias = Callable[[np.void], bool | None]

#: Iterates weigh as t to this power in the average, t counted from where it begins.
FORGET = 2.0
#: Rows after which steps are smaller by a constant factor, whatever alpha is.
DELAY = 1000
#: Relative gap of the dual problems that `tighten` solves.
TIGHT = 1e-2
#: Passes without a decrease of tol before a fit ends, if they have DELAY rows: before that, steps
#: have hardly become smaller, and the objective may rise and fall.
PATIENCE = 2


@dataclass(frozen=True, eq=False)
class Iterate:
    """Where a descent is; another pass can go on from here.

    Parameters
    ----------
    weights, mean : ndarray of shape (n_outputs, d)
        The last iterate; and the result, which is the average or, without averaging, the same.
    intercepts, mean_intercepts : ndarray of shape (n_outputs,)
        Their intercepts.
    steps : int
        How many were made.
    eta0 : float
        First step size; 0 where it has not been chosen yet.
    begin : int
        Steps before the average begins.
    intercept_rate : float
        Steps of the intercepts as a share of those of the weights; chosen with eta0.

    Examples
    --------
    >>> Iterate.zero(3).weights
    array([[0., 0., 0.]])
    """

    weights: Array
    intercepts: Array
    mean: Array
    mean_intercepts: Array
    steps: int = 0
    eta0: float = 0.0
    begin: int = 0
    intercept_rate: float = 1.0

    @classmethod
    def zero(cls, n_features: int, n_outputs: int = 1) -> Iterate:
        """Return where every descent begins."""
        matrix, vector = np.zeros((n_outputs, n_features)), np.zeros(n_outputs)
        return cls(matrix, vector, matrix, vector)


@dataclass(frozen=True)
class Steps:
    """How steps are made.

    Parameters
    ----------
    method : {"asgd", "sgd", "pegasos"}
        Step sizes and averaging.
    batch : int
        Rows a step.
    shuffle : bool
        Whether each pass has a new random order; otherwise it is that of the rows.
    seed : int
        Of these orders.
    n_threads : int
        Threads for outputs and for the objective; results do not depend on it.

    Examples
    --------
    >>> Steps(batch=8).method
    'asgd'
    """

    method: Method = "asgd"
    batch: int = 1
    shuffle: bool = True
    seed: int = 0
    n_threads: int = 1

    @property
    def averaged(self) -> bool:
        """Whether the average is the result."""
        return self.method != "sgd"

    def plan(self, risk: LinearRisk, start: Iterate) -> _core.Plan:
        """Return the core's form of the steps."""
        pegasos, averaged = self.method == "pegasos", self.averaged
        return risk.plan(
            eta0=start.eta0,
            decay=self.batch / DELAY,
            gentle=averaged,
            radius=risk.radius() if pegasos else 0.0,
            average=averaged,
            start=float(start.begin),
            forget=FORGET,
            intercept_rate=start.intercept_rate,
            batch=self.batch,
        )


@dataclass(frozen=True, eq=False)
class Descended:
    """What passes over the data have led to.

    Parameters
    ----------
    iterate : Iterate
        Where the descent is.
    status : Status
        MAX_ITERATIONS: every pass was made. PRECISION: the objective no longer fell by tol.
        OPTIMAL: the gap is at most tol. INTERRUPTED: it was stopped.
    certificate : RiskCertificate
        How good the result is.
    trace : structured ndarray
        A row of `TRACE` a pass; `iterations` counts passes, and what is not known is infinite:
        `violation`, and with tol = 0 `primal` before the last pass. Only the last row has a dual
        value.

    Examples
    --------
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    >>> risk = LinearRisk(X, y, np.ones(2), "hinge", 0.0, alpha=0.1)
    >>> descend(risk, max_iter=50, tol=0.0).trace["iterations"][-1]
    np.int64(50)
    """

    iterate: Iterate
    status: Status
    certificate: RiskCertificate
    trace: NDArray[np.void]


def descend(
    risk: LinearRisk,
    steps: Steps | None = None,
    start: Iterate | None = None,
    *,
    max_iter: int = 5,
    tol: float = 1e-3,
    progress: Progress | None = None,
) -> Descended:
    """Make passes over the rows until the objective no longer falls, and certify the result.

    Parameters
    ----------
    risk : LinearRisk
        What to minimise.
    steps : Steps, optional
        How.
    start : Iterate, optional
        Where to go on from; from w = 0 if left out.
    max_iter : int
        Most passes.
    tol : float
        Enough when two passes in a row, of 1,000 rows or more in all, lower the least J so far by
        less than this share of it. J is computed on all rows after each pass; 0 for all passes,
        and J after the last one only.
    progress : callable, optional
        Called about every 50 ms with the latest row of the trace; returning True stops.

    Returns
    -------
    Descended
        The result and its course.

    Examples
    --------
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> risk = LinearRisk(X, y, np.ones(4), "hinge", 0.0, alpha=0.1, intercept="none")
    >>> done = descend(risk, max_iter=200, tol=0.0)
    >>> bool(abs(done.iterate.mean[0, 0] - 1.0) < 0.02)
    True
    """
    steps = steps or Steps()
    begin = time.perf_counter()
    data, rows, n = risk.data, risk.rows, risk.rows.size
    start = _with_first_step(risk, steps, start, data)
    if start.steps == 0:
        # The first half of the first pass is of no use to the average, and so it need not pay.
        start = replace(start, begin=n // steps.batch // 2)
    descent = _load(risk, steps, start)
    rows_of_trace: list[tuple[float, ...]] = [(0, 0, 0, np.inf, 0, 1, np.inf, 0)]
    status, stalled, least = Status.MAX_ITERATIONS, 0, np.inf
    patience = max(PATIENCE, -(-DELAY // n))
    for made in range(1, max_iter + 1):
        order = _core.shuffled(data, rows, steps.seed + made) if steps.shuffle else rows
        if _pass(descent, risk, steps, order, data, _latest(rows_of_trace), progress):
            status = Status.INTERRUPTED
        if made == max_iter or status is Status.INTERRUPTED:
            rows_of_trace.append((0, 0, made, 0, 0, 1, np.inf, 0))
            break
        primal = np.inf if tol == 0 else _objective(descent, risk, steps)
        stalled = stalled + 1 if least - primal < tol * primal else 0
        least = min(least, primal)
        seconds = time.perf_counter() - begin
        rows_of_trace.append((0, seconds, made, primal, 0, 1, np.inf, 0))
        if tol > 0 and stalled >= patience:
            status = Status.PRECISION
            break
        if progress is not None and progress(_latest(rows_of_trace)):
            status = Status.INTERRUPTED
            break
    iterate = _unload(descent, steps, start)
    certificate = risk.certify(iterate.mean, iterate.mean_intercepts, n_threads=steps.n_threads)
    if status is Status.PRECISION and certificate.gap <= tol:
        status = Status.OPTIMAL
    values = (certificate.primal, certificate.dual, certificate.gap)
    seconds = time.perf_counter() - begin
    rows_of_trace[-1] = (0, seconds, rows_of_trace[-1][2], *values, np.inf, 0)
    return Descended(iterate, status, certificate, np.array(rows_of_trace[1:], TRACE))


def advance(
    risk: LinearRisk,
    steps: Steps,
    start: Iterate | None = None,
    *,
    progress: Progress | None = None,
) -> Iterate:
    """Go on by one pass over a block of a stream, in its own order.

    Parameters
    ----------
    risk : LinearRisk
        The block.
    steps : Steps
        How steps are made.
    start : Iterate, optional
        Where the stream has led to so far.
    progress : callable, optional
        As in `descend`.

    Returns
    -------
    Iterate
        Where it is now.

    Examples
    --------
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    >>> block = LinearRisk(X, y, np.ones(2), "hinge", 0.0, alpha=0.1)
    >>> advance(block, Steps(), advance(block, Steps())).steps
    4
    """
    data = risk.data
    start = _with_first_step(risk, steps, start, data)
    descent = _load(risk, steps, start)
    latest = _latest([(0, 0, 0, np.inf, 0, 1, np.inf, 0)])
    _pass(descent, risk, steps, risk.rows, data, latest, progress)
    return _unload(descent, steps, start)


def tighten(risk: LinearRisk, certificate: RiskCertificate, n_threads: int = 1) -> RiskCertificate:
    """Raise a certificate's lower bounds by solving the dual problems to about 1 %.

    Parameters
    ----------
    risk : LinearRisk
        The rows, with any loss but the perceptron's.
    certificate : RiskCertificate
        Of a model on them.
    n_threads : int
        Threads to use.

    Returns
    -------
    RiskCertificate
        The same objectives, with bounds at least as high.

    Examples
    --------
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    >>> risk = LinearRisk(X, y, np.ones(2), "hinge", 0.0, alpha=0.1)
    >>> tighten(risk, risk.certify(np.array([[1.0]]), np.zeros(1))).gap < 0.01
    True
    """
    if risk.loss == "perceptron":  # whose least objective is that of w = 0
        return certificate
    intercept = {
        "free": Intercept(),
        "penalized": Intercept.penalized(),
        "none": Intercept.none(),
    }[risk.intercept]
    settings = SolverSettings(tol=TIGHT, n_threads=n_threads)
    parts = []
    for k, part in enumerate(certificate.parts):
        y = risk.y if risk.n_outputs == 1 else np.where(risk.y == k, 1.0, -1.0)
        data, C = Dataset(risk.X, y, risk.weight), 1 / (risk.alpha * len(risk.rows))
        problem = linear_problem(data, risk.loss, C, risk.width, intercept)
        dual = linear(problem, settings).certificate.dual * risk.alpha
        parts.append(replace(part, dual=min(part.primal, max(part.dual, dual))))
    return replace(certificate, parts=tuple(parts))


def _latest(rows: list[tuple[float, ...]]) -> np.void:
    row: np.void = np.array(rows[-1:], TRACE)[0]
    return row


def _pass(
    descent: _core.Descent,
    risk: LinearRisk,
    steps: Steps,
    order: NDArray[np.int64],
    data: _core.Data,
    latest: np.void,
    progress: Progress | None,
) -> bool:
    """Make one pass; tell whether it was stopped on the way."""
    hook = None if progress is None else lambda *_: bool(progress(latest.copy()))
    expected = descent.steps + -(-order.size // steps.batch)
    error = descent.run(data, risk.y, risk.weight, order, steps.n_threads, hook)
    if error is not None:
        raise error
    if not np.isfinite(descent.penalties).all() or not np.isfinite(descent.intercepts(False)).all():
        raise FloatingPointError(
            "the steps overflowed: scale the features, e.g. with "
            "sklearn.preprocessing.StandardScaler, or give a smaller eta0."
        )
    return descent.steps < expected


def _objective(descent: _core.Descent, risk: LinearRisk, steps: Steps) -> float:
    losses = descent.losses(risk.data, risk.y, risk.weight, risk.rows, steps.n_threads)
    return float((losses / risk.rows.size + descent.penalties).sum())


def _load(risk: LinearRisk, steps: Steps, start: Iterate) -> _core.Descent:
    plan = steps.plan(risk, start)
    descent = _core.Descent.over(risk.data, plan, risk.n_outputs, steps.n_threads)
    descent.steps = start.steps
    if start.steps == 0:
        return descent
    descent.set(False, start.weights, start.intercepts)
    if steps.averaged:
        descent.set(True, start.mean, start.mean_intercepts)
    return descent


def _unload(descent: _core.Descent, steps: Steps, start: Iterate) -> Iterate:
    weights, intercepts = descent.weights(False), descent.intercepts(False)
    mean, mean_intercepts = weights, intercepts
    if steps.averaged:
        mean, mean_intercepts = descent.weights(True), descent.intercepts(True)
    return replace(
        start,
        weights=weights,
        intercepts=intercepts,
        mean=mean,
        mean_intercepts=mean_intercepts,
        steps=descent.steps,
    )


def _with_first_step(
    risk: LinearRisk, steps: Steps, start: Iterate | None, data: _core.Data
) -> Iterate:
    """Choose eta0, unless it is known, on a sample: a hundredth of the rows, from 200 to 1,000.

    Fewer than 200 rows are taken again and again, up to 1,000: a pass or two over a dozen rows
    prefer steps that are far too small for the hundreds of passes to come.
    """
    start = start or Iterate.zero(risk.X.shape[1], risk.n_outputs)
    if start.eta0 > 0 or steps.method == "pegasos":
        return start
    size = min(1000, max(200, risk.rows.size // 100)) if risk.rows.size > 200 else 1000
    sample = _sample(risk.rows, size, steps.seed)
    plan = steps.plan(risk, start)
    outputs, threads = risk.n_outputs, steps.n_threads
    eta0, rate = _core.choose_rate(data, risk.y, risk.weight, sample, plan, outputs, threads)
    return replace(start, eta0=eta0, intercept_rate=rate)


def _sample(rows: NDArray[np.int64], size: int, seed: int) -> NDArray[np.int64]:
    """Choose rows at random, spread evenly over all of them, in random order."""
    random = np.random.default_rng(seed)
    places = (np.arange(size) + random.random(size)) * (len(rows) / size)
    sample: NDArray[np.int64] = rows[random.permutation(places.astype(np.int64))]
    return sample
