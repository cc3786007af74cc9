"""Classification without slack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from maxmargin.data import Dataset
from maxmargin.estimators.kernel_classifier import CLASSIFIER_RULES, KernelClassifier
from maxmargin.estimators.parameters import Rule, keep
from maxmargin.kernels import Kernel
from maxmargin.problems import DualProblem, Solution, c_svc


class HardMarginSVC(KernelClassifier):
    """Separate the classes with the largest margin, without any slack.

    Minimises 1/2 |w|^2 subject to y_i (<w, phi(x_i)> + b) >= 1, for each pair of classes. Data that
    cannot be separated are refused with the evidence: convex weights of the rows of both classes
    that give the same point. Solved as the soft margin whose C is larger than every alpha; that is
    the problem `certificate_` speaks of.

    Parameters
    ----------
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose, max_iter, \
    decision_function_shape, break_ties, random_state, time_limit, callback, on_interrupt, n_jobs, \
    calibration
        As in `SVC`.

    Attributes
    ----------
    margin_ : ndarray of shape (n_pairs,)
        Geometric margin 1 / |w| of each pair.
    certificate_, status_, history_, alphas_, alpha_, support_status_, support_, support_vectors_, \
    n_support_, dual_coef_, intercept_, coef_, classes_, n_iter_, fit_status_, shape_fit_
        As in `SVC`.

    Examples
    --------
    >>> from maxmargin import HardMarginSVC
    >>> model = HardMarginSVC(kernel="linear").fit([[0.0], [1.0], [4.0]], [0, 0, 1])
    >>> model.margin_.round(6), model.support_
    (array([1.5]), array([1, 2], dtype=int32))
    """

    _rules: ClassVar[dict[str, Rule]] = {
        name: rule
        for name, rule in CLASSIFIER_RULES.items()
        if name not in ("multi_class", "warm_start", "class_weight", "tol_gap")
    }
    class_weight = None
    multi_class = "ovo"
    warm_start = False
    tol_gap = None

    def __init__(
        self,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float | Literal["auto"] = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
        calibration: str | None = None,
    ) -> None:
        keep(self, locals())

    def _problem(self, data: Dataset, kernel: Kernel, rows: NDArray[np.int64]) -> DualProblem:
        # A row counts whole or not at all: there is no slack to weigh.
        return c_svc(replace(data, weight=np.ones(data.n_rows)), kernel, np.inf, rows)

    @property
    def margin_(self) -> NDArray[np.float64]:
        """Geometric margin 1 / |w| of each pair; infinite for a fit stopped before its start."""
        self._check_fitted()
        with np.errstate(divide="ignore"):
            return np.asarray(1.0 / np.sqrt([_squared_norm(found) for found in self.solutions_]))


def _squared_norm(solution: Solution) -> float:
    """|w|^2 = beta'K beta = 2 (y'beta - D)."""
    beta = solution.beta
    assert beta is not None
    return 2.0 * (float(np.sign(beta) @ beta) - solution.certificate.dual)
