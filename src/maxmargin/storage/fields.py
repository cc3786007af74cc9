"""The head of a model in text: a name and its values on each line, up to a last name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.files import FileError

_MOST_BYTES = 1 << 26


@dataclass(frozen=True)
class Fields:
    r"""Names and values, and where they stood.

    Parameters
    ----------
    values : dict of str to list of str
        The words behind each name.
    lines : dict of str to int
        The line of each.
    path : path-like
        The file.

    Examples
    --------
    >>> fields, rest, line = read_fields(b"nr 2\nrho 0.5\nSV\n1 1:1\n", "nr", "SV", "x")
    >>> fields.integer("nr", 1, 9), fields.numbers("rho", 1), rest, line
    (2, array([0.5]), b'1 1:1\n', 3)
    """

    values: dict[str, list[str]]
    lines: dict[str, int]
    path: str | os.PathLike[str]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def words(self, name: str, count: int) -> list[str]:
        """Return so many words."""
        if name not in self.values:
            raise FileError(f"the model has no {name}", self.path)
        found = self.values[name]
        if len(found) != count:
            raise self.error(name, f"has {len(found)} values where {count} are needed")
        return found

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """Return one of some words."""
        (word,) = self.words(name, 1)
        if word not in choices:
            raise self.error(name, f"is {word[:40]!r}; it must be one of {', '.join(choices)}")
        return word

    def integers(self, name: str, count: int, low: int, high: int) -> list[int]:
        """Return so many whole numbers of a range."""
        words = self.words(name, count)
        try:
            found = [int(word) for word in words]
        except ValueError as error:
            raise self.error(name, "has a value that is not a whole number") from error
        if not all(low <= number <= high for number in found):
            raise self.error(name, f"has a value outside {low} to {high}")
        return found

    def integer(self, name: str, low: int, high: int) -> int:
        """Return one whole number of a range."""
        return self.integers(name, 1, low, high)[0]

    def numbers(self, name: str, count: int) -> NDArray[np.float64]:
        """Return so many finite numbers."""
        words = self.words(name, count)
        try:
            found = [float(word) for word in words]
        except ValueError as error:
            raise self.error(name, "has a value that is not a number") from error
        if not all(isfinite(number) for number in found):
            raise self.error(name, "has a value that is not finite")
        return np.array(found, np.float64)

    def error(self, name: str, problem: str) -> FileError:
        """Make an error that tells where."""
        return FileError(f"{name} {problem}", self.path, self.lines.get(name))


def read_fields(
    text: bytes, first: str, last: str, path: str | os.PathLike[str]
) -> tuple[Fields, bytes, int]:
    r"""Split a model in text.

    Parameters
    ----------
    text : bytes
        All of it.
    first : str
        The name it begins with.
    last : str
        The name that ends the head, alone on its line.
    path : path-like
        The file, for the errors.

    Returns
    -------
    Fields
        The head.
    bytes
        What follows.
    int
        The number of the head's lines.

    Examples
    --------
    >>> read_fields(b"a 1\nb 2\n", "a", "SV", "here")
    Traceback (most recent call last):
    maxmargin.data.files.error.FileError: here: the model is cut off: it has no line 'SV'
    """
    values: dict[str, list[str]] = {}
    lines: dict[str, int] = {}
    if text.split(maxsplit=1)[:1] != [first.encode()]:
        raise FileError(f"this is not such a model: it does not begin with {first!r}", path)
    begin, number = 0, 0
    while begin < min(len(text), _MOST_BYTES):
        end = text.find(b"\n", begin)
        end = len(text) if end < 0 else end
        line = text[begin:end]
        begin, number = end + 1, number + 1
        words = line.decode("ascii", "replace").split()
        if words == [last]:
            return Fields(values, lines, path), text[begin:], number
        if words and words[0] in values:
            raise FileError(f"{words[0][:40]} occurs twice", path, number)
        if words:
            values[words[0]], lines[words[0]] = words[1:], number
    raise FileError(f"the model is cut off: it has no line {last!r}", path)


def whole_labels(classes: NDArray[Any]) -> list[int]:
    """Return classes as LIBSVM and LIBLINEAR write them, or refuse.

    Examples
    --------
    >>> whole_labels(np.array([-1.0, 1.0]))
    [-1, 1]
    """
    values = classes.tolist()
    if not all(isinstance(v, int | float) and float(v).is_integer() for v in values):
        raise TypeError(
            f"the classes of this format are whole numbers but the model has {values[0]!r}: number "
            "the classes and fit again"
        )
    return [int(value) for value in values]


def join_numbers(values: NDArray[np.float64]) -> str:
    """Return numbers as text that reads back the same.

    Examples
    --------
    >>> join_numbers(np.array([0.1, 2.0]))
    '0.1 2.0'
    """
    return " ".join(repr(float(value)) for value in values)
