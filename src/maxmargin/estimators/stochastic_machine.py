"""What the machines that learn by stochastic steps share: passes, streams, certificates."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from maxmargin.estimators.classes import (
    ClassWeight,
    check_labels,
    check_names,
    class_weights,
    numbers,
)
from maxmargin.estimators.linear_machine import LinearClassifier, LinearMachine, LinearRegressor
from maxmargin.estimators.machine import MACHINE_RULES, RANDOM
from maxmargin.estimators.parameters import BOOLEAN, POSITIVE_COUNT, Rule
from maxmargin.estimators.run import FitRun
from maxmargin.estimators.training import Training, check_weight, regression_data
from maxmargin.losses import Loss
from maxmargin.models import Classes, LinearModel
from maxmargin.problems import (
    Certificate,
    Iterate,
    LinearRisk,
    Solution,
    SolverSettings,
    Status,
    Steps,
    Work,
)
from maxmargin.solvers import Watch, advance, tighten

#: A block of a stream is judged by this many of its rows at most.
_HELD_ROWS = 1024

STOCHASTIC_RULES: dict[str, Rule] = {
    **MACHINE_RULES,
    **RANDOM,
    "fit_intercept": BOOLEAN,
    "max_iter": POSITIVE_COUNT,
    "shuffle": BOOLEAN,
}


class StochasticMachine(LinearMachine):
    """Base of the machines that learn row by row."""

    _at_limit = (
        "Maximum number of iteration reached before convergence: max_iter={} was reached, consider "
        "increasing it"
    )

    alpha: float
    shuffle: bool
    random_state: Any
    warm_start: bool

    @abstractmethod
    def _loss(self) -> Loss:
        """Return the loss that is minimised."""

    @abstractmethod
    def _steps(self) -> Steps:
        """Say how steps are made."""

    def _state(self, data: Training) -> list[LinearRisk]:
        y, outputs = data.y, 1
        if data.classes is not None:
            outputs = data.classes.n_outputs
            y = (2 * data.y - 1 if outputs == 1 else data.y).astype(np.float64)
        alpha = float(self.alpha)
        return [
            LinearRisk(data.X, y, data.factors, self._loss(), alpha, outputs, self._intercept())
        ]

    def _settings(self, **own: Any) -> SolverSettings:
        return super()._settings(method=self._steps(), **own)

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    @property
    def _going_on(self) -> bool:
        """Whether `fit` goes on from the last model."""
        return self.warm_start and self.__sklearn_is_fitted__()

    def _starts(self, data: Training, problems: Sequence[LinearRisk]) -> list[Iterate | None]:
        return [self._start(problems[0])] if self._going_on else [None]

    def _start(self, risk: LinearRisk) -> Iterate | None:
        """Where the last model ended."""
        if not self.__sklearn_is_fitted__():
            return None
        last = self.solutions_[0].iterate
        if last is None:
            return None
        if last.weights.shape != (risk.n_outputs, risk.X.shape[1]):
            raise ValueError(
                f"the model has weights of shape {last.weights.shape} but these data need "
                f"{(risk.n_outputs, risk.X.shape[1])}; fit a new model."
            )
        return last

    def _model_of(
        self, data: Training, problems: Sequence[LinearRisk], solutions: Sequence[Solution]
    ) -> LinearModel:
        [found] = solutions
        assert found.w is not None
        return LinearModel.plain(found.w, np.array(found.multipliers), data.classes)

    def _kept(self, solution: Solution) -> Solution:
        """Return all but what the model has."""
        return replace(solution, w=None)

    def _good(self) -> bool:
        done = self.status_ <= Status.PRECISION or self.tol == 0
        return done or self.certificate_.gap <= self.tol

    # ---- Streams ----------------------------------------------------------------------------

    def _learn_block(self, data: Training, run: FitRun) -> Self:
        """Go on with one pass over a block of a stream, in its own order."""
        [risk] = self._state(data)
        with run.progress() as progress, progress.deferring_interrupts():
            solution = self._advance(risk, progress)
        self._keep(data, [risk], [solution])
        return self

    def _advance(self, risk: LinearRisk, watch: Watch) -> Solution:
        """Judge the model by a block, then learn from the block."""
        before = self._start(risk)
        judged = before or Iterate.zero(risk.X.shape[1], risk.n_outputs)
        held = risk.rows[:_HELD_ROWS]
        block = replace(risk, X=risk.X[held], y=risk.y[held], weight=risk.weight[held])
        certificate = block.certify_point(judged.mean, judged.mean_intercepts, held=True)
        iterate = advance(risk, self._settings(), watch, before)
        return self._streamed(certificate, iterate)

    def _streamed(self, certificate: Certificate, iterate: Iterate) -> Solution:
        """Return the solution that a stream has led to, with the course of the last `fit`."""
        last = self.solutions_[0] if self.__sklearn_is_fitted__() else None
        work = Work(iterations=1) + (Work() if last is None else last.work)
        found = Solution(
            Status.MAX_ITERATIONS if last is None else last.status,
            certificate,
            tuple(iterate.mean_intercepts.tolist()),
            w=iterate.mean,
            work=work,
            method=self._steps().method,
            iterate=iterate,
        )
        return found if last is None else replace(found, trace=last.trace)

    # ---- The fitted state -------------------------------------------------------------------

    @property
    def n_iter_(self) -> int:
        """Passes over the rows, and blocks of a stream."""
        self._check_fitted()
        return self.solutions_[0].work.iterations

    @property
    def _iterate(self) -> Iterate:
        self._check_fitted()
        iterate = self.solutions_[0].iterate
        assert iterate is not None
        return iterate

    @property
    def eta0_(self) -> float:
        """First step size."""
        return self._iterate.eta0

    @property
    def t_(self) -> int:
        """Number of steps."""
        return self._iterate.steps

    def certify(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        tight: bool = False,
    ) -> Certificate:
        """Compute the objective of the model and a lower bound of all models' on some rows.

        Parameters
        ----------
        X, y, sample_weight : array-likes
            As in `fit`.
        tight : bool, default=False
            Whether the lower bound is that of the exact machine's dual problem, solved to about
            1 %: it costs some tens of passes, and the gap then is the distance to the optimum.

        Returns
        -------
        Certificate
            Exact for these rows.
        """
        self._check_fitted()
        [risk] = self._state(self._check(X, y, sample_weight, reset=False))
        model, threads = self.model_, self._threads()
        certificate = risk.certify_point(model.dense_coef, model.intercepts, n_threads=threads)
        return tighten(risk, certificate, threads) if tight else certificate


class StochasticClassifier(LinearClassifier, StochasticMachine):
    """Stochastic steps for classes, one against the rest."""

    class_weight: ClassWeight

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        keeps = self._going_on or not reset
        X = self._check_rows(X, reset=not keeps)
        labels = check_labels(y, X)
        weight = check_weight(sample_weight, labels)
        names = self.classes_ if keeps else check_names(labels[weight > 0], labels)[0]
        return self._numbered(X, labels, weight, names)

    def _numbered(
        self,
        X: Any,
        labels: NDArray[Any],
        weight: NDArray[np.float64],
        names: NDArray[Any],
    ) -> Training:
        """Return labels as numbers of classes, or say which class is not among them."""
        codes, present = numbers(labels, names), weight > 0
        unknown = (codes < 0) & present
        if unknown.any():
            raise ValueError(
                f"y has the class {labels[np.argmax(unknown)]!r}, which is not among "
                f"{list(names)}; name all classes in the first partial_fit."
            )
        factors = class_weights(self.class_weight, names, codes[present], weight[present])
        classes = Classes(names, "ovr", zero=0)
        every = np.arange(len(codes))
        return Training(X, codes, weight, every, classes=classes, class_weight=factors)

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Go on with one pass over a block of a stream, in its own order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The block's rows.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like, optional
            All classes of the stream; needed by the first call.
        sample_weight : array-like of shape (n_samples,), optional
            Factor of each row's loss.

        Returns
        -------
        self : estimator
            The estimator.
        """
        self._check_parameters()
        if self.class_weight == "balanced":
            raise ValueError(
                'class_weight is "balanced", which needs all rows; give a stream a dict instead.'
            )
        with FitRun(self) as run:
            X = self._check_rows(X, reset=not self.__sklearn_is_fitted__())
            labels = check_labels(y, X)
            weight = check_weight(sample_weight, labels)
            return self._learn_block(
                self._numbered(X, labels, weight, self._stream_names(classes)), run
            )

    def _stream_names(self, classes: ArrayLike | None) -> NDArray[Any]:
        """Return the classes of a stream, which its first block has to name."""
        known = self.classes_ if self.__sklearn_is_fitted__() else None
        if classes is None:
            if known is None:
                raise ValueError(
                    "classes is None; the first partial_fit must be given all classes."
                )
            return known
        named = np.unique(np.asarray(classes))
        if known is not None and not np.array_equal(named, known):
            raise ValueError(
                f"classes is {list(named)} but the stream began with {list(known)}; give the same."
            )
        if len(named) < 2:
            raise ValueError(f"classes is {list(named)}; a classifier needs at least two.")
        return named


class StochasticRegressor(LinearRegressor, StochasticMachine):
    """Stochastic steps for targets."""

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        X = self._check_rows(X, reset=reset and not self._going_on)
        return regression_data(X, y, sample_weight, type(self).__name__)

    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Go on with one pass over a block of a stream, in its own order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The block's rows.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), optional
            Factor of each row's loss.

        Returns
        -------
        self : estimator
            The estimator.
        """
        self._check_parameters()
        with FitRun(self) as run:
            rows = self._check_rows(X, reset=not self.__sklearn_is_fitted__())
            data = regression_data(rows, y, sample_weight, type(self).__name__)
            return self._learn_block(data, run)
