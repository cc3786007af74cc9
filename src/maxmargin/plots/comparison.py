"""Several classifiers on the same data, side by side: other models, other C, other kernels or maps.

All panels show the same plane and the same points, so that what differs is the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from maxmargin.estimators import SVC
from maxmargin.kernels import MonomialMap
from maxmargin.plots.decision import BoundaryDisplay
from maxmargin.plots.display import Display
from maxmargin.plots.estimator import fitted
from maxmargin.plots.style import GREY

WIDEST = 4  # panels in a row
LEGEND = ("margins", "support", "slack", "projections", "noise")  # options it explains


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonDisplay(Display):
    """Decision boundaries of several classifiers on the same data.

    Make it with `from_estimators`, `from_parameters` or `from_maps`.

    Parameters
    ----------
    displays : tuple of BoundaryDisplay
        One per panel, row by row.
    accuracies : ndarray
        Shares of the points that each gets right.
    columns : int
        Panels in a row.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin import SVC
    >>> X, y = make_moons(60, noise=0.2, random_state=0)
    >>> display = ComparisonDisplay.from_parameters(SVC(), X, y, C=[0.1, 10.0])
    >>> [str(title) for title in display.frame()["title"]]
    ['C = 0.1', 'C = 10']
    >>> bool(np.diff(display.frame()["n_support"])[0] < 0)
    True
    >>> len(display.plot())
    2
    """

    displays: tuple[BoundaryDisplay, ...]
    accuracies: NDArray[np.float64]
    columns: int

    @classmethod
    def from_estimators(
        cls,
        X: Any,
        y: ArrayLike,
        estimators: Mapping[str, Any] | Sequence[Any] | None = None,
        *,
        features: Sequence[int | str] | str | None = None,
        fill: str | ArrayLike = "median",
        columns: int | None = None,
    ) -> ComparisonDisplay:
        """Compare models.

        Parameters
        ----------
        X, y : array-likes
            The data.
        estimators : dict of str to estimator, or sequence of estimators, optional
            Classifiers and what to call them; those that are not fitted yet are fitted, as clones.
            A Hyperplane is taken as a classifier of the labels -1 and +1.
            By default a support vector machine, logistic regression, a perceptron and ridge
            regression.
        features, fill
            Which plane to show, as in `BoundaryDisplay.from_estimator`.
        columns : int, optional
            Panels in a row.
        """
        if estimators is None:
            estimators = {
                "support vector machine": SVC(kernel="linear"),
                "logistic regression": LogisticRegression(),
                "perceptron": Perceptron(random_state=0),
                "ridge regression": RidgeClassifier(),
            }
        if not isinstance(estimators, Mapping):
            estimators = {_title(estimator): estimator for estimator in estimators}
        if not estimators:
            raise ValueError("estimators is empty; give at least one classifier.")
        models = {name: fitted(estimator, X, y) for name, estimator in estimators.items()}
        displays = tuple(
            BoundaryDisplay.from_estimator(
                estimator, X, y, features=features, fill=fill, title=name
            )
            for name, estimator in models.items()
        )
        accuracies = np.array([estimator.score(X, y) for estimator in models.values()])
        return cls(displays, accuracies, columns or min(len(displays), WIDEST))

    @classmethod
    def from_parameters(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        features: Sequence[int | str] | str | None = None,
        fill: str | ArrayLike = "median",
        **values: Sequence[Any],
    ) -> ComparisonDisplay:
        """Show the effect of parameters, such as C, kernel or gamma.

        Parameters
        ----------
        estimator : estimator
            A classifier; clones of it are fitted.
        X, y : array-likes
            The data.
        features, fill
            Which plane to show, as in `BoundaryDisplay.from_estimator`.
        **values : sequences
            Values of one parameter for a row of panels, of two for a table of them. Without any,
            C = 0.01, 1 and 100.
        """
        values = dict(values) or {"C": (0.01, 1.0, 100.0)}
        estimators = {}
        for choice in product(*values.values()):
            chosen = dict(zip(values, choice, strict=True))
            # Of a pipeline's svc__C only the C is worth the room.
            named = {key.split("__")[-1]: value for key, value in chosen.items()}
            name = ", ".join(f"{key} = {_short(value)}" for key, value in named.items())
            estimators[name] = clone(estimator).set_params(**chosen)
        columns = len(list(values.values())[-1]) if len(values) > 1 else None
        return cls.from_estimators(X, y, estimators, features=features, fill=fill, columns=columns)

    @classmethod
    def from_maps(
        cls,
        X: Any,
        y: ArrayLike,
        maps: Mapping[str, Callable[[Any], Any]] | None = None,
        *,
        C: float = 1.0,
    ) -> ComparisonDisplay:
        """Draw the curved boundaries that linear machines on mapped features have.

        Parameters
        ----------
        X, y : array-likes
            The data, of two features.
        maps : dict of str to callable, optional
            Feature maps and what to call them. By default all monomials up to the order 2 and 3.
        C : float
            Penalty of a unit of slack.
        """
        if maps is None:
            maps = {"order 2": MonomialMap(2), "order 3": MonomialMap(3)}
        estimators = {
            name: make_pipeline(FunctionTransformer(phi), SVC(kernel="linear", C=C))
            for name, phi in maps.items()
        }
        return cls.from_estimators(X, y, estimators)

    @property
    def panels(self) -> tuple[int, int]:
        """Rows and columns of panels."""
        return -(-len(self.displays) // self.columns), self.columns

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        (left, right), (bottom, top) = self.displays[0].limits
        ratio = float(np.clip((top - bottom) / (right - left), 0.5, 1.2))
        rows, columns = self.panels
        width = min(3.0, 11.0 / columns)
        return max(width * columns, 4.5), (width * ratio + 0.5) * rows + 0.6

    def frame(self) -> dict[str, Any]:
        """Return what was computed.

        Returns
        -------
        dict
            `title`, `accuracy` and `n_support` (0 where there are none) of each panel as arrays,
            and `panels`, the frames of its boundary.
        """
        return {
            "title": np.array([display.title for display in self.displays]),
            "accuracy": self.accuracies,
            "n_support": np.array(
                [int((display.points["alpha"] > 0).sum()) for display in self.displays]
            ),
            "panels": [display.frame() for display in self.displays],
        }

    def plot(self, ax: Any = None, **options: Any) -> NDArray[Any]:
        """Draw.

        Parameters
        ----------
        ax : sequence of Axes, optional
            One per panel; by default of a new figure.
        **options
            As for `BoundaryDisplay.plot`.

        Returns
        -------
        ndarray of Axes
        """
        axes = self._axes(ax)
        legend, note = options.pop("legend", True), options.pop("note", True)
        for place, (display, accuracy) in enumerate(
            zip(self.displays, self.accuracies, strict=True)
        ):
            # Above the panel, where no line can run through it.
            told = replace(display, note=_stamp(display, accuracy))
            panel = told.plot(axes[place], scale=0.5, legend=False, **options)
            if place % self.columns:
                panel.set_ylabel("")
            if place + self.columns < len(self.displays):
                panel.set_xlabel("")
        for spare in axes[len(self.displays) :]:
            spare.set_axis_off()
        if note and self.displays[0].note and not axes[0].figure.get_suptitle():
            # Once for all panels, of which none has room for it.
            look: dict[str, Any] = {"x": 0.01, "ha": "left", "size": 7.5, "color": GREY}
            axes[0].figure.suptitle(self.displays[0].note, **look)
        if legend:
            self._legend(axes, options)
        return axes

    def _legend(self, axes: NDArray[Any], options: dict[str, Any]) -> None:
        """One legend for all, of what any of the panels shows."""
        entries: dict[str, Line2D] = {}
        for display in self.displays:
            for entry in display.legend(**{k: v for k, v in options.items() if k in LEGEND}):
                label = str(entry.get_label()).replace("\n", " ")
                entry.set_label(label)
                entries.setdefault(label, entry)
        columns = min(len(entries), 2 + 2 * self.columns)
        self._legend_below(axes, list(entries.values()), columns)


def _stamp(display: BoundaryDisplay, accuracy: float) -> str:
    n_support = int((display.points["alpha"] > 0).sum())
    return f"{100 * accuracy:.0f}% right" + (f", {n_support} support vectors" if n_support else "")


def _title(estimator: Any) -> str:
    """Name of the class and the parameters that were set, as its own text has them."""
    return " ".join(repr(estimator).split())


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float | int) else str(value)
