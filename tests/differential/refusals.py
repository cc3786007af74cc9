"""Whether a problem was refused for a reason that is true."""

from decimal import Decimal

import numpy as np

from differential.digits import gram
from differential.draw import Drawn
from judge import exact
from maxmargin import InfeasibleError, UndecidableError

#: Numbers whose products overflow when they are summed up.
_LARGE = Decimal("1e140")


def justified(drawn: Drawn, error: ValueError) -> list[str]:
    """What is wrong with an error: nothing, where it tells the truth."""
    text = str(error)
    if isinstance(error, InfeasibleError):
        true = _meet(drawn, error)
    elif isinstance(error, UndecidableError):
        # Differences of kernel values have lost half of their digits, or products underflow.
        size = np.diag(_matrix(drawn)).max() + (1 if drawn.model.kernel == "rbf" else 0)
        lost = Decimal(error.evidence.distance) ** 2 <= Decimal("1e-8") * size
        true = lost or size < 1 / _LARGE
    elif "specified nu is infeasible" in text:
        true = _too_large(drawn)
    elif "overflow" in text or "not finite" in text:
        true = bool(np.abs(_matrix(drawn)).max() > _LARGE)
    else:
        true = False
    return [] if true else [f"refused: {error}"]


def _matrix(drawn: Drawn) -> np.ndarray:
    params = drawn.model.get_params()
    names = ("kernel", "gamma", "degree", "coef0")
    return gram(drawn.X, **{name: params.get(name, "linear") for name in names})


def _meet(drawn: Drawn, error: InfeasibleError) -> bool:
    """Whether the points of both hulls that are the evidence coincide, as far as float64 tells."""
    found, b = error.evidence, exact(np.zeros(len(drawn.X)))
    b[found.positive_rows] += exact(found.positive_weights)
    b[found.negative_rows] -= exact(found.negative_weights)
    K = _matrix(drawn) + (1 if drawn.model.kernel == "rbf" else 0)
    distance = max(b @ K @ b, Decimal(0)).sqrt()
    sides = [found.positive_weights.sum(), found.negative_weights.sum()]
    extent = np.sqrt(np.array([K[i, i] + K[0, 0] - 2 * K[i, 0] for i in range(len(K))], object))
    rounding = Decimal("1e-7") * max(np.sqrt(np.diag(K)).max(), Decimal(0))
    return np.allclose(sides, 1) and distance <= Decimal("2e-8") * extent.max() + rounding


def _too_large(drawn: Drawn) -> bool:
    """Whether a class has too little weight for this nu."""
    weight = np.ones(len(drawn.X)) if drawn.weight is None else drawn.weight
    sums = sorted(weight[drawn.y == name].sum() for name in np.unique(drawn.y))
    return 2 * sums[0] / (sums[0] + sums[-1]) < drawn.model.nu * (1 + 1e-9)
