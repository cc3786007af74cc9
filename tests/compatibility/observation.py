"""What a program sees of a class: one program, run on two classes, and where they differ."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

#: Numbers agree to this; both packages are asked for a hundredth of it or better.
TOLERANCE = 2e-4


@dataclass
class Observation:
    """What a program has seen, by name, so that two runs can be compared line by line."""

    seen: dict[str, Any] = field(default_factory=dict)

    def see(self, name: str, look: Callable[[], Any]) -> Any:
        """Note a value, or the error in its place, and the warnings on the way."""
        value = None
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                value = look()
                self._describe(name, value)
            except Exception as error:
                self.seen[f"{name}.error"] = (_public_types(error), _first_words(error))
        for warning in told:
            key = f"{name}.warning {warning.category.__name__}"
            self.seen[key] = _first_words(warning.message)
        return value

    def _describe(self, name: str, value: Any) -> None:
        if sparse.issparse(value):
            self.seen[f"{name}.format"] = (type(value).__name__, value.format)
            value = value.toarray()
        if isinstance(value, np.ndarray):
            self.seen[f"{name}.type"] = (type(value).__name__, str(value.dtype))
            self.seen[f"{name}.shape"] = value.shape
        elif isinstance(value, dict):
            value = dict(sorted(value.items()))
        elif hasattr(value, "fit"):
            value = type(value).__name__
        self.seen[name] = value


def differences(theirs: Observation, ours: Observation) -> dict[str, str]:
    """Return what is not the same, with both values in words.

    Where ours has more, in names or where theirs has an error, it is told as well: a program may
    rely on an error.
    """
    return {
        name: f"{theirs.seen.get(name, '-')!r} there, {ours.seen.get(name, '-')!r} here"
        for name in sorted({*theirs.seen, *ours.seen})
        if not _same(theirs.seen.get(name, "-"), ours.seen.get(name, "-"))
    }


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.shape != b.shape:
            return False
        if a.dtype.kind == "f" or b.dtype.kind == "f":
            scale = TOLERANCE * max(1.0, float(np.abs(a).max(initial=0.0)))
            return bool(np.allclose(a, b, rtol=0, atol=scale))
        return bool((a == b).all())
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= TOLERANCE * max(1.0, abs(a)) or (a != a and b != b)
    return type(a) is type(b) and bool(a == b)


def _public_types(error: Exception) -> tuple[str, ...]:
    """Return the built-in and documented types by which an error can be caught."""
    return tuple(
        kind.__name__
        for kind in type(error).__mro__
        if kind.__module__ in ("builtins", "sklearn.exceptions")
        and kind not in (object, BaseException)
    )


def _first_words(error: BaseException | Warning | str) -> str:
    """Return enough of a message to be matched."""
    return " ".join(str(error).split()[:3])
