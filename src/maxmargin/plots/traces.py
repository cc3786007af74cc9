"""Runs of optimizers: how fast each falls, and its path over the contours.

Runs come from `maxmargin.optimizers`: anything with a structured `trace` of t, time, value, best,
bound and w.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from maxmargin.optimizers import Run
from maxmargin.plots.display import Display, PlainDisplay
from maxmargin.plots.style import INK, color_of, style, tint

AXES = {"t": "step", "time": "time (s)"}


@dataclass(frozen=True, eq=False)
class TraceDisplay(Display):
    """How far from the optimum several optimizers are, step by step.

    Make it with `from_runs`.

    Parameters
    ----------
    traces : dict of str to structured ndarray
        Traces and what they are called.
    optimum : float
        What distances are measured from.
    exact : bool
        Whether that is the optimum, or only the best value seen.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from maxmargin.losses import Polyhedral
    >>> from maxmargin.optimizers import Constant, InverseSquareRoot, minimize
    >>> J = Polyhedral([[1.0], [-1.0]], [0.0, 0.0])
    >>> runs = {
    ...     "constant": minimize(J, [3.05], Constant(0.1), max_iter=100),
    ...     "falling": minimize(J, [3.05], InverseSquareRoot(0.5), max_iter=100),
    ... }
    >>> display = TraceDisplay.from_runs(runs, optimum=0.0)
    >>> display.frame()["constant"]["best"][-1].round(3)
    np.float64(0.05)
    >>> display.plot().get_xlabel()
    'step'
    """

    traces: dict[str, NDArray[np.void]]
    optimum: float
    exact: bool

    @classmethod
    def from_runs(
        cls, runs: Mapping[str, Run] | Run, *, optimum: float | None = None
    ) -> TraceDisplay:
        """Gather traces.

        Parameters
        ----------
        runs : dict of str to Run, or a Run
            Runs on the same objective, and what to call them.
        optimum : float, optional
            The objective's smallest value, where it is known; the best value seen otherwise.
        """
        named = runs if isinstance(runs, Mapping) else {"run": runs}
        if not named:
            raise ValueError("runs is empty; give at least one run of minimize.")
        traces = {name: run.trace for name, run in named.items()}
        best = min(float(trace["best"].min()) for trace in traces.values())
        if optimum is not None and optimum > best + 1e-9 * max(1.0, abs(best)):
            raise ValueError(f"optimum is {optimum}, but a run has reached {best}.")
        return cls(traces, best if optimum is None else optimum, optimum is not None)

    def frame(self) -> dict[str, dict[str, NDArray[np.float64]]]:
        """Return the curves.

        Returns
        -------
        dict
            For each run `t`, `time`, and above the optimum its `value` and the `best` so far.
        """
        return {
            name: {
                "t": trace["t"],
                "time": trace["time"],
                "value": trace["value"] - self.optimum,
                "best": trace["best"] - self.optimum,
            }
            for name, trace in self.traces.items()
        }

    def plot(self, ax: Axes | None = None, *, over: str = "t") -> Axes:
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where to; by default a new figure.
        over : {"t", "time"}
            Steps or seconds.

        Returns
        -------
        Axes
        """
        if over not in AXES:
            raise ValueError(f"over is {over!r}; it must be 't' or 'time'.")
        axes: Axes = self._axes(ax)[0]
        frame = self.frame()
        with style():
            for k, (name, curve) in enumerate(frame.items()):
                # A logarithmic axis has no zero: what reaches the optimum leaves the picture.
                value, best = (np.where(c > 0, c, np.nan) for c in (curve["value"], curve["best"]))
                axes.semilogy(curve[over], value, color=tint(color_of(k), 0.45), lw=0.7)
                axes.semilogy(curve[over], best, color=color_of(k), lw=1.8, label=name)
            what = "the optimum" if self.exact else "the best value seen"
            axes.set(xlabel=AXES[over], ylabel=f"objective above {what}")
            axes.set_title("pale: each iterate; full: the best so far")
            axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
        return axes


@dataclass(frozen=True, eq=False)
class PathDisplay(PlainDisplay):
    """The paths of optimizers over the contours of an objective of two parameters.

    Make it with `from_runs`.

    Parameters
    ----------
    paths : dict of str to ndarray of shape (n, 2)
        Iterates and what they are called.
    x, y : ndarray
        Grid.
    values : ndarray of shape (len(y), len(x))
        The objective on it.
    names : tuple of two str
        What the parameters are called.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from maxmargin.losses import Hinge
    >>> from maxmargin.optimizers import Constant, minimize
    >>> from maxmargin.problems import Objective
    >>> J = Objective([[-1.0], [2.0]], [-1.0, 1.0], Hinge(), parameter=1.0)
    >>> display = PathDisplay.from_runs(J, minimize(J, [2.0, 1.0], Constant(0.1), max_iter=20))
    >>> display.frame()["paths"]["run"].shape
    (21, 2)
    >>> display.plot().get_xlabel()
    '$w_1$'
    """

    _size = (6.4, 4.2)

    paths: dict[str, NDArray[np.float64]]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    values: NDArray[np.float64]
    names: tuple[str, str]

    @classmethod
    def from_runs(
        cls,
        objective: Any,
        runs: Mapping[str, Run] | Run,
        *,
        names: tuple[str, str] = ("$w_1$", "$w_2$"),
    ) -> PathDisplay:
        """Evaluate an objective around the paths of its runs.

        Parameters
        ----------
        objective : Objective
            Anything with `value(w)` of two parameters.
        runs : dict of str to Run, or a Run
            Runs on it, and what to call them.
        names : tuple of two str
            What the parameters are called.
        """
        named = runs if isinstance(runs, Mapping) else {"run": runs}
        paths = {name: np.asarray(run.trace["w"]) for name, run in named.items()}
        for name, path in paths.items():
            if path.ndim != 2 or path.shape[1] != 2:
                raise ValueError(
                    f"runs[{name!r}] has {path.shape[-1]} parameters; contours need two."
                )
        everywhere = np.concatenate(list(paths.values()))
        low, high = everywhere.min(axis=0), everywhere.max(axis=0)
        pad = 0.15 * np.maximum(high - low, 0.2 * max(float((high - low).max()), 1e-9))
        x, y = (np.linspace(low[k] - pad[k], high[k] + pad[k], 90) for k in range(2))
        values = np.array([[objective.value(np.array([u, v])) for u in x] for v in y])
        return cls(paths, x, y, values, names)

    def frame(self) -> dict[str, Any]:
        """Return the paths and the objective.

        Returns
        -------
        dict
            `paths` by name, the grid `x` and `y`, and the objective's `values` on it.
        """
        return {"paths": self.paths, "x": self.x, "y": self.y, "values": self.values}

    def _draw(self, axes: Axes) -> None:
        self._draw_contours(axes)
        for k, (name, path) in enumerate(self.paths.items()):
            look: dict[str, Any] = {"color": color_of(k), "marker": ".", "ms": 4, "lw": 1.2}
            axes.plot(path[:, 0], path[:, 1], label=name, zorder=2, **look)
            axes.plot(*path[-1], "o", color=color_of(k), ms=7, mec="white", zorder=3)
        start = next(iter(self.paths.values()))[0]
        axes.plot(*start, "s", color=INK, ms=6, mec="white", zorder=4, label="start")
        axes.set(xlabel=self.names[0], ylabel=self.names[1])
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))

    def _draw_contours(self, axes: Axes) -> None:
        """Lines closer together near the minimum, where the paths end."""
        low, high = float(self.values.min()), float(self.values.max())
        levels = low + (high - low) * np.linspace(0.02, 1.0, 14) ** 2
        axes.contour(self.x, self.y, self.values, levels, colors=[tint(INK, 0.3)], linewidths=0.8)
        axes.contourf(self.x, self.y, self.values, levels, cmap="Greys", alpha=0.25, zorder=0)
