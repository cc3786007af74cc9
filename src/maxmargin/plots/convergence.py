"""The history of a fit: primal and dual objective close in on the optimum between them.

Every dual value is a lower bound of the optimum, every primal value an upper one; the best of each
so far leave a gap that proves how far at most the fit is from optimal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator
from numpy.typing import NDArray

from maxmargin.plots.display import PlainDisplay
from maxmargin.plots.estimator import described, last_step
from maxmargin.plots.style import GREY, INK, color_of, tint


@dataclass(frozen=True, eq=False, repr=False)
class ConvergenceDisplay(PlainDisplay):
    """Primal falling, dual rising, and the relative gap between them, over time.

    Make it with `from_estimator`.

    Parameters
    ----------
    history : structured ndarray
        Rows with time, primal, dual and gap of one binary problem.
    title : str
        What is shown.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin import SVC
    >>> X, y = make_moons(noise=0.2, random_state=0)
    >>> display = ConvergenceDisplay.from_estimator(SVC().fit(X, y))
    >>> frame = display.frame()
    >>> bool((np.diff(frame["primal"]) <= 0).all() and (np.diff(frame["dual"]) >= 0).all())
    True
    >>> len(display.plot())
    2
    """

    #: Objectives above, gap below.
    _panels = (2, 1)
    _size = (6.0, 5.2)

    history: NDArray[np.void]
    title: str = ""

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, part: int | None = None, title: str | None = None
    ) -> ConvergenceDisplay:
        """Read the history of a fit.

        Parameters
        ----------
        estimator : estimator
            Fitted, with `history_`; or a pipeline that ends with one.
        part : int, optional
            Which pair of classes; by default the one that took longest.
        title : str, optional
            By default the name of the model.
        """
        last = last_step(estimator)
        history = getattr(last, "history_", None)
        if history is None or len(history) == 0:
            raise ValueError(
                f"estimator is {type(last).__name__} without a history_; fit an estimator of "
                "maxmargin, such as SVC."
            )
        parts = np.unique(history["part"])
        if part is None:
            part = max(parts, key=lambda p: np.ptp(history["time"][history["part"] == p]))
        if part not in parts:
            raise ValueError(f"part is {part}; the fit has the parts 0 to {parts.max()}.")
        rows = history[history["part"] == part]
        return cls(rows, described(last) if title is None else title)

    def frame(self) -> dict[str, NDArray[np.float64]]:
        """Return the history of the fit.

        Returns
        -------
        dict
            `time` in seconds since the fit began, `primal` and `dual` the best so far, and the
            relative `gap` as it was recorded: the last one is that of the certificate.
        """
        return {
            "time": self.history["time"] - self.history["time"][0],
            "primal": np.minimum.accumulate(self.history["primal"]),
            "dual": np.maximum.accumulate(self.history["dual"]),
            "gap": self.history["gap"],
        }

    def _draw(self, above: Axes, below: Axes) -> None:
        frame = self.frame()
        factor, unit = (1e3, "ms") if frame["time"][-1] < 1 else (1.0, "s")
        time = factor * frame["time"]
        self._draw_objectives(above, time, frame)
        self._draw_gap(below, time, frame["gap"])
        below.sharex(above)
        above.tick_params(labelbottom=False)
        below.set_xlabel(f"time ({unit})")
        above.set_title(self.title)

    def _draw_objectives(
        self, axes: Axes, time: NDArray[np.float64], frame: dict[str, NDArray[np.float64]]
    ) -> None:
        primal, dual = frame["primal"], frame["dual"]
        look: dict[str, Any] = {"marker": "o", "ms": 3.5, "mec": "white", "mew": 0.5}
        axes.fill_between(time, dual, primal, color=tint(GREY, 0.2), lw=0, label="duality gap")
        axes.plot(time, primal, color=color_of(1), label="primal, an upper bound", **look)
        axes.plot(time, dual, color=color_of(0), label="dual, a lower bound", **look)
        # The first primal value, all slack, would leave nothing to see of the others.
        low, high = _interesting(primal, dual)
        axes.set(ylim=(low, high), ylabel="objective")
        axes.legend(loc="center right", reverse=True)

    def _draw_gap(self, axes: Axes, time: NDArray[np.float64], gap: NDArray[np.float64]) -> None:
        # Below rounding a gap is zero, or of either sign.
        shown = np.maximum(gap, np.finfo(float).eps)
        look: dict[str, Any] = {"marker": "o", "ms": 3.5, "mec": "white", "mew": 0.5}
        axes.semilogy(time, shown, color=INK, **look)
        axes.fill_between(time, shown, shown.min() / 3, color=tint(GREY, 0.2), lw=0)
        axes.set(ylim=(shown.min() / 3, 3 * max(1.0, shown.max())), ylabel="relative gap")
        axes.yaxis.set_major_locator(LogLocator(numticks=7))
        axes.yaxis.set_minor_locator(NullLocator())
        text = f"within {gap[-1]:.0e} of the optimum" if gap[-1] > 1e-15 else "optimal to rounding"
        # Above the axes: inside, the curve may be anywhere.
        axes.set_title(text, loc="right", fontsize="medium")


def _interesting(primal: NDArray[np.float64], dual: NDArray[np.float64]) -> tuple[float, float]:
    """Limits that show the dual from its start and the primal from its second value on."""
    low, high = float(dual.min()), float(primal[min(1, len(primal) - 1)])
    pad = 0.08 * (high - low) or 1.0
    return low - pad, high + pad
