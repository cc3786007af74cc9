"""Several classes, any number of features: how far ahead of all others the own class of a row is.

    pairs of classes    the least decision value of the pairs of its class: where it is positive,
                        all of them vote for the class; below 1 the row is inside a margin
    scores of classes   the score of its class minus the highest other

So a row is where the model has it. Rows to the right of 0 are classified as they should be; the
colour of the others says what they were taken for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from maxmargin.plots.classifier import Classifier
from maxmargin.plots.discriminant import beside
from maxmargin.plots.display import Display, settle
from maxmargin.plots.style import INK, color_of, marker_of, style, tint
from maxmargin.plots.table import dense

#: One row of data.
LEAD = np.dtype(
    [
        ("lead", np.float64),
        ("height", np.float64),
        ("code", np.int64),
        ("predicted", np.int64),
        ("alpha", np.float64),
    ]
)


@dataclass(frozen=True, eq=False, repr=False)
class LeadDisplay(Display):
    """A lane for each class, and on it the class's rows at their leads.

    Make it with `from_estimator`.

    Parameters
    ----------
    title : str
        What is shown.
    classes : ndarray
        Labels, in the order of their codes.
    points : structured ndarray
        One `LEAD` per row of data: its height within the lane is how it differs else.
    paired : bool
        Whether leads are decision values of pairs of classes, with a margin at 1.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from maxmargin import SVC
    >>> X, y = [[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [0.0, 3.0]], ["a", "b", "c", "b"]
    >>> display = LeadDisplay.from_estimator(SVC(kernel="linear").fit(X, y), X, y)
    >>> display.frame()["points"]["lead"].round(2)
    array([1. , 1. , 1. , 1.5])
    >>> display.plot().get_title(loc="left")
    'support vector machine, linear kernel, C = 1'
    """

    title: str
    classes: NDArray[Any]
    points: NDArray[np.void]
    paired: bool

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, title: str | None = None
    ) -> LeadDisplay:
        """Compute the picture of a fitted classifier.

        Parameters
        ----------
        estimator : estimator
            Fitted classifier of more than two classes with a `decision_function`, or pipeline that
            ends with one.
        X : array-like of shape (n_samples, n_features)
            The data it was fitted to, or data like it.
        y : array-like of shape (n_samples,)
            Labels.
        title : str, optional
            By default the name of the model.
        """
        check_consistent_length(X, y)
        classifier = Classifier(estimator, X)
        if len(classifier.classes) < 3 or not hasattr(estimator, "decision_function"):
            raise ValueError(
                "estimator must have more than two classes and a decision_function; "
                "BoundaryDisplay draws others."
            )
        points = np.zeros(len(classifier.table.values), LEAD)
        points["code"], points["predicted"] = classifier.codes(y), classifier.codes(None)
        points["lead"] = classifier.leads(points["code"])
        points["height"] = _spread(classifier, points)
        alphas = classifier.alphas()
        points["alpha"] = np.nan if alphas is None else alphas
        name = classifier.name if title is None else title
        return cls(name, classifier.classes, points, classifier.has_pairs)

    def frame(self) -> dict[str, Any]:
        """Return what was computed.

        Returns
        -------
        dict
            `points` (structured: lead, height, code, predicted, alpha) and `classes`.
        """
        return {"points": self.points, "classes": self.classes}

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches: as much for each lane."""
        return 6.2, 1.2 + 0.55 * max(4, len(self.classes))

    def plot(self, ax: Axes | None = None, *, support: bool = True, legend: bool = True) -> Axes:
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where to; by default a new figure.
        support : bool
            Ring the support vectors.
        legend : bool
            Say what is what, beside the axes.

        Returns
        -------
        Axes
        """
        axes: Axes = self._axes(ax)[0]
        with style():
            self._draw_lanes(axes)
            crowding = min(1.0, float((500 / max(len(self.points), 1)) ** 0.5))
            for code in range(len(self.classes)):
                mine = self.points[self.points["predicted"] == code]
                look: dict[str, Any] = {"color": color_of(code), "marker": marker_of(code)}
                look |= {"edgecolors": "white", "linewidths": 0.4, "zorder": 3}
                axes.scatter(mine["lead"], _heights(mine), s=20 * crowding, **look)
            rings = self.points[self.points["alpha"] > 0]
            if support:
                ring: dict[str, Any] = {"facecolors": "none", "edgecolors": INK, "zorder": 2.5}
                axes.scatter(
                    rings["lead"], _heights(rings), s=60 * crowding, linewidths=0.6, **ring
                )
            self._finish(axes)
            if legend:
                entries = self._entries(support and len(rings) > 0)
                axes.legend(handles=entries, loc="upper left", bbox_to_anchor=(1.01, 1.0))
        if ax is None:
            settle(axes.figure)
        return axes

    def _draw_lanes(self, axes: Axes) -> None:
        for code in range(len(self.classes)):
            axes.axhspan(code - 0.42, code + 0.42, color=tint(color_of(code), 0.12), lw=0, zorder=0)
        axes.axvline(0.0, color=INK, lw=1.6, zorder=1)
        if self.paired:
            axes.axvline(1.0, color=INK, lw=1.0, ls="--", zorder=1)

    def _finish(self, axes: Axes) -> None:
        what = "least decision value of its pairs" if self.paired else "score minus highest other"
        axes.set(xlabel=f"lead of a row's own class: {what}", ylabel="own class")
        axes.set_yticks(range(len(self.classes)), [str(name) for name in self.classes])
        axes.set_ylim(len(self.classes) - 0.5, -0.5)
        axes.set_title(self.title, loc="left")

    def _entries(self, support: bool) -> list[Line2D]:
        blank: list[float] = []
        entries = [
            Line2D(
                blank,
                blank,
                ls="",
                marker=marker_of(code),
                color=color_of(code),
                mec="white",
                ms=6,
                label=f"taken for {name}",
            )
            for code, name in enumerate(self.classes.tolist())
        ]
        entries.append(Line2D(blank, blank, color=INK, label="boundary"))
        if self.paired:
            entries.append(Line2D(blank, blank, color=INK, ls="--", lw=1, label="margin"))
        if support:
            ring: dict[str, Any] = {"ls": "", "marker": "o", "mfc": "none", "mec": INK, "ms": 8}
            entries.append(Line2D(blank, blank, label="support vector", **ring))
        return entries


def _spread(classifier: Classifier, points: NDArray[np.void]) -> NDArray[np.float64]:
    """How rows differ from their class beside their leads, within -1 and 1."""
    component, _ = beside(dense(classifier.features).astype(np.float64), points["lead"])
    for code in np.unique(points["code"]):
        component[points["code"] == code] -= component[points["code"] == code].mean()
    return component / max(float(np.abs(component).max()), 1e-300)


def _heights(points: NDArray[np.void]) -> NDArray[np.float64]:
    return np.asarray(points["code"] - 0.36 * points["height"])
