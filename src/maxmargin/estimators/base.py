"""What the kernel machines share: strings to types, problems to solutions, status to warnings."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from maxmargin.data import canonical
from maxmargin.estimators.callbacks import CallbackSupportMixin, FitTasks
from maxmargin.estimators.parameters import (
    BOOLEAN,
    CALLABLE,
    COUNT,
    JOBS,
    LIMIT,
    NONE,
    NOT_NEGATIVE,
    NUMBER,
    POSITIVE,
    VERBOSE,
    Rule,
    one_of,
)
from maxmargin.estimators.progress import Progress
from maxmargin.estimators.threads import count_threads
from maxmargin.kernels import RBF, Function, Kernel, Linear, Polynomial, Precomputed, Sigmoid
from maxmargin.problems import (
    Certificate,
    DualProblem,
    Solution,
    SolverSettings,
    Status,
    untouched,
)
from maxmargin.solvers.smo import smo

KERNEL_RULES: dict[str, Rule] = {
    "kernel": one_of("linear", "poly", "rbf", "sigmoid", "precomputed") | CALLABLE,
    "degree": COUNT,
    "gamma": one_of("scale", "auto") | NOT_NEGATIVE,
    "coef0": NUMBER,
    "shrinking": BOOLEAN,
    "tol": POSITIVE,
    "cache_size": POSITIVE,
    "verbose": VERBOSE,
    "max_iter": LIMIT,
    "time_limit": POSITIVE | NONE,
    "callback": CALLABLE | NONE,
    "on_interrupt": one_of("raise", "keep"),
    "n_jobs": JOBS | NONE,
}


@contextmanager
def unchanged_on_error(estimator: BaseEstimator) -> Iterator[None]:
    """Give an estimator back the state it had when a fit does not get to its end.

    Parameters
    ----------
    estimator : BaseEstimator
        The estimator that is being fitted.
    """
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def _variance(X: Any, weight: NDArray[np.float64] | None) -> float:
    """Variance of all entries, each counted by the weight of its row."""
    if sparse.issparse(X):
        w = np.ones(X.shape[0]) if weight is None else weight
        total = float(w.sum()) * int(X.shape[1])
        X = X.astype(np.float64)
        mean = float(w @ np.asarray(X.sum(axis=1)).ravel()) / total
        squares = float(w @ np.asarray(X.multiply(X).sum(axis=1)).ravel()) / total
        return squares - mean**2
    if weight is None:
        return float(np.var(X, dtype=np.float64))
    total = float(weight.sum()) * int(X.shape[1])
    mean = float(weight @ X.sum(axis=1, dtype=np.float64)) / total
    spread: float = float(weight @ ((X.astype(np.float64) - mean) ** 2).sum(axis=1))
    return spread / total


class KernelMachine(CallbackSupportMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators that solve kernel problems."""

    #: Raised whenever the fitted attributes change so that older pickles cannot be used.
    _pickle_format = 1

    kernel: str | Callable[..., Any]
    gamma: float | str
    degree: int
    coef0: float
    tol: float
    cache_size: float
    max_iter: int
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

    # ---- Data -------------------------------------------------------------------------------

    def _check_rows(self, X: Any, *, reset: bool) -> Any:
        """Rows as the core takes them. A callable kernel may work on anything."""
        if callable(self.kernel):
            if len(getattr(X, "shape", ())) == 2:
                validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse=self.kernel != "precomputed" and "csr",
            dtype=[np.float64, np.float32],
            order="C",
        )
        return canonical(X) if sparse.issparse(X) else X

    def _weighted_gamma(self, X: Any, weight: NDArray[np.float64] | None) -> float:
        """Value of gamma="scale" and "auto"; the variance counts each row by its weight."""
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        if self.gamma == "auto":
            return 1.0 / float(X.shape[1])
        variance = _variance(X, weight)
        return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0

    def _make_kernel(self, X: Any, weight: NDArray[np.float64] | None) -> Kernel:
        """Translate the string to its type, once."""
        if callable(self.kernel):
            return Function(self.kernel)
        if self.kernel == "precomputed":
            return Precomputed()
        if self.kernel == "linear":
            return Linear()
        gamma = self._weighted_gamma(X, weight)
        if self.kernel == "rbf":
            return RBF(gamma)
        if self.kernel == "poly":
            return Polynomial(self.degree, gamma, self.coef0)
        return Sigmoid(gamma, self.coef0)

    # ---- Solving ----------------------------------------------------------------------------

    def _solve_one(
        self, problem: DualProblem, settings: SolverSettings, progress: Progress
    ) -> tuple[DualProblem, Solution]:
        return problem, smo(problem, settings, progress=progress)

    def _solve(
        self, problems: Sequence[DualProblem], tasks: FitTasks
    ) -> tuple[list[DualProblem], list[Solution], Status]:
        """Solve one problem after the other, watching time and interrupts over all of them."""
        settings = SolverSettings(
            tol=self.tol,
            max_iter=self.max_iter,
            cache_size=self.cache_size,
            n_threads=count_threads(self.n_jobs),
            on_interrupt="keep" if self.on_interrupt == "keep" else "raise",
        )
        solved: list[tuple[DualProblem, Solution]] = []
        keep = self.on_interrupt == "keep"
        progress = Progress(
            self.tol, self.time_limit, self.callback, self.verbose, len(problems), tasks, keep
        )
        with progress, progress.deferring_interrupts():
            for part, problem in enumerate(problems):
                progress.part = part
                if progress.expired:
                    solved.append((problem, untouched(problem)))
                    continue
                solved.append(self._solve_one(problem, settings, progress))
                progress.end_part(solved[-1][1])
        solutions = [solution for _, solution in solved]
        status = max(solution.status for solution in solutions)
        if status is Status.INTERRUPTED and progress.reason is not None:
            status = progress.reason
        return [problem for problem, _ in solved], solutions, status

    def _warn_if_not_converged(self, X: Any) -> None:
        """Say how far from the optimum an unfinished fit is, and what may have slowed it down."""
        status, certificate = self.status_, self.certificate_
        worst = certificate.worst
        if status is Status.OPTIMAL or worst.violation <= self.tol:
            return
        limit = {
            Status.MAX_ITERATIONS: "the safety limit of steps was reached"
            if self.max_iter < 0
            else f"max_iter={self.max_iter} was reached",
            Status.TIME_LIMIT: f"time_limit={self.time_limit} s was reached",
            Status.INTERRUPTED: "it was interrupted",
            Status.PRECISION: "steps in float64 no longer improve it",
        }[status]
        warnings.warn(
            f"The fit ended early: {limit}. Its relative duality gap is {certificate.gap:.1e}: the "
            f"objective is within that share of the optimum. Decision values may change by about "
            f"{worst.violation:.1e} (tol is {self.tol:g}).{self._likely_cause(X)}",
            ConvergenceWarning,
            stacklevel=3,
        )

    def _likely_cause(self, X: Any) -> str:
        causes = []
        if isinstance(X, np.ndarray) and X.ndim == 2 and self.kernel != "precomputed":
            scale = X.std(axis=0, dtype=np.float64)
            typical = float(np.median(scale))
            wide = np.flatnonzero(scale > 100 * max(typical, 1e-300))
            if len(wide) > 0:
                names = getattr(self, "feature_names_in_", None)
                shown = [str(names[k]) if names is not None else str(k) for k in wide[:5]]
                causes.append(
                    f"columns {', '.join(shown)} spread over 100 times wider than most: scale the "
                    "data, e.g. with sklearn.preprocessing.StandardScaler"
                )
        C = getattr(self, "C", 1.0)
        if C > 1e4:
            causes.append(f"C={C:g} is large: a smaller one is solved faster")
        if self.kernel == "poly" and self.degree > 3:
            causes.append(f"degree={self.degree} makes kernel values differ by many orders")
        return " Likely cause: " + "; ".join(causes) + "." if causes else ""
