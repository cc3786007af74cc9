"""Where rows lie between the wrong side and far on the right one, and what they lack.

margin   y f(x) of two classes, the lead of its class of more, f(x) of one class
slack    max(0, 1 - margin): what a row lacks of the margin 1
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from maxmargin.plots.display import PlainDisplay
from maxmargin.plots.style import GREY, INK, color_of

#: Nearer to 1 than this, which is the usual tolerance of a fit, a row is on the margin.
_ON_MARGIN = 1e-3
#: Bars of the histogram, and the share of rows at each end that are put into the last bar.
_BARS, _TAIL = 30, 0.002


@dataclass(frozen=True, eq=False, repr=False)
class MarginDisplay(PlainDisplay):
    """A histogram of margins: wrong side, inside the margin, beyond it; and the slack above.

    Parameters
    ----------
    margins : ndarray of shape (n,)
        One per row.
    slack : bool
        Whether a margin below 1 is a slack, as it is where the model was fitted by a hinge.
    sides : pair of str
        What a row on the left of 0 and on its right is called.
    label : str
        What the margins are.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> display = MarginDisplay(np.array([-0.5, 0.2, 0.7, 2.0, 3.0]))
    >>> frame = display.frame()
    >>> [int(frame[part]) for part in ("wrong", "inside", "beyond")], round(frame["slack"], 3)
    ([1, 2, 2], 2.6)
    >>> display.plot().get_xlabel()
    'margin y f(x)'
    """

    margins: ArrayLike
    slack: bool = True
    sides: tuple[str, str] = ("wrong side", "right side")
    label: str = "margin y f(x)"
    _size = (4.6, 3.2)

    @property
    def _values(self) -> NDArray[np.float64]:
        return np.asarray(self.margins, np.float64)

    def frame(self) -> dict[str, Any]:
        """Return the histogram and what it adds up to.

        Returns
        -------
        dict
            `edges` and `counts` of the bars, the numbers of rows on the `wrong` side, `inside` the
            margin and on it or `beyond` it, and the sum of the `slack`. Without slacks the margin
            is 0.
        """
        values = self._values
        border = 1.0 if self.slack else 0.0
        m = np.where(self.slack & (np.abs(values - 1.0) <= _ON_MARGIN), 1.0, values)
        low, high = np.quantile(m, [_TAIL, 1 - _TAIL])
        low, high = min(low, 0.0), max(high, 1.2 * border)
        # Bars end at 0, and at 1 where the width allows, so that each has one colour.
        width = max(float(high - low), 1e-12) / _BARS
        width = 1 / max(1, round(1 / width)) if self.slack and width < 1 else width
        first, last = np.floor(low / width), max(np.ceil(high / width), np.floor(low / width) + 1)
        edges = np.arange(first, last + 1) * width
        counts, _ = np.histogram(np.clip(m, edges[0], edges[-1]), edges)
        return {
            "edges": edges,
            "counts": counts,
            "wrong": int((m < 0).sum()),
            "inside": int(((m >= 0) & (m < border)).sum()),
            "beyond": int((m >= border).sum()),
            "slack": float(np.maximum(0.0, 1.0 - values).sum()) if self.slack else 0.0,
        }

    def _draw(self, axes: Axes) -> None:
        frame = self.frame()
        edges, counts = frame["edges"], frame["counts"]
        middles = (edges[1:] + edges[:-1]) / 2
        border = 1.0 if self.slack else 0.0
        parts = {
            f"{self.sides[0]}, {frame['wrong']:,}": (middles < 0, color_of(1)),
            f"inside the margin, {frame['inside']:,}": (
                (middles >= 0) & (middles < border),
                color_of(4),
            ),
            f"{'beyond the margin' if self.slack else self.sides[1]}, {frame['beyond']:,}": (
                middles >= border,
                color_of(0),
            ),
        }
        for name, (mine, color) in parts.items():
            if mine.any():
                width = np.diff(edges)[mine] * 0.94
                axes.bar(middles[mine], counts[mine], width, color=color, lw=0, label=name)
        axes.axvline(0.0, color=INK, lw=1.2)
        axes.set(xlabel=self.label, ylabel="rows")
        if self.slack:
            axes.axvline(1.0, color=INK, lw=0.9, ls="--")
            self._hinge(axes, edges)
        axes.set_ylim(0, 1.08 * max(1, int(counts.max(initial=1))))
        self._legend_below(np.array([axes]), axes.get_legend_handles_labels()[0], columns=2)

    def _hinge(self, axes: Axes, edges: NDArray[np.float64]) -> None:
        """Draw the slack of a row at each place, on an axis of its own."""
        other = axes.twinx()
        other.spines["right"].set_visible(True)
        ends = np.array([edges[0], min(1.0, edges[-1]), max(1.0, edges[-1])])
        other.plot(ends, np.maximum(0.0, 1.0 - ends), color=GREY, lw=1.4)
        other.set_ylim(0, 1.08 * max(1.0, 1.0 - float(edges[0])))
        other.set_ylabel("slack of a row (line)", color=GREY)
