"""The precision of what is exported."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

Precision: TypeAlias = Literal["float32", "float64"]


def precision_of(dtype: Any) -> np.dtype[Any]:
    """Return a precision as numpy has it, or say which there are.

    Parameters
    ----------
    dtype : {"float32", "float64"}
        What was given.

    Examples
    --------
    >>> precision_of("float32")
    dtype('float32')
    """
    found: np.dtype[Any]
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = np.dtype(object)
    if found not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f'dtype is {dtype!r}; it must be "float32" or "float64"')
    return found
