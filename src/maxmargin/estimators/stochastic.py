"""What linear machines fitted by stochastic steps share: parameters, passes, certificates."""

from __future__ import annotations

import time
import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from maxmargin.estimators.base import unchanged_on_error
from maxmargin.estimators.callbacks import CallbackSupportMixin, FitTasks, with_callbacks
from maxmargin.estimators.linear_classifier import LinearScorer
from maxmargin.estimators.parameters import (
    ANY,
    BOOLEAN,
    CALLABLE,
    JOBS,
    NONE,
    NOT_NEGATIVE,
    POSITIVE,
    POSITIVE_COUNT,
    VERBOSE,
    Rule,
    check_parameters,
    one_of,
)
from maxmargin.estimators.progress import Progress
from maxmargin.estimators.threads import count_threads
from maxmargin.problems import LinearRisk, RiskCertificate, Status
from maxmargin.solvers import Iterate, Steps, advance, descend, tighten

#: A block of a stream is judged by this many of its rows at most.
_HELD_ROWS = 1024

#: Losses that Pegasos is for.
PEGASOS = ("hinge", "logistic", "epsilon_insensitive", "huber")

RULES: dict[str, Rule] = {
    "method": one_of("asgd", "sgd", "pegasos"),
    "alpha": POSITIVE,
    "fit_intercept": BOOLEAN,
    "intercept": one_of("free", "penalized"),
    "max_iter": POSITIVE_COUNT,
    "tol": NOT_NEGATIVE,
    "eta0": one_of("auto") | POSITIVE,
    "batch_size": POSITIVE_COUNT,
    "shuffle": BOOLEAN,
    "random_state": ANY,
    "warm_start": BOOLEAN,
    "verbose": VERBOSE,
    "time_limit": POSITIVE | NONE,
    "callback": CALLABLE | NONE,
    "on_interrupt": one_of("raise", "keep"),
    "n_jobs": JOBS | NONE,
}


class StochasticMachine(CallbackSupportMixin, LinearScorer):  # type: ignore[misc]
    """Base of the estimators that descend by stochastic steps."""

    _rules: ClassVar[dict[str, Rule]]

    loss: str
    alpha: float
    method: str
    fit_intercept: bool
    intercept: str
    max_iter: int
    tol: float
    eta0: float | str
    batch_size: int
    shuffle: bool
    random_state: Any
    warm_start: bool
    verbose: bool | int
    time_limit: float | None
    callback: Callable[[np.void], bool | None] | None
    on_interrupt: str

    @abstractmethod
    def _risk(self, X: Any, y: Any, weight: NDArray[np.float64]) -> LinearRisk:
        """State the problem of some rows."""

    # ---- Fitting ----------------------------------------------------------------------------

    def _stated_risk(
        self, X: Any, y: NDArray[np.float64], weight: NDArray[np.float64], **loss: Any
    ) -> LinearRisk:
        kind: Any = self.intercept if self.fit_intercept else "none"
        return LinearRisk(X, y, weight, alpha=float(self.alpha), intercept=kind, **loss)

    def _steps(self) -> Steps:
        """How steps are made."""
        if self.method == "pegasos" and self.loss not in PEGASOS:
            raise ValueError(
                f'method is "pegasos" but loss is {self.loss!r}: its first steps of 1 / alpha need '
                f'a loss whose slope is bounded, one of {", ".join(PEGASOS)}; or use method="asgd".'
            )
        if self.method == "pegasos" and self.fit_intercept and self.intercept == "free":
            raise ValueError(
                'method is "pegasos" but intercept is "free": its steps of 1 / (alpha t) need a '
                'penalty on b; use intercept="penalized", fit_intercept=False or method="asgd".'
            )
        method: Any = self.method
        return Steps(
            method=method,
            batch=int(self.batch_size),
            shuffle=self.shuffle,
            seed=int(check_random_state(self.random_state).randint(2**31 - 1)),
            n_threads=count_threads(self.n_jobs),
        )

    def _start(self, risk: LinearRisk, going_on: bool) -> Iterate:
        if going_on and hasattr(self, "_iterate"):
            shape = self._iterate.weights.shape
            if shape != (risk.n_outputs, risk.X.shape[1]):
                raise ValueError(
                    f"the model has weights of shape {shape} but these data need "
                    f"{(risk.n_outputs, risk.X.shape[1])}; fit a new model."
                )
            return self._iterate
        start = Iterate.zero(risk.X.shape[1], risk.n_outputs)
        return start if self.eta0 == "auto" else replace(start, eta0=float(self.eta0))

    def _progress(self, tasks: FitTasks | None, start: float) -> Progress:
        keep = self.on_interrupt == "keep"
        return Progress(
            max(self.tol, 1e-12),
            self.time_limit,
            self.callback,
            self.verbose,
            1,
            tasks,
            keep,
            start,
        )

    def _fit_checked(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Self:
        check_parameters({name: getattr(self, name) for name in self._rules}, self._rules)
        with unchanged_on_error(self):
            self._fit(X, y, sample_weight)
        self._warn_if_not_converged()
        return self

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        begin = time.perf_counter()
        risk = self._check_fit(X, y, sample_weight)
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        tasks = FitTasks(self, {"X": X, "y": y, "metadata": metadata}, 1)
        progress = self._progress(tasks, begin)
        with progress, progress.deferring_interrupts():
            done = descend(
                risk,
                self._steps(),
                self._start(risk, self.warm_start),
                max_iter=self.max_iter,
                tol=self.tol,
                progress=progress,
            )
        self._interruption = progress.interruption
        self.status_ = done.status
        if done.status is Status.INTERRUPTED and progress.reason is not None:
            self.status_ = progress.reason
        self.history_ = done.trace
        self.n_iter_ = len(done.trace)
        self._assign(done.iterate, done.certificate)
        tasks.finish()

    @abstractmethod
    def _check_fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> LinearRisk:
        """Check the data of a fit and state its problem."""

    def _advance(self, risk: LinearRisk) -> None:
        """Judge the model by a block of a stream, then learn from the block."""
        before = self._start(risk, going_on=True)
        held = risk.rows[:_HELD_ROWS]
        block = replace(risk, X=risk.X[held], y=risk.y[held], weight=risk.weight[held])
        certificate = block.certify(before.mean, before.mean_intercepts, held=True)
        progress = self._progress(None, time.perf_counter())
        with progress, progress.deferring_interrupts():
            iterate = advance(risk, self._steps(), before, progress=progress)
        self._assign(iterate, certificate)
        self.n_iter_ = getattr(self, "n_iter_", 0) + 1

    def _assign(self, iterate: Iterate, certificate: RiskCertificate) -> None:
        self._iterate = iterate
        self.coef_, self.intercept_ = iterate.mean, iterate.mean_intercepts
        self.certificate_ = certificate
        self.eta0_, self.t_ = iterate.eta0, iterate.steps

    def _warn_if_not_converged(self) -> None:
        """Say how far from the optimum an unfinished fit is."""
        certificate = self.certificate_
        if self.status_ <= Status.PRECISION or self.tol == 0 or certificate.gap <= self.tol:
            return
        limit = {
            Status.MAX_ITERATIONS: f"max_iter={self.max_iter} was reached",
            Status.TIME_LIMIT: f"time_limit={self.time_limit} s was reached",
            Status.INTERRUPTED: self._interruption,
        }[self.status_]
        warnings.warn(
            f"The fit ended early: {limit}, and the objective {certificate.primal:.6g} still fell "
            f"by more than tol={self.tol:g} a pass. It is at most {certificate.gap:.1e} of itself "
            "above the optimum.",
            ConvergenceWarning,
            stacklevel=4,
        )

    def _certify(self, risk: LinearRisk, tight: bool) -> RiskCertificate:
        threads = count_threads(self.n_jobs)
        certificate = risk.certify(self.coef_, self.intercept_, n_threads=threads)
        return tighten(risk, certificate, threads) if tight else certificate
