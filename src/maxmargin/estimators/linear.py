"""Linear machines: LinearSVC, LinearSVR, and the smallest C that an L1 penalty is worth."""

from __future__ import annotations

import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from maxmargin.data import ChunkedMatrix, Chunks, Dataset, canonical
from maxmargin.estimators.base import check_weight, fit_history, unchanged_on_error
from maxmargin.estimators.callbacks import CallbackSupportMixin, FitTasks, with_callbacks
from maxmargin.estimators.multiclass import TrainingClasses, check_classes, class_weights
from maxmargin.estimators.parameters import (
    ANY,
    BOOLEAN,
    CALLABLE,
    JOBS,
    LIMIT,
    MAPPING,
    NONE,
    NOT_NEGATIVE,
    POSITIVE,
    VERBOSE,
    Rule,
    check_parameters,
    one_of,
)
from maxmargin.estimators.progress import Progress
from maxmargin.estimators.threads import count_threads
from maxmargin.models import LinearModel
from maxmargin.problems import (
    Certificate,
    Intercept,
    LinearProblem,
    LinearSolution,
    SolverSettings,
    Status,
    certify_linear,
    linear_problem,
    one_vs_rest,
)
from maxmargin.solvers.linear import (
    SOLVERS,
    RowBasis,
    by_kernel,
    choose_solver,
    linear,
    linear_all,
    untouched_linear,
)

LINEAR_RULES: dict[str, Rule] = {
    "tol": POSITIVE,
    "C": POSITIVE,
    "dual": one_of("auto") | BOOLEAN,
    "fit_intercept": BOOLEAN,
    "intercept_scaling": POSITIVE,
    "intercept": one_of("free", "penalized"),
    "verbose": VERBOSE,
    "random_state": ANY,
    "max_iter": LIMIT,
    "solver": one_of(*SOLVERS),
    "time_limit": POSITIVE | NONE,
    "callback": CALLABLE | NONE,
    "on_interrupt": one_of("raise", "keep"),
    "n_jobs": JOBS | NONE,
}


class LinearMachine(CallbackSupportMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the linear machines: all but the targets."""

    #: Raised whenever the fitted attributes change so that older pickles cannot be used.
    _pickle_format = 1
    _rules: ClassVar[dict[str, Rule]]

    loss: str
    C: float
    tol: float
    max_iter: int
    fit_intercept: bool
    intercept_scaling: float
    intercept: str
    solver: str
    verbose: bool | int
    time_limit: float | None
    callback: Callable[[np.void], bool | None] | None
    on_interrupt: str
    n_jobs: int | None
    status_: Status
    certificate_: Certificate

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_pickle_format": self._pickle_format}

    def __setstate__(self, state: dict[str, Any]) -> None:
        found = state.pop("_pickle_format", None)
        if found != self._pickle_format:
            raise ValueError(
                f"this {type(self).__name__} was pickled in format {found} but this version of "
                f"maxmargin reads format {self._pickle_format}: fit it again."
            )
        super().__setstate__(state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # ---- Data -------------------------------------------------------------------------------

    def _check_rows(self, X: Any, *, reset: bool) -> Any:
        """Rows as the core takes them."""
        if isinstance(X, ChunkedMatrix):
            self.n_features_in_ = X.shape[1]
            return X
        X = validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], order="C"
        )
        X = canonical(X) if sparse.issparse(X) else X
        if reset:
            _refuse_overflow(X)
        return X

    @abstractmethod
    def _problems(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> list[LinearProblem]:
        """State the problems of checked rows X, and take note of what they are about."""

    def _state(self, data: Dataset, rows: NDArray[np.int64] | None = None) -> LinearProblem:
        intercept = Intercept.none()
        if self.fit_intercept:
            free = self.intercept == "free"
            intercept = Intercept() if free else Intercept.penalized(self.intercept_scaling)
        epsilon = getattr(self, "epsilon", 0.0)
        penalty = getattr(self, "penalty", "l2")
        return linear_problem(data, self.loss, self.C, epsilon, intercept, rows, penalty)

    # ---- Fitting ----------------------------------------------------------------------------

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or Chunks
            Training rows. float32 and float64 are used as they are, memory-mapped ones too; sparse
            ones become CSR. A `maxmargin.data.Chunks` is read a chunk at a time, several times;
            only targets, weights and dual variables, some numbers a row, are there as a whole.
        y : array-like of shape (n_samples,)
            Class labels, or targets of a regression. Chunks have their own.
        sample_weight : array-like of shape (n_samples,), optional
            Factor of C for each row: weight 2 is the row twice, weight 0 the row left out.

        Returns
        -------
        self : estimator
            The fitted estimator.
        """
        check_parameters(self.get_params(deep=False), self._rules)
        self._check_combination()
        with unchanged_on_error(self):
            self._fit(X, y, sample_weight)
        self._warn_if_not_converged()
        return self

    def _check_combination(self) -> None:
        """Refuse parameters that are each allowed but not together."""
        if self.solver == "descent" and self.loss == "logistic":
            raise ValueError(
                'solver is "descent" and loss is "logistic"; coordinate descent takes the other '
                'losses only. Use solver="newton-cg".'
            )

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        start = time.perf_counter()
        if isinstance(X, Chunks):
            X, y, sample_weight = self._scan(X, y, sample_weight)
        rows = self._check_rows(X, reset=True)
        problems = self._problems(rows, y, sample_weight)
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        tasks = FitTasks(self, {"X": X, "y": y, "metadata": metadata}, len(problems))
        began = time.perf_counter()
        solutions = self._solve(problems, tasks, start)
        self._assign(problems, solutions, began)
        tasks.finish()

    def _scan(
        self, chunks: Chunks, y: Any, sample_weight: Any
    ) -> tuple[ChunkedMatrix, NDArray[Any], NDArray[np.float64] | None]:
        """Go through a source once, for its shape and what is there as a whole."""
        if y is not None or sample_weight is not None:
            raise ValueError("y and sample_weight must be None: a source of chunks has its own.")
        if self.solver not in ("auto", "newton", "newton-cg"):
            raise ValueError(
                f"solver is {self.solver!r}, which goes through rows in any order; for a source "
                'of chunks it must be "auto", "newton" or "newton-cg".'
            )
        if getattr(self, "penalty", "l2") != "l2":
            raise ValueError('penalty is "l1"; for a source of chunks it must be "l2".')
        matrix = ChunkedMatrix.scan(chunks)
        return matrix, matrix.y, matrix.weight

    def _solve(
        self, problems: Sequence[LinearProblem], tasks: FitTasks, start: float
    ) -> list[LinearSolution]:
        """Solve one problem after the other, watching time and interrupts over all of them."""
        keep = self.on_interrupt == "keep"
        chunked = isinstance(problems[0].X, ChunkedMatrix)
        settings = SolverSettings(
            tol=self.tol,
            max_iter=self.max_iter,
            n_threads=1 if chunked else count_threads(self.n_jobs),
            on_interrupt="keep" if keep else "raise",
        )
        progress = Progress(
            self.tol,
            self.time_limit,
            self.callback,
            self.verbose,
            len(problems),
            tasks,
            keep,
            start,
            "gap",
        )
        solutions: list[LinearSolution] = []
        # All problems of a fit have the same rows, so that one method and one basis serve them.
        solver = choose_solver(problems[0]) if self.solver == "auto" else self.solver
        solver = solver if problems[0].penalty == "l2" else "auto"
        basis = None
        with progress, progress.deferring_interrupts():
            if solver == "gram" and not by_kernel(problems[0]):
                basis = RowBasis.of(problems[0])
            if solver == "descent" and len(problems) > 1:
                solutions = linear_all(problems, settings, progress)
                for part, solution in enumerate(solutions):
                    progress.part = part
                    if len(solution.trace) > 0:
                        progress.end_part(solution)
                problems = []
            for part, problem in enumerate(problems):
                progress.part = part
                if progress.expired:
                    solutions.append(untouched_linear(problem))
                    continue
                solutions.append(linear(problem, settings, progress, solver, basis))
                progress.end_part(solutions[-1])
        self._interruption = progress.interruption
        status = max(solution.status for solution in solutions)
        if status is Status.INTERRUPTED and progress.reason is not None:
            status = progress.reason
        self.status_ = status
        return solutions

    def _assign(
        self,
        problems: Sequence[LinearProblem],
        solutions: Sequence[LinearSolution],
        began: float,
    ) -> None:
        model = LinearModel.from_solutions(problems, solutions)
        self._model = model
        self._shape_fit = problems[0].X.shape
        self.coef_ = model.coef
        self.intercept_ = model.intercepts
        self.support_ = model.support.astype(np.int32)
        self.dual_coef_ = model.weights
        with np.errstate(divide="ignore"):  # infinite where all weights are zero
            self.margin_ = 1.0 / np.linalg.norm(model.coef, axis=1)
        self.certificate_ = Certificate(tuple(solution.certificate for solution in solutions))
        self.history_ = fit_history(solutions)
        if isinstance(problems[0].X, ChunkedMatrix):
            self.history_ = _with_passes(self.history_, problems[0].X, began)
        self.n_iter_ = max(solution.iterations for solution in solutions)
        self.solver_ = solutions[0].solver
        self.fit_report_ = {
            "seconds": sum(solution.seconds for solution in solutions),
            "certificate_seconds": sum(solution.certificate_seconds for solution in solutions),
            "iterations": sum(solution.iterations for solution in solutions),
            "newton_steps": sum(solution.newton_steps for solution in solutions),
        }

    def _warn_if_not_converged(self) -> None:
        gap = self.certificate_.gap
        if self.status_ is Status.OPTIMAL or gap <= self.tol:
            return
        limit = {
            Status.MAX_ITERATIONS: f"max_iter={self.max_iter} was reached",
            Status.TIME_LIMIT: f"time_limit={self.time_limit} s was reached",
            Status.INTERRUPTED: self._interruption,
            Status.PRECISION: "steps in float64 no longer improve it",
        }[self.status_]
        warnings.warn(
            f"The fit ended early: {limit}. Its relative duality gap is {gap:.1e}, tol is "
            f"{self.tol:g}: the objective is within that share of the optimum.",
            ConvergenceWarning,
            stacklevel=3,
        )

    # ---- Predicting and certifying ----------------------------------------------------------

    def _decisions(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        X = self._check_rows(X, reset=False)
        return self._model.decisions(X, count_threads(self.n_jobs))

    def certify(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Certificate:
        """Compute the certificate again from the training data, apart from the solver.

        Parameters
        ----------
        X, y, sample_weight : array-likes
            The data the model was fitted to, in the same order.

        Returns
        -------
        Certificate
            What `certificate_` should say.
        """
        check_is_fitted(self)
        rows = self._check_rows(X, reset=False)
        if rows.shape[0] != self._shape_fit[0]:
            raise ValueError(
                f"X has {rows.shape[0]} rows but the model was fitted to {self._shape_fit[0]}; "
                "give the same data."
            )
        model, parts = self._model, []
        for p, problem in enumerate(self._problems(rows, y, sample_weight)):
            b = np.zeros(rows.shape[0])
            b[model.support] = model.weights[p]
            b = b[problem.rows]
            if ((b < problem.lower) | (b > problem.upper)).any():
                raise ValueError(
                    "the fitted dual variables are not feasible for these data and parameters: "
                    "give the data, weights and parameters that the model was fitted with."
                )
            threads = count_threads(self.n_jobs)
            parts.append(certify_linear(problem, model.coef[p], model.intercepts[p], b, threads))
        return Certificate(tuple(parts))


class LinearSVC(ClassifierMixin, LinearMachine):  # type: ignore[misc]
    """Linear classification, solved exactly and certified, with an intercept that is not penalised.

    Minimises 1/2 |w|^2 + C sum_i s_i h(y_i (w'x_i + b)) with s_i a row's weight; with more than two
    classes, for each class against the rest. With loss="hinge" it is `SVC(kernel="linear")`'s
    problem.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        Penalty of the weights: 1/2 |w|^2, or |w|_1, which sets most of them to zero. "l1" goes with
        "squared_hinge" and "logistic" and has a method of its own.
    loss : {"squared_hinge", "hinge", "logistic"}, default="squared_hinge"
        h(z) is max(0, 1 - z)^2, max(0, 1 - z) or log(1 + exp(-z)).
    dual : "auto" or bool, default="auto"
        Accepted for compatibility: primal and dual are always both solved.
    tol : float, default=1e-4
        Upper bound of the relative duality gap. Small problems are solved to float64 rounding.
    C : float, default=1.0
        Factor of the losses.
    multi_class : {"ovr"}, default="ovr"
        More than two classes: one against the rest.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    intercept_scaling : float, default=1
        With intercept="penalized", the constant feature's value.
    class_weight : dict or "balanced", default=None
        Factor of C for each class; "balanced" makes all classes count the same. With more than two
        classes it is the factor of a class against the rest, which counts as it is.
    verbose : bool or int, default=0
        Show a line of progress on standard error.
    random_state : int, RandomState or None, default=None
        Accepted for compatibility: results do not depend on it.
    max_iter : int, default=1000
        Most steps for each problem; -1 for a safety limit only.
    intercept : {"free", "penalized"}, default="free"
        Whether the intercept is left out of the penalty, or is the weight of a constant feature as
        in LIBLINEAR and scikit-learn.
    solver : {"auto", "newton", "newton-cg", "descent", "gram"}, default="auto"
        The method; "auto" chooses by fixed rules and tells in `solver_`. "newton" for up to a few
        thousand features, "gram" for fewer rows than features, "descent" and "newton-cg" for many
        features; "descent" takes every loss but "logistic".
    time_limit : float or None, default=None
        Seconds for the whole fit; what is there by then is kept, and certified.
    callback : callable or None, default=None
        Called about every 100 ms with the latest row of the trace; returning True ends the fit.
    on_interrupt : {"raise", "keep"}, default="raise"
        Whether Ctrl-C raises and leaves the estimator as it was, or keeps the best model so far.
    n_jobs : int or None, default=None
        Threads; None for all cores, one inside parallel workers. Results do not depend on it.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_, n_features_in_, feature_names_in_
        As in scikit-learn.
    support_ : ndarray of shape (n_SV,)
        Rows with a dual variable other than zero.
    dual_coef_ : ndarray of shape (n_problems, n_SV)
        Their signed dual variables, exactly at their bounds where they are.
    margin_ : ndarray of shape (n_problems,)
        Geometric margin 1 / |w|.
    certificate_ : Certificate
        Primal, dual, gap and violation of each problem (`parts`).
    status_ : Status
        How the fit ended.
    history_ : structured ndarray
        Its course: part, time, iterations, primal, dual, gap, violation, n_support; the violation
        is known at the end of each part.
    solver_ : str
        The method that was used.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C of each class.
    fit_report_ : dict
        Seconds, those spent on certificates, iterations and Newton steps.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import LinearSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearSVC(loss="hinge").fit(X, y)
    >>> model.status_.name, bool(model.certificate_.gap < 1e-10)
    ('OPTIMAL', True)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    """

    _rules: ClassVar[dict[str, Rule]] = {
        **LINEAR_RULES,
        "penalty": one_of("l2", "l1"),
        "loss": one_of("squared_hinge", "hinge", "logistic"),
        "multi_class": one_of("ovr"),
        "class_weight": one_of("balanced") | MAPPING | NONE,
    }

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: str | bool = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        verbose: bool | int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        intercept: str = "free",
        solver: str = "auto",
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.intercept = intercept
        self.solver = solver
        self.time_limit = time_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs

    def _problems(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> list[LinearProblem]:
        classes: TrainingClasses = check_classes(X, y, sample_weight)
        self.classes_ = classes.names
        self.class_weight_ = class_weights(self.class_weight, classes)
        factors = self.class_weight_[classes.codes]
        problems = []
        for labels in (pair.y for pair in one_vs_rest(classes.codes, len(classes.names))):
            # As in LIBLINEAR, the rest of more than two classes counts as it is.
            own = factors if len(classes.names) == 2 else np.where(labels > 0, factors, 1.0)
            problems.append(self._state(Dataset(X, labels, classes.weight * own), classes.rows))
        return problems

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive speaks for `classes_[1]`. More: a score a class.
        """
        decisions = self._decisions(X)
        return decisions[:, 0] if len(self.classes_) == 2 else decisions

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
        decisions = self._decisions(X)
        two = decisions.shape[1] == 1
        codes = (decisions[:, 0] > 0).astype(np.int64) if two else decisions.argmax(axis=1)
        return np.asarray(self.classes_[codes])


class LinearSVR(RegressorMixin, LinearMachine):  # type: ignore[misc]
    """Linear regression with losses that are robust or blind to small errors, solved exactly.

    Minimises 1/2 |w|^2 + C sum_i s_i h(w'x_i + b - y_i) with s_i a row's weight.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube in which errors cost nothing; with loss="huber", where the
        parabola turns into a line.
    tol, C, dual, fit_intercept, intercept_scaling, verbose, random_state, max_iter, intercept, \
    solver, time_limit, callback, on_interrupt, n_jobs
        As of `LinearSVC`.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive", "huber"}, \
    default="epsilon_insensitive"
        h(r) is max(0, |r| - epsilon), its square, or r^2 / 2 up to epsilon and
        epsilon (|r| - epsilon / 2) beyond.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the features.
    intercept_ : ndarray of shape (1,)
        The intercept.
    support_, dual_coef_, margin_, certificate_, status_, history_, solver_, fit_report_, n_iter_
        As of `LinearSVC`, with one problem.

    Examples
    --------
    >>> from maxmargin import LinearSVR
    >>> model = LinearSVR(C=100).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[4.0]]).round(6), model.status_.name
    (array([9.]), 'OPTIMAL')
    """

    _rules: ClassVar[dict[str, Rule]] = {
        **LINEAR_RULES,
        "epsilon": NOT_NEGATIVE,
        "loss": one_of("epsilon_insensitive", "squared_epsilon_insensitive", "huber"),
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: str | bool = "auto",
        verbose: bool | int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        intercept: str = "free",
        solver: str = "auto",
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.intercept = intercept
        self.solver = solver
        self.time_limit = time_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs

    def _problems(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> list[LinearProblem]:
        if y is None:
            raise ValueError(
                "y is None: LinearSVR requires y to be passed, but the target y is None."
            )
        targets: NDArray[np.float64] = column_or_1d(y, warn=True, dtype=np.float64)
        assert_all_finite(targets, input_name="y")
        check_consistent_length(X, targets)
        return [self._state(Dataset(X, targets, check_weight(sample_weight, targets)))]

    def _assign(
        self,
        problems: Sequence[LinearProblem],
        solutions: Sequence[LinearSolution],
        began: float,
    ) -> None:
        super()._assign(problems, solutions, began)
        self.coef_ = self.coef_[0]

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
        return self._decisions(X)[:, 0]


def _with_passes(
    history: NDArray[np.void], matrix: ChunkedMatrix, began: float
) -> NDArray[np.void]:
    """Add to each row how often the source has been read by then, the scan included."""
    loads = np.searchsorted(matrix.loads, began + history["time"])
    # The solver's clock starts later than the fit's; at the end nothing is left to be read.
    loads[-1] = len(matrix.loads)
    counted = np.empty(len(history), [*history.dtype.descr, ("passes", np.float64)])
    for name in history.dtype.names or ():
        counted[name] = history[name]
    counted["passes"] = 1 + loads / (len(matrix.starts) - 1)
    return counted


def l1_min_c(
    X: Any,
    y: ArrayLike,
    *,
    loss: str = "squared_hinge",
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    intercept: str = "free",
) -> float:
    """Return the lowest C for which `LinearSVC(penalty="l1")` has a weight other than zero.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Training rows.
    y : array-like of shape (n_samples,)
        Class labels.
    loss : {"squared_hinge", "logistic", "log"}, default="squared_hinge"
        The loss; "log" is scikit-learn's name of "logistic".
    fit_intercept, intercept_scaling, intercept
        As of `LinearSVC`. A free intercept is at its best without any weights; a penalised one is
        one more weight, as in scikit-learn.

    Examples
    --------
    >>> from maxmargin import LinearSVC, l1_min_c
    >>> X, y = [[0.0], [1.0], [3.0]], [0, 0, 1]
    >>> C = l1_min_c(X, y)
    >>> [LinearSVC(penalty="l1", C=c).fit(X, y).coef_.any() for c in (0.99 * C, 1.01 * C)]
    [np.False_, np.True_]
    """
    loss = "logistic" if loss == "log" else loss
    check_parameters(
        {"loss": loss, "intercept": intercept, "intercept_scaling": intercept_scaling},
        {
            "loss": one_of("squared_hinge", "logistic"),
            "intercept": one_of("free", "penalized"),
            "intercept_scaling": POSITIVE,
        },
    )
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    classes = check_classes(X, y, None)
    steepest = 0.0
    for labels in (pair.y for pair in one_vs_rest(classes.codes, len(classes.names))):
        b = labels / 2 if loss == "logistic" else 2 * labels
        if fit_intercept and intercept == "free":
            # The slopes of the losses at their best constant score sum to zero.
            ahead = (labels > 0).mean()
            share = np.where(labels > 0, 1 - ahead, ahead)
            b = labels * share * (1 if loss == "logistic" else 4)
        slopes = np.abs(np.asarray(X.T @ b))
        steepest = max(steepest, float(slopes.max()))
        if fit_intercept and intercept == "penalized":
            steepest = max(steepest, intercept_scaling * abs(float(b.sum())))
    if steepest == 0.0:
        raise ValueError("no feature tells the classes apart: every C gives weights of zero.")
    return 1.0 / steepest


def _refuse_overflow(X: Any) -> None:
    """Squares of the entries are summed: they must have room."""
    values = X.data if sparse.issparse(X) else X
    largest = float(np.abs(values).max(initial=0.0))
    limit = 1e150 / np.sqrt(max(1, X.shape[0] * X.shape[1]))
    if largest > limit:
        raise ValueError(
            f"X has an entry of size {largest:.1e}, whose square overflows in sums: scale the "
            "data, e.g. with sklearn.preprocessing.StandardScaler."
        )
