"""The path of a soft margin in C: dual variables are lines between break points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from numpy.typing import NDArray

from maxmargin.plots.display import PlainDisplay
from maxmargin.plots.style import GREY, INK, color_of, tint
from maxmargin.solvers.c_path import BOUND, FREE, CPath


@dataclass(frozen=True, eq=False)
class CPathDisplay(PlainDisplay):
    """alpha of every row over C, the break points, and how many rows are free or at their bound.

    Parameters
    ----------
    path : CPath
        Made by `maxmargin.selection.c_path`.
    title : str
        What is shown.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.selection import c_path
    >>> path = c_path(*make_moons(40, noise=0.3, random_state=0), gamma=1.0)
    >>> display = CPathDisplay(path)
    >>> frame = display.frame()
    >>> frame["alphas"].shape == (len(frame["C"]), 40)
    True
    >>> len(display.plot())
    2
    """

    #: Dual variables above, counts of rows below.
    _panels = (2, 1)
    _size = (6.0, 5.6)

    path: CPath
    title: str = "Solutions for every C"

    def frame(self) -> dict[str, NDArray[Any]]:
        """Return the path, as `CPath.frame`, from its first break point after 0.

        Returns
        -------
        dict
            `C`, `alphas`, `intercept`, `objective`, `n_free`, `n_bound`, and `label`, the class of
            each row, -1 or +1.
        """
        whole = self.path.frame()
        later = whole["C"] > 0
        if not later.any():  # nothing ever changes: a piece of the one line
            whole = {name: np.repeat(values, 2, axis=0) for name, values in whole.items()}
            whole["C"] = np.array([0.1, 1.0])
            whole["alphas"] = np.array([self.path.alphas(C) for C in whole["C"]])
            whole["objective"] = np.array([self.path.objective(C) for C in whole["C"]])
            later = np.ones(2, bool)
        return {name: values[later] for name, values in whole.items()} | {"label": self.path.y}

    def _draw(self, above: Axes, below: Axes) -> None:
        frame = self.frame()
        below.sharex(above)  # before the scale is set: axes that join later keep their own
        self._draw_alphas(above, frame)
        self._draw_counts(below, frame)
        above.tick_params(labelbottom=False)
        below.set(xscale="log", xlabel="C")
        above.set_title(self.title)

    def _draw_alphas(self, axes: Axes, frame: dict[str, NDArray[Any]]) -> None:
        C, alphas = frame["C"], frame["alphas"]
        for value in C:
            axes.axvline(value, color=tint(GREY, 0.25), lw=0.4, zorder=0)
        for code, label in enumerate((-1.0, 1.0)):
            rows = alphas[:, frame["label"] == label].T
            lines = [np.column_stack([C, row]) for row in rows if row.any()]
            name = f"rows of class {label:+.0f}"
            axes.add_collection(
                LineCollection(lines, colors=color_of(code), linewidths=0.8, alpha=0.7, label=name)
            )
        most = self.path.weight.max()
        axes.plot(C, C * most, color=INK, ls="--", lw=1.0, label="bound C")
        positive = alphas[alphas > 0]
        low = float(positive.min(initial=C[0] * most)) / 2
        axes.set(xscale="log", yscale="log", ylabel=r"$\alpha$")
        axes.set(xlim=(C[0], max(C[-1], 1.01 * C[0])))
        axes.set(ylim=(max(low, 1e-4 * C[0] * most), 2 * C[-1] * most))
        axes.legend(loc="upper left")

    def _draw_counts(self, axes: Axes, frame: dict[str, NDArray[Any]]) -> None:
        C, free, bound = frame["C"], frame["n_free"], frame["n_bound"]
        axes.step(C, bound, where="post", color=color_of(BOUND), label="at bound")
        axes.step(C, free, where="post", color=color_of(FREE + 2), label="free, on the margin")
        axes.set(ylabel="rows", ylim=(0, None))
        text = f"{len(self.path.break_points) - 1} break points"
        axes.set_title(text, loc="right", fontsize="medium")
        axes.legend(loc="best")
