"""Regression on any number of features: targets against predictions, and the tube around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from maxmargin.plots.display import PlainDisplay
from maxmargin.plots.estimator import described, last_step
from maxmargin.plots.regression import Curve, name_of, tube_of
from maxmargin.plots.style import GREY, INK, color_of, tint


@dataclass(frozen=True, eq=False, repr=False)
class PredictionDisplay(PlainDisplay):
    """Each row at what was predicted for it and what it is.

    Make it with `from_estimator`.

    Parameters
    ----------
    title : str
        The model.
    name : str
        What the target is called.
    y : ndarray of shape (n,)
        Targets.
    curve : Curve
        Predictions of the rows, their residuals, and the tube.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from maxmargin import SVR
    >>> X, y = np.eye(4)[:, :3], np.array([0.0, 1.0, 2.0, 9.0])
    >>> display = PredictionDisplay.from_estimator(SVR(kernel="linear").fit(X, y), X, y)
    >>> display.frame()["outside"]
    array([ True, False, False,  True])
    >>> display.plot().get_xlabel()
    'predicted y'
    """

    title: str
    name: str
    y: NDArray[np.float64]
    curve: Curve

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike) -> PredictionDisplay:
        """Compute the picture of a fitted regression.

        Parameters
        ----------
        estimator : estimator
            Fitted.
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Targets; a series of pandas names them.
        """
        check_consistent_length(X, y)
        check_is_fitted(estimator)
        targets = np.asarray(y, np.float64)
        predicted = np.asarray(estimator.predict(X), np.float64)
        title = described(last_step(estimator))
        curve = Curve(title, predicted, predicted - targets, tube_of(estimator))
        return cls(title, name_of(y), targets, curve)

    def frame(self) -> dict[str, Any]:
        """Return what was computed.

        Returns
        -------
        dict
            `y`, `predicted`, `residuals`, `epsilon` and `outside`, which rows the tube does not
            hold.
        """
        return {
            "y": self.y,
            "predicted": self.curve.y,
            "residuals": self.curve.residuals,
            "epsilon": self.curve.epsilon,
            "outside": self.curve.outside,
        }

    def _draw(self, *axes: Any) -> None:
        (axis,) = axes
        assert isinstance(axis, Axes)
        both = np.concatenate([self.y, self.curve.y])
        pad = 0.04 * max(float(np.ptp(both)), 1e-300)
        ends = np.array([both.min() - pad, both.max() + pad])
        half, out = self.curve.epsilon, self.curve.outside
        if half is not None:
            label = f"tube, ±{half:.3g}"
            look: dict[str, Any] = {"color": tint(color_of(0), 0.2), "lw": 0, "zorder": 0}
            axis.fill_between(ends, ends - half, ends + half, label=label, **look)
        axis.plot(ends, ends, color=INK, lw=1.2, zorder=1, label="as predicted")
        look = {"s": 20, "edgecolors": "white", "linewidths": 0.4, "zorder": 3}
        axis.scatter(self.curve.y[~out], self.y[~out], color=GREY, **look)
        if out.any():
            label = f"outside the tube, {out.sum()} of {len(out)}"
            axis.scatter(self.curve.y[out], self.y[out], color=color_of(1), label=label, **look)
        axis.set(xlabel=f"predicted {self.name}", ylabel=self.name, xlim=ends, ylim=ends)
        axis.set_title(self.title, loc="left")
        self._legend_below(np.array([axis]), axis.get_legend_handles_labels()[0], columns=3)
