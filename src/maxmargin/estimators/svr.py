"""Support vector regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np

from maxmargin.data import Dataset
from maxmargin.estimators.kernel_machine import KERNEL_RULES
from maxmargin.estimators.kernel_regressor import KernelRegressor
from maxmargin.estimators.parameters import NOT_NEGATIVE, POSITIVE_OR_INFINITE, Rule, keep
from maxmargin.kernels import Kernel
from maxmargin.problems import DualProblem, epsilon_svr


class SVR(KernelRegressor):
    r"""Support vector regression with any kernel, solved exactly and certified.

    Minimises 1/2 |w|^2 + C sum_i s_i max(0, |y_i - <w, phi(x_i)> - b| - epsilon), with s_i a row's
    weight and the intercept b not penalised, through its dual with one variable per row.

    Where it differs from scikit-learn's is in docs/differences.md.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, shrinking, cache_size, verbose, max_iter, \
    warm_start, tol_gap, time_limit, callback, on_interrupt, n_jobs
        As in `SVC`; `tol` is in units of the target.
    C : float, default=1.0
        Penalty of a unit outside the tube. ``float("inf")`` lets no row be outside, whatever its
        weight: the flattest function within epsilon of all targets, and through them where epsilon
        is 0. Where there is none, `InfeasibleError` has the evidence; a large finite C, such as
        1e6, then comes as close as it can.
    epsilon : float, default=0.1
        Half width of the tube in which errors cost nothing.

    Attributes
    ----------
    certificate_, status_, history_, alphas_, alpha_, support_status_
        As in `SVC`, with one problem.
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

    C: float
    epsilon: float
    _rules: ClassVar[dict[str, Rule]] = {
        **KERNEL_RULES,
        "C": POSITIVE_OR_INFINITE,
        "tol": POSITIVE_OR_INFINITE,
        "epsilon": NOT_NEGATIVE,
    }

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
        tol_gap: float | None = None,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        keep(self, locals())

    def _problem(self, data: Dataset, kernel: Kernel) -> DualProblem:
        return epsilon_svr(data, kernel, self.C, self.epsilon)
