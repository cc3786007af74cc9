"""The history of a fit: rows of numbers on the way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

#: One row of the history of a fit.
TRACE = np.dtype(
    [
        ("part", np.int64),
        ("time", np.float64),
        ("iterations", np.int64),
        ("primal", np.float64),
        ("dual", np.float64),
        ("gap", np.float64),
        ("violation", np.float64),
        ("n_support", np.int64),
    ]
)


def trace_row(values: Sequence[float]) -> np.void:
    """Return numbers as a row of `TRACE`.

    Parameters
    ----------
    values : sequence of float
        In the order of its columns.

    Examples
    --------
    >>> trace_row((0, 0.5, 7, 2.0, 1.0, 0.5, 0.1, 3))["iterations"]
    np.int64(7)
    """
    row: np.void = np.array([tuple(values)], TRACE)[0]
    return row


def trace_of(core: NDArray[np.uint8]) -> NDArray[np.void]:
    """Return a trace of the compiled core, which does not know of parts, as rows of `TRACE`.

    Parameters
    ----------
    core : ndarray of bytes
        Those of the rows.

    Examples
    --------
    >>> len(trace_of(np.zeros(128, np.uint8)))
    2
    """
    return core.view(TRACE)
