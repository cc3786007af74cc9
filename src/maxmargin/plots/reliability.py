"""Whether probabilities are what they say: how often a class comes true where it is given p."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from maxmargin.plots.display import PlainDisplay
from maxmargin.plots.estimator import described, last_step
from maxmargin.plots.style import GREY, INK, color_of

#: Standard deviations of a 95 % interval.
_WIDTH = 1.96


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityDisplay(PlainDisplay):
    """Observed shares against predicted probabilities, in bins of equally many rows.

    Make it with `from_estimator` or `from_probabilities`, and with rows that the model was not
    fitted to.

    Parameters
    ----------
    probability : ndarray of shape (n,)
        Predicted probabilities: of the second of two classes, or of the predicted one of more.
    happened : ndarray of bool, shape (n,)
        Whether that class is the true one.
    n_bins : int
        Most bins.
    title : str
        What is shown.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin import SVC
    >>> X, y = make_moons(600, noise=0.3, random_state=0)
    >>> model = SVC(calibration="sigmoid").fit(X[:300], y[:300])
    >>> display = ReliabilityDisplay.from_estimator(model, X[300:], y[300:])
    >>> frame = display.frame()
    >>> int(frame["rows"].sum()), bool(frame["error"] < 0.1)
    (300, True)
    >>> len(display.plot())
    2
    """

    #: Shares above, rows below.
    _panels = (2, 1)
    _size = (5.2, 5.6)

    probability: NDArray[np.float64]
    happened: NDArray[np.bool_]
    n_bins: int = 15
    title: str = ""

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, n_bins: int = 15, title: str | None = None
    ) -> ReliabilityDisplay:
        """Compare the probabilities of a model with what is true.

        Parameters
        ----------
        estimator : estimator
            Fitted, with `predict_proba`; or a pipeline that ends with one.
        X, y : array-likes
            Rows that the model has not seen, and their classes.
        n_bins : int
            Most bins.
        title : str, optional
            By default the name of the model.
        """
        if not hasattr(estimator, "predict_proba"):
            raise ValueError(
                f"estimator is {type(last_step(estimator)).__name__} without predict_proba; fit it "
                'with calibration="sigmoid".'
            )
        P = np.asarray(estimator.predict_proba(X))
        name = described(last_step(estimator)) if title is None else title
        return cls.from_probabilities(P, y, estimator.classes_, n_bins=n_bins, title=name)

    @classmethod
    def from_probabilities(
        cls, P: ArrayLike, y: ArrayLike, classes: ArrayLike, *, n_bins: int = 15, title: str = ""
    ) -> ReliabilityDisplay:
        """Compare probabilities that are known with what is true.

        Parameters
        ----------
        P : array-like of shape (n, n_classes)
            Probabilities.
        y : array-like of shape (n,)
            The true classes.
        classes : array-like of shape (n_classes,)
            The class of each column.
        n_bins : int
            Most bins.
        title : str
            What is shown.
        """
        values, names = np.asarray(P, np.float64), np.asarray(classes)
        n = len(values)
        chosen = np.ones(n, np.int64) if len(names) == 2 else values.argmax(axis=1)
        happened = names[chosen] == np.asarray(y)
        return cls(values[np.arange(n), chosen], happened, n_bins, title)

    def frame(self) -> dict[str, Any]:
        """Return the bins.

        Returns
        -------
        dict
            `probability` and `share` of each bin, the `low` and `high` end of the share's 95 %
            interval (Wilson's), its number of `rows`, and `error`, the mean distance of share and
            probability over all rows.
        """
        order = np.argsort(self.probability, kind="stable")
        parts = np.array_split(order, min(self.n_bins, max(1, len(order))))
        rows = np.array([len(part) for part in parts])
        probability = np.array([self.probability[part].mean() for part in parts])
        share = np.array([self.happened[part].mean() for part in parts])
        spread = _WIDTH**2 / rows
        middle = (share + spread / 2) / (1 + spread)
        half = _WIDTH / (1 + spread) * np.sqrt(share * (1 - share) / rows + spread / (4 * rows))
        return {
            "probability": probability,
            "share": share,
            "low": middle - half,
            "high": middle + half,
            "rows": rows,
            "error": float(rows @ np.abs(share - probability) / rows.sum()),
        }

    def _draw(self, above: Axes, below: Axes) -> None:
        frame = self.frame()
        color = color_of(0)
        above.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
        above.vlines(frame["probability"], frame["low"], frame["high"], color=color, linewidth=1.2)
        above.plot(frame["probability"], frame["share"], "o", color=color, markersize=4)
        above.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), ylabel="share of rows")
        above.set_title(self.title, loc="left")
        above.annotate(
            f"mean distance {frame['error']:.3f}", (0.98, 0.04), color=INK, ha="right", size=8
        )
        below.hist(self.probability, bins=np.linspace(0, 1, 26).tolist(), color=color, linewidth=0)
        below.set(xlabel="predicted probability", ylabel="rows", xlim=(-0.02, 1.02))
        above.tick_params(labelbottom=False)
