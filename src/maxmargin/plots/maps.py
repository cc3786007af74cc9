"""Data on a line, lifted into the plane, where a straight line separates what no threshold could.

With phi(x) = (x, x^2) a linear machine in the plane is a parabola's inequality on the line: the
points where w_1 x + w_2 x^2 + b changes sign cut it into intervals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from maxmargin.estimators import SVC
from maxmargin.kernels import PowerMap
from maxmargin.plots.decision import BoundaryDisplay
from maxmargin.plots.display import PlainDisplay
from maxmargin.plots.style import GREY, INK, color_of, marker_of, tint
from maxmargin.plots.table import names_of


@dataclass(frozen=True, eq=False, repr=False)
class LiftDisplay(PlainDisplay):
    """One feature on a line, and the same data lifted into the plane and separated there.

    Make it with `from_data`.

    Parameters
    ----------
    lifted : BoundaryDisplay
        The linear machine in the plane.
    x : ndarray of shape (n,)
        The feature.
    name : str
        What it is called.
    grid : ndarray of shape (m,)
        Places on the line.
    curve : ndarray of shape (m, 2)
        Where the map takes them.
    decision : ndarray of shape (m,)
        Decision values there.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> x = [[-3.0], [-2.0], [-0.5], [0.0], [0.5], [2.0], [3.0]]
    >>> y = ["out", "out", "in", "in", "in", "out", "out"]
    >>> display = LiftDisplay.from_data(x, y)
    >>> display.frame()["thresholds"].round(1)
    array([-1.5,  1.5])
    >>> len(display.plot())
    2
    """

    #: The line beside the plane.
    _panels = (1, 2)
    _size = (8.4, 3.4)

    lifted: BoundaryDisplay
    x: NDArray[np.float64]
    name: str
    grid: NDArray[np.float64]
    curve: NDArray[np.float64]
    decision: NDArray[np.float64]

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: ArrayLike,
        *,
        phi: Callable[[Any], NDArray[np.float64]] | None = None,
        names: tuple[str, str] | None = None,
        C: float = 100.0,
    ) -> LiftDisplay:
        """Lift data and separate them.

        Parameters
        ----------
        X : array-like of shape (n, 1)
            One feature.
        y : array-like of shape (n,)
            Labels of two classes.
        phi : callable, optional
            Map from (n, 1) to (n, 2); by default x -> (x, x^2).
        names : tuple of two str, optional
            What the two new features are called.
        C : float
            Penalty of a unit of slack.
        """
        rows = np.asarray(X, np.float64)
        if rows.ndim != 2 or rows.shape[1] != 1:
            raise ValueError(f"X has shape {rows.shape}; lifting starts from one feature, (n, 1).")
        name = names_of(X)[0] if hasattr(X, "columns") else "x"
        lift = PowerMap(2) if phi is None else phi
        plane = lift(rows)
        model = SVC(kernel="linear", C=C).fit(plane, y)
        pad = 0.08 * float(np.ptp(rows))
        grid = np.linspace(rows.min() - pad, rows.max() + pad, 2001)
        curve = lift(grid[:, None])
        if names is None:
            names = (name, f"{name}²") if phi is None else ("$\\phi_1$", "$\\phi_2$")
        lifted = BoundaryDisplay.from_estimator(
            model, plane, y, feature_names=names, title="lifted: a line separates"
        )
        return cls(lifted, rows[:, 0], name, grid, curve, model.decision_function(curve))

    def frame(self) -> dict[str, Any]:
        """Return what was computed.

        Returns
        -------
        dict
            The feature `x`, the `thresholds` at which the decision changes, and the frame of the
            plane, `lifted`.
        """
        change = np.flatnonzero(np.diff(np.sign(self.decision)))
        thresholds = (self.grid[change] + self.grid[change + 1]) / 2
        return {"x": self.x, "thresholds": thresholds, "lifted": self.lifted.frame()}

    def _draw(self, line: Axes, plane: Axes) -> None:
        self._draw_line(line)
        self.lifted.plot(plane, slack=False)
        plane.plot(*self.curve.T, color=tint(GREY, 0.6), lw=1, zorder=0.5)
        plane.set_aspect("auto")

    def _draw_line(self, axes: Axes) -> None:
        ends = np.concatenate([self.grid[:1], self.frame()["thresholds"], self.grid[-1:]])
        for left, right in pairwise(ends):
            middle = np.interp((left + right) / 2, self.grid, self.decision)
            axes.axvspan(left, right, color=tint(color_of(int(middle > 0)), 0.2), lw=0, zorder=0)
        for threshold in ends[1:-1]:
            axes.axvline(threshold, color=INK, lw=1.6, zorder=1)
        axes.axhline(0, color=GREY, lw=0.8, zorder=1)
        codes = self.lifted.points["code"]
        for code in range(2):
            mine = self.x[codes == code]
            look: dict[str, Any] = {"color": color_of(code), "marker": marker_of(code)}
            axes.scatter(mine, 0 * mine, s=28, edgecolors="white", linewidths=0.5, zorder=3, **look)
        axes.set(xlim=(self.grid[0], self.grid[-1]), ylim=(-1, 1), yticks=[], xlabel=self.name)
        axes.set_title("on the line: no single threshold does")
        axes.spines["left"].set_visible(False)
