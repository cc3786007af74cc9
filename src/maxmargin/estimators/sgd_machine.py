"""What the machines of stochastic subgradient steps share: how the steps are made."""

from __future__ import annotations

from typing import Any

from maxmargin.estimators.parameters import (
    BOOLEAN,
    NOT_NEGATIVE,
    POSITIVE,
    POSITIVE_COUNT,
    Rule,
    one_of,
)
from maxmargin.estimators.stochastic_machine import STOCHASTIC_RULES, StochasticMachine
from maxmargin.problems import Steps

#: Losses that Pegasos is for.
PEGASOS = ("hinge", "logistic", "epsilon_insensitive", "huber")

SGD_RULES: dict[str, Rule] = {
    **STOCHASTIC_RULES,
    "method": one_of("asgd", "sgd", "pegasos"),
    "alpha": POSITIVE,
    "intercept": one_of("free", "penalized"),
    "tol": NOT_NEGATIVE,
    "eta0": one_of("auto") | POSITIVE,
    "batch_size": POSITIVE_COUNT,
    "warm_start": BOOLEAN,
}


class SGDMachine(StochasticMachine):
    """Base of the machines that descend by stochastic subgradient steps."""

    loss: str
    method: str
    eta0: float | str
    batch_size: int

    def _steps(self) -> Steps:
        """How steps are made."""
        if self.method == "pegasos" and self.loss not in PEGASOS:
            raise ValueError(
                f'method is "pegasos" but loss is {self.loss!r}: its first steps of 1 / alpha need '
                f'a loss whose slope is bounded, one of {", ".join(PEGASOS)}; or use method="asgd".'
            )
        if self.method == "pegasos" and self.fit_intercept and self.intercept == "free":
            raise ValueError(
                'method is "pegasos" but intercept is "free": its steps of 1 / (alpha t) need a '
                'penalty on b; use intercept="penalized", fit_intercept=False or method="asgd".'
            )
        method: Any = self.method
        return Steps(
            method=method,
            batch=int(self.batch_size),
            shuffle=self.shuffle,
            seed=self._seed(),
            eta0=0.0 if self.eta0 == "auto" else float(self.eta0),
        )
