"""What the kernel machines share: strings to types, problems to solutions, status to warnings."""

from __future__ import annotations

import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing, check_array
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from maxmargin.data import canonical
from maxmargin.estimators.cache import cache_megabytes
from maxmargin.estimators.callbacks import CallbackSupportMixin, FitTasks
from maxmargin.estimators.parameters import (
    BOOLEAN,
    CALLABLE,
    COUNT,
    JOBS,
    LIMIT,
    MEGABYTES,
    NONE,
    NOT_NEGATIVE,
    NUMBER,
    POSITIVE,
    VERBOSE,
    Rule,
    one_of,
)
from maxmargin.estimators.pickles import VersionedPickle
from maxmargin.estimators.progress import Progress
from maxmargin.estimators.threads import count_threads
from maxmargin.estimators.warm_start import Memory
from maxmargin.kernels import (
    RBF,
    Chi2,
    Cosine,
    Function,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    Sigmoid,
)
from maxmargin.models import KernelModel, Settled
from maxmargin.problems import (
    TRACE,
    Certificate,
    DualProblem,
    LinearSolution,
    Solution,
    SolverSettings,
    Status,
    certify,
    untouched,
)
from maxmargin.solvers import fit_report, linear_dual
from maxmargin.solvers.smo import smo, smo_all

KERNEL_RULES: dict[str, Rule] = {
    "kernel": one_of(
        "linear",
        "poly",
        "rbf",
        "sigmoid",
        "laplacian",
        "chi2",
        "cosine",
        "matern",
        "precomputed",
    )
    | Rule(
        lambda v: callable(v) and getattr(v, "compiled", True),
        "be a function of two blocks of rows, or a kernel of maxmargin.kernels that is evaluated "
        "on rows",
    ),
    "degree": COUNT,
    "gamma": one_of("scale", "auto") | NOT_NEGATIVE,
    "coef0": NUMBER,
    "shrinking": BOOLEAN,
    "tol": POSITIVE,
    "cache_size": one_of("auto") | MEGABYTES,
    "verbose": VERBOSE,
    "max_iter": LIMIT,
    "time_limit": POSITIVE | NONE,
    "callback": CALLABLE | NONE,
    "on_interrupt": one_of("raise", "keep"),
    "warm_start": BOOLEAN,
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


def _column_deviations(X: Any) -> NDArray[np.float64]:
    if not sparse.issparse(X):
        return np.asarray(X.std(axis=0, dtype=np.float64))
    X = X.astype(np.float64)
    squares, means = X.multiply(X).mean(axis=0), X.mean(axis=0)
    variances = np.asarray(squares - np.square(means), np.float64).ravel()
    return np.asarray(np.sqrt(np.maximum(variances, 0.0)))


def _variance(X: Any, weight: NDArray[np.float64] | None) -> float:
    """Variance of all entries, each counted by the weight of its row."""
    if sparse.issparse(X):
        w = np.ones(X.shape[0]) if weight is None else weight
        total = float(w.sum()) * int(X.shape[1])
        stored = np.diff(X.indptr)
        each, values = np.repeat(w, stored), X.data.astype(np.float64)
        mean = float(each @ values) / total
        # About the mean, zeros included: a difference of squares would lose the digits.
        zeros = float(w @ (X.shape[1] - stored))
        return (float(each @ (values - mean) ** 2) + zeros * mean**2) / total
    if weight is None:
        return float(np.var(X, dtype=np.float64))
    total = float(weight.sum()) * int(X.shape[1])
    mean = float(weight @ X.sum(axis=1, dtype=np.float64)) / total
    spread: float = float(weight @ ((X.astype(np.float64) - mean) ** 2).sum(axis=1))
    return spread / total


def check_gram(values: Any) -> NDArray[np.float64]:
    """Refuse a training kernel matrix that is not square or not symmetric.

    Parameters
    ----------
    values : array-like of shape (n, n)
        Kernel values of the training rows with each other.
    """
    K: NDArray[np.float64] = np.ascontiguousarray(values, np.float64)
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"Precomputed matrix must be square to fit, one row and column a sample; its shape is "
            f"{K.shape}."
        )
    # In blocks of rows, so that a fit can be interrupted between them.
    blocks = [slice(begin, begin + 256) for begin in range(0, len(K), 256)]
    limit = 1e-8 * max(float(np.abs(K[rows]).max()) for rows in blocks)
    for rows in blocks:
        difference = np.abs(K[rows] - K[:, rows].T)
        if difference.max() <= limit:
            continue
        i, j = np.unravel_index(int(difference.argmax()), difference.shape)
        i += rows.start
        raise ValueError(
            f"kernel matrix is not symmetric: K[{i}, {j}] is {K[i, j]:g} but K[{j}, {i}] is "
            f"{K[j, i]:g}; use (K + K.T) / 2 if that is what you mean."
        )
    return K


def check_weight(sample_weight: ArrayLike | None, like: Any) -> NDArray[np.float64]:
    """Return a weight for each row, or say what is wrong with them.

    Parameters
    ----------
    sample_weight : array-like of shape (n,) or None
        What each row counts; None for all the same.
    like : array-like of length n
        The rows.
    """
    if sample_weight is None:
        return np.ones(len(like))
    weight: NDArray[np.float64] = _check_sample_weight(sample_weight, like, dtype=np.float64)
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise ValueError(
            f"sample_weight[{row}] is {weight[row]}: negative weights are not supported; give "
            "a row weight 0 to leave it out."
        )
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; it needs a non-zero value.")
    return weight


def fit_history(solutions: Sequence[Solution | LinearSolution]) -> NDArray[np.void]:
    """All traces, one after the other, on one clock.

    Parameters
    ----------
    solutions : sequence
        The solutions of all problems of a fit.
    """
    history = np.concatenate([solution.trace for solution in solutions], dtype=TRACE)
    parts = np.repeat(np.arange(len(solutions)), [len(solution.trace) for solution in solutions])
    ends = np.cumsum([0.0, *(solution.seconds for solution in solutions)])
    history["part"] = parts
    history["time"] += ends[parts]
    return history


def _better_in_the_primal(problem: DualProblem) -> bool:
    """Whether a linear kernel has many more rows than features, all of them few.

    Small problems stay with the kernel engine, which solves them to rounding.
    """
    linear = isinstance(problem.kernel, Linear) and problem.ridge is None
    if not linear or problem.totals != (0.0,):
        return False
    columns = int(problem.X.shape[1])
    return len(problem.rows) > max(1024, 2 * columns) and columns <= 2000


class KernelMachine(VersionedPickle, CallbackSupportMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the estimators that solve kernel problems."""

    _pickle_format = 2

    kernel: str | Callable[..., Any]
    gamma: float | str
    degree: int
    coef0: float
    tol: float
    cache_size: float | Literal["auto"]
    max_iter: int
    verbose: bool | int
    time_limit: float | None
    callback: Callable[[np.void], bool | None] | None
    on_interrupt: str
    warm_start: bool
    n_jobs: int | None
    n_features_in_: int
    status_: Status
    certificate_: Certificate

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    # ---- Data -------------------------------------------------------------------------------

    def _check_rows(self, X: Any, *, reset: bool) -> Any:
        """Rows as the core takes them. A callable kernel may work on anything."""
        if self._calls_python():
            if len(getattr(X, "shape", ())) == 2:
                validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        if self._plain(X, reset):
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

    def _plain(self, X: Any, reset: bool) -> bool:
        """Whether rows are as the core takes them, so that the slower checks would not change them.

        Where it is not certain they decide, and say what is wrong.
        """
        if type(X) is not np.ndarray or X.ndim != 2 or X.size == 0 or not X.flags.c_contiguous:
            return False
        if X.dtype not in (np.float64, np.float32) or hasattr(self, "feature_names_in_"):
            return False
        if not reset and X.shape[1] != self.n_features_in_:
            return False
        with np.errstate(over="ignore", invalid="ignore"):
            finite = bool(np.isfinite(X.sum()))
        if finite and reset:
            self.n_features_in_ = X.shape[1]
        return finite

    def _stated(self, kernel: Kernel, X: Any) -> tuple[Kernel, Any]:
        """Kernel and rows as a problem has them: a Python function becomes its matrix of values."""
        if isinstance(kernel, Function):
            return Precomputed(), check_gram(kernel(X, X))
        return kernel, X

    def _weighted_gamma(self, X: Any, weight: NDArray[np.float64] | None) -> float:
        """Value of gamma="scale" and "auto"; the variance counts each row by its weight."""
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        if self.gamma == "auto":
            return 1.0 / float(X.shape[1])
        variance = _variance(X, weight)
        if not np.isfinite(variance):
            raise ValueError(
                'gamma="scale" needs the variance of X, which overflows: scale the data, e.g. with '
                "sklearn.preprocessing.StandardScaler, or give gamma a number."
            )
        return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0

    def _make_kernel(self, X: Any, weight: NDArray[np.float64] | None) -> Kernel:
        """Translate the string to its type, once."""
        if isinstance(self.kernel, Kernel):
            return self.kernel
        if callable(self.kernel):
            return Function(self.kernel)
        if self.kernel == "precomputed":
            return Precomputed()
        if self.kernel == "linear":
            return Linear()
        if self.kernel == "cosine":
            return Cosine()
        gamma = self._weighted_gamma(X, weight)
        match self.kernel:
            case "poly":
                return Polynomial(self.degree, gamma, self.coef0)
            case "sigmoid":
                return Sigmoid(gamma, self.coef0)
            case "laplacian":
                return Laplacian(gamma)
            case "chi2":
                return Chi2(gamma)
            case "matern":
                return Matern(RBF(gamma).sigma, nu=1.5)
            case _:
                return RBF(gamma)

    def _calls_python(self) -> bool:
        """Whether the kernel is a function of the user's, which may work on anything."""
        return callable(self.kernel) and not isinstance(self.kernel, Kernel)

    # ---- Solving ----------------------------------------------------------------------------

    def _by_itself(self, problem: DualProblem, start: NDArray[np.float64] | None) -> bool:
        """Whether a problem has a solver of its own, instead of being solved with the others."""
        return start is None and _better_in_the_primal(problem)

    def _solve_one(
        self,
        problem: DualProblem,
        settings: SolverSettings,
        progress: Progress,
        start: NDArray[np.float64] | None,
    ) -> tuple[DualProblem, Solution]:
        if self._by_itself(problem, start):
            return problem, linear_dual(problem, settings, progress)
        return problem, smo(problem, settings, start, progress)

    def _starts(
        self, keys: Sequence[Hashable], problems: Sequence[DualProblem], X: Any
    ) -> list[NDArray[np.float64] | None]:
        """Where the solver begins: with `warm_start` at what the last fit has found."""
        if not (self.warm_start and hasattr(self, "_memory")):
            return [None] * len(problems)
        by_place = self.kernel == "precomputed" or self._calls_python()
        vectors = None if by_place else self.support_vectors_
        return list(self._memory.starts(keys, problems, (self._model.support, vectors), X))

    def _solve(
        self,
        problems: Sequence[DualProblem],
        starts: Sequence[NDArray[np.float64] | None],
        tasks: FitTasks,
        start: float,
    ) -> tuple[list[DualProblem], list[Solution], Status]:
        """Solve all problems, watching time and interrupts over all of them."""
        settings = SolverSettings(
            tol=self.tol,
            max_iter=self.max_iter,
            cache_size=cache_megabytes(self.cache_size),
            n_threads=count_threads(self.n_jobs),
            on_interrupt="keep" if self.on_interrupt == "keep" else "raise",
            alone=len(problems) == 1,
        )
        keep = self.on_interrupt == "keep"
        progress = Progress(
            self.tol,
            self.time_limit,
            self.callback,
            self.verbose,
            len(problems),
            tasks,
            keep,
            start,
        )
        # scikit-learn's callbacks are told of each problem before the next begins.
        alone = [
            tasks.watched or self._by_itself(problem, start)
            for problem, start in zip(problems, starts, strict=True)
        ]
        together = [part for part, by_itself in enumerate(alone) if not by_itself]
        solved = list(problems)
        found: dict[int, Solution] = {}
        begin = time.perf_counter()
        with progress, progress.deferring_interrupts():
            for part in np.flatnonzero(alone).tolist():
                progress.parts = (part,)
                if progress.expired:
                    found[part] = untouched([problems[part]])[0]
                    continue
                solved[part], found[part] = self._solve_one(
                    problems[part], settings, progress, starts[part]
                )
                progress.end_parts([found[part]])
            rest = [problems[part] for part in together]
            if rest and progress.expired:
                found.update(zip(together, untouched(rest), strict=True))
            elif rest:
                progress.parts = together
                points = [starts[part] for part in together]
                solved_together = smo_all(rest, settings, points, progress)
                progress.end_parts(solved_together)
                found.update(zip(together, solved_together, strict=True))
        self._interruption = progress.interruption
        status = max(solution.status for solution in found.values())
        if status is Status.INTERRUPTED and progress.reason is not None:
            status = progress.reason
        solutions = [found[part] for part in range(len(problems))]
        self.fit_report_ = fit_report(solutions, settings.n_threads, time.perf_counter() - begin)
        return solved, solutions, status

    def _warn_if_not_converged(self, X: Any, stacklevel: int = 3) -> None:
        """Say how far from the optimum an unfinished fit is, and what may have slowed it down."""
        status, certificate = self.status_, self.certificate_
        worst = certificate.worst
        if status is Status.OPTIMAL or worst.within(self.tol):
            return
        limit = {
            Status.MAX_ITERATIONS: "the safety limit of steps was reached"
            if self.max_iter < 0
            else f"max_iter={self.max_iter} was reached",
            Status.TIME_LIMIT: f"time_limit={self.time_limit} s was reached",
            Status.INTERRUPTED: self._interruption,
            Status.PRECISION: "steps in float64 no longer improve it",
        }[status]
        warnings.warn(
            f"The fit ended early: {limit}. Its relative duality gap is {certificate.gap:.1e}: the "
            f"objective is within that share of the optimum. Decision values may change by about "
            f"{worst.violation + worst.bound:.1e} (tol is {self.tol:g}).{self._likely_cause(X)}",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )

    def _likely_cause(self, X: Any) -> str:
        causes = []
        if not self._calls_python() and self.kernel != "precomputed":
            scale = _column_deviations(X)
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

    # ---- The fitted state -------------------------------------------------------------------

    def _assign_solutions(
        self,
        model: KernelModel,
        X: Any,
        solutions: Sequence[Solution],
        status: Status,
        memory: Memory,
    ) -> None:
        """Set what every kernel machine has once it is fitted."""
        self._model = model
        self._memory = memory
        self._multipliers = [solution.multipliers for solution in solutions]
        self.support_ = model.support.astype(np.int32)
        plain = isinstance(X, np.ndarray)
        self.support_vectors_ = X[model.support] if plain else _safe_indexing(X, model.support)
        self.intercept_ = model.intercepts
        self.alphas_ = np.abs(model.weights.T)
        self.support_status_ = np.ascontiguousarray(model.status.T)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(X),)
        self.certificate_ = Certificate(tuple(solution.certificate for solution in solutions))
        self.status_ = status
        self.fit_status_ = int(status > Status.PRECISION)
        self.history_ = fit_history(solutions)

    @abstractmethod
    def _state_again(
        self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None
    ) -> list[DualProblem]:
        """State the problems that the fitted dual variables solve, from the training data."""

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
        check_is_fitted(self)
        problems = self._state_again(X, y, sample_weight)
        if problems[0].X.shape[0] != self.shape_fit_[0]:
            raise ValueError(
                f"X has {problems[0].X.shape[0]} rows but the model was fitted to "
                f"{self.shape_fit_[0]}; give the same data."
            )
        parts = []
        for b, problem in zip(self._memory.exact, problems, strict=True):
            fits = len(b) == problem.n_variables
            if not fits or ((b < problem.lower) | (b > problem.upper)).any():
                raise ValueError(
                    "the fitted dual variables are not feasible for these data and parameters: "
                    "give the data, weights and parameters that the model was fitted with."
                )
            parts.append(certify(problem, b, count_threads(self.n_jobs)))
        return Certificate(tuple(parts))

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights of the features, shape (n_outputs, n_features); only with kernel="linear"."""
        check_is_fitted(self)
        if not isinstance(self._model.kernel, Linear):
            raise AttributeError('coef_ is only available with kernel="linear"')
        return np.asarray(self._model.weights.T @ self.support_vectors_)

    def _decisions(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        X = self._check_rows_to_predict(X)
        return self._model.decisions(X, self.support_vectors_, count_threads(self.n_jobs))

    def _settled(self, X: Any, settled: Settled) -> NDArray[np.float64]:
        """Return outputs of a fitted model that have the labels of `_decisions`, exact or not."""
        X = self._check_rows_to_predict(X)
        threads = count_threads(self.n_jobs)
        return self._model.settle(X, self.support_vectors_, settled, threads)

    def _check_rows_to_predict(self, X: Any) -> Any:
        """With a kernel matrix, the columns of the support vectors alone are enough."""
        if self.kernel != "precomputed":
            return self._check_rows(X, reset=False)
        values = check_array(X, dtype=np.float64)
        if values.shape[1] == len(self.support_) != self.n_features_in_:
            return values
        return self._check_rows(values, reset=False)[:, self.support_]
