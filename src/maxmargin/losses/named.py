"""Losses by the names that estimators take."""

from __future__ import annotations

from collections.abc import Callable

from maxmargin.losses.loss import Loss
from maxmargin.losses.margin import Hinge, Logistic, ModifiedHuber, Perceptron, SquaredHinge
from maxmargin.losses.residual import (
    EpsilonInsensitive,
    Huber,
    Squared,
    SquaredEpsilonInsensitive,
)

MARGIN_LOSSES: dict[str, Callable[[], Loss]] = {
    "hinge": Hinge,
    "squared_hinge": SquaredHinge,
    "logistic": Logistic,
    "log_loss": Logistic,
    "modified_huber": ModifiedHuber,
    "perceptron": Perceptron,
}
RESIDUAL_LOSSES: dict[str, Callable[[float], Loss]] = {
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
    "huber": Huber,
    "squared_error": lambda _: Squared(halved=True),
}


def named_loss(name: str, width: float = 0.0) -> Loss:
    """Return the loss of a name.

    Parameters
    ----------
    name : str
        A name in `MARGIN_LOSSES` or `RESIDUAL_LOSSES`, scikit-learn's among them: "log_loss" is
        the logistic loss, "squared_error" half the square.
    width : float
        Of a loss of residuals: half the width of the tube, or where Huber's parabola ends.

    Examples
    --------
    >>> named_loss("hinge"), named_loss("huber", 0.5)
    (Hinge(), Huber(delta=0.5))
    >>> named_loss("hinges")
    Traceback (most recent call last):
    ValueError: loss is 'hinges'; it must be one of hinge, squared_hinge, logistic, log_loss, \
modified_huber, perceptron, epsilon_insensitive, squared_epsilon_insensitive, huber, squared_error.
    """
    if name in MARGIN_LOSSES:
        return MARGIN_LOSSES[name]()
    if name in RESIDUAL_LOSSES:
        return RESIDUAL_LOSSES[name](width)
    known = ", ".join([*MARGIN_LOSSES, *RESIDUAL_LOSSES])
    raise ValueError(f"loss is {name!r}; it must be one of {known}.")
