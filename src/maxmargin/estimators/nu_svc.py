"""Classification with a share of margin errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from maxmargin.data import Dataset
from maxmargin.estimators.kernel_classifier import CLASSIFIER_RULES, KernelClassifier
from maxmargin.estimators.parameters import SHARE, Rule, keep
from maxmargin.estimators.training import Training
from maxmargin.kernels import Kernel
from maxmargin.models import KernelModel
from maxmargin.problems import DualProblem, Solution, Status, nu_svc


class NuSVC(KernelClassifier):
    r"""Classification that is told the share of margin errors instead of their price.

    Minimises 1/2 |w|^2 - nu rho + mean of max(0, rho - y_i (<w, phi(x_i)> + b)) for each pair of
    classes, and divides the result by rho so that the margin is 1. At most a share nu of the rows
    lies inside the margin or on its wrong side, at least a share nu are support vectors.

    Parameters
    ----------
    nu : float, default=0.5
        That share, greater than 0 and at most twice the share of the smaller class.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, class_weight, verbose, max_iter, \
    decision_function_shape, break_ties, random_state, multi_class, warm_start, tol_gap, \
    time_limit, callback, on_interrupt, n_jobs
        As in `SVC`; `tol` is in units of the decision function before it is divided by rho, and
        class_weight multiplies the rows' weights.

    Attributes
    ----------
    certificate_, status_, history_, fit_report_, alphas_, support_status_, support_, \
    support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_, n_iter_, \
    fit_status_, shape_fit_, n_features_in_, feature_names_in_
        As in `SVC`; the certificate is that of the problem before the division.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import NuSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NuSVC(nu=0.2).fit(X, y)
    >>> round(model.score(X, y), 3), model.status_.name
    (0.993, 'OPTIMAL')
    """

    nu: float
    _row_by_row: ClassVar[bool] = False
    _rules: ClassVar[dict[str, Rule]] = {**CLASSIFIER_RULES, "nu": SHARE}

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float | Literal["auto"] = 200,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        multi_class: str = "ovo",
        warm_start: bool = False,
        tol_gap: float | None = None,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        keep(self, locals())

    def _problem(self, data: Dataset, kernel: Kernel, rows: NDArray[np.int64]) -> DualProblem:
        return nu_svc(data, kernel, self.nu, rows)

    def _model_of(
        self, data: Training, problems: Sequence[DualProblem], solutions: Sequence[Solution]
    ) -> KernelModel:
        for problem, solution in zip(problems, solutions, strict=True):
            rho = problem.margin(solution.multipliers)
            # Divided by a rho that is only rounding, the decisions would be noise.
            if solution.status <= Status.PRECISION and not rho > solution.certificate.bound:
                raise ValueError(
                    f"nu is {self.nu} but no boundary of this kernel has as few margin errors: the "
                    f"margin rho is {rho:.1e}, zero within rounding. Use a larger nu."
                )
        return super()._model_of(data, problems, solutions)
