"""Support of a distribution: outlier detection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OutlierMixin

from maxmargin.data import Dataset
from maxmargin.estimators.kernel_machine import KERNEL_RULES
from maxmargin.estimators.parameters import POSITIVE_OR_INFINITE, SHARE, Rule, keep
from maxmargin.estimators.single_machine import SingleMachine
from maxmargin.estimators.training import Training, check_weight
from maxmargin.kernels import Kernel
from maxmargin.models import Classes, KernelModel
from maxmargin.problems import DualProblem, Solution, one_class


class OneClassSVM(OutlierMixin, SingleMachine):  # type: ignore[misc]
    r"""Estimate where most of a distribution lies, with any kernel, solved exactly and certified.

    Separates the rows from the origin of the kernel's space: at most a share nu of their weight is
    left outside, and at least that share are support vectors.

    Where it differs from scikit-learn's is in docs/differences.md.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, shrinking, cache_size, verbose, max_iter, \
    warm_start, tol_gap, time_limit, callback, on_interrupt, n_jobs
        As in `SVC`.
    nu : float, default=0.5
        Upper bound of the share of outliers among the training rows, in (0, 1].

    Attributes
    ----------
    offset_ : ndarray of shape (1,)
        `decision_function` = `score_samples` - offset_.
    certificate_, status_, history_, alphas_, alpha_, support_status_
        As in `SVC`, with one problem.
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

    nu: float
    _rules: ClassVar[dict[str, Rule]] = {
        **KERNEL_RULES,
        "tol": POSITIVE_OR_INFINITE,
        "nu": SHARE,
    }

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
        tol_gap: float | None = None,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        keep(self, locals())

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        X = self._check_rows(X, reset=reset)
        nothing = np.zeros(X.shape[0] if hasattr(X, "shape") else len(X))
        weight = check_weight(sample_weight, nothing)
        given = None if sample_weight is None else weight
        data = Training(X, nothing, weight, np.arange(len(nothing)), given)
        return self._with_kernel(data, reset=reset)

    def _problem(self, data: Dataset, kernel: Kernel) -> DualProblem:
        return one_class(data, kernel, self.nu)

    def _model_of(
        self, data: Training, problems: Sequence[DualProblem], solutions: Sequence[Solution]
    ) -> KernelModel:
        # Outputs below their own rounding are zero, so that rows on the boundary, as every free
        # support vector is, count as inside whatever the rounding was.
        inside = Classes(np.array([-1, 1]), rounding=solutions[0].certificate.bound)
        return replace(super()._model_of(data, problems, solutions), classes=inside)

    @property
    def offset_(self) -> NDArray[np.float64]:
        """What separates inliers from outliers among the scores."""
        return -self.intercept_

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
        decisions = self._decide(X)[:, 0]
        assert self.model_.classes is not None
        decisions[np.abs(decisions) <= self.model_.classes.rounding] = 0.0
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
        self._check_fitted()
        return self.model_.predict(self._check_new(X), self._threads())
