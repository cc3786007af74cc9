"""Linear regression by stochastic steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from maxmargin.estimators.parameters import NONE, POSITIVE, Rule, keep, one_of
from maxmargin.estimators.sgd_machine import SGD_RULES, SGDMachine
from maxmargin.estimators.stochastic_machine import StochasticRegressor
from maxmargin.losses import RESIDUAL_LOSSES, Huber, Loss


class SGDSVR(StochasticRegressor, SGDMachine):
    """Linear regression by stochastic steps, with an honest statement of how far they got.

    Minimises alpha/2 |w|^2 + 1/n sum_i s_i h(<w, x_i> + b - y_i), s_i being the row's weight and n
    the number of rows. The names of scikit-learn's `SGDRegressor` mean here what they mean there.

    Parameters
    ----------
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive", "huber", "squared_error"}, \
default="epsilon_insensitive"
        h, of the residual r = f - y: max(0, |r| - epsilon), its square, Huber's loss, or r^2 / 2.
    epsilon : float, default=0.1
        Half the width of the tube in which errors cost nothing; where Huber's parabola turns into
        a line.
    delta : float or None, default=None
        Where Huber's parabola turns into a line, if that is not to be epsilon.
    power_t : float, default=0.25
        The power of learning_rate="invscaling".
    penalty, alpha, l1_ratio, method, learning_rate, eta0, average, fit_intercept, intercept, \
max_iter, tol, early_stopping, validation_fraction, n_iter_no_change, batch_size, shuffle, \
random_state, warm_start, verbose, time_limit, callback, on_interrupt, n_jobs
        As in `SGDSVC`; the rows that `early_stopping` holds out are chosen whatever their target.

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

    delta: float | None
    _rules: ClassVar[dict[str, Rule]] = {
        **SGD_RULES,
        "loss": one_of(*RESIDUAL_LOSSES),
        "delta": POSITIVE | NONE,
    }

    def __init__(
        self,
        loss: str = "epsilon_insensitive",
        *,
        epsilon: float = 0.1,
        delta: float | None = None,
        penalty: str | None = "l2",
        alpha: float = 1e-4,
        l1_ratio: float | None = 0.15,
        method: str = "asgd",
        learning_rate: str = "auto",
        eta0: float | str = "auto",
        power_t: float = 0.25,
        average: bool | int | str = "auto",
        fit_intercept: bool = True,
        intercept: str = "free",
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | str = "auto",
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
        if self.loss == "huber" and self.delta is not None:
            return Huber(float(self.delta))
        return super()._loss()
