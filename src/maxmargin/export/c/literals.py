"""Numbers, texts and tables as C writes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.export.error import ExportError


@dataclass
class Tables:
    """Constant arrays of a C file, and how many bytes they are when it is compiled.

    Parameters
    ----------
    dtype : dtype
        float32 or float64: what `real` is.

    Examples
    --------
    >>> tables = Tables(np.dtype(np.float32))
    >>> tables.add("b", np.array([0.5, 1.0]))
    >>> print(tables.text(), tables.n_bytes)
    static const real b[2] = {
        0.5f, 1.0f};
    8
    """

    dtype: np.dtype[Any]
    n_bytes: int = field(default=0, init=False)
    _texts: list[str] = field(default_factory=list, init=False)

    def number(self, value: float) -> str:
        """Write a number of the type `real`, exactly."""
        with np.errstate(over="ignore"):
            near = self.dtype.type(value)
        if not np.isfinite(near):
            raise ExportError(
                f"the number {float(value)} of the model is beyond the range of {self.dtype.name}; "
                'scale the data before the machine, or give dtype="float64"'
            )
        text = str(near)
        text = text if {".", "e"} & set(text) else f"{text}.0"
        return f"{text}f" if self.dtype == np.float32 else text

    def add(self, name: str, values: NDArray[np.float64]) -> None:
        """Add an array of numbers of the type `real`, of one dimension or of two."""
        sizes = "".join(f"[{n}]" for n in values.shape)
        rows = values if values.ndim == 2 else values[None, :]
        written = [self._wrapped(map(self.number, row.tolist())) for row in rows]
        inner = written[0] if values.ndim == 1 else ",\n".join(f"    {{{row}}}" for row in written)
        body = f"{{\n    {inner.lstrip()}}}" if values.ndim == 1 else f"{{\n{inner}}}"
        self._texts.append(f"static const real {name}{sizes} = {body};")
        self.n_bytes += values.size * self.dtype.itemsize

    def add_places(self, name: str, values: NDArray[Any]) -> None:
        """Add an array of whole numbers that are not negative, of as few bytes as they need."""
        bits = next(bits for bits in (8, 16, 32) if values.max(initial=0) < 2**bits)
        inner = self._wrapped(map(str, values.tolist()))
        self._texts.append(f"static const uint{bits}_t {name}[{len(values)}] = {{\n    {inner}}};")
        self.n_bytes += len(values) * bits // 8

    def text(self) -> str:
        """Return the arrays."""
        return "\n".join(self._texts)

    def _wrapped(self, words: Iterable[str]) -> str:
        return "\n    ".join(wrap(", ".join(words), 96, break_long_words=False))


def quoted(text: str) -> str:
    r"""Write a text as C has it, in ASCII.

    Examples
    --------
    >>> print(quoted('a "b"'), quoted("ü"))
    "a \"b\"" "\303\274"
    """
    plain = set(range(32, 127)) - set(b'"\\?')  # two question marks begin a trigraph
    escaped = {ord('"'): '\\"', ord("\\"): "\\\\"}
    letters = (
        chr(byte) if byte in plain else escaped.get(byte, f"\\{byte:03o}") for byte in text.encode()
    )
    return f'"{"".join(letters)}"'
