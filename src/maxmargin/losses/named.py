"""Losses by the names that estimators take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maxmargin.losses.loss import Loss, Penalty
from maxmargin.losses.margin import (
    Hinge,
    Logistic,
    ModifiedHuber,
    Perceptron,
    SquaredHinge,
    ZeroOne,
)
from maxmargin.losses.penalty import L1, L2
from maxmargin.losses.residual import (
    Absolute,
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


#: The toolbox's losses and penalties by the names of their types, and by those that others have.
_LOSSES: dict[str, Callable[[], Loss]] = {
    **MARGIN_LOSSES,
    "zero_one": ZeroOne,
    "squared": Squared,
    "absolute": Absolute,
    "huber": Huber,
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
    "squared_error": lambda: Squared(halved=True),
}
_SAME = {
    **dict.fromkeys(["svm", "soft_margin"], "hinge"),
    **dict.fromkeys(["cross_entropy", "log", "logloss", "deviance"], "logistic"),
    **dict.fromkeys(["l2", "mse", "ols", "least_squares", "square"], "squared"),
    **dict.fromkeys(["l1", "mae", "lad", "absolute_error"], "absolute"),
    **dict.fromkeys(["0_1", "01", "0/1", "misclassification"], "zero_one"),
    **dict.fromkeys(["svr", "tube", "insensitive"], "epsilon_insensitive"),
}


def loss_of(loss: Any) -> Loss:
    """Return a loss as it is, and by its name with its default width.

    Parameters
    ----------
    loss : Loss or str
        A loss; or the name of its type, or one that it has elsewhere.

    Examples
    --------
    >>> loss_of("hinge"), loss_of("Squared Hinge"), loss_of("cross-entropy")
    (Hinge(), SquaredHinge(), Logistic(scaled=False))
    >>> loss_of(Hinge)
    Traceback (most recent call last):
    TypeError: loss must be a loss such as Hinge() or its name, got a type: make one, Hinge()
    """
    if isinstance(loss, str):
        plain = loss.lower().replace(" ", "_").replace("-", "_").removesuffix("_loss")
        plain = _SAME.get(plain, plain)
        if plain in _LOSSES:
            return _LOSSES[plain]()
        raise ValueError(f"loss is {loss!r}; it must be one of {', '.join(_LOSSES)}, or a loss")
    if isinstance(loss, type) or not hasattr(loss, "subdifferential"):
        got = repr(loss)
        if isinstance(loss, type):
            got = f"a type: make one, {loss.__name__}()"
        raise TypeError(f"loss must be a loss such as Hinge() or its name, got {got}")
    chosen: Loss = loss
    return chosen


def penalty_of(penalty: Any) -> Penalty:
    """Return a penalty as it is, and by its name "l1" or "l2".

    Parameters
    ----------
    penalty : Penalty or str
        A penalty or its name.

    Examples
    --------
    >>> penalty_of("l2")
    L2(factor=1.0)
    """
    by_name: dict[str, Penalty] = {"l1": L1(), "l2": L2()}
    if isinstance(penalty, str) and penalty.lower() in by_name:
        return by_name[penalty.lower()]
    if isinstance(penalty, type | str) or not hasattr(penalty, "subdifferential"):
        raise TypeError(f"penalty must be L2(), L1() or their names 'l2' and 'l1', got {penalty!r}")
    chosen: Penalty = penalty
    return chosen
