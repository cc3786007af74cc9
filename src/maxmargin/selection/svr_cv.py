"""Support vector regression that chooses C, gamma and epsilon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import RegressorMixin

from maxmargin.estimators import SVR
from maxmargin.estimators.parameters import POSITIVE_COUNT, Rule, keep
from maxmargin.selection.default_grid import EPSILON_POWERS, powers
from maxmargin.selection.kernel_cv import CV_RULES, Array, KernelCV
from maxmargin.selection.watch import SearchProgress


def _widths(given: Any) -> bool:
    """Whether a parameter is a list of numbers of at least 0."""
    values = np.asarray(given) if not isinstance(given, str) else np.zeros(())
    return (
        values.ndim == 1
        and len(values) > 0
        and values.dtype.kind in "biuf"
        and bool((values >= 0).all())
    )


class SVRCV(RegressorMixin, KernelCV):  # type: ignore[misc]
    """Support vector regression that chooses C, gamma and epsilon by cross-validation.

    The grid comes from the data: gamma about one over the median squared distance of rows, epsilon
    in standard deviations of the targets, C in these and in units of the kernel. Then the
    neighbourhood of the best C and gamma is searched at a quarter of the steps.

    Parameters
    ----------
    Cs, gammas : int or list of float, default=11 and 10
        As in `SVCCV`.
    epsilons : int or list of float, default=3
        How many half widths of the tube, or these.
    kernel, degree, coef0, tol, cache_size
        As in `SVR`.
    cv, scoring, refit, refine, n_iter, n_jobs, verbose, memory, time_limit, callback, \
    on_interrupt, stages
        As in `SVCCV`.

    Attributes
    ----------
    C_, gamma_, epsilon_ : float
        What was chosen.
    Cs_, gammas_, epsilons_ : ndarray
        The grid.
    scores_ : ndarray of shape (n_splits, n_Cs, n_gammas, n_epsilons)
        The scores of the grid; NaN where a search was stopped before.
    best_estimator_, best_params_, best_score_, best_index_, cv_results_, search_report_, search_, \
    n_features_in_, feature_names_in_
        As in `SVCCV`.

    Examples
    --------
    >>> from maxmargin.selection import SVRCV
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> model = SVRCV(Cs=4, gammas=3, epsilons=[0.01]).fit(X[::-1], np.sin(X[::-1, 0]))
    >>> model.scores_.shape, model.epsilon_
    ((5, 4, 3, 1), 0.01)
    """

    _rules: ClassVar[dict[str, Rule]] = {
        **CV_RULES,
        "epsilons": POSITIVE_COUNT | Rule("be a list of numbers of at least 0", test=_widths),
    }
    epsilons: Any

    def __init__(
        self,
        *,
        Cs: Any = 11,
        gammas: Any = 10,
        epsilons: Any = 3,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        coef0: float = 0.0,
        cv: Any = None,
        scoring: Any = None,
        refit: Any = True,
        refine: bool = True,
        n_iter: int | None = None,
        tol: float = 1e-3,
        cache_size: float | Literal["auto"] = 200,
        n_jobs: int | None = None,
        verbose: int = 0,
        memory: float | str = "auto",
        time_limit: float | None = None,
        callback: Callable[[SearchProgress], bool | None] | None = None,
        on_interrupt: str = "raise",
        stages: bool | str | None = "auto",
    ) -> None:
        keep(self, locals())

    score = KernelCV.score

    def _machine(self, **params: Any) -> SVR:
        return SVR(**params)

    def _unit(self, y: Array, weight: Array) -> float:
        if not weight.any():
            return 1.0
        mean = np.average(y, weights=weight)
        deviation = float(np.sqrt(np.average((y - mean) ** 2, weights=weight)))
        return deviation if 0 < deviation < np.inf else 1.0

    def _more_axes(self, y: Array, weight: Array) -> dict[str, tuple[Any, Array]]:
        given = self.epsilons
        if isinstance(given, int | np.integer):
            values = powers(int(given), EPSILON_POWERS, self._unit(y, weight))
        else:
            values = np.sort(np.asarray(given, np.float64))
        self.epsilons_ = values
        return {"epsilon": (given, values)}
