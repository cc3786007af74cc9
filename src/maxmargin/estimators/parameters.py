"""Ranges of constructor parameters as data, and the one function that checks them."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Rule:
    """What a parameter must be.

    Parameters
    ----------
    holds : callable
        Whether a value is allowed.
    must : str
        The same in words, to follow "it must".

    Examples
    --------
    >>> POSITIVE.holds(0.5), POSITIVE.holds(-1)
    (True, False)
    """

    holds: Callable[[Any], bool]
    must: str

    def __or__(self, other: Rule) -> Rule:
        return Rule(
            lambda value: self.holds(value) or other.holds(value), f"{self.must}, or {other.must}"
        )


def _real(value: Any) -> bool:
    return (
        isinstance(value, numbers.Real)
        and not isinstance(value, bool)
        and not np.isnan(float(value))
    )


def _integer(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def one_of(*names: str) -> Rule:
    """Allow some strings only.

    Examples
    --------
    >>> one_of("a", "b").must
    "be 'a' or 'b'"
    """
    return Rule(
        lambda value: isinstance(value, str) and value in names,
        "be " + " or ".join(repr(name) for name in names),
    )


POSITIVE = Rule(lambda v: _real(v) and 0 < v < np.inf, "be a finite number greater than 0")
SHARE = Rule(lambda v: _real(v) and 0 < v <= 1, "be a number greater than 0 and at most 1")
NOT_NEGATIVE = Rule(lambda v: _real(v) and 0 <= v < np.inf, "be a finite number of at least 0")
MEGABYTES = Rule(lambda v: _real(v) and 0 < v <= 2**40, "be a number of megabytes up to 2^40")
NUMBER = Rule(lambda v: _real(v) and np.isfinite(v), "be a finite number")
COUNT = Rule(lambda v: _integer(v) and 0 <= v < 2**31, "be an integer from 0 to 2^31 - 1")
POSITIVE_COUNT = Rule(lambda v: _integer(v) and 1 <= v < 2**31, "be an integer from 1 to 2^31 - 1")
LIMIT = Rule(
    lambda v: _integer(v) and -1 <= v < 2**63, "be an integer of at least -1 (-1 for no limit)"
)
BOOLEAN = Rule(lambda v: isinstance(v, bool | np.bool_), "be True or False")
VERBOSE = Rule(
    lambda v: isinstance(v, bool | np.bool_) or (_integer(v) and v >= 0),
    "be True, False or an integer",
)
NONE = Rule(lambda v: v is None, "be None")
CALLABLE = Rule(callable, "be a function")
MAPPING = Rule(lambda v: isinstance(v, dict), "be a dict from class to weight")
JOBS = Rule(
    lambda v: _integer(v) and v != 0 and abs(v) < 2**16, "be an integer other than 0, below 65536"
)
ANY = Rule(lambda v: True, "be anything")


def check_parameters(values: Mapping[str, Any], rules: Mapping[str, Rule]) -> None:
    """Refuse the first parameter that breaks its rule.

    Examples
    --------
    >>> check_parameters({"C": -1.0}, {"C": POSITIVE})
    Traceback (most recent call last):
    ValueError: C is -1.0; it must be a finite number greater than 0.
    """
    for name, rule in rules.items():
        if not rule.holds(values[name]):
            raise ValueError(f"{name} is {values[name]!r}; it must {rule.must}.")


def keep(estimator: object, given: dict[str, Any]) -> None:
    """Set the parameters of a constructor as attributes, as they are.

    Parameters
    ----------
    estimator : object
        The estimator that is made.
    given : dict
        The constructor's `locals()`.

    Examples
    --------
    >>> class Machine:
    ...     def __init__(self, C=1.0):
    ...         keep(self, locals())
    >>> Machine().C
    1.0
    """
    own = {name: value for name, value in given.items() if name not in ("self", "__class__")}
    vars(estimator).update(own)
