"""What the machines that learn by stochastic steps share: passes, streams, certificates."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils import check_random_state

from maxmargin.data import hashes
from maxmargin.estimators.calibrated_classifier import CalibratedClassifier, Folds, deal
from maxmargin.estimators.classes import (
    ClassWeight,
    check_labels,
    check_names,
    class_weights,
    numbers,
)
from maxmargin.estimators.linear_machine import LinearClassifier, LinearMachine, LinearRegressor
from maxmargin.estimators.machine import MACHINE_RULES, RANDOM
from maxmargin.estimators.parameters import BOOLEAN, FRACTION, POSITIVE_COUNT, Rule, one_of
from maxmargin.estimators.run import FitRun
from maxmargin.estimators.training import Training, check_weight, regression_data
from maxmargin.losses import Loss
from maxmargin.models import Classes, LinearModel
from maxmargin.problems import (
    Certificate,
    HeldRows,
    Iterate,
    LinearRisk,
    Solution,
    Solutions,
    SolverSettings,
    Status,
    Steps,
    Work,
)
from maxmargin.solvers import Watch, advance, tighten

Judge = Callable[[NDArray[np.float64]], float]

#: A block of a stream is judged by this many of its rows at most.
_HELD_ROWS = 1024

STOCHASTIC_RULES: dict[str, Rule] = {
    **MACHINE_RULES,
    **RANDOM,
    "fit_intercept": BOOLEAN,
    "max_iter": POSITIVE_COUNT,
    "shuffle": BOOLEAN,
    "early_stopping": BOOLEAN,
    "validation_fraction": FRACTION,
    "n_iter_no_change": one_of("auto") | POSITIVE_COUNT,
    "warm_start": BOOLEAN,
}


class StochasticMachine(LinearMachine):
    """Base of the machines that learn row by row."""

    _at_limit = (
        "Maximum number of iteration reached before convergence: max_iter={} was reached, consider "
        "increasing it"
    )

    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int | str
    shuffle: bool
    random_state: Any
    warm_start: bool

    @abstractmethod
    def _loss(self) -> Loss:
        """Return the loss that is minimised."""

    def _penalties(self) -> tuple[float, float]:
        """Return the factors of |w|^2 / 2 and of |w|_1."""
        return 0.0, 0.0

    @abstractmethod
    def _steps(self) -> Steps:
        """Say how steps are made."""

    @abstractmethod
    def _judge(self, data: Training, rows: NDArray[np.int64]) -> Judge:
        """Return what `score` says of some rows, from outputs of theirs."""

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; float32 and float64 are used as they are, sparse ones become CSR.
        y : array-like of shape (n_samples,)
            Class labels, or targets of a regression.
        sample_weight : array-like of shape (n_samples,), optional
            What each row's step is multiplied by: rows of weight 0, or a negative one, are left
            out.
        coef_init : array-like of the shape of `coef_`, optional
            Weights to begin with, instead of 0 or, with `warm_start`, the last ones.
        intercept_init : array-like of the shape of `intercept_`, optional
            Intercepts to begin with.

        Returns
        -------
        self : estimator
            The fitted estimator.
        """
        starts = self._starts
        if coef_init is not None or intercept_init is not None:

            def starts(data: Training, problems: Sequence[LinearRisk]) -> list[Iterate | None]:
                [start] = self._starts(data, problems)
                return [_given_start(problems[0], start, coef_init, intercept_init)]

        return self._fit_from(starts, X, y, sample_weight)

    def _state(self, data: Training) -> list[LinearRisk]:
        y, weight, outputs, own = data.y, data.factors, 1, np.zeros(0)
        if data.classes is not None:
            outputs = data.classes.n_outputs
            y = (2 * data.y - 1 if outputs == 1 else data.y).astype(np.float64)
        if outputs > 1 and data.class_weight is not None:
            # As in `LinearSVC`, the rest of more than two classes counts as it is.
            weight, own = data.weight, data.class_weight
        (l2, l1), loss, intercept = self._penalties(), self._loss(), self._intercept()
        return [LinearRisk(data.X, y, weight, loss, l2, outputs, intercept, own, l1, data.held)]

    def _settings(self, **own: Any) -> SolverSettings:
        return super()._settings(method=self._steps(), **own)

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    @property
    def _patience(self) -> int | None:
        """Passes without progress that are too many, if it was said how many."""
        return None if self.n_iter_no_change == "auto" else int(self.n_iter_no_change)

    def _setting_aside(self, data: Training) -> Training:
        """Return the data with some rows held out, if they are to tell when to stop."""
        if not self.early_stopping:
            return data
        rows = np.flatnonzero(data.weight)
        kind = ShuffleSplit if data.classes is None else StratifiedShuffleSplit
        split = kind(1, test_size=self.validation_fraction, random_state=self.random_state)
        try:
            [(_, places)] = split.split(rows, data.y[rows])
        except ValueError as error:
            raise ValueError(
                f"early_stopping cannot hold out validation_fraction={self.validation_fraction} of "
                f"{len(rows)} rows: {error}"
            ) from error
        held, weight = rows[places], data.weight.copy()
        weight[held] = 0.0
        judged = HeldRows(data.X[held], self._judge(data, held))
        return replace(data, weight=weight, held=judged)

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

    def _kept(self, solutions: Sequence[Solution]) -> Sequence[Solution]:
        """Return all but what the model has."""
        return Solutions(replace(solution, w=None) for solution in solutions)

    def _good(self) -> bool:
        done = self.status_ <= Status.PRECISION or self._tolerance == 0
        return done or self.certificate_.gap <= self._tolerance

    # ---- Streams ----------------------------------------------------------------------------

    def _check_stream(self) -> None:
        """Refuse parameters with which a stream cannot be learnt."""
        self._check_parameters()
        if self.early_stopping:
            raise ValueError(
                "early_stopping should be False with partial_fit: which rows of a stream are held "
                "out, and when it ends, is for the caller to say; `certificate_` judges each block "
                "before it is learnt from."
            )

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
            1 %: it costs some tens of passes, and the gap then is the distance to the optimum. It
            makes no difference without a penalty or with one of |w|_1.

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


def _given_start(
    risk: LinearRisk, start: Iterate | None, coef: ArrayLike | None, intercept: ArrayLike | None
) -> Iterate:
    """Return where steps begin, with the weights and intercepts that were given."""
    start = start or Iterate.zero(risk.X.shape[1], risk.n_outputs)
    if coef is not None:
        weights = _in_shape("coef_init", coef, start.weights)
        start = replace(start, weights=weights, mean=weights)
    if intercept is not None:
        intercepts = _in_shape("intercept_init", intercept, start.intercepts)
        start = replace(start, intercepts=intercepts, mean_intercepts=intercepts)
    return start


def _in_shape(name: str, given: ArrayLike, like: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what to begin with in its shape; of one output it may have a dimension less."""
    values = np.asarray(given, np.float64)
    single = len(like) == 1 and values.size == like.size
    if not np.isfinite(values).all():
        raise ValueError(f"{name} has values that are not finite.")
    if values.shape != like.shape and not single:
        raise ValueError(
            f"Provided {name} does not match dataset: its shape is {values.shape} but these data "
            f"need {like.shape}."
        )
    return values.reshape(like.shape)


class StochasticClassifier(LinearClassifier, CalibratedClassifier, StochasticMachine):
    """Stochastic steps for classes, one against the rest."""

    class_weight: ClassWeight

    def _judge(self, data: Training, rows: NDArray[np.int64]) -> Judge:
        y, weight, classes = data.y[rows], data.weight[rows], data.classes
        assert classes is not None
        return lambda outputs: float(
            accuracy_score(y, classes.codes(outputs), sample_weight=weight)
        )

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        keeps = self._going_on or not reset
        X = self._check_rows(X, reset=not keeps)
        labels = check_labels(y, X)
        weight = check_weight(sample_weight, labels)
        names = self.classes_ if keeps else check_names(labels[weight > 0], labels)[0]
        data = self._numbered(X, labels, weight, names)
        self._check_method(data.classes)
        return self._setting_aside(data) if reset else data

    def _deal(self, data: Training) -> Folds:
        folds = np.full(len(data.y), -1)
        counts = data.weight > 0
        folds[counts] = deal(hashes(data.X[counts]), data.y[counts])
        return folds

    def _without(self, data: Training, held: NDArray[np.bool_]) -> Training:
        left = super()._without(data, held)
        return replace(left, X=data.X[left.rows], rows=np.arange(len(left.rows)))

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
        self._check_stream()
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight 'balanced' is not supported for partial_fit, because it needs all "
                "rows; give a stream a dict, e.g. of sklearn.utils.compute_class_weight."
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
                    "classes must be passed on the first call to partial_fit: classes is None, and "
                    "the first partial_fit must be given all classes."
                )
            return known
        named = np.unique(np.asarray(classes))
        if known is not None and not np.array_equal(named, known):
            raise ValueError(
                f"`classes={named!r}` is not the same as on last call to partial_fit: the stream "
                f"began with {list(known)}; give the same."
            )
        if len(named) < 2:
            raise ValueError(f"classes is {list(named)}; a classifier needs at least two.")
        return named


class StochasticRegressor(LinearRegressor, StochasticMachine):
    """Stochastic steps for targets."""

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        X = self._check_rows(X, reset=reset and not self._going_on)
        data = regression_data(X, y, sample_weight, type(self).__name__)
        return self._setting_aside(data) if reset else data

    def _judge(self, data: Training, rows: NDArray[np.int64]) -> Judge:
        if len(rows) < 2:
            raise ValueError(
                f"early_stopping with validation_fraction={self.validation_fraction} holds out one "
                "row, but R^2 needs two; give a greater fraction."
            )
        y, weight = data.y[rows], data.weight[rows]
        return lambda outputs: float(r2_score(y, outputs[:, 0], sample_weight=weight))

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
        self._check_stream()
        with FitRun(self) as run:
            rows = self._check_rows(X, reset=not self.__sklearn_is_fitted__())
            data = regression_data(rows, y, sample_weight, type(self).__name__)
            return self._learn_block(data, run)
