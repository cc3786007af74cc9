"""Regression with a share of rows outside the tube."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np

from maxmargin.data import Dataset
from maxmargin.estimators.kernel_machine import KERNEL_RULES
from maxmargin.estimators.kernel_regressor import KernelRegressor
from maxmargin.estimators.parameters import POSITIVE, SHARE, Rule, keep
from maxmargin.kernels import Kernel
from maxmargin.problems import DualProblem, nu_svr


class NuSVR(KernelRegressor):
    r"""Regression that is told the share of rows outside the tube instead of its width.

    Minimises 1/2 |w|^2 + C (nu n epsilon + sum_i max(0, |y_i - <w, phi(x_i)> - b| - epsilon)) over
    w, b and epsilon: the tube is as wide as a share nu of the rows outside it allows.

    Where it differs from scikit-learn's is in docs/differences.md.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound of the share outside the tube, lower bound of the share of support vectors.
    C : float, default=1.0
        Penalty of a unit outside the tube.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose, max_iter, warm_start, \
    tol_gap, time_limit, callback, on_interrupt, n_jobs
        As in `SVR`.

    Attributes
    ----------
    epsilon_ : float
        Half width of the tube.
    certificate_, status_, history_, alphas_, alpha_, support_status_, support_, support_vectors_, \
    n_support_, dual_coef_, intercept_, coef_, n_iter_, fit_status_, shape_fit_, n_features_in_, \
    feature_names_in_
        As in `SVR`.

    Examples
    --------
    >>> from maxmargin import NuSVR
    >>> model = NuSVR(kernel="linear", C=100).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[4.0]]).round(6), round(model.epsilon_, 6)
    (array([9.]), 0.0)
    """

    C: float
    nu: float
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
        tol_gap: float | None = None,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        keep(self, locals())

    def _problem(self, data: Dataset, kernel: Kernel) -> DualProblem:
        return nu_svr(data, kernel, self.C, self.nu)

    @property
    def epsilon_(self) -> float:
        """Half width of the tube that was found."""
        self._check_fitted()
        up, down = self.solutions_[0].multipliers
        return max(0.0, (up - down) / 2)
