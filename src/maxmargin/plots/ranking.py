"""How well scores put rows in order: ROC and precision-recall curves.

    ROC                true positives / positives against false positives / negatives
    precision-recall   true positives / rows above the threshold against true positives / positives

One curve for two classes; of more one for each class against the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_curve

from maxmargin.plots.display import PlainDisplay
from maxmargin.plots.style import GREY, color_of, dash_of

Array = NDArray[np.float64]
#: Corners of a curve that are drawn: more cannot be seen.
_CORNERS = 400


@dataclass(frozen=True, eq=False, repr=False)
class _RankingDisplay(PlainDisplay):
    """Curves of one kind with the areas below them.

    Make it with `from_scores`.

    Parameters
    ----------
    curves : dict of str to pair of ndarrays
        Corners of each curve, by the name of its class.
    areas : dict of str to float
        Area below each curve.
    shares : dict of str to float
        Share of the rows that are of the class.
    """

    _size: ClassVar[tuple[float, float]] = (4.2, 3.8)
    _words: ClassVar[tuple[str, str, str]]

    curves: dict[str, tuple[Array, Array]]
    areas: dict[str, float]
    shares: dict[str, float]

    @classmethod
    def from_scores(cls, positive: Mapping[str, ArrayLike], scores: Mapping[str, ArrayLike]) -> Any:
        """Compute the curves.

        Parameters
        ----------
        positive : dict of str to array-like of bool
            For each curve, by its name: which rows are of the class.
        scores : dict of str to array-like
            Scores of the rows, high where they speak for the class.
        """
        curves, areas, shares = {}, {}, {}
        for name, rows in positive.items():
            y, s = np.asarray(rows, bool), np.asarray(scores[name], np.float64)
            if y.all() or not y.any():
                raise ValueError(f"positive[{name!r}] is all {bool(y.all())}: there is no curve.")
            curves[name], areas[name] = cls._curve(y, s)
            shares[name] = float(y.mean())
        return cls(curves, areas, shares)

    @staticmethod
    def _curve(y: NDArray[np.bool_], s: Array) -> tuple[tuple[Array, Array], float]:
        raise NotImplementedError

    def frame(self) -> dict[str, Any]:
        """Return the curves.

        Returns
        -------
        dict
            `curves`, `areas` and `shares` by name.
        """
        return {"curves": self.curves, "areas": self.areas, "shares": self.shares}

    def _draw(self, axes: Axes) -> None:
        across, upwards, area = self._words
        several = len(self.curves) > 1
        for place, (name, (x, y)) in enumerate(self.curves.items()):
            label = f"{name}, {area} {self.areas[name]:.3f}" if several else None
            some = np.unique(np.linspace(0, len(x) - 1, min(len(x), _CORNERS)).astype(np.int64))
            look: dict[str, Any] = {"color": color_of(place), "ls": dash_of(place)}
            self._line(axes, x[some], y[some], label, look)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel=across, ylabel=upwards)
        if several:
            axes.legend(loc="best")

    def _line(self, axes: Axes, x: Array, y: Array, label: str | None, look: Any) -> None:
        axes.plot(x, y, label=label, **look)


@dataclass(frozen=True, eq=False, repr=False)
class RocDisplay(_RankingDisplay):
    """ROC curves: what share of the class is found at what share of false alarms.

    Make it with `from_scores`.

    Parameters
    ----------
    curves : dict of str to pair of ndarrays
        Corners of each curve, by the name of its class.
    areas : dict of str to float
        Area below each curve.
    shares : dict of str to float
        Share of the rows that are of the class.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> display = RocDisplay.from_scores({"yes": [1, 1, 0, 0]}, {"yes": [3.0, 1.0, 2.0, 0.0]})
    >>> display.areas, display.plot().get_xlabel()
    ({'yes': 0.75}, 'false alarms, share of the others')
    """

    _words = ("false alarms, share of the others", "found, share of the class", "area")

    @staticmethod
    def _curve(y: NDArray[np.bool_], s: Array) -> tuple[tuple[Array, Array], float]:
        x, found, _ = roc_curve(y, s)
        return (x, found), float(auc(x, found))

    def _draw(self, axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=GREY, lw=0.8)
        super()._draw(axes)


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallDisplay(_RankingDisplay):
    """Precision-recall curves: how many of those taken for the class are, at what share found.

    Make it with `from_scores`.

    Parameters
    ----------
    curves : dict of str to pair of ndarrays
        Corners of each curve, by the name of its class.
    areas : dict of str to float
        Average precision: the area below each curve, by steps.
    shares : dict of str to float
        Share of the rows that are of the class, which is the precision of a guess.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> rows, scores = {"yes": [1, 1, 0, 0]}, {"yes": [3.0, 1.0, 2.0, 0.0]}
    >>> display = PrecisionRecallDisplay.from_scores(rows, scores)
    >>> round(display.areas["yes"], 3), display.plot().get_ylabel()
    (0.833, 'precision')
    """

    _words = ("recall: found, share of the class", "precision", "mean")

    @staticmethod
    def _curve(y: NDArray[np.bool_], s: Array) -> tuple[tuple[Array, Array], float]:
        precision, recall, _ = precision_recall_curve(y, s)
        return (recall[::-1], precision[::-1]), float(average_precision_score(y, s))

    def _draw(self, axes: Axes) -> None:
        if len(self.curves) == 1:
            axes.axhline(next(iter(self.shares.values())), color=GREY, lw=0.8)
        super()._draw(axes)

    def _line(self, axes: Axes, x: Array, y: Array, label: str | None, look: Any) -> None:
        axes.step(x, y, where="pre", label=label, **look)
