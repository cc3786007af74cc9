"""At a prompt: texts of objects that fit on a screen, and errors that name what was meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

Made = TypeVar("Made")

#: Longest texts: of one entry, and arrays, dicts and tuples by their number of entries.
LETTERS, NUMBERS, ENTRIES = 100, 12, 6


def brief(value: Any) -> str:
    """Return the text of a value, or of what kind and size it is if that would be long.

    Parameters
    ----------
    value : object
        Any.

    Examples
    --------
    >>> brief(np.array([1.0, 2.0])), brief(np.zeros((50, 2)))
    ('array([1., 2.])', '<50 x 2 array>')
    """
    if isinstance(value, np.ndarray) and (value.size > NUMBERS or value.dtype.names):
        shape = " x ".join(map(str, value.shape))
        names = f" of {', '.join(value.dtype.names)}" if value.dtype.names else ""
        return f"<{shape} array{names}>"
    if isinstance(value, dict) and len(value) <= ENTRIES:
        return "{" + ", ".join(f"{key!r}: {brief(entry)}" for key, entry in value.items()) + "}"
    if type(value) in (tuple, list) and len(value) <= ENTRIES:
        texts = ", ".join(map(brief, value))
        return f"[{texts}]" if type(value) is list else f"({texts})"
    text = " ".join(repr(value).split())
    if len(text) <= LETTERS:
        return text
    size = f" of {len(value)}" if hasattr(value, "__len__") else ""
    return f"<{type(value).__name__}{size}>"


def rounded(text: str) -> str:
    """Shorten numbers of many digits, which tell nobody more.

    Parameters
    ----------
    text : str
        Words and numbers.

    Examples
    --------
    >>> rounded("RBF(gamma=0.25000000000000006)")
    'RBF(gamma=0.25)'
    """
    return re.sub(r"\d+\.\d{6,}(e[-+]?\d+)?", lambda found: f"{float(found[0]):.6g}", text)


class Brief:
    """Gives a dataclass, declared with repr=False, a text of one line for each large entry at most.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(repr=False)
    ... class Path(Brief):
    ...     name: str
    ...     places: np.ndarray
    >>> Path("plain", np.zeros((200, 3)))
    Path(name='plain', places=<200 x 3 array>)
    """

    def __repr__(self) -> str:
        if not is_dataclass(self):
            return f"{type(self).__name__}()"
        shown = [entry.name for entry in fields(self) if entry.repr]
        texts = (f"{name}={brief(getattr(self, name))}" for name in shown)
        return f"{type(self).__name__}({', '.join(texts)})"


class MissingNameError(AttributeError):
    """A name that is not there, with the name that was meant.

    Its arguments are who was asked (an object, or a text for itself), for which name, the names
    that there are or the type that has them, and a dict of what to use for names that others have.
    The text is made when it is read: libraries ask for names to see whether they are there.

    Examples
    --------
    >>> print(MissingNameError("Hinge()", "grad", ["value", "gradient"], {"grad": "gradient(z)"}))
    Hinge() has no attribute 'grad': use gradient(z)
    >>> print(MissingNameError("Hinge()", "Value", ["value", "gradient"]))
    Hinge() has no attribute 'Value': did you mean 'value'?
    """

    # No initialisation of its own: that would cost every name that is only looked for.
    def __str__(self) -> str:
        owner, name, known, *others = self.args
        meant: Mapping[str, str] = others[0] if others else {}
        text = f"{_short(owner)} has no attribute {name!r}"
        if name in meant:
            return f"{text}: use {meant[name]}"
        near = _nearest(name, dir(known) if isinstance(known, type) else known)
        return f"{text}: did you mean {near!r}?" if near else text

    def __reduce__(self) -> tuple[Any, ...]:
        return AttributeError, (str(self),)  # between processes the text is enough


def _nearest(name: str, known: Iterable[str]) -> str | None:
    plain = {entry.lower().replace("_", ""): entry for entry in known if entry[0] != "_"}
    wanted = name.lower().replace("_", "")
    near = get_close_matches(wanted, plain, 1, 0.7) or [
        entry
        for entry in plain
        if len(wanted) > 3 < len(entry) and (wanted in entry or entry in wanted)
    ]
    return plain[near[0]] if near else None


def _short(thing: Any) -> str:
    """Return the text of an object if that is a few words, and its type if not."""
    if isinstance(thing, str):
        return thing
    try:
        text = repr(thing)
    except AttributeError:  # it is not complete yet
        text = ""
    return text if 0 < len(text) <= 40 else type(thing).__name__


class Hinted:
    """Answers a wrong guess of an attribute by the name that was meant.

    Examples
    --------
    >>> from maxmargin.losses import Hinge
    >>> Hinge().derivative
    Traceback (most recent call last):
    maxmargin.prompt.MissingNameError: Hinge() has no attribute 'derivative': use gradient(z)
    """

    #: What to use in the place of names that others have for it.
    _meant: ClassVar[Mapping[str, str]] = {}

    # Type checkers shall go on refusing what is not there.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):  # protocols of copying, pickling and arrays ask for these
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            if hasattr(self.__class__, name):  # a property that has failed: with its own words
                return object.__getattribute__(self, name)
            raise MissingNameError(self, name, type(self), type(self)._meant)


def hints(
    module: str, names: Iterable[str], meant: Mapping[str, str] | None = None
) -> Callable[[str], Any]:
    """Return a module's `__getattr__`: wrong guesses are answered by the name that was meant.

    Parameters
    ----------
    module : str
        Its name.
    names : iterable of str
        What it has.
    meant : dict of str to str, optional
        What to use for names that others have for it.

    Examples
    --------
    >>> print(hints("my.losses", ["Hinge"])("__doc__"))
    Traceback (most recent call last):
    AttributeError: module 'my.losses' has no attribute '__doc__'
    >>> hints("losses", ["Hinge"])("hinge")
    Traceback (most recent call last):
    maxmargin.prompt.MissingNameError: losses has no attribute 'hinge': did you mean 'Hinge'?
    """
    known = tuple(names)

    def answer(name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        raise MissingNameError(module, name, known, meant or {})

    return answer


def keywords(**meant: str) -> Callable[[Made], Made]:
    """Return a decorator of a function or a class that answers arguments which it does not have.

    Parameters
    ----------
    **meant : str
        What to use for names that others have for an argument.

    Examples
    --------
    >>> @keywords(learning_rate="step=")
    ... def walk(start, step=0.1):
    ...     return start - step
    >>> walk(1.0, learning_rate=0.5)
    Traceback (most recent call last):
    TypeError: walk() has no argument 'learning_rate': use step=; its arguments are start, step
    """

    def decorate(made: Made) -> Made:
        if isinstance(made, type):
            made.__init__ = _answering(made.__init__, made.__name__, meant)  # type: ignore[misc]
            return made
        function: Any = made
        answering: Made = _answering(function, function.__name__, meant)  # type: ignore[assignment]
        return answering

    return decorate


def _answering(
    function: Callable[..., Any], name: str, meant: Mapping[str, str]
) -> Callable[..., Any]:
    places = [place for place in signature(function).parameters.values() if place.name != "self"]
    named = [place.name for place in places]
    first = [place.name for place in places if place.kind is place.POSITIONAL_OR_KEYWORD]
    own = int("self" in signature(function).parameters)

    @wraps(function)
    def answer(*args: Any, **given: Any) -> Any:
        for guess in given:
            if guess not in named:
                use = meant.get(guess) or _nearest(guess, named)
                hint = f": use {use}" if use else ""
                text = f"{name}() has no argument {guess!r}{hint}; its arguments are "
                raise TypeError(text + ", ".join(named))
        if len(args) - own > len(first):
            later = ", ".join(f"{entry}=" for entry in named if entry not in first)
            by_name = f", and by name {later}" if later else ""
            raise TypeError(
                f"{name}() takes {', '.join(first)}{by_name}; got {len(args) - own} arguments "
                "without a name"
            )
        return function(*args, **given)

    return answer
