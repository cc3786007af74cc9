"""Ranges of constructor parameters as data, and the one function that checks them."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

_BOOLEANS = (bool, np.bool_)


@dataclass(frozen=True)
class Rule:
    """What a parameter must be.

    Parameters
    ----------
    must : str
        In words, to follow "it must".
    names : frozenset of str
        Strings that are allowed.
    types : tuple of type
        Types of which every value is allowed.
    low, high : float
        Numbers from here to there are allowed.
    excluded : tuple of float
        All but these.
    whole : bool
        Whether numbers must be integers.
    test : callable, optional
        Whether any other value is allowed.

    Examples
    --------
    >>> POSITIVE.holds(0.5), POSITIVE.holds(-1), (POSITIVE | NONE).holds(None)
    (True, False, True)
    """

    must: str
    names: frozenset[str] = frozenset()
    types: tuple[type, ...] = ()
    low: float = inf
    high: float = -inf
    excluded: tuple[float, ...] = ()
    whole: bool = False
    test: Callable[[Any], bool] | None = None

    def __or__(self, other: Rule) -> Rule:
        """Allow what either allows; at most one of them is about numbers."""
        numeric = self if self.low <= self.high else other
        return replace(
            numeric,
            must=f"{self.must}, or {other.must}",
            names=self.names | other.names,
            types=self.types + other.types,
            test=self.test or other.test,
        )

    def holds(self, value: Any) -> bool:
        """Whether a value is allowed."""
        if isinstance(value, self.types):
            return True
        if isinstance(value, str):
            return value in self.names
        if isinstance(value, _BOOLEANS):
            return False
        if self._numeric(value):
            return bool(self.low <= value <= self.high) and value not in self.excluded
        return self.test is not None and self.test(value)

    def _numeric(self, value: Any) -> bool:
        """Whether a value is a number of the kind that is allowed."""
        kind = type(value)
        if kind is int or (kind is float and not self.whole):  # abstract types take their time
            return True
        return isinstance(value, numbers.Integral if self.whole else numbers.Real)


def one_of(*names: str) -> Rule:
    """Allow some strings only.

    Examples
    --------
    >>> one_of("a", "b").must
    "be 'a' or 'b'"
    """
    return Rule("be " + " or ".join(repr(name) for name in names), names=frozenset(names))


POSITIVE = Rule("be a finite number greater than 0", low=0, high=inf, excluded=(0, inf))
POSITIVE_OR_INFINITE = Rule("be a number greater than 0", low=0, high=inf, excluded=(0,))
SHARE = Rule("be a number greater than 0 and at most 1", low=0, high=1, excluded=(0,))
FRACTION = Rule("be a number between 0 and 1", low=0, high=1, excluded=(0, 1))
NOT_NEGATIVE = Rule("be a finite number of at least 0", low=0, high=inf, excluded=(inf,))
MEGABYTES = Rule("be a number of megabytes up to 2^40", low=0, high=2**40, excluded=(0,))
NUMBER = Rule("be a finite number", low=-inf, high=inf, excluded=(-inf, inf))
COUNT = Rule("be an integer from 0 to 2^31 - 1", low=0, high=2**31 - 1, whole=True)
POSITIVE_COUNT = Rule("be an integer from 1 to 2^31 - 1", low=1, high=2**31 - 1, whole=True)
LIMIT = Rule("be an integer of at least -1 (-1 for no limit)", low=-1, high=2**63 - 1, whole=True)
BOOLEAN = Rule("be True or False", types=_BOOLEANS)
VERBOSE = Rule("be True, False or an integer", types=_BOOLEANS, low=0, high=inf, whole=True)
NONE = Rule("be None", types=(type(None),))
CALLABLE = Rule("be a function", test=callable)
MAPPING = Rule("be a dict from class to weight", types=(dict,))
JOBS = Rule(
    "be an integer other than 0, below 65536",
    low=1 - 2**16,
    high=2**16 - 1,
    excluded=(0,),
    whole=True,
)
ANY = Rule("be anything", types=(object,))


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


def defaults(kind: type) -> dict[str, Any]:
    """Return the parameters of a constructor with their defaults.

    Parameters
    ----------
    kind : type
        The class of an estimator.

    Examples
    --------
    >>> class Machine:
    ...     def __init__(self, C=1.0):
    ...         keep(self, locals())
    >>> defaults(Machine)
    {'C': 1.0}
    """
    parameters = inspect.signature(kind).parameters.values()
    return {entry.name: entry.default for entry in parameters if entry.default is not entry.empty}


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
