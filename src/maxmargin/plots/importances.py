"""Which features a model rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.plots.bars import draw_bars, short
from maxmargin.plots.display import PlainDisplay, head
from maxmargin.plots.style import GREY, INK


@dataclass(frozen=True, eq=False, repr=False)
class ImportanceDisplay(PlainDisplay):
    """What the score loses when each feature is shuffled, the most important first.

    Parameters
    ----------
    importances : Importances
        Made by `maxmargin.explain.importances`.
    n_shown : int
        Features at most.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.explain import importances
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = ImportanceDisplay(importances(SVC().fit(X, y), X, y, random_state=0))
    >>> display.plot().get_xlabel()
    'loss of accuracy when the feature is shuffled'
    """

    importances: Any
    n_shown: int = 20

    def frame(self) -> dict[str, Any]:
        """Return the features, as `Importances.frame`, and the `values` of all shuffles."""
        found = self.importances
        frame: dict[str, Any] = found.frame()
        return frame | {"values": found.values[found.order]}

    def _draw(self, *all_axes: Any) -> None:
        (axes,) = all_axes
        frame = self.frame()
        n = min(self.n_shown, len(frame["mean"]))
        draw_bars(axes, [short(str(name)) for name in frame["feature"][:n]], frame["mean"][:n])
        for place, values in zip(np.arange(n)[::-1], frame["values"][:n], strict=True):
            axes.plot(values, np.full(len(values), place), "|", color=INK, ms=7, mew=0.8)
        axes.axvline(0.0, color=GREY, lw=0.8)
        found = self.importances
        axes.set_xlabel(f"loss of {found.scoring} when the feature is shuffled")
        hidden = len(frame["mean"]) - n
        note = f"{found.scoring} {found.score:.4g} with all; a mark is one shuffle"
        head(axes, "What the model rests on", note + (f"; {hidden} not shown" if hidden else ""))
