"""Linear machines that choose their C by cross-validation, with one path of solutions a fold."""

from __future__ import annotations

import time
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone, is_classifier
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, check_array, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from maxmargin.estimators import LinearSVC, LinearSVR
from maxmargin.estimators.blas import OneBlasThread
from maxmargin.estimators.exact_linear_machine import ExactLinearMachine
from maxmargin.estimators.parameters import NONE, POSITIVE, check_parameters, keep
from maxmargin.estimators.threads import count_threads
from maxmargin.problems import CrammerSingerProblem, LinearProblem, Solution, Status
from maxmargin.selection.cells import Cells
from maxmargin.solvers import Watch, choose, solve
from maxmargin.solvers.gram import RowBasis
from maxmargin.solvers.linear_path import Basis, linear_path


class _Clock(Watch):
    """Says stop after a time, or when it was told to; asked by all threads."""

    def __init__(self, began: float, limit: float | None) -> None:
        super().__init__()
        self._deadline = np.inf if limit is None else began + limit

    def see(self, row: np.void) -> bool:
        return self.expired

    @property
    def expired(self) -> bool:
        if self.reason is None and time.perf_counter() >= self._deadline:
            self.reason = Status.TIME_LIMIT
        return self.reason is not None

    def solved(self, solutions: Sequence[Solution]) -> None:
        """Nothing is kept of a path that was stopped."""


class LinearCV(BaseEstimator):  # type: ignore[misc]
    """Base of the linear machines that choose their C."""

    Cs: int | ArrayLike
    cv: Any
    scoring: Any
    refit: Any
    error_score: Any
    tol: float
    n_jobs: int | None
    time_limit: float | None
    on_interrupt: str
    best_estimator_: Any
    cv_results_: dict[str, Any]
    _own: ClassVar[tuple[str, ...]] = ("Cs", "cv", "scoring", "refit", "error_score", "time_limit")

    @abstractmethod
    def _machine(self) -> ExactLinearMachine:
        """Return the machine whose C is to be chosen."""

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters that are the machine's."""
        return {name: v for name, v in self.get_params(False).items() if name not in self._own}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # ---- Fitting ----------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Follow the solutions along C on every fold, choose C, and fit to all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), optional
            What each row counts in the fits, and in scores whose function takes weights.
        groups : array-like of shape (n_samples,), optional
            For splitters that keep groups together.

        Returns
        -------
        self : estimator
            The fitted estimator.
        """
        began = time.perf_counter()
        check_parameters(vars(self), {"time_limit": POSITIVE | NONE})
        machine = self._machine()
        machine._check_parameters()
        Cs = _grid(self.Cs)
        X, y, groups = indexable(X, y, groups)
        if sparse.issparse(X):
            X = X.tocsr()
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X)
        # Whatever is wrong with the data as a whole is said before any work is done.
        probe = clone(machine)
        probe._check(X, y, weight, reset=True)
        splitter = check_cv(self.cv, y, classifier=is_classifier(machine))
        folds = list(splitter.split(X, y, groups))
        self.scorer_ = check_scoring(machine, scoring=self.scoring)
        clock = _Clock(began, self.time_limit)
        cells = Cells(Cs, len(folds))
        search = _Search(machine, self.scorer_, Cs, cells, clock, self.error_score)
        with OneBlasThread():
            self._run(search, X, y, weight, folds, clock)
        self._keep(cells, len(folds), clock)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(probe, name):
                setattr(self, name, getattr(probe, name))
        if self.refit is not False:
            start = time.perf_counter()
            best = clone(machine).set_params(C=self.C_)
            self.best_estimator_ = best.fit(X, y, weight)
            self.refit_time_ = time.perf_counter() - start
        return self

    def _run(
        self,
        search: _Search,
        X: Any,
        y: Any,
        weight: NDArray[np.float64] | None,
        folds: Sequence[tuple[Any, Any]],
        clock: _Clock,
    ) -> None:
        """Run a path for each fold, as many at a time as there are threads."""
        threads = count_threads(self.n_jobs)
        search.threads = max(1, threads // len(folds))
        basis = search.basis(X, y, weight)
        with ThreadPoolExecutor(min(threads, len(folds))) as pool:
            jobs = []
            try:
                for fold, split in enumerate(folds):
                    jobs.append(pool.submit(search.fold, fold, X, y, weight, *split, basis))
                # Signals come to this thread alone, and only between short waits.
                while wait(jobs, timeout=0.05).not_done:
                    pass
            except KeyboardInterrupt:
                clock.reason = Status.INTERRUPTED
                for job in jobs:
                    job.cancel()
                if self.on_interrupt != "keep":
                    raise
            except BaseException:
                clock.reason = Status.INTERRUPTED
                raise
        for job in jobs:
            if not job.cancelled():
                job.result()
        if search.unfinished:
            warnings.warn(
                f"{search.unfinished} fits of the search did not reach tol={self.tol:g}: see "
                "cv_results_['gap']. Raise max_iter, or leave out the largest of Cs.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _keep(self, cells: Cells, n_folds: int, clock: _Clock) -> None:
        """Set what was found."""
        self.Cs_, self.n_splits_, self.cv_results_ = cells.Cs, n_folds, cells.results()
        self.multimetric_ = len(cells.scores) > 1
        name = self.refit if isinstance(self.refit, str) else "score"
        if name not in cells.scores and not callable(self.refit):
            if cells.scores:
                raise ValueError(
                    f"refit is {self.refit!r}; with several scorers it must name the one that "
                    f"chooses C: {', '.join(cells.scores)}."
                )
            self._refuse_nothing(clock)
        if callable(self.refit):
            self.best_index_ = int(self.refit(self.cv_results_))
        else:
            mean = self.cv_results_[f"mean_test_{name}"]
            if not np.isfinite(mean).any():
                self._refuse_nothing(clock)
            self.best_index_ = int(np.nanargmax(mean))
            self.best_score_ = float(mean[self.best_index_])
            self.scores_ = cells.scores[name]
        self.C_ = float(cells.Cs[self.best_index_])
        self.best_params_ = {"C": self.C_}

    def _refuse_nothing(self, clock: _Clock) -> None:
        if clock.reason is None:
            raise ValueError("no C has a score on every fold; see the warnings above.")
        raise ValueError(
            f"time_limit={self.time_limit} s was over, or the search was interrupted, before any C "
            "had a score on every fold; give it more time or fewer rows."
        )

    # ---- Predicting -------------------------------------------------------------------------

    def _chosen(self) -> Any:
        check_is_fitted(self, "C_")
        if self.refit is False:
            raise AttributeError("refit is False, so that there is no model; use refit=True.")
        return self.best_estimator_

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict with the machine of the chosen C.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        """
        return np.asarray(self._chosen().predict(X))

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Score the machine of the chosen C by the scorer that chose it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their labels or targets.
        sample_weight : array-like of shape (n_samples,), optional
            What each row counts.
        """
        counted = {} if sample_weight is None else {"sample_weight": sample_weight}
        found = self.scorer_(self._chosen(), X, y, **counted)
        return float(found[self.refit] if isinstance(found, dict) else found)

    @property
    def coef_(self) -> Any:
        """Weights of the machine of the chosen C."""
        return self._chosen().coef_

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """Its intercepts."""
        return np.asarray(self._chosen().intercept_)

    @property
    def n_iter_(self) -> int:
        """Its steps."""
        return int(self._chosen().n_iter_)


class _Search:
    """Fits of one machine for all C of a grid, fold by fold."""

    def __init__(
        self,
        machine: ExactLinearMachine,
        scorer: Callable[..., Any],
        Cs: NDArray[np.float64],
        cells: Cells,
        clock: _Clock,
        error_score: Any,
    ) -> None:
        self.machine, self.scorer, self.cells, self.clock = machine, scorer, cells, clock
        self.order = np.argsort(Cs, kind="stable")
        self.Cs, self.error_score = Cs, error_score
        self.threads, self.unfinished = 1, 0

    def basis(self, X: Any, y: Any, weight: NDArray[np.float64] | None) -> RowBasis | None:
        """Return the basis that all folds share, where they are of fewer rows than features."""
        machine = clone(self.machine)
        data = machine._check(X, y, weight, reset=True)
        problem = machine._state(data)[0]
        if not isinstance(problem, LinearProblem) or choose(problem, machine._settings()) != "gram":
            return None
        every = np.arange(data.X.shape[0])
        return RowBasis.of(replace(problem, rows=every))

    def fold(
        self,
        fold: int,
        X: Any,
        y: Any,
        weight: NDArray[np.float64] | None,
        train: NDArray[np.int64],
        test: NDArray[np.int64],
        basis: RowBasis | None,
    ) -> None:
        """Fill the row of a fold; a fold that cannot be fitted has the error score."""
        names = list(getattr(self.scorer, "_scorers", None) or ("score",))
        try:
            self._fold(fold, X, y, weight, train, test, basis)
        except ValueError as error:
            if self.error_score == "raise":
                raise
            self.cells.fail(fold, names, float(self.error_score))
            warnings.warn(
                f"fold {fold} could not be fitted for any C, which has the score "
                f"{self.error_score}: {error}",
                FitFailedWarning,
                stacklevel=2,
            )

    def _fold(
        self,
        fold: int,
        X: Any,
        y: Any,
        weight: NDArray[np.float64] | None,
        train: NDArray[np.int64],
        test: NDArray[np.int64],
        basis: RowBasis | None,
    ) -> None:
        machines = [clone(self.machine).set_params(C=self.Cs[k]) for k in self.order]
        first = machines[0]
        rows, labels = _safe_indexing(X, train), _safe_indexing(y, train)
        held, truth = _safe_indexing(X, test), _safe_indexing(y, test)
        data = first._check(rows, labels, None if weight is None else weight[train], reset=True)
        stated = [machine._state(data) for machine in machines]
        # As GridSearchCV: rows count in scores what they count in fits, where a scorer can tell.
        weighs = weight is not None and _takes_weight(self.scorer)
        counted = {"sample_weight": weight[test]} if weight is not None and weighs else {}
        part = None
        if basis is not None:
            part = Basis(basis, basis.features[np.asarray(train)[data.rows]])
        paths = [self._path([problems[p] for problems in stated], part)
                 for p in range(len(stated[0]))]  # fmt: skip
        before = time.perf_counter()
        for k, machine, problems, solutions in zip(
            self.order, machines, stated, zip(*paths, strict=False), strict=False
        ):
            fitted = time.perf_counter()
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(first, name):
                    setattr(machine, name, getattr(first, name))
            machine._keep(data, problems, solutions)
            self.unfinished += not machine._good()
            found = self.scorer(machine, held, truth, **counted)
            scores = found if isinstance(found, dict) else {"score": found}
            now = time.perf_counter()
            certificate = machine.certificate_
            seconds = fitted - before, now - fitted
            self.cells.put(fold, int(k), scores, *seconds, certificate.gap, certificate.violation)
            before = now

    def _path(
        self, problems: Sequence[LinearProblem | CrammerSingerProblem], basis: Basis | None
    ) -> Iterable[Solution]:
        """Return solutions as they are asked for, until the clock says stop."""
        settings = replace(self.machine._settings(), n_threads=self.threads)
        if isinstance(problems[0], LinearProblem):
            return linear_path(problems, settings, self.clock, basis)  # type: ignore[arg-type]
        return (
            solution
            for problem in problems
            for solution in solve([problem], settings, self.clock)
            if not self.clock.expired
        )


def _takes_weight(scorer: Any) -> bool:
    """Whether scores can be weighted: an estimator's own, or of a function that says so."""
    each = getattr(scorer, "_scorers", None)
    if each is not None:
        return all(_takes_weight(one) for one in each.values())
    function = getattr(scorer, "_score_func", None) or getattr(scorer, "_estimator", None)
    if function is None:
        return False
    called = function if callable(function) else function.score
    return "sample_weight" in signature(called).parameters


def _grid(Cs: int | ArrayLike) -> NDArray[np.float64]:
    """Return the values of C: those given, or so many from 1e-4 to 1e4."""
    if isinstance(Cs, (int, np.integer)) and not isinstance(Cs, bool):
        if Cs < 1:
            raise ValueError(f"Cs is {Cs}; it must be at least 1, or values of C.")
        return np.logspace(-4, 4, int(Cs))
    values = np.asarray(check_array(np.asarray(Cs, np.float64), ensure_2d=False))
    if values.ndim != 1 or not (np.isfinite(values) & (values > 0)).all():
        raise ValueError(f"Cs is {Cs!r}; it must be a number of values, or positive values of C.")
    return values


def _decides(estimator: LinearSVCCV) -> bool:
    return estimator.refit is not False


class LinearSVCCV(ClassifierMixin, LinearCV):  # type: ignore[misc]
    """`LinearSVC` that chooses its C by cross-validation.

    On each fold the solution for one C is where the next one begins; the folds run side by side.
    Every cell is certified: `cv_results_["gap"]`.

    Parameters
    ----------
    Cs : int or array-like, default=10
        Values of C, or how many between 1e-4 and 1e4.
    cv : int, splitter or iterable, default=None
        Folds, as in `GridSearchCV`; five by default.
    scoring : str, callable, list, tuple, dict or None, default=None
        One scorer or several, as in `GridSearchCV`; accuracy by default.
    refit : bool, str or callable, default=True
        Whether to fit to all rows with the chosen C; of several scorers the name of the one that
        chooses; or a function from `cv_results_` to the index of the choice.
    penalty, loss, tol, multi_class, fit_intercept, intercept_scaling, class_weight, max_iter, \
    intercept, solver
        As in `LinearSVC`. multi_class="crammer_singer" fits each C from nothing.
    error_score : "raise" or float, default=nan
        Score of a fold that cannot be fitted.
    time_limit : float or None, default=None
        Seconds for the search: what has no score on every fold by then is not chosen. The last fit,
        to all rows, comes on top.
    on_interrupt : {"raise", "keep"}, default="raise"
        Whether Ctrl-C raises, or ends the search with the best C so far.
    n_jobs : int or None, default=None
        Threads, as in `LinearSVC`; results do not depend on it.

    Attributes
    ----------
    C_, best_params_, best_index_, best_score_ : float, dict, int, float
        What was chosen, and its mean score.
    Cs_, scores_ : ndarray of shape (n_Cs,), ndarray of shape (n_folds, n_Cs)
        The grid, and the score of each cell.
    cv_results_ : dict
        `GridSearchCV`'s table, with `gap` and `violation`, the worst of each C.
    best_estimator_, refit_time_ : LinearSVC, float
        The machine fitted to all rows, and the seconds it took.
    scorer_, n_splits_, multimetric_, classes_, coef_, intercept_, n_features_in_
        As in `GridSearchCV` and `LinearSVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from maxmargin.selection import LinearSVCCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), LinearSVCCV(Cs=[0.01, 0.1, 1.0])).fit(X, y)
    >>> model[-1].C_, round(model[-1].best_score_, 3), model[-1].scores_.shape
    (0.1, 0.977, (5, 3))
    """

    def __init__(
        self,
        Cs: int | ArrayLike = 10,
        *,
        cv: Any = None,
        scoring: Any = None,
        refit: Any = True,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        tol: float = 1e-4,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        max_iter: int = 1000,
        intercept: str = "free",
        solver: str = "auto",
        error_score: Any = np.nan,
        time_limit: float | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        keep(self, locals())

    def _machine(self) -> ExactLinearMachine:
        return LinearSVC(**self._parameters())

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes in order."""
        return np.asarray(self._chosen().classes_)

    @available_if(_decides)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score rows with the machine of the chosen C.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        """
        return np.asarray(self._chosen().decision_function(X))


class LinearSVRCV(RegressorMixin, LinearCV):  # type: ignore[misc]
    """`LinearSVR` that chooses its C by cross-validation.

    Parameters
    ----------
    Cs, cv, scoring, refit, error_score, time_limit, on_interrupt, n_jobs
        As in `LinearSVCCV`; scored by R^2 by default.
    epsilon, loss, tol, fit_intercept, intercept_scaling, max_iter, intercept, solver
        As in `LinearSVR`.

    Attributes
    ----------
    C_, best_params_, best_index_, best_score_, Cs_, scores_, cv_results_, best_estimator_, \
    refit_time_, scorer_, n_splits_, multimetric_, coef_, intercept_, n_features_in_
        As in `LinearSVCCV`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from maxmargin.selection import LinearSVRCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LinearSVRCV(Cs=[1.0, 10.0, 100.0]).fit(X, y)
    >>> model.C_, round(model.best_score_, 2)
    (100.0, 0.45)
    """

    def __init__(
        self,
        Cs: int | ArrayLike = 10,
        *,
        cv: Any = None,
        scoring: Any = None,
        refit: Any = True,
        epsilon: float = 0.0,
        loss: str = "epsilon_insensitive",
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 1000,
        intercept: str = "free",
        solver: str = "auto",
        error_score: Any = np.nan,
        time_limit: float | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        keep(self, locals())

    def _machine(self) -> ExactLinearMachine:
        return LinearSVR(**self._parameters())
