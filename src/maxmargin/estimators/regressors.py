"""Support vector regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from maxmargin.data import Dataset
from maxmargin.estimators.base import KERNEL_RULES
from maxmargin.estimators.parameters import NOT_NEGATIVE, POSITIVE, SHARE, Rule
from maxmargin.estimators.single import SingleMachine
from maxmargin.kernels import Kernel
from maxmargin.problems import DualProblem, epsilon_svr, nu_svr


class Regressor(RegressorMixin, SingleMachine):  # type: ignore[misc]
    """Regression by a kernel machine: all but the formulation."""

    def _check_targets(self, y: Any, X: Any) -> NDArray[np.float64]:
        if y is None:
            name = type(self).__name__
            raise ValueError(f"{name} requires y to be passed, but the target y is None.")
        targets: NDArray[np.float64] = column_or_1d(y, warn=True, dtype=np.float64)
        assert_all_finite(targets, input_name="y")
        check_consistent_length(X, targets)
        return targets

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows, or the kernel matrix if kernel="precomputed".
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Factor of C for each row: weight 2 is the row twice, weight 0 the row left out.

        Returns
        -------
        self : estimator
            The fitted estimator.
        """
        return self._fit_checked(X, y, sample_weight)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the target of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows; with a precomputed kernel, its values against all training rows or against the
            support vectors alone.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted targets.
        """
        return self._decisions(X)[:, 0]


class SVR(Regressor):
    r"""Support vector regression with any kernel, solved exactly and certified.

    Minimises 1/2 |w|^2 + C sum_i s_i max(0, |y_i - <w, phi(x_i)> - b| - epsilon), with s_i a row's
    weight and the intercept b not penalised, through its dual with one variable a row.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, shrinking, cache_size, verbose, max_iter, \
    warm_start, time_limit, callback, on_interrupt, n_jobs
        As of `SVC`; `tol` is in units of the target.
    C : float, default=1.0
        Penalty of a unit outside the tube.
    epsilon : float, default=0.1
        Half width of the tube in which errors cost nothing.

    Attributes
    ----------
    certificate_, status_, history_, alphas_, support_status_
        As of `SVC`, with one problem.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, fit_status_, \
    shape_fit_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from maxmargin import SVR
    >>> model = SVR(kernel="linear", C=100, epsilon=0.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[4.0]]).round(6), model.status_.name
    (array([9.]), 'OPTIMAL')
    """

    _rules: ClassVar[dict[str, Rule]] = {**KERNEL_RULES, "C": POSITIVE, "epsilon": NOT_NEGATIVE}

    def __init__(
        self,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float | Literal["auto"] = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        warm_start: bool = False,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs

    def _problem(self, data: Dataset, kernel: Kernel) -> DualProblem:
        return epsilon_svr(data, kernel, self.C, self.epsilon)


class NuSVR(Regressor):
    r"""Regression that is told the share of rows outside the tube instead of its width.

    Minimises 1/2 |w|^2 + C (nu n epsilon + sum_i max(0, |y_i - <w, phi(x_i)> - b| - epsilon)) over
    w, b and epsilon: the tube is as wide as a share nu of the rows outside it allows.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound of the share outside the tube, lower bound of the share of support vectors.
    C : float, default=1.0
        Penalty of a unit outside the tube.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose, max_iter, warm_start, \
    time_limit, callback, on_interrupt, n_jobs
        As of `SVR`.

    Attributes
    ----------
    epsilon_ : float
        Half width of the tube.
    certificate_, status_, history_, alphas_, support_status_, support_, support_vectors_, \
    n_support_, dual_coef_, intercept_, coef_, n_iter_, fit_status_, shape_fit_, n_features_in_, \
    feature_names_in_
        As of `SVR`.

    Examples
    --------
    >>> from maxmargin import NuSVR
    >>> model = NuSVR(kernel="linear", C=100).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[4.0]]).round(6), round(model.epsilon_, 6)
    (array([9.]), 0.0)
    """

    _rules: ClassVar[dict[str, Rule]] = {**KERNEL_RULES, "C": POSITIVE, "nu": SHARE}

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        shrinking: bool = True,
        cache_size: float | Literal["auto"] = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        warm_start: bool = False,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs

    def _problem(self, data: Dataset, kernel: Kernel) -> DualProblem:
        return nu_svr(data, kernel, self.C, self.nu)

    @property
    def epsilon_(self) -> float:
        """Half width of the tube that was found."""
        check_is_fitted(self)
        up, down = self._multipliers[0]
        return max(0.0, (up - down) / 2)
