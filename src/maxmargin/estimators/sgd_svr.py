"""Linear regression by stochastic steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from maxmargin.estimators.parameters import NOT_NEGATIVE, POSITIVE, Rule, keep, one_of
from maxmargin.estimators.sgd_machine import SGD_RULES, SGDMachine
from maxmargin.estimators.stochastic_machine import StochasticRegressor
from maxmargin.losses import Loss, named_loss


class SGDSVR(StochasticRegressor, SGDMachine):
    """Linear regression by stochastic steps, with an honest statement of how far they got.

    Minimises alpha/2 |w|^2 + 1/n sum_i s_i h(<w, x_i> + b - y_i), s_i being the row's weight and n
    the number of rows.

    Parameters
    ----------
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive", "huber"}, \
default="epsilon_insensitive"
        h.
    epsilon : float, default=0.1
        Half the width of the tube in which errors cost nothing.
    delta : float, default=1.0
        Where Huber's parabola turns into a line.
    method, alpha, fit_intercept, intercept, max_iter, tol, eta0, batch_size, shuffle, \
random_state, warm_start, verbose, time_limit, callback, on_interrupt, n_jobs
        As in `SGDSVC`.

    Attributes
    ----------
    certificate_, status_, history_, coef_, intercept_, n_iter_, eta0_, t_, n_features_in_, \
feature_names_in_
        As in `SGDSVC`; `coef_` has one dimension.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import SGDSVR
    >>> X = np.linspace(-1, 1, 200)[:, None]
    >>> model = SGDSVR(alpha=1e-5, epsilon=0.0, random_state=0).fit(X, 2 * X[:, 0] + 1)
    >>> bool(abs(model.predict([[0.5]])[0] - 2.0) < 0.05)
    True
    """

    epsilon: float
    delta: float
    _rules: ClassVar[dict[str, Rule]] = {
        **SGD_RULES,
        "loss": one_of("epsilon_insensitive", "squared_epsilon_insensitive", "huber"),
        "epsilon": NOT_NEGATIVE,
        "delta": POSITIVE,
    }

    def __init__(
        self,
        *,
        loss: str = "epsilon_insensitive",
        epsilon: float = 0.1,
        delta: float = 1.0,
        alpha: float = 1e-4,
        method: str = "asgd",
        fit_intercept: bool = True,
        intercept: str = "free",
        max_iter: int = 1000,
        tol: float = 1e-3,
        eta0: float | str = "auto",
        batch_size: int = 1,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: bool | int = False,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        keep(self, locals())

    def _loss(self) -> Loss:
        return named_loss(self.loss, float(self.delta if self.loss == "huber" else self.epsilon))
