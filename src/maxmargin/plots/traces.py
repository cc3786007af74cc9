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

from maxmargin.optimizers import PerceptronRun, Run
from maxmargin.plots.display import Display, PlainDisplay, head
from maxmargin.plots.style import GREY, INK, color_of, dash_of, style, tint
from maxmargin.plots.table import listed
from maxmargin.prompt import brief

AXES = {"t": "step", "time": "time (s)"}


@dataclass(frozen=True, eq=False, repr=False)
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
        named = _named(runs)
        for name, run in named.items():
            if not hasattr(run, "trace"):
                raise TypeError(
                    f"runs[{name!r}] is {brief(run)}, which has no trace of an objective; give "
                    "runs of minimize or pegasos. PathDisplay draws the way of a perceptron."
                )
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
            wild = False
            for k, (name, curve) in enumerate(frame.items()):
                # A logarithmic axis has no zero: what reaches the optimum leaves the picture.
                value, best = (np.where(c > 0, c, np.nan) for c in (curve["value"], curve["best"]))
                # All iterates lie under all curves of the best: none may hide another run's.
                pale = {"color": tint(color_of(k), 0.35), "lw": 0.6, "zorder": 1.5}
                if not np.array_equal(curve["value"], curve["best"]):
                    axes.semilogy(curve[over], value, **pale)
                    wild = True
                look = {"color": color_of(k), "ls": dash_of(k), "lw": 1.8, "zorder": 2.5 + 0.01 * k}
                axes.semilogy(curve[over], best, label=name, **look)
            if wild:
                axes.plot(
                    [],
                    [],
                    color=tint(GREY, 0.5),
                    lw=0.6,
                    label="pale: each iterate,\nelse the best so far",
                )
            what = "the optimum" if self.exact else "the best value seen"
            axes.set(xlabel=AXES[over], ylabel=f"objective above {what}")
            axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), handlelength=3.2)
        return axes


@dataclass(frozen=True, eq=False, repr=False)
class PathDisplay(PlainDisplay):
    """The paths of optimizers over the contours of an objective, or of a perceptron's weights.

    Make it with `from_runs`. Both axes have the same scale where that makes no strip, so that a
    narrow valley is narrow.

    Parameters
    ----------
    paths : dict of str to ndarray of shape (n, 2)
        Iterates and what they are called.
    x, y : ndarray
        Grid.
    values : ndarray of shape (len(y), len(x)) or None
        The objective on it.
    names : tuple of two str
        What the parameters are called.
    note : str
        What a reader must know: the values of other parameters.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from maxmargin.optimizers import minimize, perceptron
    >>> from maxmargin.problems import Objective
    >>> X, y = [[-1.0], [2.0]], [-1.0, 1.0]
    >>> J = Objective(X, y, "hinge", C=1.0)
    >>> display = PathDisplay.from_runs(J, minimize(J, [2.0, 1.0], 0.1, max_iter=20))
    >>> display.frame()["paths"]["run"].shape
    (21, 2)
    >>> display.plot().get_xlabel()
    '$w_1$'

    A perceptron has no objective.

    >>> PathDisplay.from_runs(None, perceptron(X, y)).frame()["paths"]["run"]
    array([[ 0.,  0.],
           [ 1., -1.]])
    """

    _size = (6.4, 4.2)

    paths: dict[str, NDArray[np.float64]]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    values: NDArray[np.float64] | None
    names: tuple[str, str]
    note: str = ""

    @classmethod
    def from_runs(
        cls,
        objective: Any,
        runs: Mapping[str, Run | PerceptronRun] | Run | PerceptronRun,
        *,
        names: tuple[str, str] | None = None,
        unknowns: tuple[int, int] = (0, 1),
    ) -> PathDisplay:
        """Evaluate an objective around the paths of its runs.

        Parameters
        ----------
        objective : Objective or None
            Anything with `value(w)`; None for paths alone, such as those of a perceptron.
        runs : dict of str to Run or PerceptronRun, or one of them
            Runs on it, and what to call them.
        names : tuple of two str, optional
            What the two unknowns are called.
        unknowns : pair of int
            Which entries of w to show. The contours are those with the others fixed at their values
            in the first run's answer.
        """
        if hasattr(objective, "trace") or hasattr(objective, "path"):
            raise TypeError(
                "the first argument is a run; PathDisplay.from_runs takes the objective first, "
                "from_runs(J, run), or None where there is none"
            )
        named = _named(runs)
        whole = {name: _path(name, run) for name, run in named.items()}
        answer = _answer(next(iter(named.values())))
        d, chosen = len(answer), list(unknowns)
        if {path.shape[1] for path in whole.values()} != {d}:
            raise ValueError("runs have different numbers of unknowns; draw them apart.")
        if len(set(chosen)) != 2 or not all(0 <= k < d for k in chosen):
            raise ValueError(
                f"unknowns is {unknowns!r}; it must be two of 0 to {d - 1}, the entries of w."
            )
        paths = {name: path[:, chosen] for name, path in whole.items()}
        x, y = _grid(np.concatenate(list(paths.values())))
        letters = _letters(next(iter(named.values())), d)
        values, note = None, ""
        if objective is not None:
            points = np.tile(answer, (len(x) * len(y), 1))
            points[:, chosen] = np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)
            values = np.array([objective.value(w) for w in points]).reshape(len(y), len(x))
            fixed = [f"{letters[k]} = {answer[k]:.3g}" for k in range(d) if k not in chosen]
            note = f"contours with {listed(fixed)}, as in the answer" if fixed else ""
        return cls(paths, x, y, values, names or (letters[chosen[0]], letters[chosen[1]]), note)

    def frame(self) -> dict[str, Any]:
        """Return the paths and the objective.

        Returns
        -------
        dict
            `paths` by name, the grid `x` and `y`, and the objective's `values` on it.
        """
        return {"paths": self.paths, "x": self.x, "y": self.y, "values": self.values}

    @property
    def _is_equal(self) -> bool:
        """Whether the unknowns have one scale: not worth it where that makes a strip."""
        return bool(1 / 4 < np.ptp(self.x) / np.ptp(self.y) < 4)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches, with room for a legend beside the axes."""
        ratio = float(np.ptp(self.y) / np.ptp(self.x))
        return (6.4, float(np.clip(4.4 * ratio, 2.2, 5.0)) + 0.6) if self._is_equal else self._size

    def _draw(self, axes: Axes) -> None:
        self._draw_contours(axes)
        for k, (name, path) in enumerate(self.paths.items()):
            look: dict[str, Any] = {"color": color_of(k), "marker": ".", "ms": 4, "lw": 1.2}
            axes.plot(path[:, 0], path[:, 1], label=name, zorder=2, ls=dash_of(k), **look)
            axes.plot(*path[-1], "o", color=color_of(k), ms=7, mec="white", zorder=3)
        start = next(iter(self.paths.values()))[0]
        axes.plot(*start, "s", color=INK, ms=6, mec="white", zorder=4, label="start")
        axes.set(xlabel=self.names[0], ylabel=self.names[1])
        axes.set(xlim=(self.x[0], self.x[-1]), ylim=(self.y[0], self.y[-1]))
        head(axes, "", self.note)
        if self._is_equal:
            axes.set_aspect("equal", adjustable="box")
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), handlelength=3.2)

    def _draw_contours(self, axes: Axes) -> None:
        """Lines closer together near the minimum, where the paths end."""
        if self.values is None:
            axes.axhline(0, color=tint(GREY, 0.5), lw=0.8, zorder=0)
            axes.axvline(0, color=tint(GREY, 0.5), lw=0.8, zorder=0)
            return
        low, high = float(self.values.min()), float(self.values.max())
        levels = low + (high - low) * np.linspace(0.02, 1.0, 14) ** 2
        axes.contour(self.x, self.y, self.values, levels, colors=[tint(INK, 0.3)], linewidths=0.8)
        axes.contourf(self.x, self.y, self.values, levels, cmap="Greys", alpha=0.25, zorder=0)


def _named(runs: Any) -> dict[str, Any]:
    if not isinstance(runs, Mapping):
        runs = {"run": runs} if not isinstance(runs, list | tuple) else dict(enumerate(runs, 1))
    if not runs:
        raise ValueError("runs is empty; give at least one run of minimize.")
    return {str(name): run for name, run in runs.items()}


def _path(name: str, run: Any) -> NDArray[np.float64]:
    """Return the iterates of a run, one per row."""
    if hasattr(run, "path"):
        path = np.asarray(run.path)
    elif hasattr(run, "trace"):
        path = np.asarray(run.trace["w"])
    else:
        raise TypeError(
            f"runs[{name!r}] is {brief(run)}, which has no path; give runs of minimize, pegasos or "
            "perceptron."
        )
    if path.ndim != 2 or path.shape[1] < 2:
        raise ValueError(f"runs[{name!r}] has one unknown; a path in a plane needs two.")
    return path


def _answer(run: Any) -> NDArray[np.float64]:
    return np.asarray(run.path[-1] if hasattr(run, "path") else run.w)


def _letters(run: Any, d: int) -> list[str]:
    """Return what the entries of w are called; the last one b, if the run says so."""
    letters = [f"$w_{{{k}}}$" if d > 9 else f"$w_{k}$" for k in range(1, d + 1)]
    if hasattr(run, "path") or getattr(run, "intercept", False):
        letters[-1] = "$b$"
    return letters


def _grid(places: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the grid around places, with room for what is narrow in one direction."""
    low, high = places.min(axis=0), places.max(axis=0)
    pad = 0.15 * np.maximum(high - low, 0.2 * max(float((high - low).max()), 1e-9))
    return tuple(np.linspace(low[k] - pad[k], high[k] + pad[k], 90) for k in range(2))  # type: ignore[return-value]
