"""Linear regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.data import Dataset
from maxmargin.estimators.exact_linear_machine import LINEAR_RULES, ExactLinearMachine
from maxmargin.estimators.linear_machine import LinearRegressor
from maxmargin.estimators.parameters import NOT_NEGATIVE, Rule, keep, one_of
from maxmargin.estimators.training import Training, regression_data
from maxmargin.losses import named_loss
from maxmargin.problems import LinearProblem, linear_problem


class LinearSVR(LinearRegressor, ExactLinearMachine):
    """Linear regression with losses that are robust or blind to small errors, solved exactly.

    Minimises 1/2 |w|^2 + C sum_i s_i h(w'x_i + b - y_i) with s_i a row's weight.

    Where it differs from scikit-learn's is in docs/differences.md.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube in which errors cost nothing; with loss="huber", where the
        parabola turns into a line.
    tol, C, dual, fit_intercept, intercept_scaling, verbose, random_state, max_iter, intercept, \
    solver, time_limit, callback, on_interrupt, n_jobs
        As in `LinearSVC`.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive", "huber"}, \
    default="epsilon_insensitive"
        h(r) is max(0, |r| - epsilon), its square, or r^2 / 2 up to epsilon and
        epsilon (|r| - epsilon / 2) beyond.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the features.
    intercept_ : ndarray of shape (1,)
        The intercept.
    support_, dual_coef_, margin_, certificate_, status_, history_, solver_, fit_report_, n_iter_
        As in `LinearSVC`, with one problem.

    Examples
    --------
    >>> from maxmargin import LinearSVR
    >>> model = LinearSVR(C=100).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[4.0]]).round(6), model.status_.name
    (array([9.]), 'OPTIMAL')
    """

    epsilon: float
    _rules: ClassVar[dict[str, Rule]] = {
        **LINEAR_RULES,
        "epsilon": NOT_NEGATIVE,
        "loss": one_of("epsilon_insensitive", "squared_epsilon_insensitive", "huber"),
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: str | bool = "auto",
        verbose: bool | int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        intercept: str = "free",
        solver: str = "auto",
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        keep(self, locals())

    def _check_combination(self) -> None:
        super()._check_combination()
        if self.loss == "huber" and self.epsilon == 0:
            raise ValueError(
                'epsilon is 0; with loss="huber" it is where the parabola turns into a line and '
                "must be greater than 0."
            )

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        X, y, sample_weight = self._scanned(X, y, sample_weight)
        return regression_data(
            self._check_rows(X, reset=reset), y, sample_weight, type(self).__name__
        )

    def _state(self, data: Training) -> list[LinearProblem]:
        stated = Dataset(data.X, data.y, data.weight)
        loss = named_loss(self.loss, self.epsilon)
        return [linear_problem(stated, loss, self.C, intercept=self._intercept())]
