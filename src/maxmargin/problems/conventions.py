"""The lectures' seven ways to write one objective, and how to go from one to another.

Every regularised risk here is

    J(w) = a |w|^2 + c sum_i loss_i

and the conventions differ in where the one free parameter stands, in a factor 1/2 and in whether
the losses are added or averaged. The minimiser depends on c / a only; two objectives with the same
ratio differ by the constant factor between their a. `docs/notation.md` has the table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal

import numpy as np

from maxmargin.prompt import keywords


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
_NAMES = "HALF_SUM", "SUM", "HALF_MEAN", "MEAN", "LAMBDA_MEAN", "LAMBDA_SUM", "C_MEAN"
_BY_NAME = dict(zip(_NAMES, CONVENTIONS, strict=True))


def convention_of(name: Convention | str) -> Convention:
    """Return a convention by its name, and one that is a convention as it is.

    Parameters
    ----------
    name : Convention or str
        Such as "HALF_SUM", in capitals or not.

    Examples
    --------
    >>> convention_of("lambda_mean") is LAMBDA_MEAN
    True
    """
    if isinstance(name, Convention):
        return name
    if str(name).upper() in _BY_NAME:
        return _BY_NAME[str(name).upper()]
    listed = "; ".join(f"{known}: {one.formula}" for known, one in _BY_NAME.items())
    raise ValueError(f"convention is {name!r}; it must be one of {listed}")


def parameter_of(
    parameter: float | None,
    C: float | None,
    lam: float | None,
    convention: Convention | str | None,
) -> tuple[float, Convention]:
    """Return the one parameter that was given and the convention it belongs to.

    Parameters
    ----------
    parameter : float or None
        That of the convention, whatever its letter.
    C, lam : float or None
        The same parameter by its letter, C or lambda.
    convention : Convention, str or None
        Or its name; None for `HALF_SUM`, and of a lambda for `LAMBDA_MEAN`.

    Examples
    --------
    >>> parameter_of(None, 10.0, None, None)[1].formula
    '1/2 |w|^2 + C sum(loss)'
    >>> parameter_of(None, None, 0.1, None)[1].formula
    'lambda |w|^2 + 1/n sum(loss)'
    >>> parameter_of(None, 10.0, None, "LAMBDA_SUM")
    Traceback (most recent call last):
    ValueError: C is given, but the parameter of lambda/2 |w|^2 + sum(loss) is called lam; give \
lam=, or a convention with a C such as HALF_SUM
    """
    given = {"parameter": parameter, "C": C, "lam": lam}
    named = [name for name, value in given.items() if value is not None]
    if len(named) != 1:
        what = f"{' and '.join(named)} are given" if named else "none is given"
        raise ValueError(f"one of C, lam and parameter must be given, but {what}")
    if convention is None:
        convention = LAMBDA_MEAN if lam is not None else HALF_SUM
    chosen = convention_of(convention)
    own = "lam" if chosen.letter == "lambda" else "C"
    if named[0] not in (own, "parameter"):
        other = "C such as HALF_SUM" if named[0] == "C" else "lambda such as LAMBDA_MEAN"
        raise ValueError(
            f"{named[0]} is given, but the parameter of {chosen.formula} is called {own}; give "
            f"{own}=, or a convention with a {other}"
        )
    return _number(named[0], given[named[0]]), chosen


def _number(name: str, value: Any) -> float:
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"{name} must be a number, got {value!r}")


@keywords(**dict.fromkeys(["C", "lam", "parameter"], "value="))
def convert(value: float, n: int, source: Convention | str, target: Convention | str) -> float:
    """Return the target's parameter that has the minimiser which `value` has in the source.

    Parameters
    ----------
    value : float
        The source's parameter.
    n : int
        Number of samples.
    source, target : Convention or str
        Or their names. They must agree on whether the intercept is penalised.

    Examples
    --------
    The C of 1/2 |w|^2 + C sum that stands for lambda = 1/8 in lambda |w|^2 + 1/n sum.

    >>> convert(0.125, n=8, source=LAMBDA_MEAN, target=HALF_SUM)
    0.5
    >>> convert(1.0, n=50, source="SUM", target="HALF_SUM")
    0.5
    """
    source, target = convention_of(source), convention_of(target)
    _check_same_minimiser(source, target)
    a, c = source.weights(value, n)
    unit_a, unit_c = target.weights(1.0, n)
    ratio = (c / a) / (unit_c / unit_a)
    return 1 / ratio if target.parameter_on == "penalty" else ratio


def objective_factor(
    value: float, n: int, source: Convention | str, target: Convention | str
) -> float:
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
    source, target = convention_of(source), convention_of(target)
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
