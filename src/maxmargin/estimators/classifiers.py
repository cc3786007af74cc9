"""Support vector classifiers."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from maxmargin.data import Dataset
from maxmargin.estimators.base import (
    KERNEL_RULES,
    KernelMachine,
    check_gram,
    unchanged_on_error,
)
from maxmargin.estimators.callbacks import FitTasks, with_callbacks
from maxmargin.estimators.parameters import (
    ANY,
    BOOLEAN,
    MAPPING,
    NONE,
    POSITIVE,
    Rule,
    check_parameters,
    one_of,
)
from maxmargin.estimators.progress import Progress
from maxmargin.kernels import Kernel
from maxmargin.models import KernelModel, class_scores, vote
from maxmargin.problems import (
    DualProblem,
    Solution,
    SolverSettings,
    Status,
    c_svc,
    one_vs_one,
)
from maxmargin.solvers.hard_margin import hard_margin, soft_margin

CLASSIFIER_RULES: dict[str, Rule] = {
    **KERNEL_RULES,
    "decision_function_shape": one_of("ovr", "ovo"),
    "break_ties": BOOLEAN,
    "random_state": ANY,
}


@dataclass(frozen=True, eq=False)
class _Classes:
    """Training rows with their classes as numbers; rows of weight zero are left out."""

    X: Any
    rows: NDArray[np.int64]  # places in the caller's data
    codes: NDArray[np.int64]
    weight: NDArray[np.float64]
    given: NDArray[np.float64] | None  # the caller's weights of all rows
    names: NDArray[Any]


class KernelClassifier(ClassifierMixin, KernelMachine):  # type: ignore[misc]
    """One-vs-one classification by kernel machines: all but the formulation."""

    _rules: ClassVar[dict[str, Rule]]
    class_weight: dict[Any, float] | Literal["balanced"] | None
    decision_function_shape: str
    break_ties: bool

    @abstractmethod
    def _problem(self, data: Dataset, kernel: Kernel, rows: NDArray[np.int64]) -> DualProblem:
        """State the problem of one pair of classes."""

    # ---- Fitting ----------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; the kernel matrix if kernel="precomputed"; anything with a length if the
            kernel is a callable.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factor of C for each row: weight 2 is the row twice, weight 0 the row left out.

        Returns
        -------
        self : estimator
            The fitted estimator.
        """
        check_parameters(self.get_params(deep=False), self._rules)
        with unchanged_on_error(self):
            rows = self._fit(X, y, sample_weight)
        self._warn_if_not_converged(rows)
        return self

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Any:
        start = time.perf_counter()
        classes = self._check_training(X, y, sample_weight, reset=True)
        kernel = self._make_kernel(classes.X, classes.given)
        class_weight = self._class_weights(classes)
        problems = self._problems(classes, kernel, class_weight)
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        tasks = FitTasks(self, {"X": X, "y": y, "metadata": metadata}, len(problems))
        problems, solutions, status = self._solve(problems, tasks, start)
        self._assign(classes, kernel, class_weight, problems, solutions, status)
        tasks.finish()
        return classes.X

    def _check_training(
        self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None, *, reset: bool
    ) -> _Classes:
        X = self._check_rows(X, reset=reset)
        labels: NDArray[Any] = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        check_consistent_length(X, labels)
        weight = self._check_weight(sample_weight, labels)
        rows = np.flatnonzero(weight)
        names, codes = np.unique(labels[rows], return_inverse=True)
        if len(names) < 2:
            raise ValueError(
                f"y has {len(names)} class {', '.join(map(str, names))} in the rows of positive "
                "weight; a classifier needs at least two classes. Use OneClassSVM for one."
            )
        if self.kernel == "precomputed":
            X = check_gram(X)
        given = None if sample_weight is None else weight
        return _Classes(X, rows, codes.ravel(), weight[rows], given, names)

    def _class_weights(self, classes: _Classes) -> NDArray[np.float64]:
        if self.class_weight == "balanced":
            counts = np.bincount(classes.codes, classes.weight, len(classes.names))
            return np.asarray(classes.weight.sum() / (len(classes.names) * counts))
        factors = compute_class_weight(
            self.class_weight, classes=classes.names, y=classes.names[classes.codes]
        )
        bad = ~(np.isfinite(factors) & (factors > 0))
        if bad.any():
            k = int(np.argmax(bad))
            raise ValueError(
                f"class_weight of class {classes.names[k]} is {factors[k]}; it must be a finite "
                "number greater than 0."
            )
        return np.asarray(factors, np.float64)

    def _problems(
        self, classes: _Classes, kernel: Kernel, class_weight: NDArray[np.float64]
    ) -> list[DualProblem]:
        kernel, X = self._stated(kernel, classes.X)
        weight = classes.weight * class_weight[classes.codes]
        return [
            self._problem(Dataset(X, pair.y, weight[pair.rows]), kernel, classes.rows[pair.rows])
            for pair in one_vs_one(classes.codes, len(classes.names))
        ]

    def _assign(
        self,
        classes: _Classes,
        kernel: Kernel,
        class_weight: NDArray[np.float64],
        problems: list[DualProblem],
        solutions: list[Solution],
        status: Status,
    ) -> None:
        model = KernelModel.from_solutions(problems, solutions, kernel)
        codes = classes.codes[np.searchsorted(classes.rows, model.support)]
        order = np.argsort(codes, kind="stable")
        model, codes = model.reordered(order), codes[order]
        self._assign_solutions(model, classes.X, solutions, status)
        self.classes_ = classes.names
        self.class_weight_ = class_weight
        self.n_support_ = np.bincount(codes, minlength=len(classes.names)).astype(np.int32)
        self.dual_coef_ = _dual_coef(model.weights, codes, len(classes.names))
        self.n_iter_ = np.array([solution.iterations for solution in solutions], np.int32)

    # ---- Predicting -------------------------------------------------------------------------

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; with a precomputed kernel, its values against all training rows or against the
            support vectors alone.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            Two classes: positive speaks for `classes_[1]`. More: as `decision_function_shape` says.
        """
        decisions = self._decisions(X)
        if len(self.classes_) == 2:
            return decisions[:, 0]
        if self.decision_function_shape == "ovo":
            return decisions
        return class_scores(decisions, len(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, as in `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError(
                'break_ties is True and decision_function_shape is "ovo"; ties are broken by class '
                'scores, so decision_function_shape must be "ovr".'
            )
        decisions = self._decisions(X)
        n_classes = len(self.classes_)
        if n_classes == 2:
            codes = (decisions[:, 0] >= 0).astype(np.int64)
        elif self.break_ties:
            codes = class_scores(decisions, n_classes).argmax(axis=1)
        else:
            codes = vote(decisions, n_classes)
        return np.asarray(self.classes_[codes])

    # ---- Certifying -------------------------------------------------------------------------

    def _state_again(
        self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None
    ) -> list[DualProblem]:
        classes = self._check_training(X, y, sample_weight, reset=False)
        if not np.array_equal(classes.names, self.classes_):
            raise ValueError(
                f"y has classes {classes.names} but the model was fitted to {self.classes_}; give "
                "the same data."
            )
        return self._as_solved(self._problems(classes, self._model.kernel, self.class_weight_))

    def _as_solved(self, problems: list[DualProblem]) -> list[DualProblem]:
        """State the problems that the solutions belong to, where they are not the given ones."""
        return problems

    # ---- Drawing ----------------------------------------------------------------------------

    def plot(
        self,
        X: Any,
        y: ArrayLike,
        *,
        ax: Any = None,
        features: Sequence[int | str] | str | None = None,
        fill: str | ArrayLike = "median",
        **options: Any,
    ) -> Any:
        """Draw the regions, the boundary, the margin, support vectors and slacks.

        Needs matplotlib, the extra `plot`. `maxmargin.plots` has more, and the numbers behind it.

        Parameters
        ----------
        X, y : array-likes
            The data the model was fitted to.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        features : pair of int or str, "pca" or None
            The two features to show, or the plane in which the data vary most. None: the two there
            are, or "pca".
        fill : {"median", "mean"} or array-like of shape (n_features,)
            What the other features are fixed at.
        **options
            What to draw, as in `maxmargin.plots.BoundaryDisplay.plot`.

        Returns
        -------
        Axes
            Where it was drawn.
        """
        # The one import upwards, and only when asked for: a fit does not need matplotlib.
        from maxmargin.plots import BoundaryDisplay

        display = BoundaryDisplay.from_estimator(self, X, y, features=features, fill=fill)
        return display.plot(ax, **options)


class SVC(KernelClassifier):
    """Support vector classification with any kernel, solved exactly and certified.

    Minimises 1/2 |w|^2 + C sum_i s_i max(0, 1 - y_i (<w, phi(x_i)> + b)) for each pair of classes
    (s_i the row's weight, the intercept b not penalised) through its dual.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of a unit of slack.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        Kernel function. A callable takes two blocks of rows and returns their kernel values.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "poly", "rbf" and "sigmoid": "scale" is 1 / (n_features * X.var()), "auto" is
        1 / n_features.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    shrinking : bool, default=True
        Accepted for compatibility: working sets take the place of shrinking.
    tol : float, default=1e-3
        Upper bound of the KKT violation. Problems of up to about 1,000 rows are solved to float64
        rounding whatever it is.
    cache_size : float, default=200
        Megabytes for kernel rows.
    class_weight : dict or "balanced", default=None
        Factor of C for each class; "balanced" makes all classes count the same.
    verbose : bool or int, default=False
        Show a line of progress on standard error.
    max_iter : int, default=-1
        Most steps for each pair of classes; -1 for a safety limit only, 1e8 or a thousand a row.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        With more than two classes: one score a class, or one a pair.
    break_ties : bool, default=False
        Predict the class with the highest score instead of the first with most votes.
    random_state : int, RandomState or None, default=None
        Accepted for compatibility: nothing here is random.
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
    certificate_ : Certificate
        Primal, dual, gap and violation of each pair (`parts`), and of the `worst`.
    status_ : Status
        How the fit ended.
    history_ : structured ndarray
        Its course: part, time, iterations, primal, dual, gap, violation, n_support. All but the
        last row of a part are the solver's own estimates, in its working precision.
    fit_report_ : dict
        Seconds, those spent on certificates, pair steps, Newton steps and kernel rows.
    alphas_ : ndarray of shape (n_pairs, n_SV)
        Dual variables alpha >= 0 of each pair.
    support_status_ : ndarray of shape (n_pairs, n_SV)
        Their `SupportStatus`: zero, free or at bound.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_,
    n_iter_, fit_status_, shape_fit_, n_features_in_, feature_names_in_
        As in scikit-learn. Support vectors are kept for every kernel.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC().fit(X, y)
    >>> round(model.score(X, y), 3), model.status_.name
    (0.973, 'OPTIMAL')
    >>> bool(model.certificate_.gap < 1e-10)
    True
    """

    _rules: ClassVar[dict[str, Rule]] = {
        **CLASSIFIER_RULES,
        "C": POSITIVE,
        "class_weight": one_of("balanced") | MAPPING | NONE,
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.time_limit = time_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs

    def _problem(self, data: Dataset, kernel: Kernel, rows: NDArray[np.int64]) -> DualProblem:
        return c_svc(data, kernel, self.C, rows)


class HardMarginSVC(KernelClassifier):
    """Separate the classes with the largest margin, without any slack.

    Minimises 1/2 |w|^2 subject to y_i (<w, phi(x_i)> + b) >= 1, for each pair of classes. Data that
    cannot be separated are refused with the evidence: convex weights of the rows of both classes
    that give the same point. Solved as the soft margin whose C is larger than every alpha; that is
    the problem `certificate_` speaks of.

    Parameters
    ----------
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose, max_iter, \
    decision_function_shape, break_ties, random_state, time_limit, callback, on_interrupt, n_jobs
        As of `SVC`.

    Attributes
    ----------
    margin_ : ndarray of shape (n_pairs,)
        Geometric margin 1 / |w| of each pair.
    certificate_, status_, history_, alphas_, support_status_, support_, support_vectors_, \
    n_support_, dual_coef_, intercept_, coef_, classes_, n_iter_, fit_status_, shape_fit_
        As of `SVC`.

    Examples
    --------
    >>> from maxmargin import HardMarginSVC
    >>> model = HardMarginSVC(kernel="linear").fit([[0.0], [1.0], [4.0]], [0, 0, 1])
    >>> model.margin_.round(6), model.support_
    (array([1.5]), array([1, 2], dtype=int32))
    """

    _rules: ClassVar[dict[str, Rule]] = CLASSIFIER_RULES
    class_weight = None

    def __init__(
        self,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.time_limit = time_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs

    def _problem(self, data: Dataset, kernel: Kernel, rows: NDArray[np.int64]) -> DualProblem:
        # A row counts whole or not at all: there is no slack to weigh.
        return c_svc(replace(data, weight=np.ones(data.n_rows)), kernel, 1.0, rows)

    def _solve_one(
        self, problem: DualProblem, settings: SolverSettings, progress: Progress
    ) -> tuple[DualProblem, Solution]:
        return hard_margin(problem, settings, progress)

    def _assign(
        self,
        classes: _Classes,
        kernel: Kernel,
        class_weight: NDArray[np.float64],
        problems: list[DualProblem],
        solutions: list[Solution],
        status: Status,
    ) -> None:
        super()._assign(classes, kernel, class_weight, problems, solutions, status)
        # |w|^2 = b'Kb = 2 (t'b - D)
        squared_norms = [
            2.0 * (float(problem.target @ solution.b) - solution.certificate.dual)
            for problem, solution in zip(problems, solutions, strict=True)
        ]
        with np.errstate(divide="ignore"):  # infinite for a fit that was stopped before its start
            self.margin_ = 1.0 / np.sqrt(squared_norms)
        self._soft_C = [float(np.abs(problem.lower + problem.upper).max()) for problem in problems]

    def _as_solved(self, problems: list[DualProblem]) -> list[DualProblem]:
        return [soft_margin(problem, C) for problem, C in zip(problems, self._soft_C, strict=True)]


def _dual_coef(
    weights: NDArray[np.float64], codes: NDArray[np.int64], n_classes: int
) -> NDArray[np.float64]:
    """Lay out as scikit-learn does: row r belongs to the pair with the r-th other class."""
    if n_classes == 2:
        return np.ascontiguousarray(weights.T)
    pair_of = np.zeros((n_classes, n_classes), np.int64)
    first, second = np.triu_indices(n_classes, 1)
    pair_of[first, second] = pair_of[second, first] = np.arange(len(first))
    coef = np.empty((n_classes - 1, len(codes)))
    for r in range(n_classes - 1):
        other = np.where(codes <= r, r + 1, r)
        coef[r] = weights[np.arange(len(codes)), pair_of[codes, other]]
    return coef
