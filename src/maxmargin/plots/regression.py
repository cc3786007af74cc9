"""Regression curves on one feature, and the tube in which residuals cost nothing.

Support vector regression minimises 1/2 |w|^2 + C sum_i max(0, |f(x_i) - y_i| - epsilon): points
inside the tube |f - y| <= epsilon are free, those on its walls or outside are support vectors. The
pull of an outlier is bounded by C, as it is for Huber's loss; for least squares it grows with its
distance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray
from sklearn.linear_model import HuberRegressor, LinearRegression

from maxmargin.estimators import SVR
from maxmargin.plots.display import Display
from maxmargin.plots.estimator import fitted, last_step
from maxmargin.plots.section import names_of
from maxmargin.plots.style import GREY, INK, color_of, dash_of, style, tint


@dataclass(frozen=True, eq=False)
class Curve:
    """One model's predictions along the feature.

    Parameters
    ----------
    name : str
        What the model is called.
    y : ndarray of shape (n_grid,)
        Its predictions on the grid.
    residuals : ndarray of shape (n,)
        f(x_i) - y_i at the data.
    epsilon : float or None
        Half the width of its tube, if it has one.

    Examples
    --------
    >>> curve = Curve("line", np.array([0.0, 1.0]), np.array([0.2, -3.0]), epsilon=0.5)
    >>> curve.outside
    array([False,  True])
    """

    name: str
    y: NDArray[np.float64]
    residuals: NDArray[np.float64]
    epsilon: float | None

    @property
    def outside(self) -> NDArray[np.bool_]:
        """Which points the tube does not hold, up to rounding; none without a tube."""
        if self.epsilon is None:
            return np.zeros(len(self.residuals), bool)
        return np.abs(self.residuals) > self.epsilon * (1 + 1e-6) + 1e-12


@dataclass(frozen=True, eq=False)
class RegressionDisplay(Display):
    """Regression models on the same data, with the tubes of those that have one.

    Make it with `from_estimators`.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        The data.
    name : str
        What the feature is called.
    grid : ndarray
        Where the curves are known.
    curves : tuple of Curve
        One per model.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> x = np.arange(10.0)
    >>> y = np.where(x == 9, 30.0, x)
    >>> display = RegressionDisplay.from_estimators(x[:, None], y)
    >>> errors = display.frame()["residuals"]
    >>> [str(name) for name in display.frame()["names"]]
    ['SVR', 'least squares', 'Huber']
    >>> bool(np.abs(errors[0, :9]).max() < 1 < np.abs(errors[1, :9]).max())
    True
    >>> display.plot().get_ylabel()
    'y'
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    name: str
    grid: NDArray[np.float64]
    curves: tuple[Curve, ...]

    @classmethod
    def from_estimators(
        cls,
        X: Any,
        y: ArrayLike,
        estimators: Mapping[str, Any] | None = None,
        *,
        epsilon: float = 0.5,
    ) -> RegressionDisplay:
        """Compare regression models.

        Parameters
        ----------
        X : array-like of shape (n, 1)
            One feature.
        y : array-like of shape (n,)
            Targets.
        estimators : dict of str to estimator, optional
            Models and what to call them; those that are not fitted yet are fitted, as clones. By
            default linear support vector regression, least squares and Huber's regression.
        epsilon : float
            Half the width of the default model's tube.
        """
        rows, targets = np.asarray(X, np.float64), np.asarray(y, np.float64)
        if rows.ndim != 2 or rows.shape[1] != 1:
            raise ValueError(
                f"X has shape {rows.shape}; a curve needs one feature, (n, 1): choose a column."
            )
        if estimators is None:
            estimators = {
                "SVR": SVR(kernel="linear", C=10.0, epsilon=epsilon),
                "least squares": LinearRegression(),
                "Huber": HuberRegressor(),
            }
        pad = 0.05 * float(np.ptp(rows))
        grid = np.linspace(rows.min() - pad, rows.max() + pad, 401)
        curves = []
        for name, estimator in estimators.items():
            model = fitted(estimator, rows, targets)
            residuals = np.asarray(model.predict(rows)) - targets
            curves.append(Curve(name, model.predict(grid[:, None]), residuals, _epsilon(model)))
        return cls(rows[:, 0], targets, names_of(X)[0], grid, tuple(curves))

    def frame(self) -> dict[str, Any]:
        """Return the data and the curves.

        Returns
        -------
        dict
            The data `x` and `y`, the `grid`, and one row a model: `names`, `curves`, `residuals`,
            `epsilon` (NaN without a tube) and `outside`, which points the tube does not hold.
        """
        return {
            "x": self.x,
            "y": self.y,
            "grid": self.grid,
            "names": np.array([curve.name for curve in self.curves]),
            "curves": np.array([curve.y for curve in self.curves]),
            "residuals": np.array([curve.residuals for curve in self.curves]),
            "epsilon": np.array([curve.epsilon for curve in self.curves], np.float64),
            "outside": np.array([curve.outside for curve in self.curves]),
        }

    def plot(self, ax: Axes | None = None, *, tube: bool = True, slack: bool = True) -> Axes:
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where to; by default a new figure.
        tube : bool
            Shade the tube of the first model that has one.
        slack : bool
            Draw segments from the points outside that tube to its wall.

        Returns
        -------
        Axes
        """
        axes: Axes = self._axes(ax)[0]
        tubes = [k for k, curve in enumerate(self.curves) if curve.epsilon is not None]
        with style():
            if tube and tubes:
                self._draw_tube(axes, tubes[0], slack)
            axes.scatter(
                self.x, self.y, s=22, color=GREY, edgecolors="white", linewidths=0.5, zorder=3
            )
            for k, curve in enumerate(self.curves):
                look: dict[str, Any] = {"color": color_of(k), "ls": dash_of(k)}
                axes.plot(self.grid, curve.y, label=curve.name, zorder=2, **look)
            axes.set(xlim=(self.grid[0], self.grid[-1]), xlabel=self.name, ylabel="y")
            axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
        return axes

    def _draw_tube(self, axes: Axes, k: int, slack: bool) -> None:
        curve = self.curves[k]
        assert curve.epsilon is not None
        low, high = curve.y - curve.epsilon, curve.y + curve.epsilon
        color, label = tint(color_of(k), 0.2), f"tube of {curve.name}, ±{curve.epsilon:g}"
        axes.fill_between(self.grid, low, high, color=color, lw=0, zorder=0, label=label)
        if not slack:
            return
        out = curve.outside
        wall = self.y[out] + curve.residuals[out]
        wall = wall - curve.epsilon * np.sign(curve.residuals[out])
        axes.vlines(self.x[out], self.y[out], wall, color=color_of(k), lw=1.2, zorder=1)
        ring: dict[str, Any] = {"facecolors": "none", "edgecolors": INK, "linewidths": 0.9}
        axes.scatter(self.x[out], self.y[out], s=80, label="outside the tube", zorder=4, **ring)


def _epsilon(model: Any) -> float | None:
    """Half the width of a tube; Huber's regression calls something else epsilon."""
    last = last_step(model)
    tube = hasattr(last, "support_") or "epsilon_insensitive" in str(getattr(last, "loss", ""))
    return float(last.epsilon) if tube and hasattr(last, "epsilon") else None
