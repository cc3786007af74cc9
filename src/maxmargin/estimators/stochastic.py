"""Linear machines fitted by stochastic steps: for streams, and where a rough optimum will do."""

from __future__ import annotations

import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from maxmargin import _core
from maxmargin.data import canonical
from maxmargin.estimators.base import check_weight, unchanged_on_error
from maxmargin.estimators.callbacks import CallbackSupportMixin, FitTasks, with_callbacks
from maxmargin.estimators.parameters import (
    ANY,
    BOOLEAN,
    CALLABLE,
    JOBS,
    MAPPING,
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
from maxmargin.kernels import Linear
from maxmargin.problems import LinearRisk, RiskCertificate, Status
from maxmargin.solvers import Iterate, Steps, advance, descend

#: A block of a stream is judged by this many of its rows at most.
_HELD_ROWS = 4096

_RULES: dict[str, Rule] = {
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


class LinearScorer(BaseEstimator, ABC):  # type: ignore[misc]
    """What machines with a row of weights an output share: checked rows, scores."""

    n_jobs: int | None
    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_rows(self, X: Any, *, reset: bool) -> Any:
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=[np.float64, np.float32],
            order="C",
        )
        return canonical(X) if sparse.issparse(X) else X

    def _scores(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        X = self._check_rows(X, reset=False)
        threads = count_threads(self.n_jobs)
        return _core.linear_scores(Linear().data(X), self.coef_, self.intercept_, threads)


class LinearClassifier(ClassifierMixin, LinearScorer):  # type: ignore[misc]
    """Classes as numbers, and the way back: one score a class, or one alone for two."""

    class_weight: dict[Any, float] | Literal["balanced"] | None
    classes_: NDArray[Any]

    @property
    def _n_outputs(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _check_labels(self, y: Any, X: Any) -> NDArray[Any]:
        labels: NDArray[Any] = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        check_consistent_length(X, labels)
        return labels

    def _learn_classes(self, labels: NDArray[Any], weight: NDArray[np.float64]) -> None:
        self.classes_ = np.unique(labels[weight > 0])
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has {len(self.classes_)} class {', '.join(map(str, self.classes_))} in the "
                "rows of positive weight; a classifier needs at least two classes. Use OneClassSVM "
                "for one."
            )

    def _check_classes(self, classes: ArrayLike | None) -> None:
        """Take the classes of a stream, which its first block has to name."""
        known = getattr(self, "classes_", None)
        if known is None and classes is None:
            raise ValueError("classes is None; the first partial_fit must be given all classes.")
        if classes is None:
            return
        named = np.unique(np.asarray(classes))
        if known is not None and not np.array_equal(named, known):
            raise ValueError(
                f"classes is {list(named)} but the stream began with {list(known)}; give the same."
            )
        if len(named) < 2:
            raise ValueError(f"classes is {list(named)}; a classifier needs at least two.")
        self.classes_ = named

    def _targets(
        self, labels: NDArray[Any], weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Labels as the core takes them, and weights with those of the classes in them."""
        codes = np.searchsorted(self.classes_, labels).clip(max=len(self.classes_) - 1)
        unknown = (self.classes_[codes] != labels) & (weight > 0)
        if unknown.any():
            raise ValueError(
                f"y has the class {labels[np.argmax(unknown)]!r}, which is not among "
                f"{list(self.classes_)}; name all classes in the first partial_fit."
            )
        if self.class_weight is not None:
            factors = self._class_factors(labels, weight)
            weight = weight * factors[codes]
        if self._n_outputs == 1:
            return np.where(codes == 1, 1.0, -1.0), weight
        return codes.astype(np.float64), weight

    def _class_factors(
        self, labels: NDArray[Any], weight: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        if self.class_weight == "balanced":
            codes = np.searchsorted(self.classes_, labels[weight > 0])
            counts = np.bincount(codes, weight[weight > 0], len(self.classes_))
            return np.asarray(weight.sum() / (len(self.classes_) * counts))
        factors = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_)
        bad = ~(np.isfinite(factors) & (factors > 0))
        if bad.any():
            k = int(np.argmax(bad))
            raise ValueError(
                f"class_weight of class {self.classes_[k]} is {factors[k]}; it must be a finite "
                "number greater than 0."
            )
        return np.asarray(factors, np.float64)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive speaks for `classes_[1]`. More: one score a class.
        """
        scores = self._scores(X)
        return scores[:, 0] if self._n_outputs == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        scores = self._scores(X)
        codes = (scores[:, 0] >= 0).astype(np.int64) if scores.shape[1] == 1 else scores.argmax(1)
        return np.asarray(self.classes_[codes])


class StochasticMachine(CallbackSupportMixin, LinearScorer):  # type: ignore[misc]
    """Base of the estimators that descend by stochastic steps."""

    _rules: ClassVar[dict[str, Rule]]

    alpha: float
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

    @abstractmethod
    def _steps(self) -> Steps:
        """How steps are made."""

    # ---- Fitting ----------------------------------------------------------------------------

    def _stated_risk(
        self, X: Any, y: NDArray[np.float64], weight: NDArray[np.float64], **loss: Any
    ) -> LinearRisk:
        kind: Any = self.intercept if self.fit_intercept else "none"
        return LinearRisk(X, y, weight, alpha=float(self.alpha), intercept=kind, **loss)

    def _made_steps(self, method: Any) -> Steps:
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
        check_parameters(self.get_params(deep=False), self._rules)
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

    def _certify(self, risk: LinearRisk) -> RiskCertificate:
        check_is_fitted(self)
        return risk.certify(self.coef_, self.intercept_, n_threads=count_threads(self.n_jobs))


class SGDSVC(LinearClassifier, StochasticMachine):
    """Linear classification by stochastic steps, with an honest statement of how far they got.

    Minimises alpha/2 |w|^2 + 1/n sum_i s_i h(y_i (<w, x_i> + b)) for each class against the rest
    (s_i the row's weight, n the number of rows). That is the problem of the other machines with
    C = 1 / (alpha n); they solve it exactly, this one approaches it in a few passes over the rows.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "logistic", "perceptron"}, default="hinge"
        h. "perceptron" is max(0, -z).
    alpha : float, default=1e-4
        Factor of the penalty.
    method : {"asgd", "sgd", "pegasos"}, default="asgd"
        Averaged steps of size eta0 / (1 + decay t)^(3/4), decay the larger of alpha eta0 and 1/1000
        a row; the last iterate of steps of size eta0 / (1 + decay t); or steps of size
        1 / (alpha t) with projection and averaging, for the hinge loss without a free intercept.
    fit_intercept : bool, default=True
        Whether there is a b.
    intercept : {"free", "penalized"}, default="free"
        Whether b is outside or inside |w|^2.
    max_iter : int, default=1000
        Most passes over the rows.
    tol : float, default=1e-3
        A fit ends when two passes in a row each lower the objective by less than this share of it;
        0 for all passes.
    eta0 : "auto" or float, default="auto"
        First step size; "auto" takes the power of 2 that is best on a sample.
    batch_size : int, default=1
        Rows a step.
    shuffle : bool, default=True
        Whether each pass of `fit` has a new random order.
    class_weight : dict or "balanced", default=None
        Factor of the weight of each class's rows; "balanced" not in a stream.
    random_state : int, RandomState or None, default=None
        Seed of these orders. The same seed gives the same model, with any number of threads.
    warm_start : bool, default=False
        Whether `fit` goes on from the last model.
    verbose : bool or int, default=False
        Show a line of progress on standard error.
    time_limit : float or None, default=None
        Seconds for the whole fit; what is there by then is kept, and certified.
    callback : callable or None, default=None
        Called about every 100 ms with the latest row of `history_`; returning True ends the fit.
    on_interrupt : {"raise", "keep"}, default="raise"
        Whether Ctrl-C raises and leaves the estimator as it was, or keeps the model so far.
    n_jobs : int or None, default=None
        Threads; None for all cores, one inside parallel workers. Results do not depend on it.

    Attributes
    ----------
    certificate_ : RiskCertificate
        After `fit`: the objective, a proven lower bound of the optimum, and their gap, which is an
        upper bound of the distance to the optimum and with a tiny alpha often a loose one. After
        `partial_fit`: the same of the model before that block, on the block, as an estimate.
    status_ : Status
        OPTIMAL: the gap is at most tol. PRECISION: the objective no longer falls by tol a pass.
    history_ : structured ndarray
        The objective after each pass of the last `fit`; `iterations` counts passes.
    coef_, intercept_, classes_, n_iter_, n_features_in_, feature_names_in_
        As in scikit-learn.
    eta0_, t_ : float, int
        First step size and number of steps.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SGDSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SGDSVC(random_state=0).fit(X, y == 0)
    >>> model.score(X, y == 0), bool(model.certificate_.dual <= model.certificate_.primal)
    (1.0, True)

    A stream, block by block; each block first judges the model so far.

    >>> model = SGDSVC(random_state=0)
    >>> for block in range(0, 150, 50):
    ...     rows = slice(block, block + 50)
    ...     _ = model.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    >>> model.certificate_.held, model.t_
    (True, 150)
    """

    _rules: ClassVar[dict[str, Rule]] = {
        **_RULES,
        "loss": one_of("hinge", "squared_hinge", "logistic", "perceptron"),
        "method": one_of("asgd", "sgd", "pegasos"),
        "class_weight": one_of("balanced") | MAPPING | NONE,
    }

    def __init__(
        self,
        *,
        loss: str = "hinge",
        alpha: float = 1e-4,
        method: str = "asgd",
        fit_intercept: bool = True,
        intercept: str = "free",
        max_iter: int = 1000,
        tol: float = 1e-3,
        eta0: float | str = "auto",
        batch_size: int = 1,
        shuffle: bool = True,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: bool | int = False,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.alpha = alpha
        self.method = method
        self.fit_intercept = fit_intercept
        self.intercept = intercept
        self.max_iter = max_iter
        self.tol = tol
        self.eta0 = eta0
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.time_limit = time_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs

    def _steps(self) -> Steps:
        if self.method == "pegasos" and self.loss != "hinge":
            raise ValueError(
                f'method is "pegasos" but loss is {self.loss!r}; it must be "hinge", or use "asgd".'
            )
        if self.method == "pegasos" and self.fit_intercept and self.intercept == "free":
            raise ValueError(
                'method is "pegasos" but intercept is "free": its steps of 1 / (alpha t) need a '
                'penalty on b; use intercept="penalized", fit_intercept=False or method="asgd".'
            )
        return self._made_steps(self.method)

    def _risk(self, X: Any, y: Any, weight: NDArray[np.float64]) -> LinearRisk:
        targets, weight = self._targets(y, weight)
        return self._stated_risk(
            X, targets, weight, loss=self.loss, width=0.0, n_outputs=self._n_outputs
        )

    def _check_fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> LinearRisk:
        X = self._check_rows(X, reset=not (self.warm_start and hasattr(self, "_iterate")))
        labels = self._check_labels(y, X)
        weight = check_weight(sample_weight, labels)
        if not (self.warm_start and hasattr(self, "_iterate")):
            self._learn_classes(labels, weight)
        return self._risk(X, labels, weight)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model in passes over all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factor of each row's loss; 0 leaves a row out.

        Returns
        -------
        self : SGDSVC
            The fitted estimator.
        """
        return self._fit_checked(X, y, sample_weight)

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
        self : SGDSVC
            The estimator.
        """
        check_parameters(self.get_params(deep=False), self._rules)
        if self.class_weight == "balanced":
            raise ValueError(
                'class_weight is "balanced", which needs all rows; give a stream a dict instead.'
            )
        with unchanged_on_error(self):
            X = self._check_rows(X, reset=not hasattr(self, "_iterate"))
            labels = self._check_labels(y, X)
            weight = check_weight(sample_weight, labels)
            self._check_classes(classes)
            self._advance(self._risk(X, labels, weight))
        return self

    def certify(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> RiskCertificate:
        """Compute the objective of the model and a lower bound of all models' on some rows.

        Parameters
        ----------
        X, y, sample_weight : array-likes
            As in `fit`.

        Returns
        -------
        RiskCertificate
            Exact for these rows.
        """
        check_is_fitted(self)
        X = self._check_rows(X, reset=False)
        labels = self._check_labels(y, X)
        return self._certify(self._risk(X, labels, check_weight(sample_weight, labels)))


class SGDSVR(RegressorMixin, StochasticMachine):  # type: ignore[misc]
    """Linear regression by stochastic steps, with an honest statement of how far they got.

    Minimises alpha/2 |w|^2 + 1/n sum_i s_i h(<w, x_i> + b - y_i), s_i being the row's weight and n
    the number of rows.

    Parameters
    ----------
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive", "huber"}, \
default="epsilon_insensitive"
        h.
    epsilon : float, default=0.1
        Half the width of the tube in which errors cost nothing.
    delta : float, default=1.0
        Where Huber's parabola turns into a line.
    method : {"asgd", "sgd"}, default="asgd"
        As of `SGDSVC`.
    alpha, fit_intercept, intercept, max_iter, tol, eta0, batch_size, shuffle, random_state, \
warm_start, verbose, time_limit, callback, on_interrupt, n_jobs
        As of `SGDSVC`.

    Attributes
    ----------
    certificate_, status_, history_, coef_, intercept_, n_iter_, eta0_, t_, n_features_in_, \
feature_names_in_
        As of `SGDSVC`; `coef_` has one dimension.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import SGDSVR
    >>> X = np.linspace(-1, 1, 200)[:, None]
    >>> model = SGDSVR(alpha=1e-5, epsilon=0.0, random_state=0).fit(X, 2 * X[:, 0] + 1)
    >>> bool(abs(model.predict([[0.5]])[0] - 2.0) < 0.05)
    True
    """

    _rules: ClassVar[dict[str, Rule]] = {
        **_RULES,
        "loss": one_of("epsilon_insensitive", "squared_epsilon_insensitive", "huber"),
        "epsilon": NOT_NEGATIVE,
        "delta": POSITIVE,
        "method": one_of("asgd", "sgd"),
    }

    def __init__(
        self,
        *,
        loss: str = "epsilon_insensitive",
        epsilon: float = 0.1,
        delta: float = 1.0,
        alpha: float = 1e-4,
        method: str = "asgd",
        fit_intercept: bool = True,
        intercept: str = "free",
        max_iter: int = 1000,
        tol: float = 1e-3,
        eta0: float | str = "auto",
        batch_size: int = 1,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: bool | int = False,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.epsilon = epsilon
        self.delta = delta
        self.alpha = alpha
        self.method = method
        self.fit_intercept = fit_intercept
        self.intercept = intercept
        self.max_iter = max_iter
        self.tol = tol
        self.eta0 = eta0
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.time_limit = time_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs

    def _steps(self) -> Steps:
        return self._made_steps(self.method)

    def _risk(self, X: Any, y: Any, weight: NDArray[np.float64]) -> LinearRisk:
        width = float(self.delta if self.loss == "huber" else self.epsilon)
        return self._stated_risk(X, y, weight, loss=self.loss, width=width)

    def _check_fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> LinearRisk:
        reset = not (self.warm_start and hasattr(self, "_iterate"))
        return self._check_block(X, y, sample_weight, reset=reset)

    def _check_block(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool
    ) -> LinearRisk:
        X = self._check_rows(X, reset=reset)
        if y is None:
            raise ValueError("y is None: SGDSVR requires y to be passed, but the target y is None.")
        targets: NDArray[np.float64] = column_or_1d(y, warn=True, dtype=np.float64)
        assert_all_finite(targets, input_name="y")
        check_consistent_length(X, targets)
        return self._risk(X, targets, check_weight(sample_weight, targets))

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model in passes over all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Factor of each row's loss; 0 leaves a row out.

        Returns
        -------
        self : SGDSVR
            The fitted estimator.
        """
        return self._fit_checked(X, y, sample_weight)

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
        self : SGDSVR
            The estimator.
        """
        check_parameters(self.get_params(deep=False), self._rules)
        with unchanged_on_error(self):
            reset = not hasattr(self, "_iterate")
            self._advance(self._check_block(X, y, sample_weight, reset=reset))
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the target of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted targets.
        """
        return self._scores(X)[:, 0]

    def certify(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> RiskCertificate:
        """Compute the objective of the model and a lower bound of all models' on some rows.

        Parameters
        ----------
        X, y, sample_weight : array-likes
            As in `fit`.

        Returns
        -------
        RiskCertificate
            Exact for these rows.
        """
        check_is_fitted(self)
        return self._certify(self._check_block(X, y, sample_weight, reset=False))
