"""Which training rows that a model rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.plots.display import PlainDisplay, head
from maxmargin.plots.style import color_of, tint


@dataclass(frozen=True, eq=False, repr=False)
class InfluenceDisplay(PlainDisplay):
    """The training rows without which decision values would change most.

    Parameters
    ----------
    influences : Influences
        Made by `maxmargin.explain.influences`.
    n_shown : int
        Rows at most.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin import SVC
    >>> from maxmargin.explain import influences
    >>> X, y = make_moons(60, noise=0.3, random_state=0)
    >>> display = InfluenceDisplay(influences(SVC().fit(X, y), X, y))
    >>> len(display.plot().patches)
    15
    """

    influences: Any
    n_shown: int = 15

    def frame(self) -> dict[str, Any]:
        """Return the rows, as `Influences.frame`."""
        found: dict[str, Any] = self.influences.frame()
        return found

    def _draw(self, *all_axes: Any) -> None:
        (axes,) = all_axes
        frame = self.frame()
        n = min(self.n_shown, len(frame["size"]))
        classes = list(np.unique(frame["label"]))
        codes = [classes.index(label) for label in frame["label"][:n]]
        places = np.arange(n)[::-1]
        bars = axes.barh(places, frame["size"][:n], height=0.7, color=[color_of(c) for c in codes])
        for bar, exact, code in zip(bars, frame["exact"], codes, strict=False):
            if not exact:
                bar.set(facecolor=tint(color_of(code), 0.35), edgecolor=color_of(code))
        names = [f"row {frame['index'][k]}, {frame['label'][k]}" for k in range(n)]
        axes.set_yticks(places, names)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(-0.6, n - 0.4)
        axes.set_xlabel("mean change of the decision values without the row")
        note = f"{n} of {len(frame['size'])} support vectors"
        note += "" if frame["exact"][:n].all() else "; pale: approximate"
        head(axes, "Which training rows matter", note)
