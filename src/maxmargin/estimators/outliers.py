"""Support of a distribution: outlier detection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.data import Dataset
from maxmargin.estimators.base import KERNEL_RULES
from maxmargin.estimators.parameters import SHARE, Rule
from maxmargin.estimators.single import SingleMachine
from maxmargin.kernels import Kernel
from maxmargin.models import signs_settled
from maxmargin.problems import DualProblem, one_class


class OneClassSVM(OutlierMixin, SingleMachine):  # type: ignore[misc]
    r"""Estimate where most of a distribution lies, with any kernel, solved exactly and certified.

    Separates the rows from the origin of the kernel's space: at most a share nu of their weight is
    left outside, and at least that share are support vectors.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, shrinking, cache_size, verbose, max_iter, \
    warm_start, time_limit, callback, on_interrupt, n_jobs
        As of `SVC`.
    nu : float, default=0.5
        Upper bound of the share of outliers among the training rows, in (0, 1].

    Attributes
    ----------
    offset_ : float
        `decision_function` = `score_samples` - offset_.
    certificate_, status_, history_, alphas_, support_status_
        As of `SVC`, with one problem.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, fit_status_, \
    shape_fit_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from maxmargin import OneClassSVM
    >>> model = OneClassSVM(gamma=0.1, nu=0.5).fit([[0.0], [0.4], [0.6], [0.9], [9.0]])
    >>> model.predict([[0.5], [9.0]])
    array([ 1, -1])
    """

    _rules: ClassVar[dict[str, Rule]] = {**KERNEL_RULES, "nu": SHARE}

    def __init__(
        self,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
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
        self.nu = nu
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
        return one_class(data, kernel, self.nu)

    def _check_targets(self, y: Any, X: Any) -> NDArray[np.float64]:
        return np.zeros(X.shape[0] if hasattr(X, "shape") else len(X))

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows, or the kernel matrix if kernel="precomputed".
        y : ignored
            There for the convention.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts: weight 2 is the row twice, weight 0 the row left out.

        Returns
        -------
        self : OneClassSVM
            The fitted estimator.
        """
        return self._fit_checked(X, y, sample_weight)

    @property
    def offset_(self) -> float:
        """What separates inliers from outliers among the scores."""
        return -float(self.intercept_[0])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Signed distance to the boundary, positive inside.

        Values below their own rounding are zero, so that rows on the boundary, as every free
        support vector is, count as inside whatever the rounding was.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        decisions = self._decisions(X)[:, 0]
        decisions[np.abs(decisions) <= self.certificate_.bound] = 0.0
        return decisions

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Kernel sum over the support vectors: the decision function without its offset.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Tell inliers (1) from outliers (-1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        # As of `decision_function`: what is below its own rounding is inside.
        bound = self.certificate_.bound
        decisions = self._settled(X, lambda f, errors: signs_settled(f + bound, errors))
        return np.where(decisions[:, 0] >= -bound, 1, -1)
