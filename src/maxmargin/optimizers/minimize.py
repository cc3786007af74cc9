"""Subgradient descent: one loop for every schedule, rule and batch size.

    g_t in dJ(look(w_t)),   w_{t+1} = w_t + rule(schedule(t + 1) g_t),   t = 0, 1, ...

A step along minus a subgradient may climb, so the best recorded iterate is the answer. With
`batch`, g_t is the subgradient on a random mini-batch, an unbiased estimate.

Certifying: at a recorded w the slopes s of the losses are a point of the dual, and so is the
average of all recorded ones; the larger of the two dual values bounds the optimum from below. For
differentiable losses the former closes the gap; at a kink only the average can, because the
optimal slope lies between those on its two sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import repeat
from numbers import Integral
from time import perf_counter
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.losses.loss import Array, array
from maxmargin.optimizers.rules import Plain, Rule
from maxmargin.optimizers.schedules import Schedule, schedule_of
from maxmargin.optimizers.stopping import Gap, Progress, Stop
from maxmargin.prompt import Brief, Hinted, brief, keywords


class Minimizable(Protocol):
    """A function with values and subgradients.

    A stochastic run also needs its number of rows `n` and `subgradient(w, rows)`, a certified one
    `dual_point(w)` and `dual_value(s)`; `maxmargin.problems.Objective` has them all.

    Examples
    --------
    >>> from maxmargin.losses import Polyhedral
    >>> from maxmargin.optimizers import InverseSquareRoot
    >>> h = Polyhedral([[1.0], [-1.0]], [0.0, 0.0])
    >>> minimize(h, [3.0], InverseSquareRoot(1.0), max_iter=100).value < 0.1
    True
    """

    def value(self, w: Array, /) -> float:
        """J(w)."""

    def subgradient(self, w: Array, /) -> Array:
        """Return an element of dJ(w)."""


class Ending(Enum):
    """Why a run ended: a stopping rule was met, max_iter steps were done, or it diverged.

    Examples
    --------
    >>> Ending("diverged")
    <Ending.DIVERGED: 'diverged'>
    """

    STOPPED = "stopped"
    MAX_ITERATIONS = "max iterations"
    DIVERGED = "diverged"


@dataclass(frozen=True, eq=False, repr=False)
class Run(Brief, Hinted):
    """What a run found, how it ended, and its trace.

    Attributes
    ----------
    w : array
        The best recorded weights, as the rule answers.
    value : float
        J there.
    last : array
        The answer at the end.
    n_iter : int
        Steps done.
    ending : Ending
    lower_bound : float
        Of the optimum; -inf without `certify`.
    trace : structured array
        One row per record: t, time in seconds, value, best value so far, lower bound so far, length
        of the step that led there (NaN at the start) and w.
    intercept : bool or None
        Whether the last entry of w is b, where the problem says so.

    Examples
    --------
    >>> from maxmargin.optimizers import StronglyConvex
    >>> from maxmargin.problems import Objective
    >>> J = Objective([[-1.0], [1.0]], [-1.0, 1.0], "hinge", C=1.0, intercept=False)
    >>> run = minimize(J, [0.0], StronglyConvex(1.0), max_iter=50)
    >>> run.w, run.trace["value"][:2]
    (array([1.]), array([2., 2.]))
    """

    w: Array
    value: float
    last: Array
    n_iter: int
    ending: Ending
    lower_bound: float
    trace: NDArray[np.void]
    intercept: bool | None = None

    _meant: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["b", "intercept", "bias"], "w[-1], if the objective has an intercept"),
        **dict.fromkeys(["x", "theta", "weights", "best", "solution", "coef_"], "w"),
        **dict.fromkeys(["values", "losses", "history", "loss"], 'trace["value"]'),
        **dict.fromkeys(["path", "iterates", "ws"], 'trace["w"]'),
        **dict.fromkeys(["objective", "fun", "J"], "value"),
        **dict.fromkeys(["converged", "status", "success"], "ending"),
        **dict.fromkeys(["steps", "n_steps", "nit"], "n_iter"),
        "margins": "maxmargin.models.Margins.of(run, X, y)",
        "plane": "maxmargin.models.Hyperplane.of(run)",
    }

    @property
    def gap(self) -> float:
        """J(w) - lower_bound: w is at most this far from optimal."""
        return self.value - self.lower_bound

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw how the objective falls. Needs matplotlib, the extra `plot`.

        `maxmargin.plots.TraceDisplay` compares several runs, `PathDisplay` draws their ways.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to; by default a new figure.
        **options
            As for `TraceDisplay.plot`.

        Returns
        -------
        Axes
        """
        # An import upwards, and only when asked for: a run does not need matplotlib.
        from maxmargin.plots import TraceDisplay

        return TraceDisplay.from_runs(self).plot(ax, **options)


@keywords(
    **dict.fromkeys(["step", "step_size", "learning_rate", "lr", "eta", "alpha"], "schedule="),
    **dict.fromkeys(["w", "w0", "x0", "theta", "init", "initial"], "start="),
    **dict.fromkeys(["batch_size", "minibatch"], "batch="),
    **dict.fromkeys(["random_state", "rng"], "seed="),
    **dict.fromkeys(["n_iter", "iterations", "steps", "n_steps", "epochs", "K"], "max_iter="),
    **dict.fromkeys(["tol", "eps", "epsilon"], "stop=ObjectiveChange(...) or stop=Gap(...)"),
    **dict.fromkeys(["momentum", "gamma"], "rule=Momentum(0.9)"),
    objective="problem=",
)
def minimize(
    problem: Any,
    start: ArrayLike,
    schedule: Schedule | float,
    *,
    rule: Rule | None = None,
    stop: Stop | Sequence[Stop] = (),
    max_iter: int = 1000,
    batch: int | Sequence[ArrayLike] | None = None,
    seed: int | None = None,
    record_every: int = 1,
    certify: bool = False,
) -> Run:
    """Minimise a convex function by (stochastic) subgradient steps.

    Parameters
    ----------
    problem : Minimizable
    start : array
        w_0.
    schedule : callable or float
        From t = 1, 2, ... to the step size; a number is a constant one.
    rule : Rule
        From subgradients to steps; `Plain()` if none is given.
    stop : Stop or sequence of Stop
        The run ends when it, or one of them, is met.
    max_iter : int
    batch : int or sequence of rows
        Number of rows of each mini-batch, drawn without replacement; or the mini-batches
        themselves, one for each step. All rows if none is given.
    seed : int
        Of the mini-batches.
    record_every : int
        J is evaluated, traced and considered as the best at these steps, and at the last.
    certify : bool
        Also bound the optimum from below at every record.

    Returns
    -------
    Run

    Examples
    --------
    >>> from maxmargin.optimizers import StronglyConvex
    >>> from maxmargin.problems import Objective
    >>> X, y = [[-2.0], [-1.0], [1.0], [3.0]], [-1.0, 1.0, 1.0, 1.0]
    >>> J = Objective(X, y, "hinge", C=0.1, intercept=False)
    >>> run = minimize(J, [0.0], StronglyConvex(1.0), max_iter=1000, stop=[Gap(1e-3)], certify=True)
    >>> run.ending, run.gap <= 1e-3
    (<Ending.STOPPED: 'stopped'>, True)
    """
    _check_counts(max_iter=max_iter, record_every=record_every)
    stop = _reasons(stop)
    if not certify and any(isinstance(reason, Gap) for reason in stop):
        raise ValueError("stop has a Gap, which needs a lower bound; pass certify=True")
    if not hasattr(problem, "subgradient"):
        raise TypeError(
            f"problem must have value(w) and subgradient(w), got {problem!r}; "
            'Objective(X, y, "hinge", C=1.0) has'
        )
    rule = _rule(rule)
    schedule = schedule_of(schedule)
    w = array(start).copy()
    state = rule.init(w)
    log = _Log(problem, certify)
    log.record(0, rule.output(w, state), np.nan)
    draws = _draws(problem, batch, seed)
    ending, t = Ending.MAX_ITERATIONS, 0
    # A step size too large for the problem overflows; that is an ending, not a warning.
    with np.errstate(over="ignore", invalid="ignore"):
        for t, rows in zip(range(1, max_iter + 1), draws, strict=False):
            g = problem.subgradient(rule.look(w, state), *rows)
            step, state = rule.update(schedule(t) * g, state, w)
            w = w + step
            progress = Progress(t, float(np.linalg.norm(step)))
            if not np.isfinite(progress.step_length):
                ending = Ending.DIVERGED
                break
            if t % record_every == 0:
                progress = log.record(t, rule.output(w, state), progress.step_length)
            if any(reason.met(progress) for reason in stop):
                ending = Ending.STOPPED
                break
        if ending is not Ending.DIVERGED and t % record_every != 0:
            log.record(t, rule.output(w, state), progress.step_length)
    return log.run(n_iter=t, ending=ending)


class _Log:
    """The trace of a run, the best of it, and what the dual says about the optimum."""

    def __init__(self, problem: Any, certify: bool) -> None:
        self.problem, self.certify = problem, certify
        self.began = perf_counter()
        self.rows: list[tuple[Any, ...]] = []
        self.value = self.best = np.inf
        self.bound = -np.inf
        self.w: Array | None = None
        self.slopes: Array | None = None

    def record(self, t: int, w: Array, step_length: float) -> Progress:
        previous, self.value = self.value, self._value(w)
        if self.value < self.best or self.w is None:
            self.best, self.w = self.value, w
        if self.certify:
            self._raise_bound(w)
        elapsed = perf_counter() - self.began
        self.rows.append((t, elapsed, self.value, self.best, self.bound, step_length, w))
        progress = Progress(t, step_length, change=abs(self.value - previous))
        return replace(progress, gap=self.best - self.bound) if self.certify else progress

    def _value(self, w: Array) -> float:
        value = self.problem.value(w)
        if np.ndim(value):
            raise TypeError(
                f"problem.value(w) must be one number, got {brief(value)}: a function of one "
                "number starts at a number, such as start=3.0"
            )
        return float(value)

    def _raise_bound(self, w: Array) -> None:
        s = self.problem.dual_point(w)
        n_before = len(self.rows)
        self.slopes = s if self.slopes is None else (n_before * self.slopes + s) / (n_before + 1)
        dual_value = self.problem.dual_value
        self.bound = max(self.bound, dual_value(s), dual_value(self.slopes))

    def run(self, n_iter: int, ending: Ending) -> Run:
        assert self.w is not None
        numbers = [(name, float) for name in ("time", "value", "best", "bound", "step_length")]
        dtype = np.dtype([("t", np.int64), *numbers, ("w", float, self.w.shape)])
        trace = np.array(self.rows, dtype=dtype)
        last = trace["w"][-1]
        intercept = getattr(self.problem, "intercept", None)
        return Run(self.w, self.best, last, n_iter, ending, self.bound, trace, intercept)


def _reasons(stop: Any) -> Sequence[Stop]:
    reasons = [stop] if hasattr(stop, "met") else stop
    if isinstance(reasons, str | type | float | int) or not all(
        hasattr(reason, "met") for reason in reasons
    ):
        raise TypeError(
            f"stop must be a rule, or several, such as ObjectiveChange(1e-6), StepLength(1e-6) or "
            f"Gap(1e-6), got {stop!r}"
        )
    return list(reasons)


def _rule(rule: Any) -> Rule:
    if rule is None:
        return Plain()
    if isinstance(rule, type) or not hasattr(rule, "update"):
        raise TypeError(
            f"rule must be one such as Momentum(0.9), Nesterov(0.9) or Average(Plain()), "
            f"got {rule!r}"
        )
    chosen: Rule = rule
    return chosen


def _draws(
    problem: Any, batch: int | Sequence[ArrayLike] | None, seed: int | None
) -> Iterable[tuple[NDArray[np.intp], ...]]:
    """Return the rows of each step; nothing stands for all of them."""
    if batch is None:
        return repeat(())
    if isinstance(batch, float | str):
        raise TypeError(f"batch must be a number of rows, or the rows of each step, got {batch!r}")
    if isinstance(batch, int | np.integer):
        return _mini_batches(problem.n, int(batch), seed)
    return ((np.asarray(rows, np.intp),) for rows in batch)


def _mini_batches(n: int, batch: int, seed: int | None) -> Iterator[tuple[NDArray[np.intp]]]:
    if not 1 <= batch <= n:
        raise ValueError(f"batch must be between 1 and the number of rows {n}, got {batch!r}")
    generator = np.random.default_rng(seed)
    while True:
        yield (generator.choice(n, size=batch, replace=False),)


def _check_counts(**counts: int) -> None:
    for name, count in counts.items():
        if not isinstance(count, Integral):
            raise TypeError(f"{name} must be a whole number, got {count!r}")
        if count < 1:
            raise ValueError(f"{name} must be 1 or more, got {count!r}")
