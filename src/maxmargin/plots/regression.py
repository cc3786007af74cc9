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
from maxmargin.plots.display import Display, head
from maxmargin.plots.estimator import fitted, last_step
from maxmargin.plots.style import GREY, INK, color_of, dash_of, style, tint
from maxmargin.plots.table import Table, listed


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


@dataclass(frozen=True, eq=False, repr=False)
class RegressionDisplay(Display):
    """Regression models on the same data, with the tubes of those that have one.

    Make it with `from_estimators`.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        The data.
    name, target : str
        What the feature and the target are called.
    grid : ndarray
        Where the curves are known.
    curves : tuple of Curve
        One per model.
    note : str
        What a reader must know: the values of other features.

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
    target: str = "y"
    note: str = ""

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
        table, targets = Table.of(X), np.asarray(y, np.float64)
        rows = table.values
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
        grid = _grid(rows)
        curves = []
        for name, estimator in estimators.items():
            model = fitted(estimator, X, targets)
            residuals = np.asarray(model.predict(X)) - targets
            drawn = np.asarray(model.predict(table.rows(grid[:, None])))
            curves.append(Curve(name, drawn, residuals, tube_of(model)))
        return cls(rows[:, 0], targets, table.names[0], grid, tuple(curves), name_of(y))

    @classmethod
    def along(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        feature: int | str,
        *,
        fill: str | ArrayLike = "median",
    ) -> RegressionDisplay:
        """Follow one feature of many, with the others fixed.

        A row has other values of the others, and its target belongs to these. What the picture
        keeps is its residual: the row is drawn as far above or below the curve as its target is
        above or below its own prediction, so that it is in the tube if it is in the tube.

        Parameters
        ----------
        estimator : estimator
            Fitted regression.
        X, y : array-likes
            Rows and targets.
        feature : int or str
            A column, by place or name.
        fill : {"median", "mean"} or array-like of shape (n_features,)
            What the others are fixed at; texts at the most frequent.
        """
        table, targets = Table.of(X), np.asarray(y, np.float64)
        place, typical = table.place(feature), table.typical(fill)
        grid, x = _grid(table.values[:, [place]]), table.values[:, place]

        def follow(values: NDArray[np.float64]) -> NDArray[np.float64]:
            rows = np.tile(typical, (len(values), 1))
            rows[:, place] = values
            return np.asarray(estimator.predict(table.rows(rows)), np.float64)

        residuals = np.asarray(estimator.predict(X), np.float64) - targets
        name = type(last_step(estimator)).__name__
        curve = Curve(name, follow(grid), residuals, tube_of(estimator))
        told = [f"{k} = {v}" for k, v in table.told(typical).items() if k != table.names[place]]
        note = f"others fixed: {listed(told)}; rows at their residuals from the curve"
        shown = follow(x) - residuals
        return cls(x, shown, table.names[place], grid, (curve,), name_of(y), note)

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
            axes.set(xlim=(self.grid[0], self.grid[-1]), xlabel=self.name, ylabel=self.target)
            head(axes, "", self.note)
            axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
        return axes

    def _draw_tube(self, axes: Axes, k: int, slack: bool) -> None:
        curve = self.curves[k]
        assert curve.epsilon is not None
        low, high = curve.y - curve.epsilon, curve.y + curve.epsilon
        color, label = tint(color_of(k), 0.2), f"tube of {curve.name}, ±{curve.epsilon:.3g}"
        axes.fill_between(self.grid, low, high, color=color, lw=0, zorder=0, label=label)
        if not slack:
            return
        out = curve.outside
        wall = self.y[out] + curve.residuals[out]
        wall = wall - curve.epsilon * np.sign(curve.residuals[out])
        axes.vlines(self.x[out], self.y[out], wall, color=color_of(k), lw=1.2, zorder=1)
        ring: dict[str, Any] = {"facecolors": "none", "edgecolors": INK, "linewidths": 0.9}
        axes.scatter(self.x[out], self.y[out], s=80, label="outside the tube", zorder=4, **ring)


def _grid(column: NDArray[np.float64]) -> NDArray[np.float64]:
    pad = 0.05 * float(np.ptp(column))
    return np.linspace(column.min() - pad, column.max() + pad, 401)


def tube_of(model: Any) -> float | None:
    """Half the width of the tube of a fitted model, or None if it has none.

    Parameters
    ----------
    model : estimator
        Fitted regression. Huber's calls something else epsilon.

    Examples
    --------
    >>> tube_of(LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])) is None
    True
    """
    last = last_step(model)
    if hasattr(last, "epsilon_"):  # what a nu machine has found
        return float(last.epsilon_)
    tube = hasattr(last, "support_") or "epsilon_insensitive" in str(getattr(last, "loss", ""))
    return float(last.epsilon) if tube and hasattr(last, "epsilon") else None


def name_of(y: Any) -> str:
    """Return the name of a series, "y" for anything else.

    Parameters
    ----------
    y : array-like
        Targets.

    Examples
    --------
    >>> name_of([1.0])
    'y'
    """
    return str(getattr(y, "name", None) or "y")
