"""What every machine is: checked data, problems, solutions, a model; one fit for all."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, is_outlier_detector
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin import _core
from maxmargin.data import Chunks, canonical
from maxmargin.estimators.callbacks import CallbackSupportMixin, FitTasks, with_callbacks
from maxmargin.estimators.parameters import (
    ANY,
    CALLABLE,
    JOBS,
    NONE,
    POSITIVE,
    VERBOSE,
    Rule,
    check_parameters,
    one_of,
)
from maxmargin.estimators.pickles import VersionedPickle
from maxmargin.estimators.row_values import slack_of
from maxmargin.estimators.run import FitRun
from maxmargin.estimators.threads import count_threads
from maxmargin.estimators.training import Training
from maxmargin.models import Explanation, explain
from maxmargin.problems import Certificate, Solution, Solutions, SolverSettings, Status
from maxmargin.prompt import Hinted
from maxmargin.solvers import Watch, solve

#: Of the parameters that every machine has.
MACHINE_RULES: dict[str, Rule] = {
    "verbose": VERBOSE,
    "time_limit": POSITIVE | NONE,
    "callback": CALLABLE | NONE,
    "on_interrupt": one_of("raise", "keep"),
    "n_jobs": JOBS | NONE,
}
RANDOM: dict[str, Rule] = {"random_state": ANY}

#: From checked data and the problems they make to where the solver begins.
Starts: TypeAlias = Callable[[Training, Sequence[Any]], list[Any]]


class Machine(VersionedPickle, CallbackSupportMixin, Hinted, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all estimators that solve problems.

    A new machine says how its data become problems (`_check`, `_state`) and how solutions become a
    model (`_model_of`). Its fitted state is `model_`, which predicts by itself, and `solutions_`,
    without what the model has already; all other attributes are computed from them.
    """

    _meant: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["w", "weights", "weights_", "w_", "theta", "coef"], "coef_"),
        **dict.fromkeys(["b", "b_", "bias", "bias_", "intercept_scaling_"], "intercept_"),
        **dict.fromkeys(["alpha", "alphas", "dual_variables", "multipliers"], "alpha_"),
        **dict.fromkeys(["slack_", "slacks", "slacks_", "xi", "xi_"], "slack(X, y)"),
        **dict.fromkeys(
            ["margin", "margin_", "margins", "margins_"],
            "maxmargin.models.Margins.of(model, X, y), or 1 / np.linalg.norm(model.coef_)",
        ),
        **dict.fromkeys(["support", "support_vectors", "sv"], "support_ or support_vectors_"),
        **dict.fromkeys(["gap", "gap_", "duality_gap_", "dual_gap_"], "certificate_.gap"),
        **dict.fromkeys(["loss_", "objective_", "value"], "certificate_.primal"),
        **dict.fromkeys(["train", "learn"], "fit(X, y)"),
        "converged_": "status_",
        "f": "decision_function(X)",
    }
    _pickle_format = 3
    #: The machine that a model file has this one down as, where that is another.
    _namesake: ClassVar[type[Machine] | None] = None
    _rules: ClassVar[dict[str, Rule]]
    #: The column of the trace that is to fall to tol.
    _measure: str = "violation"
    #: That max_iter was too small, in words that programs written for scikit-learn may look for.
    _at_limit: ClassVar[str] = "Solver terminated early (max_iter={})"

    tol: float
    max_iter: int
    verbose: bool | int
    time_limit: float | None
    callback: Callable[[np.void], bool | None] | None
    on_interrupt: str
    n_jobs: int | None
    n_features_in_: int
    fit_report_: dict[str, Any]
    model_: Any
    solutions_: Sequence[Solution]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in vars(self)

    # ---- What a new machine writes ----------------------------------------------------------

    @abstractmethod
    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        """Check training data; a reset forgets what earlier data looked like."""

    @abstractmethod
    def _state(self, data: Training) -> Sequence[Any]:
        """State the problems of checked data."""

    @abstractmethod
    def _model_of(
        self, data: Training, problems: Sequence[Any], solutions: Sequence[Solution]
    ) -> Any:
        """Return the model that solutions make."""

    @abstractmethod
    def _good(self) -> bool:
        """Whether the fitted model is as good as was asked, however the fit ended."""

    def _check_combination(self) -> None:
        """Refuse parameters that are each allowed but not together."""

    def _starts(self, data: Training, problems: Sequence[Any]) -> list[Any]:
        """Where the solver begins."""
        return [None] * len(problems)

    def _kept(self, solutions: Sequence[Solution]) -> Sequence[Solution]:
        """Return what is kept of the solutions beside the model."""
        return Solutions.of(solutions)

    def _finish(self, run: FitRun, data: Training, problems: Sequence[Any]) -> None:
        """Learn what the model needs beside the solutions."""

    def _likely_cause(self, data: Training) -> str:
        """Return what may have slowed a fit down, in words."""
        return ""

    def _advice(self, good: bool) -> Iterator[Warning]:
        """Say what may not be wanted though it was asked for; `good` if it was reached."""
        return iter(())

    # ---- Fitting ----------------------------------------------------------------------------

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; float32 and float64 are used as they are, sparse ones become CSR. The
            kernel matrix if kernel="precomputed"; anything with a length if the kernel is a
            callable. Exact linear machines also take a `maxmargin.data.Chunks`, which is read
            one chunk at a time, several times; only targets, weights and dual variables, a few
            numbers per row, are held as a whole.
        y : array-like of shape (n_samples,)
            Class labels, or targets of a regression. One-class machines ignore it, and chunks have
            their own.
        sample_weight : array-like of shape (n_samples,), optional
            What each row counts: with weight 0, or a negative one, the row is left out; weight 2 is
            the row twice, but for stochastic steps, whose size it multiplies.

        Returns
        -------
        self : estimator
            The fitted estimator.
        """
        return self._fit_from(self._starts, X, y, sample_weight)

    def _fit_from(self, starts: Starts, X: Any, y: Any, sample_weight: ArrayLike | None) -> Self:
        """Fit the model, the solver beginning where `starts` says."""
        self._check_parameters()
        if y is None:
            self._refuse_missing_target(X)
        with FitRun(self) as run:
            data = self._fit(run, starts, X, y, sample_weight)
        for remark in self._remarks(run, data):
            warnings.warn(remark, ConvergenceWarning, stacklevel=3)
        for said in self._advice(self.status_ is Status.OPTIMAL or self._good()):
            warnings.warn(said, stacklevel=3)
        return self

    def _remarks(self, run: FitRun, data: Training) -> list[str]:
        """Return what the caller is to be warned of."""
        # A pair that is degenerate has been solved to its end.
        ends = Solutions.of(self.solutions_).statuses - {Status.DEGENERATE}
        status = max(ends, default=Status.OPTIMAL)
        if status is Status.OPTIMAL or self._good():
            return []
        return [run.early_end(status, self.certificate_, self._likely_cause(data))]

    def _refuse_missing_target(self, X: Any) -> None:
        """Say in scikit-learn's words that there is no y; chunks have their own."""
        if get_tags(self).target_tags.required and not isinstance(X, Chunks):
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )

    def _check_parameters(self) -> None:
        check_parameters(vars(self), self._rules)
        self._check_combination()

    @with_callbacks
    def _fit(
        self, run: FitRun, starts: Starts, X: Any, y: Any, sample_weight: ArrayLike | None
    ) -> Training:
        data = self._check(X, y, sample_weight, reset=True)
        problems = self._state(data)
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        tasks = FitTasks(self, {"X": X, "y": y, "metadata": metadata}, len(problems))
        solutions = run.solve(problems, self._settings(), starts(data, problems), tasks)
        self._keep(data, problems, solutions)
        self._finish(run, data, problems)
        self.fit_report_ = run.finish()
        tasks.finish()
        return data

    def _solve(
        self,
        problems: Sequence[Any],
        settings: SolverSettings,
        watch: Watch,
        starts: Sequence[Any],
    ) -> Sequence[Solution]:
        """Solve the stated problems; a machine whose rows are elsewhere does it there."""
        return solve(problems, settings, watch, starts)

    def _keep(self, data: Training, problems: Sequence[Any], solutions: Sequence[Solution]) -> None:
        """Set the fitted state."""
        self.model_ = self._model_of(data, problems, solutions)
        self.solutions_ = self._kept(solutions)
        self._n_rows = int(data.X.shape[0]) if hasattr(data.X, "shape") else len(data.X)
        if data.class_weight is not None:
            self.class_weight_ = data.class_weight

    def _settings(self, **own: Any) -> SolverSettings:
        """Return the solver's settings; a machine adds its own."""
        return SolverSettings(
            tol=self._tolerance,
            max_iter=self.max_iter,
            n_threads=count_threads(self.n_jobs),
            on_interrupt="keep" if self.on_interrupt == "keep" else "raise",
            **own,
        )

    @property
    def _tolerance(self) -> float:
        """The tolerance as a number: none at all is 0."""
        return getattr(self, "tol", None) or 0.0

    @property
    def _goal(self) -> float:
        """What the measure is to fall to."""
        return self._tolerance

    def _check_rows(self, X: Any, *, reset: bool) -> Any:
        """Rows as the core takes them."""
        if self._plain(X, reset):
            return canonical(X) if sparse.issparse(X) else X
        X = validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], order="C"
        )
        return canonical(X) if sparse.issparse(X) else X

    def _plain(self, X: Any, reset: bool) -> bool:
        """Whether rows are as the core takes them, so that the slower checks would not change them.

        Where it is not certain they decide, and say what is wrong.
        """
        if type(X) is np.ndarray:
            if X.ndim != 2 or not X.flags.c_contiguous:
                return False
            values = X
        elif type(X) in (sparse.csr_matrix, sparse.csr_array) and X.ndim == 2:
            values = X.data
        else:
            return False
        if 0 in X.shape or values.dtype not in (np.float64, np.float32):
            return False
        if "feature_names_in_" in vars(self):
            return False
        if not reset and X.shape[1] != self.n_features_in_:
            return False
        finite = _core.largest(values) < inf
        if finite and reset:
            self.n_features_in_ = X.shape[1]
        return finite

    def _check_new(self, X: Any) -> Any:
        """Check rows to predict."""
        return self._check_rows(X, reset=False)

    # ---- The fitted state -------------------------------------------------------------------

    def _check_fitted(self) -> None:
        """Refuse what only a fitted machine can do; scikit-learn's own check takes its time."""
        if "model_" not in vars(self):
            check_is_fitted(self)

    def _course(self) -> Sequence[Solution]:
        """Return the solutions; a model that was read from a text has none."""
        self._check_fitted()
        if not self.solutions_:
            raise AttributeError(
                "the model was read from a format that does not tell how it was fitted"
            )
        return self.solutions_

    @property
    def status_(self) -> Status:
        """How the fit ended."""
        return max(Solutions.of(self._course()).statuses)

    @property
    def certificate_(self) -> Certificate:
        """How good the model is: primal, dual, gap and violation of each problem (`parts`)."""
        solutions = self._course()
        if len(solutions) == 1:
            return solutions[0].certificate
        return Certificate(
            tuple(part for solution in solutions for part in solution.certificate.parts)
        )

    @property
    def history_(self) -> NDArray[np.void]:
        """How the fit got there: all traces, one after the other, on one clock."""
        traces = [solution.trace for solution in self._course()]
        history = np.concatenate(traces, dtype=traces[0].dtype)
        parts = np.repeat(np.arange(len(traces)), [len(trace) for trace in traces])
        ends = np.cumsum([0.0, *(solution.work.seconds for solution in self.solutions_)])
        history["part"] = parts
        history["time"] += ends[parts]
        return history

    def _threads(self) -> int:
        return count_threads(self.n_jobs)

    def certify(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Certificate:
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
        self._course()
        data = self._check(X, y, sample_weight, reset=False)
        n_rows = data.X.shape[0] if hasattr(data.X, "shape") else len(data.X)
        if n_rows != self._n_rows:
            raise ValueError(
                f"X has {n_rows} rows but the model was fitted to {self._n_rows}; give the same "
                "data."
            )
        parts = []
        for output, stated in enumerate(self._state(data)):
            problem = self._certified(output, stated)
            solution = self._solution_of(output, problem)
            if not problem.feasible(solution.beta):
                raise ValueError(
                    "the fitted dual variables are not feasible for these data and parameters: "
                    "give the data, weights and parameters that the model was fitted with."
                )
            parts += problem.certify(solution, self._threads()).parts
        return Certificate(tuple(parts))

    def _certified(self, output: int, problem: Any) -> Any:
        """Return the problem that the certificate speaks of, where it is not the stated one."""
        return problem

    def _solution_of(self, output: int, problem: Any) -> Solution:
        """Return the whole solution of a problem, with what only the model has."""
        return self.solutions_[output]

    # ---- Looking at it ----------------------------------------------------------------------

    def explain(
        self, X: Any, *, background: Any = None, n_orders: int = 64, random_state: int = 0
    ) -> Explanation:
        """Take the decision values of rows apart: by features, and by support vectors.

        The parts of the features are Shapley values: what a feature adds when it becomes known,
        averaged over all orders in which features can. They and the base add up to the decision
        value. They are exact for linear machines, for products over features (RBF, Laplacian,
        chi2), for polynomials, and for sums and products of these; of other kernels orders are
        drawn, and `errors` tells the standard error. Calibrated machines: the decision value, not
        the probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or one row of shape (n_features,)
            What to explain.
        background : array-like of shape (n_rows, n_features), optional
            What features are while they are not known: those of each of these rows in turn, and
            outputs are averaged (the mean embedding of these rows; the base is their mean decision
            value). Some hundred rows of the training data are a good choice; the cost grows with
            their number. By default features are removed: the kernel does not see them, as if they
            were where the support vector is (RBF, Laplacian, chi2, Matern), or zero (products of
            features). The base is then the intercept and, if not all cancels, a constant.
        n_orders : int
            Orders to draw where values are not exact, half of them the reverse of the others.
        random_state : int
            Seed of these orders.

        Returns
        -------
        Explanation
            `features`, `base`, `errors`, `pulls` (of support vectors), `gradients`; `of(label)` is
            the score of one class, and `of()` that of the predicted one.
        """
        self._check_fitted()
        if n_orders < 2:
            raise ValueError(f"n_orders is {n_orders}; it must be at least 2.")
        rows = self._check_new(_one_row(X))
        others = None if background is None else self._check_new(background)
        d = rows.shape[1] if hasattr(rows, "shape") and len(rows.shape) > 1 else 0
        named = getattr(self, "feature_names_in_", None)
        names = [f"x{j}" for j in range(d)] if named is None else [str(name) for name in named]
        return explain(
            self.model_, rows, names, background=others, n_orders=n_orders, seed=random_state,
            n_threads=self._threads(),
        )  # fmt: skip

    def slack(self, X: Any, y: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return what each row lacks: of the margin, of the tube, or of being an inlier.

            two classes   max(0, 1 - y f(x)), with y = -1 for the first class and +1 for the second
            regression    max(0, |f(x) - y| - epsilon)
            one class     max(0, -f(x))

        Parameters
        ----------
        X, y : array-likes
            Rows, with their labels or targets; a machine of one class needs none.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        self._check_fitted()
        return slack_of(self, X, y)

    def plot(
        self,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        ax: Any = None,
        features: Sequence[int | str] | str | None = None,
        fill: str | ArrayLike = "median",
        **options: Any,
    ) -> Any:
        """Draw the model and the data.

        Of classes, and of one class: the boundary, the margin, support vectors and slacks. Two
        features are the plane of the picture. With more every row is at its own decision value, or
        of more than two classes at the lead of its class. Of a regression: the curve and its tube
        over one feature, and of more targets against predictions. Needs matplotlib, the extra
        `plot`. `maxmargin.plots` has more, and the numbers behind it.

        Parameters
        ----------
        X, y : array-likes
            The data the model was fitted to. A machine of one class needs no y.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        features : sequence of int or str, "output", "pca" or None
            Two features to show instead, or one of a regression, the others fixed; or as in
            `maxmargin.plots.BoundaryDisplay.from_estimator`.
        fill : {"median", "mean"} or array-like of shape (n_features,)
            What the other features are fixed at.
        **options
            What to draw, as in `plot` of the display that `maxmargin.plots.picture_of` chooses.

        Returns
        -------
        Axes
            Where it was drawn.
        """
        self._check_fitted()
        if X is None or (y is None and not is_outlier_detector(self)):
            raise ValueError(
                "plot draws the model beside its data, which it does not keep; give them, "
                f"{type(self).__name__}.plot(X{'' if is_outlier_detector(self) else ', y'})"
            )
        # An import upwards, and only when asked for: a fit does not need matplotlib.
        from maxmargin.plots import picture_of

        return picture_of(self, X, y, features=features, fill=fill).plot(ax, **options)


def _one_row(X: Any) -> Any:
    """Return one row as a table of one, anything else as it is."""
    if hasattr(X, "to_frame"):  # a row of a table, with its names
        return X.to_frame().T.infer_objects()
    return np.asarray(X)[None, :] if isinstance(X, np.ndarray | list) and np.ndim(X) == 1 else X
