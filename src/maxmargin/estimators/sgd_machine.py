"""What the machines of stochastic subgradient steps share: how the steps are made."""

from __future__ import annotations

from typing import Any

from maxmargin.estimators.parameters import (
    BOOLEAN,
    NONE,
    NOT_NEGATIVE,
    POSITIVE,
    POSITIVE_COUNT,
    Rule,
    one_of,
)
from maxmargin.estimators.stochastic_machine import STOCHASTIC_RULES, StochasticMachine
from maxmargin.losses import Loss, named_loss
from maxmargin.problems import Steps

#: Losses that Pegasos is for.
PEGASOS = ("hinge", "logistic", "log_loss", "modified_huber", "epsilon_insensitive", "huber")

SGD_RULES: dict[str, Rule] = {
    **STOCHASTIC_RULES,
    "penalty": one_of("l2", "l1", "elasticnet") | NONE,
    "alpha": POSITIVE,
    "l1_ratio": Rule("be a number from 0 to 1", low=0, high=1) | NONE,
    "epsilon": NOT_NEGATIVE,
    "method": one_of("asgd", "sgd", "pegasos"),
    "learning_rate": one_of("auto", "optimal", "constant", "invscaling", "adaptive"),
    "eta0": one_of("auto") | POSITIVE,
    "power_t": NOT_NEGATIVE,
    "average": one_of("auto") | BOOLEAN | POSITIVE_COUNT,
    "batch_size": POSITIVE_COUNT,
    "intercept": one_of("free", "penalized"),
    "tol": NOT_NEGATIVE | NONE,
}


class SGDMachine(StochasticMachine):
    """Base of the machines that descend by stochastic subgradient steps."""

    loss: str
    penalty: str | None
    alpha: float
    l1_ratio: float | None
    epsilon: float
    method: str
    learning_rate: str
    eta0: float | str
    power_t: float
    average: bool | int | str
    batch_size: int

    def _loss(self) -> Loss:
        return named_loss(self.loss, float(self.epsilon))

    def _l1_share(self) -> float:
        """Return the share of the penalty that is |w|_1."""
        return {"l1": 1.0, "elasticnet": float(self.l1_ratio or 0.0)}.get(str(self.penalty), 0.0)

    def _penalties(self) -> tuple[float, float]:
        share, alpha = self._l1_share(), 0.0 if self.penalty is None else float(self.alpha)
        return (1 - share) * alpha, share * alpha

    def _check_combination(self) -> None:
        super()._check_combination()
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ValueError("l1_ratio must be set when penalty is 'elasticnet': it is None.")
        if self._l1_share() > 0:
            self._check_l1()
        if self.learning_rate == "optimal" and self.penalty is None:
            raise ValueError(
                'learning_rate is "optimal" but penalty is None: its steps of 1 / (alpha (t0 + t)) '
                'are those of a penalty; use learning_rate="auto".'
            )
        if self.loss == "huber" and not (self.epsilon or getattr(self, "delta", None)):
            raise ValueError(
                'epsilon is 0 but loss is "huber", whose parabola ends there; give a greater one, '
                'or use loss="epsilon_insensitive".'
            )
        if self.method == "pegasos":
            self._check_pegasos()

    def _check_l1(self) -> None:
        """Refuse what weights of exactly zero do not go with."""
        if self.average not in ("auto", False):
            raise ValueError(
                f"average is {self.average!r} but penalty is {self.penalty!r}: means of weights "
                'are hardly ever zero; use average=False, or penalty="l2".'
            )
        if self.fit_intercept and self.intercept == "penalized":
            raise ValueError(
                f'intercept is "penalized" but penalty is {self.penalty!r}, which is that of '
                'weights; use intercept="free".'
            )

    def _check_pegasos(self) -> None:
        """Refuse what steps of 1 / (alpha t) cannot do."""
        if self.loss not in PEGASOS:
            raise ValueError(
                f'method is "pegasos" but loss is {self.loss!r}: its first steps of 1 / alpha need '
                f'a loss whose slope is bounded, one of {", ".join(PEGASOS)}; or use method="asgd".'
            )
        if self.fit_intercept and self.intercept == "free":
            raise ValueError(
                'method is "pegasos" but intercept is "free": its steps of 1 / (alpha t) need a '
                'penalty on b; use intercept="penalized", fit_intercept=False or method="asgd".'
            )
        if self.penalty != "l2" or self.learning_rate != "auto":
            raise ValueError(
                f'method is "pegasos" but penalty is {self.penalty!r} and learning_rate is '
                f'{self.learning_rate!r}: its steps of 1 / (alpha t) need penalty="l2" and '
                'learning_rate="auto"; or use method="asgd".'
            )

    def _steps(self) -> Steps:
        average = None if self.average == "auto" else int(self.average)
        method: Any = self.method
        learning_rate: Any = self.learning_rate
        return Steps(
            method=method,
            batch=int(self.batch_size),
            shuffle=self.shuffle,
            seed=self._seed(),
            eta0=0.0 if self.eta0 == "auto" else float(self.eta0),
            learning_rate=learning_rate,
            power=float(self.power_t),
            average=0 if self._l1_share() > 0 else average,
            patience=self._patience,
        )
