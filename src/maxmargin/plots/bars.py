"""Horizontal bars of named numbers, the first on top."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from maxmargin.plots.style import INK, color_of

#: Colours of what is negative, and of what is positive.
AGAINST, FOR = color_of(0), color_of(1)
#: Longest names that stand beside a bar.
_LETTERS = 28


def draw_bars(
    axes: Axes,
    names: Sequence[str],
    values: NDArray[np.float64],
    left: Any = 0.0,
    errors: Any = None,
) -> None:
    """Draw bars, hatched where they are negative: not by colour alone.

    Parameters
    ----------
    axes : Axes
        Where to.
    names : sequence of str
        One for each bar.
    values : ndarray of shape (n,)
        Their lengths.
    left : float or ndarray of shape (n,)
        Where they begin.
    errors : ndarray of shape (n,), optional
        Half the lengths of error bars.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes = Figure().add_subplot()
    >>> draw_bars(axes, ["a", "b"], np.array([1.0, -2.0]))
    >>> len(axes.patches)
    2
    """
    places = np.arange(len(values))[::-1]
    negative = values < 0
    shown = None if errors is None or not np.any(errors) else errors
    bars = axes.barh(
        places,
        values,
        left=left,
        height=0.7,
        color=[AGAINST if one else FOR for one in negative],
        xerr=shown,
        error_kw={"ecolor": INK, "elinewidth": 0.8, "capsize": 2},
    )
    for bar, one in zip(bars, negative, strict=True):
        if one:
            bar.set(hatch="////", edgecolor="white", linewidth=0)
    axes.set_yticks(places, list(names))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.6, len(values) - 0.4)


def short(name: str) -> str:
    """Return a name of at most so many letters as there is room for.

    Examples
    --------
    >>> short("petal length (cm)")
    'petal length (cm)'
    """
    return name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…"


def with_rest(values: NDArray[np.float64], shown: int) -> tuple[NDArray[np.float64], list[str]]:
    """Return the first values and the sum of the others, with its name.

    Examples
    --------
    >>> with_rest(np.array([3.0, 2.0, 1.0]), 2)
    (array([3., 3.]), ['2 others'])
    """
    if len(values) <= shown:
        return values, []
    left = len(values) - shown + 1
    return np.append(values[: shown - 1], values[shown - 1 :].sum()), [f"{left} others"]
