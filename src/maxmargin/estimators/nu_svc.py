"""Classification with a share of margin errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.data import Dataset
from maxmargin.estimators.classes import ONE_CLASS_LEFT
from maxmargin.estimators.kernel_classifier import (
    CLASSIFIER_RULES,
    PROBABILITY,
    KernelClassifier,
)
from maxmargin.estimators.parameters import SHARE, Rule, keep
from maxmargin.estimators.run import FitRun
from maxmargin.estimators.training import Training
from maxmargin.kernels import Kernel
from maxmargin.problems import DualProblem, check_nu, largest_nu, nu_svc


class NuSVC(KernelClassifier):
    r"""Classification that is told the share of margin errors instead of their price.

    Minimises 1/2 |w|^2 - nu rho + mean of max(0, rho - y_i (<w, phi(x_i)> + b)) for each pair of
    classes, and divides the result by rho so that the margin is 1. At most a share nu of the rows
    lies inside the margin or on its wrong side, at least a share nu are support vectors.

    A nu can be too small: the best w and rho of a pair are then zero, and there is no boundary.
    Such a pair is solved for the smallest nu that leaves a margin, up to about a thousandth of it,
    which is the soft margin of a large C. A warning tells which pairs these are, and which nu they
    have; `status_` is DEGENERATE.

    Where it differs from scikit-learn's is in docs/differences.md.

    Parameters
    ----------
    nu : float, default=0.5
        That share, greater than 0 and at most twice the share of the smaller class of each pair.
        Where the class is that small by `class_weight` alone, the largest nu that is possible is
        used, with a warning.
    kernel, degree, gamma, coef0, shrinking, probability, tol, cache_size, class_weight, verbose, \
    max_iter, decision_function_shape, break_ties, random_state, multi_class, warm_start, tol_gap, \
    time_limit, callback, on_interrupt, n_jobs, calibration
        As in `SVC`; `tol` is in units of the decision function before it is divided by rho, and
        class_weight multiplies the rows' weights.

    Attributes
    ----------
    certificate_, status_, history_, fit_report_, alphas_, alpha_, support_status_, support_, \
    support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_, n_iter_, \
    fit_status_, shape_fit_, n_features_in_, feature_names_in_, probA_, probB_
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
    _one_class_left: ClassVar[str] = f"specified nu is infeasible: {ONE_CLASS_LEFT}"
    _rules: ClassVar[dict[str, Rule]] = {
        **CLASSIFIER_RULES,
        "probability": PROBABILITY,
        "nu": SHARE,
    }

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
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
        calibration: str | None = None,
    ) -> None:
        keep(self, locals())

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        data = super()._check(X, y, sample_weight, reset=reset)
        for pair in self._pairs(data):
            counts = (data.weight[pair.rows], data.factors[pair.rows])
            check_nu(self.nu, max(largest_nu(pair.y, weight) for weight in counts))
        return data

    def _problem(self, data: Dataset, kernel: Kernel, rows: NDArray[np.int64]) -> DualProblem:
        # What the rows allow without their classes' weights is not an error with them.
        return nu_svc(data, kernel, min(self.nu, largest_nu(data.y, data.weight)), rows)

    def _certified(self, output: int, problem: DualProblem) -> DualProblem:
        """Return the problem of the nu that was used."""
        solution = self.solutions_[output]
        assert solution.beta is not None
        return problem if solution.soft_c is None else problem.summing_to(solution.beta)

    def _remarks(self, run: FitRun, data: Training) -> list[str]:
        assert data.classes is not None
        raised, lowered = [], []
        pairs = zip(self._pairs(data), data.classes.keys, self.solutions_, strict=True)
        for pair, key, solution in pairs:
            assert solution.beta is not None
            nu = float(np.abs(solution.beta).sum() / data.factors[pair.rows].sum())
            if solution.soft_c is not None:
                raised.append(f"{nu:.4g} for {key}")
            elif nu < self.nu * (1 - 1e-9):
                lowered.append(f"{nu:.4g} for {key}")
        remarks, n = super()._remarks(run, data), len(self.solutions_)
        if raised:
            remarks.append(
                f"nu={self.nu:g} is too small for {len(raised)} of {n} problems: "
                "no boundary of this kernel has so few margin errors, the margin would be zero. "
                "The smallest nu that leaves a margin was used instead, " + _few(raised)
            )
        if lowered:
            remarks.append(
                f"nu={self.nu:g} is more than class_weight leaves to {len(lowered)} of {n} "
                "problems. The largest nu that it allows was used instead, " + _few(lowered)
            )
        return remarks


def _few(items: list[str]) -> str:
    """Join the first items, and count the others."""
    more = f" and {len(items) - 3} others" if len(items) > 3 else ""
    return ", ".join(items[:3]) + more + "."
