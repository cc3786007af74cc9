"""Approximate kernels: a few features whose inner products are nearly the kernel's values.

A machine on these features is not the kernel machine but close to it, in time and memory that grow
with n instead of n^2. Nothing here is used unless it is asked for, and each says how far off it is:

    Nystroem        phi(x) = L^-1 (k(m_1, x), ..., k(m_p, x)),  K_mm = L L',  landmarks m_j
    RandomFourier   phi(x) = (cos w_j'x, sin w_j'x)_j / sqrt(p),  p random w_j, for the RBF kernel
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import solve_triangular
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin.data import canonical
from maxmargin.estimators.blas import OneBlasThread
from maxmargin.estimators.parameters import (
    ANY,
    COUNT,
    JOBS,
    NONE,
    NOT_NEGATIVE,
    POSITIVE,
    POSITIVE_COUNT,
    Rule,
    check_parameters,
    one_of,
)
from maxmargin.estimators.threads import count_threads
from maxmargin.kernels import RBF, Kernel, Linear, Polynomial


class ApproximateKernel(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """What the approximations share: checked rows, the value of gamma."""

    _rules: ClassVar[dict[str, Rule]]
    gamma: float | str
    n_jobs: int | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _check_rows(self, X: Any, *, reset: bool) -> Any:
        X = validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], order="C"
        )
        return canonical(X) if sparse.issparse(X) else X

    def _gamma_value(self, X: Any) -> float:
        """Value of gamma="scale", 1 / (n_features * X.var()), as in `SVC`."""
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        if sparse.issparse(X):
            mean = float(X.mean())
            variance = float(X.multiply(X).mean()) - mean**2
        else:
            variance = float(X.var(dtype=np.float64))
        return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


class Nystroem(ApproximateKernel):
    """Approximate kernel features from landmark rows, chosen where the approximation is worst.

    Landmarks are the pivots of a Cholesky factorisation of the kernel matrix: each time the row
    whose kernel value with itself is furthest from what its features give. The approximation is
    then exact between landmarks, never above the kernel on the diagonal, and off by at most
    sqrt(r(x) r(z)) for any two rows, with r the `residuals`.

    Parameters
    ----------
    kernel : {"rbf", "poly", "linear"}, default="rbf"
        Kernel function.
    gamma : "scale" or float, default="scale"
        Coefficient of "rbf" and "poly", as in `SVC`.
    degree : int, default=3
        Degree of "poly".
    coef0 : float, default=0.0
        Constant of "poly"; not negative, for it to be a kernel.
    n_components : int, default=100
        Most landmarks.
    tol : float, default=1e-6
        No more landmarks than bring every residual below this share of the largest kernel value.
    n_candidates : int, default=10000
        Landmarks are chosen among this many rows, drawn at random where there are more. Memory is
        n_candidates times n_components numbers.
    random_state : int, RandomState or None, default=None
        Seed of that draw.
    n_jobs : int or None, default=None
        Threads. Results do not depend on it.

    Attributes
    ----------
    landmarks_ : ndarray or CSR of shape (n_landmarks, n_features)
        The rows chosen.
    landmark_indices_ : ndarray of int64
        Where they were.
    error_ : float
        Largest residual of the candidates: no value of their kernel matrix is off by more.
    trace_error_ : float
        Sum of the residuals over that of the kernel's diagonal: the trace norm of the error,
        relative to that of the kernel matrix.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import Nystroem
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> features = Nystroem(gamma=1.0, n_components=8).fit(X)
    >>> phi = features.transform(X)
    >>> bool(np.abs(phi @ phi.T - np.exp(-((X - X.T) ** 2))).max() <= features.error_ + 1e-12)
    True
    >>> bool(features.error_ < 1e-6)
    True
    """

    _rules: ClassVar[dict[str, Rule]] = {
        "kernel": one_of("rbf", "poly", "linear"),
        "gamma": one_of("scale") | NOT_NEGATIVE,
        "degree": COUNT,
        "coef0": NOT_NEGATIVE,
        "n_components": POSITIVE_COUNT,
        "tol": NOT_NEGATIVE,
        "n_candidates": POSITIVE_COUNT,
        "random_state": ANY,
        "n_jobs": JOBS | NONE,
    }

    def __init__(
        self,
        *,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        n_components: int = 100,
        tol: float = 1e-6,
        n_candidates: int = 10_000,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components
        self.tol = tol
        self.n_candidates = n_candidates
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose landmarks.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : ignored
            For pipelines.

        Returns
        -------
        self : Nystroem
            The fitted transformer.
        """
        check_parameters(self.get_params(deep=False), self._rules)
        X = self._check_rows(X, reset=True)
        candidates = np.arange(X.shape[0])
        if len(candidates) > self.n_candidates:
            draw = check_random_state(self.random_state)
            candidates = np.sort(draw.choice(X.shape[0], self.n_candidates, replace=False))
        rows = X[candidates]
        self._kernel = self._make_kernel(X)
        threads = count_threads(self.n_jobs)
        with OneBlasThread():
            pivots, L, residuals = pivoted_cholesky(
                self._kernel, rows, self.n_components, self.tol, threads
            )
            inverse = solve_triangular(L[pivots], np.eye(len(pivots)), lower=True)
        self.landmark_indices_ = candidates[pivots]
        self.landmarks_ = rows[pivots]
        self._weights = np.ascontiguousarray(inverse.T)
        self._n_features_out = len(pivots)
        diagonal = self._kernel.diagonal(rows)
        self.error_ = float(residuals.max())
        self.trace_error_ = float(residuals.sum() / diagonal.sum())
        return self

    def _make_kernel(self, X: Any) -> Kernel:
        if self.kernel == "linear":
            return Linear()
        gamma = self._gamma_value(X)
        if self.kernel == "rbf":
            return RBF(gamma)
        return Polynomial(self.degree, gamma, self.coef0)

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the features of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_landmarks)
            L^-1 k(landmarks, x), one per row.
        """
        check_is_fitted(self)
        X = self._check_rows(X, reset=False)
        threads = count_threads(self.n_jobs)
        return self._kernel.expand(X, self.landmarks_, self._weights, threads)

    def residuals(self, X: Any) -> NDArray[np.float64]:
        """Return r(x) = k(x, x) - |phi(x)|^2 of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            How far off the approximation is at each row, not negative but for rounding.
        """
        phi = self.transform(X)
        rows = self._check_rows(X, reset=False)
        return np.asarray(self._kernel.diagonal(rows) - (phi**2).sum(axis=1))


def pivoted_cholesky(
    kernel: Kernel, X: Any, n_pivots: int, tol: float, n_threads: int = 1
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Factor a kernel matrix K ~ L L', a column at a time where the error is largest.

    Parameters
    ----------
    kernel : Kernel
        The kernel; only the columns of the pivots are computed.
    X : ndarray or CSR of shape (n, d)
        Rows.
    n_pivots : int
        Most columns.
    tol : float
        Enough when no residual is above this share of the largest diagonal value.
    n_threads : int
        Threads to use.

    Returns
    -------
    pivots : ndarray of shape (p,)
        Rows in the order of their choice.
    L : ndarray of shape (n, p)
        The factor; its rows at the pivots are lower triangular.
    residuals : ndarray of shape (n,)
        Diagonal of K - L L'.

    Examples
    --------
    >>> pivots, L, residuals = pivoted_cholesky(Linear(), np.array([[1.0], [3.0], [2.0]]), 3, 1e-9)
    >>> pivots, L.ravel(), residuals.max()
    (array([1]), array([1., 3., 2.]), np.float64(0.0))
    """
    residuals = kernel.diagonal(X)
    limit = max(tol, 1e-14) * float(residuals.max())
    pivots: list[int] = []
    # Columns of L as rows: each new one is written once and read whole.
    L = np.zeros((min(n_pivots, X.shape[0]), X.shape[0]))
    for j in range(len(L)):
        pivot = int(residuals.argmax())
        if residuals[pivot] <= limit:
            break
        column = kernel.expand(X, X[[pivot]], np.ones((1, 1)), n_threads)[:, 0]
        column -= L[:j, pivot] @ L[:j]
        L[j] = column / np.sqrt(residuals[pivot])
        residuals = np.maximum(residuals - L[j] ** 2, 0.0)
        residuals[pivot] = 0.0
        pivots.append(pivot)
    return np.array(pivots, np.int64), L[: len(pivots)].T, residuals


class RandomFourier(ApproximateKernel):
    """Approximate features of the RBF kernel exp(-gamma |x - z|^2): random waves.

    phi(x)'phi(z) is the mean of cos(w_j'(x - z)) over frequencies w_j drawn from the normal
    distribution with variance 2 gamma, whose expectation is the kernel. Its standard deviation is
    at most 1 / sqrt(2 n_components): for a tenth of the error, a hundred times the features. Where
    a few hundred landmarks are enough, `Nystroem` is the better choice.

    Parameters
    ----------
    gamma : "scale" or float, default="scale"
        As in `SVC`.
    n_components : int, default=100
        Waves; two features each.
    random_state : int, RandomState or None, default=None
        Seed of the frequencies.
    n_jobs : int or None, default=None
        Accepted as by the others; the products are those of NumPy's library.

    Attributes
    ----------
    frequencies_ : ndarray of shape (n_features, n_components)
        w_j, one per column.
    error_ : float
        Root of the mean squared error of the kernel between two training rows, over all pairs of
        a sample of up to 500.
    max_error_ : float
        The largest error among these pairs.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    A. Rahimi and B. Recht, Random features for large-scale kernel machines (2007).

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import RandomFourier
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> features = RandomFourier(gamma=0.1, n_components=1000, random_state=0).fit(X)
    >>> features.transform(X).shape, bool(features.error_ < 1 / np.sqrt(2000))
    ((100, 2000), True)
    """

    _rules: ClassVar[dict[str, Rule]] = {
        "gamma": one_of("scale") | POSITIVE,
        "n_components": POSITIVE_COUNT,
        "random_state": ANY,
        "n_jobs": JOBS | NONE,
    }

    def __init__(
        self,
        *,
        gamma: float | str = "scale",
        n_components: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the frequencies, and measure the error on a sample of pairs.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : ignored
            For pipelines.

        Returns
        -------
        self : RandomFourier
            The fitted transformer.
        """
        check_parameters(self.get_params(deep=False), self._rules)
        X = self._check_rows(X, reset=True)
        draw = check_random_state(self.random_state)
        gamma = self._gamma_value(X)
        shape = (X.shape[1], self.n_components)
        self.frequencies_ = np.sqrt(2 * gamma) * draw.standard_normal(shape)
        self._n_features_out = 2 * self.n_components
        sample = X
        if X.shape[0] > 500:
            sample = X[np.sort(draw.choice(X.shape[0], 500, replace=False))]
        phi = self._waves(sample)
        exact = RBF(gamma).expand(sample, sample, np.eye(sample.shape[0]))
        errors = np.abs(phi @ phi.T - exact)
        self.error_ = float(np.sqrt(np.mean(errors**2)))
        self.max_error_ = float(errors.max())
        return self

    def _waves(self, X: Any) -> NDArray[np.float64]:
        angles = np.asarray(X @ self.frequencies_, np.float64)
        waves = np.hstack([np.cos(angles), np.sin(angles)])
        return np.asarray(waves / np.sqrt(angles.shape[1]))

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the features of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, 2 * n_components)
            Cosines, then sines.
        """
        check_is_fitted(self)
        return self._waves(self._check_rows(X, reset=False))
