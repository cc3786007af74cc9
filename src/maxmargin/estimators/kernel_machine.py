"""What the kernel machines share: a string becomes a kernel, warm starts, support vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import isinf
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from maxmargin.estimators.advice import advice_on_certificate, advice_on_support
from maxmargin.estimators.cache import cache_megabytes
from maxmargin.estimators.machine import MACHINE_RULES, Machine
from maxmargin.estimators.parameters import (
    BOOLEAN,
    COUNT,
    LIMIT,
    MEGABYTES,
    NONE,
    NOT_NEGATIVE,
    NUMBER,
    POSITIVE,
    Rule,
    one_of,
)
from maxmargin.estimators.row_values import alpha_of
from maxmargin.estimators.training import Training, check_finite, check_gram
from maxmargin.estimators.warm_start import warm_starts
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
    kernel_parameters,
    with_parameters,
)
from maxmargin.models import KernelModel
from maxmargin.problems import DualProblem, Solution, Solutions, SolverSettings, Status
from maxmargin.solvers import soft_margin

KERNEL_RULES: dict[str, Rule] = {
    **MACHINE_RULES,
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
        "be a function of two blocks of rows, or a kernel of maxmargin.kernels that is evaluated "
        "on rows",
        test=lambda v: callable(v) and getattr(v, "compiled", True),
    ),
    "degree": COUNT,
    "gamma": one_of("scale", "auto") | NOT_NEGATIVE,
    "coef0": NUMBER,
    "shrinking": BOOLEAN,
    "tol": POSITIVE,
    "tol_gap": POSITIVE | NONE,
    "cache_size": one_of("auto") | MEGABYTES,
    "max_iter": LIMIT,
    "warm_start": BOOLEAN,
}


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
        return (float(each @ (values - mean) ** 2) + zeros * mean * mean) / total
    if weight is None:
        # The bits of X.var(), whose checks take as long as the sums of a small fit.
        centred = np.subtract(X, X.sum(dtype=np.float64) / X.size, dtype=np.float64)
        return float(np.square(centred, out=centred).sum() / X.size)
    total = float(weight.sum()) * int(X.shape[1])
    mean = float(weight @ X.sum(axis=1, dtype=np.float64)) / total
    spread: float = float(weight @ ((X.astype(np.float64) - mean) ** 2).sum(axis=1))
    return spread / total


class KernelMachine(Machine):
    """Base of the estimators that solve kernel problems."""

    kernel: str | Callable[..., Any]
    gamma: float | str
    degree: int
    coef0: float
    cache_size: float | Literal["auto"]
    warm_start: bool
    tol_gap: float | None
    model_: KernelModel

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    # ---- Parameters -------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of this estimator, and with `deep` those of a kernel object.

        Parameters
        ----------
        deep : bool
            Whether those of `kernel` are there too, as `kernel__gamma` or, of the parts of a sum,
            `kernel__parts__0__gamma`.

        Returns
        -------
        dict
            Values by name.
        """
        params: dict[str, Any] = super().get_params(deep)
        kernel = params["kernel"]
        if deep and isinstance(kernel, Kernel):
            own = kernel_parameters(kernel)
            params.update({f"kernel__{name}": value for name, value in own.items()})
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of a kernel object make a new one.

        Parameters
        ----------
        **params
            Values by name, as `get_params` names them.

        Returns
        -------
        self : estimator
            This estimator.
        """
        inner = {name: params.pop(name) for name in list(params) if name.startswith("kernel__")}
        super().set_params(**params)
        if inner:
            if not isinstance(self.kernel, Kernel):
                raise ValueError(
                    f"{next(iter(inner))} is a parameter of a kernel object, and kernel is "
                    f"{self.kernel!r}: give one of maxmargin.kernels, such as RBF(gamma=0.1)."
                )
            changes = {name.removeprefix("kernel__"): value for name, value in inner.items()}
            self.kernel = with_parameters(self.kernel, changes)
        return self

    # ---- Data -------------------------------------------------------------------------------

    def _check_rows(self, X: Any, *, reset: bool) -> Any:
        """Rows as the core takes them. A callable kernel may work on anything."""
        if self._calls_python():
            if len(getattr(X, "shape", ())) == 2:
                validate_data(self, X, reset=reset, skip_check_array=True)
            return X.tocsr() if sparse.issparse(X) else X
        if self.kernel == "precomputed" and sparse.issparse(X):
            raise TypeError(
                "Sparse precomputed kernels are not supported. Dense data is required, X.toarray()."
            )
        return super()._check_rows(X, reset=reset)

    def _with_kernel(self, data: Training, *, reset: bool) -> Training:
        """Return checked data with the kernel of a fit, or with that of the fitted model."""
        X = check_gram(data.X) if self.kernel == "precomputed" else data.X
        kernel = self._make_kernel(X, data.given) if reset else self.model_.kernel
        return replace(data, X=X, kernel=kernel)

    def _stated(self, data: Training) -> tuple[Kernel, Any]:
        """Kernel and rows as a problem has them: a Python function becomes its matrix of values."""
        assert data.kernel is not None
        if isinstance(data.kernel, Function):
            return Precomputed(), check_gram(data.kernel(data.X, data.X))
        return data.kernel, data.X

    def _weighted_gamma(self, X: Any, weight: NDArray[np.float64] | None) -> float:
        """Value of gamma="scale" and "auto"; the variance counts each row by its weight."""
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        if self.gamma == "auto":
            return 1.0 / float(X.shape[1])
        variance = _variance(X, weight)
        if not np.isfinite(variance):
            raise ValueError(
                'The dual coefficients or intercepts are not finite: gamma="scale" needs the '
                "variance of X, which overflows: scale the data, e.g. with "
                "sklearn.preprocessing.StandardScaler, or give gamma a number."
            )
        return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0

    def _make_kernel(self, X: Any, weight: NDArray[np.float64] | None) -> Kernel:
        """Translate the string to its type, once."""
        if isinstance(self.kernel, Kernel):
            return self.kernel.resolve(getattr(self, "feature_names_in_", None))
        if isinstance(self.kernel, type) and issubclass(self.kernel, Kernel):
            name = self.kernel.__name__
            raise TypeError(f"kernel is the type {name} of maxmargin.kernels: make one, {name}()")
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

    def _by_place(self) -> bool:
        """Whether rows are known by their places alone: nobody sees what they hold."""
        return self.kernel == "precomputed" or self._calls_python()

    # ---- Solving ----------------------------------------------------------------------------

    def _check_combination(self) -> None:
        super()._check_combination()
        if not isinf(self.tol):
            return
        if self.tol_gap is None:
            raise ValueError(
                "tol is inf, which leaves the end of the fit to tol_gap, and that is None; give "
                "it the gap to be proven, such as tol_gap=0.01."
            )
        if isinf(getattr(self, "C", 1.0)):
            raise ValueError(
                "tol is inf and so is C: a hard margin is found or not, it has no gap; tol must "
                "be a finite number greater than 0."
            )

    @property
    def _measure(self) -> str:  # type: ignore[override]
        """The violation, or the gap where that alone ends the fit."""
        return "gap" if isinf(self.tol) else "violation"

    @property
    def _goal(self) -> float:
        """The tolerance of that."""
        return self.tol_gap if isinf(self.tol) and self.tol_gap else self._tolerance

    def _settings(self, **own: Any) -> SolverSettings:
        return super()._settings(
            cache_size=cache_megabytes(self.cache_size), tol_gap=self.tol_gap, **own
        )

    def _starts(self, data: Training, problems: Sequence[DualProblem]) -> list[Any]:
        """Where the solver begins: with `warm_start` at what the last fit has found."""
        if not self.warm_start or not getattr(self, "solutions_", None):
            return [None] * len(problems)
        before: list[Any] = [None]
        keys: list[Any] = [None]
        if data.classes is not None and self.model_.classes is not None:
            before, keys = self.model_.classes.keys, data.classes.keys
        fitted = (self.model_, self.solutions_, before)
        return list(warm_starts(fitted, problems, keys, data.X, by_place=self._by_place()))

    def _model_of(
        self, data: Training, problems: Sequence[DualProblem], solutions: Sequence[Solution]
    ) -> KernelModel:
        model = KernelModel.of(
            problems,
            solutions,
            kernel=data.kernel,
            X=data.X,
            classes=data.classes,
            codes=None if data.classes is None else data.codes,
        )
        check_finite(model.weights, model.intercepts)
        if isinstance(data.kernel, Function):
            # As scikit-learn calls it: there are functions that only mean something on all rows.
            kernel = replace(data.kernel, rows=data.X, places=model.support)
            model = replace(model, kernel=kernel)
        if data.places is None:
            return model
        return replace(model, support=data.places[model.support])

    def _keep(self, data: Training, problems: Sequence[Any], solutions: Sequence[Solution]) -> None:
        super()._keep(data, problems, solutions)
        shape = data.X.shape if hasattr(data.X, "shape") else (len(data.X),)
        self.shape_fit_ = data.shape or shape

    def _good(self) -> bool:
        certificate = self.certificate_
        closed = self.tol_gap is None or certificate.gap <= self.tol_gap
        return closed and certificate.worst.within(self.tol)

    def _likely_cause(self, data: Training) -> str:
        causes = []
        if not self._calls_python() and self.kernel != "precomputed":
            scale = _column_deviations(data.X)
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

    def _certified(self, output: int, problem: DualProblem) -> DualProblem:
        """Return the soft margin that a hard one was solved as."""
        soft_c = self.solutions_[output].soft_c
        return problem if soft_c is None else soft_margin(problem, soft_c)

    def _advice(self, good: bool) -> Iterator[Warning]:
        if good:
            yield from advice_on_certificate(Solutions.of(self.solutions_).judged, self.tol)
        if not self._calls_python() and self.kernel != "precomputed":
            yield from advice_on_support(self.model_, self._n_rows)

    # ---- The fitted state -------------------------------------------------------------------

    @property
    def fit_status_(self) -> int:
        """0 where the fit went to its end, 1 where it was stopped."""
        self._check_fitted()
        return int(max(Solutions.of(self.solutions_).statuses, default=0) > Status.PRECISION)

    @property
    def _gamma(self) -> float:
        """The number that gamma has become, by the name under which programs look for it."""
        self._check_fitted()
        return float(self.model_.kernel.gamma)  # type: ignore[attr-defined]

    @property
    def support_(self) -> NDArray[np.int32]:
        """Places of the support vectors in the training data."""
        self._check_fitted()
        return self.model_.support.astype(np.int32)

    @property
    def support_vectors_(self) -> Any:
        """Support vectors, sorted by class where there are classes."""
        self._check_fitted()
        return self.model_.vectors

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Support vectors of each class, or of all."""
        self._check_fitted()
        return self.model_.n_support

    @property
    def dual_coef_(self) -> Any:
        """Signed dual variables in LIBSVM's layout; CSR after a fit to sparse rows."""
        self._check_fitted()
        coef, vectors = self.model_.dual_coef, self.model_.vectors
        if not sparse.issparse(vectors):
            return coef
        # Every entry is stored, zeros too, as scikit-learn has it.
        places, starts = np.tile(np.arange(coef.shape[1]), len(coef)), np.arange(len(coef) + 1)
        return type(vectors)((coef.ravel(), places, starts * coef.shape[1]), coef.shape)

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """Intercept of each problem."""
        self._check_fitted()
        return self.model_.intercepts

    @property
    def coef_(self) -> Any:
        """Weights of the features, shape (n_outputs, n_features); only with kernel="linear".

        CSR after a fit to sparse rows. They are computed, and cannot be changed.
        """
        self._check_fitted()
        coef = self.model_.coef
        (coef.data if sparse.issparse(coef) else coef).flags.writeable = False
        return coef

    @property
    def alphas_(self) -> NDArray[np.float64]:
        """Dual variables alpha >= 0 of each problem, shape (n_problems, n_SV)."""
        self._check_fitted()
        return np.abs(self.model_.weights.T)

    @property
    def alpha_(self) -> NDArray[np.float64]:
        """Dual variable of each training row: (n_samples,), or of several problems a row each."""
        self._check_fitted()
        return alpha_of(self.alphas_, self.support_, self.shape_fit_[0])

    @property
    def support_status_(self) -> NDArray[np.int8]:
        """Their `SupportStatus`: zero, free or at bound."""
        self._check_fitted()
        return np.ascontiguousarray(self.model_.status.T)

    # ---- Predicting -------------------------------------------------------------------------

    def _takes_sparse(self) -> bool:
        """Whether the fitted model scores sparse rows: one that was fitted to them does."""
        return self._calls_python() or sparse.issparse(self.model_.vectors)

    def _decide(self, X: Any) -> NDArray[np.float64]:
        self._check_fitted()
        return self.model_.decide(self._check_new(X), self._threads())

    def _check_new(self, X: Any) -> Any:
        """Check rows to predict; of a kernel matrix some columns are enough."""
        if self.kernel != "precomputed":
            if sparse.issparse(X) and not self._takes_sparse():
                raise ValueError(
                    f"cannot use sparse input in {type(self).__name__!r} trained on dense data: "
                    "give X.toarray(), or fit to sparse rows."
                )
            return self._check_rows(X, reset=False)
        if sparse.issparse(X):
            raise ValueError(
                f"cannot use sparse input in {type(self).__name__!r} trained on dense data: a "
                "kernel matrix must be dense, X.toarray()."
            )
        values = check_array(X, dtype=np.float64)
        if values.shape[1] == len(self.model_.support) != self.n_features_in_:
            return values
        return self._check_rows(values, reset=False)
