"""How one type is stored: what it consists of, what its parts must be, how it is made of them."""

from __future__ import annotations

import dataclasses
import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import BaseEstimator

from maxmargin.estimators.parameters import check_parameters, defaults
from maxmargin.storage.rules import Rule, Sizes

#: Set by scikit-learn on estimators that are watched or routed, or an address: no part of a model.
_PASSING = {"_skl_callbacks", "_parent_callback_ctx", "_metadata_request", "_stop_words_id"}


class Stored(ABC):
    """A type that can be stored, under its own name.

    Attributes
    ----------
    type : type
        The class.

    Examples
    --------
    >>> from maxmargin.kernels import RBF
    >>> Value(RBF).parts(RBF(gamma=0.5))
    {'gamma': 0.5}
    """

    type: type

    @property
    def name(self) -> str:
        """What the file calls it; the names of other libraries are theirs."""
        library = self.type.__module__.partition(".")[0]
        kind = self.type.__name__
        return kind if library == "maxmargin" else f"{library}.{kind}"

    @abstractmethod
    def parts(self, value: Any) -> dict[str, Any]:
        """Return what it consists of, by name."""

    @abstractmethod
    def make(self, parts: dict[str, Any]) -> Any:
        """Return it, made of checked parts, or raise ValueError."""


@dataclass(frozen=True)
class Value(Stored):
    """A frozen dataclass: its fields, and the checks of its own constructor.

    Parameters
    ----------
    type : type
        The class.
    rules : mapping of str to Rule
        What the fields must be. A field without a rule is a finite number or a stored object.

    Examples
    --------
    >>> from maxmargin.kernels import RBF
    >>> Value(RBF).make({"gamma": "wide"})
    Traceback (most recent call last):
    ValueError: gamma of RBF is 'wide' where a finite number is needed
    """

    type: type
    rules: Mapping[str, Rule] = field(default_factory=dict)

    def parts(self, value: Any) -> dict[str, Any]:
        """Return the fields."""
        return {entry.name: getattr(value, entry.name) for entry in self._entries}

    def make(self, parts: dict[str, Any]) -> Any:
        """Call the constructor."""
        needed = {entry.name for entry in self._entries if _without_default(entry)}
        check_names(self.name, set(parts), needed, {entry.name for entry in self._entries})
        sizes: Sizes = {}
        for name, part in parts.items():
            _apply(self.rules.get(name, _number_or_object), part, sizes, f"{name} of {self.name}")
        return self.type(**parts)

    @property
    def _entries(self) -> tuple[dataclasses.Field[Any], ...]:
        return dataclasses.fields(self.type)


@dataclass(frozen=True)
class Choice(Stored):
    """An enumeration: the member's name.

    Parameters
    ----------
    type : type
        The class.

    Examples
    --------
    >>> from maxmargin.problems import Status
    >>> Choice(Status).make({"name": "OPTIMAL"})
    <Status.OPTIMAL: 0>
    """

    type: type[enum.Enum]

    def parts(self, value: Any) -> dict[str, Any]:
        """Return the name."""
        return {"name": value.name}

    def make(self, parts: dict[str, Any]) -> Any:
        """Look the member up."""
        name = parts.get("name")
        if not isinstance(name, str) or name not in self.type.__members__:
            raise ValueError(f"{self.name} has no member {name!r}")
        return self.type[name]


@dataclass(frozen=True)
class Fitted(Stored):
    """An estimator: its parameters and, where it is fitted, its attributes.

    Parameters
    ----------
    type : type
        The class.
    rules : mapping of str to Rule
        Attributes that it must have once it is fitted.
    optional : mapping of str to Rule
        Attributes that it may have.
    fixed : mapping of str to object
        Parameters that are stored as this whatever they are: functions, or what would be run.
    open : bool
        Whether attributes without a rule are kept as they are, if they are plain data: those of
        another library, which differ from version to version.
    check : callable, optional
        What to look at once it is made; returns what is wrong, or None.

    Examples
    --------
    >>> from sklearn.preprocessing import MaxAbsScaler
    >>> Fitted(MaxAbsScaler).parts(MaxAbsScaler())
    {'copy': True, 'clip': False}
    """

    type: type[BaseEstimator]
    rules: Mapping[str, Rule] = field(default_factory=dict)
    optional: Mapping[str, Rule] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    open: bool = False
    check: Callable[[Any], str | None] | None = None

    def parts(self, value: Any) -> dict[str, Any]:
        """Return parameters and attributes."""
        found = {name: part for name, part in vars(value).items() if name not in _PASSING}
        found.update({name: fixed for name, fixed in self.fixed.items() if name in found})
        if not self.open:
            self._check_names(set(found))
        return found

    def make(self, parts: dict[str, Any]) -> Any:
        """Set parameters and attributes on an empty object, once they are checked.

        A parameter of ours that is newer than the file has its default.
        """
        if not self.open:
            parts = {**defaults(self.type), **parts}
        self._check_names(set(parts))
        for name, fixed in self.fixed.items():
            if name in parts and parts[name] != fixed:
                raise ValueError(f"{name} of {self.name} must be {fixed!r} in a file")
        check_parts(self.name, parts, {**self.rules, **self.optional})
        if hasattr(self.type, "_rules"):
            check_parameters(parts, self.type._rules)
        made = object.__new__(self.type)
        vars(made).update(parts)
        problem = self.check(made) if self.check and set(self.rules) <= set(parts) else None
        if problem:
            raise ValueError(f"{self.name} {problem}")
        return made

    def _check_names(self, found: set[str]) -> None:
        parameters = set(self.type._get_param_names())
        needed = parameters | set(self.rules) if found != parameters else parameters
        allowed = found - _forbidden(self.type) if self.open else set(self.optional)
        check_names(self.name, found, needed, allowed)


def _forbidden(kind: type) -> set[str]:
    """Names that mean something on the class, which a file must not hide."""
    return {name for name in dir(kind) if name not in kind._get_param_names()}  # type: ignore[attr-defined]


def check_parts(kind: str, parts: Mapping[str, Any], rules: Mapping[str, Rule]) -> None:
    """Refuse the first part that breaks its rule; names are those of `check_names`.

    Parameters
    ----------
    kind : str
        What the file calls the object.
    parts : mapping of str to object
        What it consists of.
    rules : mapping of str to Rule
        What these must be.

    Examples
    --------
    >>> check_parts("thing", {"n": 1}, {"n": lambda value, sizes: "is too small"})
    Traceback (most recent call last):
    ValueError: n of thing is too small
    """
    sizes: Sizes = {}
    for name, rule in rules.items():
        if name in parts:
            _apply(rule, parts[name], sizes, f"{name} of {kind}")


def check_names(kind: str, found: set[str], needed: set[str], allowed: set[str]) -> None:
    """Refuse an object that lacks a part, or has one that is not known.

    Parameters
    ----------
    kind : str
        What the file calls the object.
    found, needed, allowed : set of str
        Its parts, those it must have, and those it may have.

    Examples
    --------
    >>> check_names("thing", {"a"}, {"a", "b"}, set())
    Traceback (most recent call last):
    ValueError: thing lacks b
    """
    missing, unknown = sorted(needed - found), sorted(found - needed - allowed)
    if missing:
        raise ValueError(f"{kind} lacks {', '.join(missing)}")
    if unknown:
        raise ValueError(f"{kind} has {', '.join(unknown)}, which this version does not know")


def _without_default(entry: dataclasses.Field[Any]) -> bool:
    """Whether a field must be there; one that has a default may be newer than the file."""
    return entry.default is dataclasses.MISSING and entry.default_factory is dataclasses.MISSING


def _apply(rule: Rule, part: Any, sizes: Sizes, name: str) -> None:
    problem = rule(part, sizes)
    if problem:
        raise ValueError(f"{name} {problem}")


def _number_or_object(value: Any, sizes: Sizes) -> str | None:
    plain = value is None or isinstance(value, str | list | dict)
    finite = not isinstance(value, float) or (value == value and abs(value) != float("inf"))
    return f"is {value!r} where a finite number is needed" if plain or not finite else None
