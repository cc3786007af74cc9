"""Why a model says what it says: parts of features, and of support vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.models import Explanation
from maxmargin.plots.bars import draw_bars, short, with_rest
from maxmargin.plots.display import PlainDisplay, head
from maxmargin.plots.style import GREY, INK


@dataclass(frozen=True, eq=False, repr=False)
class ExplanationDisplay(PlainDisplay):
    """From the base to the decision value of one row, feature by feature, the largest first.

    Parameters
    ----------
    explanation : Explanation
        Made by `explain` of a machine.
    row, output : int
        Which row, and which output.
    n_shown : int
        Bars at most; what is left is the last of them.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = ExplanationDisplay(SVC().fit(X, y == 0).explain(X[:1]))
    >>> str(display.frame()["feature"][0])
    'petal length (cm)'
    >>> display.plot().get_xlabel()
    'decision value, positive for True'
    """

    explanation: Explanation
    row: int = 0
    output: int = 0
    n_shown: int = 12

    def frame(self) -> dict[str, Any]:
        """Return the features of the row.

        Returns
        -------
        dict
            As `Explanation.feature_frame`, and `base` and `decision`.
        """
        found = self.explanation
        return found.feature_frame(self.row, self.output) | {
            "base": float(found.base[self.row, self.output]),
            "decision": float(found.decision[self.row, self.output]),
        }

    def _draw(self, *all_axes: Any) -> None:
        (axes,) = all_axes
        frame = self.frame()
        parts, rest = with_rest(frame["part"], self.n_shown)
        n = len(parts) - len(rest)
        names = [
            f"{short(str(name))} = {value:.4g}"
            for name, value in zip(frame["feature"][:n], frame["value"][:n], strict=True)
        ]
        errors = np.append(frame["error"][:n], [0.0] * len(rest))
        starts = frame["base"] + np.cumsum(parts) - parts
        draw_bars(axes, [*names, *rest], parts, starts, errors)
        for place, end in zip(np.arange(len(parts))[:0:-1], (starts + parts)[:-1], strict=True):
            axes.plot([end, end], [place - 1.35, place + 0.35], color=GREY, lw=0.6)
        axes.use_sticky_edges = False  # the base is to be seen
        axes.margins(x=0.05)
        axes.axvline(frame["base"], color=GREY, lw=0.8, ls=":")
        axes.axvline(frame["decision"], color=INK, lw=1.0, ls="--")
        said = self.explanation.outputs[self.output]
        axes.set_xlabel(
            said if said == "prediction" else f"decision value, positive for {_first(said)}"
        )
        note = f"base {frame['base']:.4g} (dotted), decision value {frame['decision']:.4g} (dashed)"
        if self.explanation.method == "sampled":
            note += "; sampled, bars of one standard error"
        head(axes, "What each feature adds", note)


def _first(output: str) -> str:
    """Return the class that an output is positive for; of a pair its first."""
    return output.split(" or ")[0]


@dataclass(frozen=True, eq=False, repr=False)
class SupportDisplay(PlainDisplay):
    """The support vectors that pull hardest at one row: how much, which way, from how far.

    Parameters
    ----------
    explanation : Explanation
        Made by `explain` of a kernel machine.
    row, output : int
        Which row, and which output.
    n_shown : int
        Bars at most; what is left is the last of them.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> display = SupportDisplay(SVC().fit(X, y == 0).explain(X[:1]))
    >>> sorted(display.frame())
    ['distance', 'index', 'label', 'pull']
    >>> len(display.plot().patches)
    12
    """

    explanation: Explanation
    row: int = 0
    output: int = 0
    n_shown: int = 12

    def frame(self) -> dict[str, Any]:
        """Return the support vectors of the row, as `Explanation.support_frame`."""
        return self.explanation.support_frame(self.row, self.output)

    def _draw(self, *all_axes: Any) -> None:
        (axes,) = all_axes
        frame = self.frame()
        pulls, rest = with_rest(frame["pull"], self.n_shown)
        names = []
        for k in range(len(pulls) - len(rest)):
            label = f", {frame['label'][k]}" if "label" in frame else ""
            away = f", {frame['distance'][k]:.3g} away" if "distance" in frame else ""
            names.append(f"row {frame['index'][k]}{label}{away}")
        draw_bars(axes, [*names, *rest], pulls)
        axes.axvline(0.0, color=GREY, lw=0.8)
        said = self.explanation.outputs[self.output]
        axes.set_xlabel(
            f"part of the {said}"
            if said == "prediction"
            else f"part of the decision value, positive for {_first(said)}"
        )
        head(axes, "Which training rows pull", f"{len(frame['pull'])} support vectors in all")
