"""Stochastic subgradient steps for linear models: the compiled loop, pass by pass.

    "asgd"        averaged      eta_t = eta0 / max(1 + lambda eta0 t, (1 + decay t)^(3/4))
    "sgd"         last iterate  eta_t = eta0 / max(1 + lambda eta0 t, 1 + decay t)
    "pegasos"     averaged      eta_t = 1 / (lambda t), projected on a ball that holds the optimum

or, by the names of scikit-learn,

    "optimal"     eta_t = 1 / (lambda (t0 + t - 1)), t0 = lambda^(-3/4)
    "constant"    eta_t = eta0
    "invscaling"  eta_t = eta0 / t^power
    "adaptive"    eta_t = eta0, divided by 5 whenever passes bring too little, until it is 1e-6

The first term is Bottou's, and so is "optimal", which begins with lambda^(-1/4). decay is 1/1000
per row: where lambda is tiny, steps that only lambda makes smaller stay so large that the average
converges beside the optimum. Unless it is given, eta0 is the best of the powers of 2 on a sample
of rows, and the intercept's steps are q <= 1 times as large, q the root of the mean square of a
feature that a step meets there: b is the weight of a feature that every row has, and steps that
suit rare words would throw it about. The average begins with the second half of the first pass and
weighs iterates as t^2; one that is asked for begins with the row it is asked for from and weighs
them alike.

With an l1 in the risk, each weight is asked to move by the sum of all eta_t l1 towards zero. It
does so when a row has its feature, but not past zero, and what it could not move stays due: so
weights become exactly zero, and stay there. The result is the last iterate, because a mean of such
weights is hardly ever zero.

The references are `optimizers.minimize` and `optimizers.pegasos`, which the tests hold these to.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import (
    TRACE,
    HeldRows,
    Iterate,
    LinearRisk,
    Solution,
    SolverSettings,
    Status,
    Steps,
    Work,
    trace_row,
)
from maxmargin.solvers.watch import Watch

#: Iterates weigh as t to this power in the average, t counted from where it begins.
FORGET = 2.0
#: Rows after which steps are smaller by a constant factor, whatever lambda is.
DELAY = 1000
#: Passes without a decrease of tol before a fit ends, if they have DELAY rows: before that, steps
#: have hardly become smaller, and the objective may rise and fall.
PATIENCE = 2
#: What "adaptive" steps are divided by, and how small they become.
SLOWER, LEAST_STEP = 5.0, 1e-6
#: Most passes without a limit given.
MOST_PASSES = 1000
#: Rows of the sample that eta0 is chosen on: at least and at most.
SAMPLE = (200, 1000)


def descend(
    risk: LinearRisk, settings: SolverSettings, watch: Watch, start: Iterate | None = None
) -> Solution:
    """Make passes over the rows until the objective no longer falls, and certify the result.

    Parameters
    ----------
    risk : LinearRisk
        What to minimise.
    settings : SolverSettings
        `max_iter` passes at most; enough when two passes in a row, of 1,000 rows or more in all,
        lower the least J so far by less than a share `tol` of it. J is computed on all rows after
        each pass; with a `tol` of 0 every pass is made, and J is computed after the last one only.
        Where the risk has held rows, passes must raise the best score on them by `tol` instead.
    watch : Watch
        Asked about every 50 ms whether to stop.
    start : Iterate, optional
        Where to go on from; from w = 0 if left out.

    Returns
    -------
    Solution
        OPTIMAL: the gap is at most tol. PRECISION: the objective no longer fell by tol. Its trace
        has one row per pass, and what is not known there is infinite.

    Examples
    --------
    >>> from maxmargin.losses import Hinge
    >>> from maxmargin.problems import Intercept
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> risk = LinearRisk(X, y, np.ones(4), Hinge(), lam=0.1, intercept=Intercept.none())
    >>> found = descend(risk, SolverSettings(tol=0.0, max_iter=200), Watch())
    >>> bool(abs(found.w[0, 0] - 1.0) < 0.02), len(found.trace)
    (True, 200)
    """
    began, n, tol = time.perf_counter(), risk.rows.size, settings.tol
    steps = settings.method if isinstance(settings.method, Steps) else Steps()
    start = _prepared(risk, steps, start, settings.n_threads)
    if start.steps == 0 and steps.average is None:
        # The first half of the first pass is of no use to the average, and so it need not pay.
        start = replace(start, begin=n // steps.batch // 2)
    descent = _load(risk, _plan(risk, steps, start), start, steps, settings.n_threads)
    passes = settings.max_iter if settings.max_iter >= 0 else MOST_PASSES
    trace: list[tuple[float, ...]] = [(0, 0, 0, np.inf, 0, 1, np.inf, 0)]
    status = Status.MAX_ITERATIONS
    stall = Stall.of(steps, n)
    for made in range(1, passes + 1):
        order = _order(risk, steps, made)
        if _pass(descent, risk, order, settings, watch, trace[-1], steps.batch):
            status = Status.INTERRUPTED
        if made == passes or status is Status.INTERRUPTED:
            trace.append((0, 0, made, 0, 0, 1, np.inf, 0))
            break
        primal, stalled = (np.inf, False) if tol == 0 else _judge(descent, risk, settings, stall)
        trace.append((0, time.perf_counter() - began, made, primal, 0, 1, np.inf, 0))
        if stalled and not _slower(descent, steps):
            status = Status.PRECISION
            break
        if watch.see(trace_row(trace[-1])):
            status = Status.INTERRUPTED
            break
    iterate = _unload(descent, steps, start)
    solution = _solution(risk, iterate, status, trace[1:], began, settings)
    if status is Status.PRECISION and solution.certificate.gap <= tol:
        status = Status.OPTIMAL
    return replace(solution, status=status, method=steps.method)


def correct(
    risk: LinearRisk, settings: SolverSettings, watch: Watch, start: Iterate | None = None
) -> Solution:
    """Apply the perceptron's rule in passes until one has no mistake.

        at each row with y_i (w'x_i + b) <= margin:   (w, b) <- (w, b) + eta0 s_i y_i (x_i, 1)

    Rows of weight s_i = 1 that some (w, b) separates by a distance gamma in the space of (x_i, 1)
    are mistaken at most (R^2 + 2 margin / eta0) / gamma^2 times, R being the length of the longest
    (x_i, 1): `mistake_bounds`. The reference is `optimizers.perceptron`.

    A tolerance ends passes that no longer lower the mistakes per row by it, and held rows those
    that no longer raise the score on them.

    References: A. Novikoff (1962); W. Krauth and M. Mezard, learning algorithms with optimal
    stability (1987), for the margin; Y. Freund and R. Schapire (1999), for the average.

    Parameters
    ----------
    risk : LinearRisk
        Rows and labels; its loss is `Perceptron(margin)`, its lam 0. Held rows as in `descend`.
    settings, watch, start
        As in `descend`.

    Returns
    -------
    Solution
        OPTIMAL: a whole pass went without a mistake. PRECISION: passes no longer brought enough.
        The numbers of mistakes are in its `iterate`.

    Examples
    --------
    >>> from maxmargin.losses import Perceptron
    >>> X, y = np.array([[-1.0, 0.0], [1.0, 1.0], [2.0, -1.0]]), np.array([-1.0, 1.0, 1.0])
    >>> risk = LinearRisk(X, y, np.ones(3), Perceptron(), lam=0.0)
    >>> rule = Steps("perceptron", shuffle=False)
    >>> found = correct(risk, SolverSettings(method=rule), Watch())
    >>> found.w, found.status.name, found.iterate.mistakes.ravel().tolist()
    (array([[2., 1.]]), 'OPTIMAL', [2, 0])
    """
    began = asked = time.perf_counter()
    steps = settings.method if isinstance(settings.method, Steps) else Steps("perceptron")
    start = start or Iterate.zero(risk.X.shape[1], risk.n_outputs)
    start = replace(start, eta0=steps.eta0 or 1.0)
    plan = risk.plan(eta0=start.eta0, average=steps.averaged)
    descent = _load(risk, plan, start, steps, settings.n_threads)
    stall = Stall.of(steps, risk.rows.size)
    passes = settings.max_iter if settings.max_iter >= 0 else MOST_PASSES
    trace: list[tuple[float, ...]] = [(0, 0, 0, np.inf, 0, 1, np.inf, 0)]
    mistakes: list[NDArray[np.int64]] = []
    status = Status.MAX_ITERATIONS
    for made in range(passes):
        before = descent.updates
        stopped = _pass(descent, risk, _order(risk, steps, made), settings, watch, trace[-1])
        mistakes.append(descent.updates - before)
        now = time.perf_counter()
        trace.append((0, now - began, made + 1, np.inf, 0, 1, np.inf, 0))
        if not stopped and not mistakes[-1].any():
            status = Status.OPTIMAL
            break
        if _tired(descent, risk, settings, stall, mistakes[-1]):
            status = Status.PRECISION
            break
        # A pass may be shorter than the time between two questions of the core's.
        if not stopped and now - asked > 0.05:
            asked, stopped = now, watch.see(trace_row(trace[-1]))
        if stopped:
            status = Status.INTERRUPTED
            break
    outputs = descent.updates.size
    iterate = _unload(descent, steps, start)
    iterate = replace(iterate, mistakes=np.array(mistakes, np.int64).reshape(-1, outputs))
    solution = _solution(risk, iterate, status, trace[1:], began, settings)
    return replace(solution, method=steps.method)


def advance(
    risk: LinearRisk,
    settings: SolverSettings,
    watch: Watch,
    start: Iterate | None = None,
    order: NDArray[np.int64] | None = None,
) -> Iterate:
    """Go on by one pass over a block of a stream.

    Parameters
    ----------
    risk : LinearRisk
        The block.
    settings, watch
        As in `descend`.
    start : Iterate, optional
        Where the stream has led to so far.
    order : ndarray of int64, optional
        The block's rows in the order of the pass; in their own if left out.

    Returns
    -------
    Iterate
        Where it is now.

    Examples
    --------
    >>> from maxmargin.losses import Hinge
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    >>> block = LinearRisk(X, y, np.ones(2), Hinge(), lam=0.1)
    >>> once = advance(block, SolverSettings(), Watch())
    >>> advance(block, SolverSettings(), Watch(), once).steps
    4
    """
    steps = settings.method if isinstance(settings.method, Steps) else Steps()
    start = _prepared(risk, steps, start, settings.n_threads)
    descent = _load(risk, _plan(risk, steps, start), start, steps, settings.n_threads)
    latest = (0, 0, 0, np.inf, 0, 1, np.inf, 0)
    rows = risk.rows if order is None else order
    _pass(descent, risk, rows, settings, watch, latest, steps.batch)
    return _unload(descent, steps, start)


def mistake_bounds(risk: LinearRisk, iterate: Iterate, n_threads: int = 1) -> NDArray[np.float64]:
    """Return (R^2 + 2 margin / eta0) / gamma^2 for the last (w, b) of each output.

    No run of the perceptron's rule makes more mistakes. Infinite where (w, b) does not separate
    the rows.

    Parameters
    ----------
    risk : LinearRisk
        The rows, with a `Perceptron` loss.
    iterate : Iterate
        The hyperplanes, and eta0.
    n_threads : int
        Threads to use.

    Examples
    --------
    >>> from maxmargin.losses import Perceptron
    >>> X, y = np.array([[-1.0], [3.0]]), np.array([-1.0, 1.0])
    >>> risk = LinearRisk(X, y, np.ones(2), Perceptron(), lam=0.0)
    >>> found = correct(risk, SolverSettings(method=Steps("perceptron", shuffle=False)), Watch())
    >>> mistake_bounds(risk, found.iterate)
    array([5.])
    """
    constant, margin = risk.intercept.present, getattr(risk.loss, "margin", 0.0)
    scores = _core.linear_scores(risk.data, iterate.weights, iterate.intercepts, n_threads)
    scores = scores[risk.rows]
    labels = risk.y[risk.rows, None]
    if risk.n_outputs > 1:
        labels = np.where(labels == np.arange(risk.n_outputs), 1.0, -1.0)
    squares = (iterate.weights**2).sum(axis=1) + constant * iterate.intercepts**2
    gamma = (labels * scores).min(axis=0) / np.sqrt(np.maximum(squares, np.finfo(float).tiny))
    R2 = float(risk.squared_norms()[risk.rows].max()) + constant
    with np.errstate(divide="ignore"):
        return np.where(gamma > 0, (R2 + 2 * margin / iterate.eta0) / gamma**2, np.inf)


def _plan(risk: LinearRisk, steps: Steps, start: Iterate) -> _core.Plan:
    """Return the core's form of the steps."""
    if risk.l1 > 0 and (steps.averaged or steps.method == "pegasos"):
        raise ValueError(
            f"the risk has an l1 of {risk.l1}, which goes with neither an average nor Pegasos; use "
            'Steps("sgd") or Steps(average=0).'
        )
    return risk.plan(
        eta0=start.eta0,
        **_sizes(risk, steps),
        radius=risk.radius() if steps.method == "pegasos" else 0.0,
        average=steps.averaged,
        start=float(start.begin),
        forget=FORGET if steps.average is None else 0.0,
        intercept_rate=start.intercept_rate,
        batch=steps.batch,
    )


def _sizes(risk: LinearRisk, steps: Steps) -> dict[str, Any]:
    """Return step sizes as a member of the core's family (`cpp/stream/descent.h`).

    eta0 / max(1 + convexity eta0 (t - origin), (1 + decay (t - origin))^power)
    """
    match steps.learning_rate:
        case "constant" | "adaptive":
            return {}
        case "invscaling":
            return {"decay": 1.0, "power": steps.power, "origin": 1}
        case "auto" if steps.method != "pegasos":
            power = 0.75 if steps.averaged else 1.0
            return {"convexity": risk.lam, "decay": steps.batch / DELAY, "power": power}
        case _:
            return {"convexity": risk.lam + risk.l1, "origin": 1}


def _order(risk: LinearRisk, steps: Steps, made: int) -> NDArray[np.int64]:
    """Return the rows in the order of a pass."""
    return _core.shuffled(risk.data, risk.rows, steps.seed + made) if steps.shuffle else risk.rows


def _pass(
    descent: _core.Descent,
    risk: LinearRisk,
    order: NDArray[np.int64],
    settings: SolverSettings,
    watch: Watch,
    latest: tuple[float, ...],
    batch: int = 1,
) -> bool:
    """Make one pass; tell whether it was stopped on the way."""
    expected = descent.steps + -(-order.size // batch)
    error = descent.run(
        risk.data,
        risk.y,
        risk.weight,
        order,
        settings.n_threads,
        lambda *_: watch.see(trace_row(latest)),
    )
    if error is not None and settings.on_interrupt == "raise":
        raise error
    if not np.isfinite(descent.penalties).all() or not np.isfinite(descent.intercepts(False)).all():
        epoch = -(-descent.steps * batch // order.size)
        raise ValueError(
            f"Floating-point under-/overflow occurred at epoch #{epoch}. Scaling input data with "
            "StandardScaler or MinMaxScaler might help; or give a smaller eta0."
        )
    return descent.steps < expected


class Stall:
    """Passes in a row in which a value does not fall by enough.

    Parameters
    ----------
    patience : int
        How many are too many.

    Examples
    --------
    >>> stall = Stall(patience=2)
    >>> [stall.over(value, enough=0.1) for value in (1.0, 0.5, 0.45, 0.44)]
    [False, False, False, True]
    """

    def __init__(self, patience: int) -> None:
        self.patience, self.least, self.passes = patience, np.inf, 0

    @classmethod
    def of(cls, steps: Steps, n_rows: int) -> Stall:
        """Return what ends passes of so many rows.

        Parameters
        ----------
        steps : Steps
            How steps are made, and perhaps the patience.
        n_rows : int
            Rows of a pass.
        """
        return cls(steps.patience or max(PATIENCE, -(-DELAY // n_rows)))

    def over(self, value: float, enough: float) -> bool:
        """Whether there are too many of them; then they are counted anew.

        Parameters
        ----------
        value : float
            After the latest pass.
        enough : float
            By which it is to fall.
        """
        self.passes = self.passes + 1 if self.least - value < enough else 0
        self.least = min(self.least, value)
        if self.passes < self.patience:
            return False
        self.passes = 0
        return True


def _judge(
    descent: _core.Descent, risk: LinearRisk, settings: SolverSettings, stall: Stall
) -> tuple[float, bool]:
    """Return the objective, where it is computed, and whether passes no longer bring enough."""
    if risk.held is not None:
        return np.inf, stall.over(-_score(descent, risk.held, settings), settings.tol)
    losses = descent.losses(risk.data, risk.y, risk.weight, risk.rows, settings.n_threads)
    primal = float((losses / risk.rows.size + descent.penalties).sum())
    return primal, stall.over(primal, settings.tol * primal)


def _tired(
    descent: _core.Descent,
    risk: LinearRisk,
    settings: SolverSettings,
    stall: Stall,
    mistakes: NDArray[np.int64],
) -> bool:
    """Whether passes of the perceptron's rule no longer bring enough."""
    if risk.held is not None:  # without a tolerance any better score is enough
        enough = settings.tol or np.finfo(float).eps
        return stall.over(-_score(descent, risk.held, settings), enough)
    return settings.tol > 0 and stall.over(float(mistakes.sum()) / risk.rows.size, settings.tol)


def _score(descent: _core.Descent, held: HeldRows, settings: SolverSettings) -> float:
    return held.score(descent.weights(True), descent.intercepts(True), settings.n_threads)


def _slower(descent: _core.Descent, steps: Steps) -> bool:
    """Make steps smaller, if they adapt; tell whether it was done."""
    if steps.learning_rate != "adaptive" or descent.eta0 <= LEAST_STEP:
        return False
    descent.eta0 /= SLOWER
    return True


def _load(
    risk: LinearRisk, plan: _core.Plan, start: Iterate, steps: Steps, n_threads: int
) -> _core.Descent:
    descent = _core.Descent.over(risk.data, plan, risk.n_outputs, n_threads)
    descent.steps = start.steps
    if start.weights.any() or start.intercepts.any():
        descent.set(False, start.weights, start.intercepts)
    if steps.averaged and start.steps > start.begin:
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


def _solution(
    risk: LinearRisk,
    iterate: Iterate,
    status: Status,
    trace: list[tuple[float, ...]],
    began: float,
    settings: SolverSettings,
) -> Solution:
    """Certify where the steps are, and put that into the last row of the trace."""
    before = time.perf_counter()
    certificate = risk.certify_point(
        iterate.mean, iterate.mean_intercepts, n_threads=settings.n_threads
    )
    now = time.perf_counter()
    values = certificate.primal, certificate.dual, certificate.gap
    if trace:
        trace[-1] = (0, now - began, trace[-1][2], *values, np.inf, 0)
    return Solution(
        status=status,
        certificate=certificate,
        multipliers=tuple(iterate.mean_intercepts.tolist()),
        w=iterate.mean,
        trace=np.array(trace, TRACE),
        work=Work(iterations=len(trace), seconds=now - began, certificate_seconds=now - before),
        iterate=iterate,
    )


def _prepared(risk: LinearRisk, steps: Steps, start: Iterate | None, n_threads: int) -> Iterate:
    """Return where steps begin, with the first step size and the beginning of the average."""
    start = start or Iterate.zero(risk.X.shape[1], risk.n_outputs)
    if steps.average:
        start = replace(start, begin=(steps.average - 1) // steps.batch)
    if steps.method == "pegasos":
        return replace(start, eta0=1 / risk.lam)
    if steps.learning_rate == "optimal":
        return replace(start, eta0=(risk.lam + risk.l1) ** -0.25)
    if steps.eta0 > 0:
        return replace(start, eta0=steps.eta0, intercept_rate=1.0)
    return start if start.eta0 > 0 else _with_first_step(risk, steps, start, n_threads)


def _with_first_step(risk: LinearRisk, steps: Steps, start: Iterate, n_threads: int) -> Iterate:
    """Choose eta0 on a sample: a hundredth of the rows, from 200 to 1,000.

    Fewer than 200 rows are taken again and again, up to 1,000: a pass or two over a dozen rows
    prefer steps that are far too small for the hundreds of passes to come.
    """
    least, most = SAMPLE
    size = min(most, max(least, risk.rows.size // 100)) if risk.rows.size > least else most
    sample = _sample(risk.rows, size, steps.seed)
    plan = _plan(risk, steps, start)
    eta0, rate = _core.choose_rate(
        risk.data, risk.y, risk.weight, sample, plan, risk.n_outputs, n_threads
    )
    return replace(start, eta0=eta0, intercept_rate=rate)


def _sample(rows: NDArray[np.int64], size: int, seed: int) -> NDArray[np.int64]:
    """Choose rows at random, spread evenly over all of them, in random order."""
    random = np.random.default_rng(seed)
    places = (np.arange(size) + random.random(size)) * (len(rows) / size)
    sample: NDArray[np.int64] = rows[random.permutation(places.astype(np.int64))]
    return sample
