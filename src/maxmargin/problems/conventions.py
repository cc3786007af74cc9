"""The lectures' seven ways to write one objective, and how to go from one to another.

Every regularised risk here is

    J(w) = a |w|^2 + c sum_i loss_i

and the conventions differ in where the one free parameter stands, in a factor 1/2 and in whether
the losses are added or averaged. The minimiser depends on c / a only; two objectives with the same
ratio differ by the constant factor between their a. `docs/notation.md` has the table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np


@dataclass(frozen=True)
class Convention:
    """One way to write the objective a |w|^2 + c sum_i loss_i with one parameter.

    Parameters
    ----------
    parameter_on : {"loss", "penalty"}
        Which of the two terms the parameter multiplies.
    half : bool
        A factor 1/2 before |w|^2.
    mean : bool
        The losses are divided by their number.
    penalise_intercept : bool
        |w|^2 includes the intercept b.
    letter : str
        What the parameter is called.

    Examples
    --------
    >>> HALF_SUM.formula
    '1/2 |w|^2 + C sum(loss)'
    >>> LAMBDA_MEAN.penalising_intercept().formula
    'lambda |(w, b)|^2 + 1/n sum(loss)'
    >>> LAMBDA_MEAN.weights(0.01, n=100)
    (0.01, 0.01)
    """

    parameter_on: Literal["loss", "penalty"]
    half: bool
    mean: bool
    penalise_intercept: bool = False
    letter: str = "C"

    def weights(self, value: float, n: int) -> tuple[float, float]:
        """Return (a, c): what |w|^2 and what each of the n losses is multiplied by."""
        if not 0 < value < np.inf:
            raise ValueError(f"{self.letter} must be positive and finite, got {value!r}")
        if n < 1:
            raise ValueError(f"n must be 1 or more, got {n!r}")
        a = 0.5 if self.half else 1.0
        c = 1.0 / n if self.mean else 1.0
        return (a * value, c) if self.parameter_on == "penalty" else (a, c * value)

    @property
    def formula(self) -> str:
        """The objective in letters."""
        on_penalty = self.parameter_on == "penalty"
        penalty = _coefficient(self.letter if on_penalty else "1", "2" if self.half else "")
        loss = _coefficient("1" if on_penalty else self.letter, "n" if self.mean else "")
        norm = "|(w, b)|^2" if self.penalise_intercept else "|w|^2"
        return f"{penalty}{norm} + {loss}sum(loss)"

    def penalising_intercept(self) -> Convention:
        """Return the same convention with b inside the norm."""
        return replace(self, penalise_intercept=True)


HALF_SUM = Convention("loss", half=True, mean=False)
SUM = Convention("loss", half=False, mean=False)
HALF_MEAN = Convention("loss", half=True, mean=True)
MEAN = Convention("loss", half=False, mean=True)
LAMBDA_MEAN = Convention("penalty", half=False, mean=True, letter="lambda")
LAMBDA_SUM = Convention("penalty", half=True, mean=False, letter="lambda")
C_MEAN = Convention("penalty", half=True, mean=True)

CONVENTIONS = (HALF_SUM, SUM, HALF_MEAN, MEAN, LAMBDA_MEAN, LAMBDA_SUM, C_MEAN)


def convert(value: float, n: int, source: Convention, target: Convention) -> float:
    """Return the target's parameter that has the minimiser which `value` has in the source.

    Parameters
    ----------
    value : float
        The source's parameter.
    n : int
        Number of samples.
    source, target : Convention
        They must agree on whether the intercept is penalised.

    Examples
    --------
    The C of 1/2 |w|^2 + C sum that stands for lambda = 1/8 in lambda |w|^2 + 1/n sum.

    >>> convert(0.125, n=8, source=LAMBDA_MEAN, target=HALF_SUM)
    0.5
    >>> convert(1.0, n=50, source=SUM, target=HALF_SUM)
    0.5
    """
    _check_same_minimiser(source, target)
    a, c = source.weights(value, n)
    unit_a, unit_c = target.weights(1.0, n)
    ratio = (c / a) / (unit_c / unit_a)
    return 1 / ratio if target.parameter_on == "penalty" else ratio


def objective_factor(value: float, n: int, source: Convention, target: Convention) -> float:
    """Return the constant k with J_target = k J_source, at parameters with the same minimiser.

    Parameters
    ----------
    value, n, source, target
        As in `convert`.

    Examples
    --------
    >>> objective_factor(1.0, n=50, source=SUM, target=HALF_SUM)
    0.5
    """
    a_source, _ = source.weights(value, n)
    a_target, _ = target.weights(convert(value, n, source, target), n)
    return a_target / a_source


def _coefficient(numerator: str, denominator: str) -> str:
    text = f"{numerator}/{denominator}" if denominator else numerator
    return "" if text == "1" else f"{text} "


def _check_same_minimiser(source: Convention, target: Convention) -> None:
    if source.penalise_intercept != target.penalise_intercept:
        raise ValueError(
            "source and target must agree on penalise_intercept, got "
            f"{source.penalise_intercept} and {target.penalise_intercept}: no parameter makes "
            "these two have the same minimiser; use penalising_intercept() on one of them"
        )
