"""Kernel matrices and losses in decimal numbers of a hundred digits."""

from decimal import Context, Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judge import exact

#: Enough for the certificate of any problem whose numbers are float64's.
CONTEXT = Context(prec=100, Emax=10**9, Emin=-(10**9))


def in_digits() -> Any:
    """Compute with these digits in a block."""
    return localcontext(CONTEXT)


def _expm1(x: Decimal) -> Decimal:
    """e^x - 1, by the first terms of its series where the difference would lose digits."""
    return x + x * x / 2 if abs(x) < Decimal("1e-50") else x.exp() - 1


def gram(X: Any, *, kernel: str, gamma: float, degree: int, coef0: float) -> NDArray[Any]:
    """Kernel matrix, that of the Gaussian less 1, as `judge.gram` has it."""
    rows = exact(X)
    if kernel in ("rbf", "laplacian"):
        differences = rows[:, None, :] - rows[None, :, :]
        powers = differences**2 if kernel == "rbf" else np.abs(differences)
        arguments = -Decimal(gamma) * powers.sum(axis=2)
        decay = _expm1 if kernel == "rbf" else Decimal.exp
        return np.frompyfunc(decay, 1, 1)(arguments)
    products = rows @ rows.T
    return (
        products if kernel == "linear" else (Decimal(gamma) * products + Decimal(coef0)) ** degree
    )
