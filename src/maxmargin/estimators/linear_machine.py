"""What linear machines share: checked rows, the solve, its certificate."""

from __future__ import annotations

import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin.data import ChunkedMatrix, Chunks, Dataset, canonical
from maxmargin.estimators.base import fit_history, unchanged_on_error
from maxmargin.estimators.callbacks import CallbackSupportMixin, FitTasks, with_callbacks
from maxmargin.estimators.parameters import (
    ANY,
    BOOLEAN,
    CALLABLE,
    JOBS,
    LIMIT,
    NONE,
    POSITIVE,
    VERBOSE,
    Rule,
    check_parameters,
    one_of,
)
from maxmargin.estimators.pickles import VersionedPickle
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


class LinearMachine(VersionedPickle, CallbackSupportMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the linear machines: all but the targets."""

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
                progress.end_parts(solutions)
                problems = []
            for part, problem in enumerate(problems):
                progress.parts = (part,)
                if progress.expired:
                    solutions.append(untouched_linear(problem))
                    continue
                solutions.append(linear(problem, settings, progress, solver, basis))
                progress.end_parts(solutions[-1:])
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


def _refuse_overflow(X: Any) -> None:
    """Squares of the entries are summed: they must have room."""
    values = X.data if sparse.issparse(X) else X
    largest = float(max(values.max(initial=0.0), -values.min(initial=0.0)))
    limit = 1e150 / np.sqrt(max(1, X.shape[0] * X.shape[1]))
    if largest > limit:
        raise ValueError(
            f"X has an entry of size {largest:.1e}, whose square overflows in sums: scale the "
            "data, e.g. with sklearn.preprocessing.StandardScaler."
        )
