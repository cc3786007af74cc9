"""What the stochastic machines of a cluster share: passes over partitions in a random order."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.distributed.cluster import releasing
from maxmargin.distributed.linear_rows import target_moments
from maxmargin.distributed.machine import ClusterMachine
from maxmargin.distributed.partitions import Partitions
from maxmargin.distributed.share import pooled
from maxmargin.distributed.stream_rows import Stated, learn, risk_sums
from maxmargin.estimators.stochastic_machine import StochasticMachine
from maxmargin.estimators.training import Training
from maxmargin.losses import EpsilonInsensitive
from maxmargin.problems import (
    TRACE,
    Certificate,
    Iterate,
    Solution,
    SolverSettings,
    Status,
    Steps,
    Work,
    risk_certificate,
    trace_row,
)
from maxmargin.solvers import Stall, Watch, with_reason

#: Parameters with a value that goes with rows in one place only, and one that does here.
_REFUSED = (
    ("early_stopping", True, False),
    ("method", "pegasos", "asgd"),
    ("learning_rate", "adaptive", "auto"),
)


@dataclass(frozen=True, eq=False)
class ClusterRisk:
    """A regularised mean loss whose rows are on the workers of a cluster.

    Parameters
    ----------
    X : Partitions
        The rows.
    state : Stated
        What each partition makes of them.
    n_outputs : int
        Outputs.
    """

    X: Partitions
    state: Stated
    n_outputs: int

    @property
    def n_rows(self) -> int:
        """How many rows count."""
        return sum(int(part.counts.sum()) for part in self.X.contents)

    def certify_point(
        self, weights: Any, intercepts: NDArray[np.float64], *, n_threads: int = 1
    ) -> Certificate:
        """Certify weights, as `LinearRisk.certify_point` does.

        Parameters
        ----------
        weights, intercepts : ndarrays
            The model.
        n_threads : int
            Of no use: workers use the threads that they have.
        """
        w, how = np.ascontiguousarray(weights), self.state.machine._intercept()
        alpha, l1 = self.state.machine._penalties()
        sums = self.X.surviving(lambda: self._sums(w, intercepts))
        bounds = _core.risk_bounds(sums, w, intercepts, alpha, l1, how.present, how.penalty > 0)
        return risk_certificate(bounds, self.n_rows)

    def _sums(self, weights: NDArray[np.float64], intercepts: NDArray[np.float64]) -> Any:
        loss = self.state.machine._loss()
        unit = loss.epsilon if isinstance(loss, EpsilonInsensitive) else 1.0
        if unit == 0:
            count, _, squares = pooled(self.X.map(target_moments))
            unit = 0.1 * float(np.sqrt(squares / count)) or 1.0
        return self.X.sum(risk_sums, self.state, weights, intercepts, unit)


class ClusterStochasticMachine(ClusterMachine, StochasticMachine):
    """Base of the stochastic machines whose rows are on the workers of a cluster.

    A pass goes through the partitions in a random order, and through the rows of each in a random
    order; the weights travel from one worker to the next.
    """

    def _check_combination(self) -> None:
        super()._check_combination()
        for name, refused, instead in _REFUSED:
            if getattr(self, name, None) == refused:
                raise ValueError(
                    f"{name} is {refused!r}, which needs all rows in one place; on a cluster use "
                    f"{name}={instead!r}."
                )

    def certify(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, tight: bool = False
    ) -> Certificate:
        """Compute the objective of the model and a lower bound of all models', on the workers.

        Parameters
        ----------
        X, y, sample_weight : Dask collections or array-likes
            As in `fit`.
        tight : bool, default=False
            Must be False: the exact machine's dual problem needs all rows in one place.

        Returns
        -------
        Certificate
            Exact for these rows.
        """
        if tight:
            raise ValueError(
                "tight is True, which needs all rows in one place; on a cluster fit "
                "maxmargin.distributed.LinearSVC or LinearSVR for a tight bound."
            )
        with releasing():
            return super().certify(X, y, sample_weight)

    def _state(self, data: Training) -> list[ClusterRisk]:  # type: ignore[override]
        outputs = 1 if data.classes is None else data.classes.n_outputs
        return [ClusterRisk(data.X, Stated(self._sent(), data.classes, data.class_weight), outputs)]

    def _solve(
        self,
        problems: Sequence[ClusterRisk],
        settings: SolverSettings,
        watch: Watch,
        starts: Sequence[Any],
    ) -> Sequence[Solution]:
        found = [descend(problems[0], settings, watch, starts[0])]
        watch.solved(found)
        return found if watch.reason is None else with_reason(found, watch.reason)


def descend(
    risk: ClusterRisk, settings: SolverSettings, watch: Watch, start: Iterate | None = None
) -> Solution:
    """Make passes over the partitions until the objective no longer falls, and certify the result.

    Parameters
    ----------
    risk : ClusterRisk
        What to minimise.
    settings, watch, start
        As in `solvers.descend`. A pass that is stopped on the way ends with the partitions at work.
    """
    began, n = time.perf_counter(), risk.n_rows
    steps = settings.method
    assert isinstance(steps, Steps)
    iterate = start or Iterate.zero(risk.X.shape[1], risk.n_outputs)
    if iterate.steps == 0 and steps.average is None:
        iterate = replace(iterate, begin=n // steps.batch // 2)
    trace: list[tuple[float, ...]] = []
    stall = Stall.of(steps, n)
    status = Status.MAX_ITERATIONS
    for made in range(1, settings.max_iter + 1):
        latest = trace_row(trace[-1] if trace else (0, 0, 0, np.inf, 0, 1, np.inf, 0))
        iterate, primal = _watched_pass(risk, settings, watch, iterate, made, latest)
        trace.append((0, time.perf_counter() - began, made, primal, 0, 1, np.inf, 0))
        if watch.see(trace_row(trace[-1])):
            status = Status.INTERRUPTED
            break
        if settings.tol > 0 and stall.over(primal, settings.tol * primal):
            status = Status.PRECISION
            break
    return _solution(risk, settings, iterate, status, trace, began)


def _watched_pass(
    risk: ClusterRisk,
    settings: SolverSettings,
    watch: Watch,
    iterate: Iterate,
    made: int,
    latest: np.void,
) -> tuple[Iterate, float]:
    """Make a pass, and return the objective after it where it is to tell when to end."""

    def tick() -> bool:
        watch.see(latest.copy())
        return False  # what has been asked is waited for

    with risk.X.cluster.asking(tick):
        iterate = risk.X.surviving(lambda: _pass(risk, settings, watch, iterate, made))
        if settings.tol == 0 or watch.expired:
            return iterate, np.inf
        return iterate, risk.certify_point(iterate.mean, iterate.mean_intercepts).primal


def _pass(
    risk: ClusterRisk, settings: SolverSettings, watch: Watch, iterate: Iterate, made: int
) -> Iterate:
    """Go through all partitions once; those of one worker that follow each other in one visit."""
    steps: Any = settings.method
    holders, numbers = risk.X.holders, np.arange(len(risk.X.contents))
    if steps.shuffle:
        numbers = np.random.default_rng([steps.seed, made]).permutation(numbers)
    for address, group in groupby(numbers.tolist(), holders.__getitem__):
        if watch.expired:
            break
        iterate = risk.X.visit(address, learn, list(group), iterate, risk.state, settings, made)
    return iterate


def _solution(
    risk: ClusterRisk,
    settings: SolverSettings,
    iterate: Iterate,
    status: Status,
    trace: list[tuple[float, ...]],
    began: float,
) -> Solution:
    """Certify where the steps are, and put that into the last row of the trace."""
    before = time.perf_counter()
    certificate = risk.certify_point(iterate.mean, iterate.mean_intercepts)
    now = time.perf_counter()
    values = certificate.primal, certificate.dual, certificate.gap
    trace[-1] = (0, now - began, trace[-1][2], *values, np.inf, 0)
    if status is Status.PRECISION and certificate.gap <= settings.tol:
        status = Status.OPTIMAL
    return Solution(
        status=status,
        certificate=certificate,
        multipliers=tuple(iterate.mean_intercepts.tolist()),
        w=iterate.mean,
        trace=np.array(trace, TRACE),
        work=Work(iterations=len(trace), seconds=now - began, certificate_seconds=now - before),
        method=str(getattr(settings.method, "method", "asgd")),
        iterate=iterate,
    )
