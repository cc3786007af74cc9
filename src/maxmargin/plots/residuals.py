"""What a regression gets wrong: residuals against predictions, and how they are spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from maxmargin.plots.display import PlainDisplay
from maxmargin.plots.style import GREY, INK, color_of

_BARS = 30


@dataclass(frozen=True, eq=False, repr=False)
class ResidualDisplay(PlainDisplay):
    """Residuals y - f(x) over predictions, and their histogram; the tube is the band between.

    Parameters
    ----------
    y, predicted : array-likes of shape (n,)
        Targets and predictions.
    epsilon : float or None
        Half the width of the tube, if there is one.
    name : str
        What the target is called.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> display = ResidualDisplay([1.0, 2.0, 5.0], [1.0, 2.5, 3.0], epsilon=0.5)
    >>> display.frame()["residuals"], display.frame()["outside"]
    (array([ 0. , -0.5,  2. ]), array([False, False,  True]))
    >>> len(display.plot())
    2
    """

    y: ArrayLike
    predicted: ArrayLike
    epsilon: float | None = None
    name: str = "y"
    _panels = (2, 1)
    _size = (4.4, 5.0)

    def frame(self) -> dict[str, Any]:
        """Return what was computed.

        Returns
        -------
        dict
            `predicted`, `residuals`, and `outside`, which rows the tube does not hold.
        """
        predicted = np.asarray(self.predicted, np.float64)
        residuals = np.asarray(self.y, np.float64) - predicted
        tube = np.inf if self.epsilon is None else self.epsilon * (1 + 1e-6) + 1e-12
        outside = np.abs(residuals) > tube
        return {"predicted": predicted, "residuals": residuals, "outside": outside}

    def _draw(self, above: Axes, below: Axes) -> None:
        frame = self.frame()
        x, r, out = frame["predicted"], frame["residuals"], frame["outside"]
        for axes, line, span in (
            (above, above.axhline, above.axhspan),
            (below, below.axvline, below.axvspan),
        ):
            line(0.0, color=INK, lw=1.0)
            if self.epsilon is not None:
                span(-self.epsilon, self.epsilon, color=color_of(0), alpha=0.2, lw=0, zorder=0)
            axes.margins(0.04)
        look: dict[str, Any] = {"s": 14, "edgecolors": "white", "linewidths": 0.3, "zorder": 3}
        above.scatter(x[~out], r[~out], color=GREY, **look)
        above.scatter(x[out], r[out], color=color_of(1), **look)
        above.set(xlabel=f"predicted {self.name}", ylabel="residual")
        below.hist(r, bins=_BARS, color=color_of(0), lw=0)
        below.set(xlabel=f"residual: {self.name} minus prediction", ylabel="rows")
