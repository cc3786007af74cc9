"""A search of C and gamma as pictures: scores, their errors, times and support vectors."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy.spatial import KDTree

from maxmargin.plots.display import PlainDisplay
from maxmargin.plots.style import GREY, INK, color_of

Array = NDArray[np.float64]
#: Pixels of a heat map to each side.
_PIXELS = 240


@dataclass(frozen=True, eq=False)
class SearchDisplay(PlainDisplay):
    """The mean score over two parameters, its standard error, training times, support vectors.

    Every place is coloured as the candidate that is nearest to it, so that the finer steps about
    the best are seen as smaller tiles. A line goes from best to better in the order in which the
    candidates were judged. Make it with `from_search`.

    Parameters
    ----------
    names : pair of str
        Parameters to the right and upwards.
    x, y : ndarrays of shape (n,)
        Their values.
    columns : dict of str to ndarray of shape (n,)
        What is shown, by its name; first the score.
    best, simplest : int or None
        The chosen candidates: that of the best mean, and the simplest within one standard error.
    title : str
        What is shown.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from maxmargin import SVC
    >>> grid = {"C": [1.0, 10.0], "gamma": [0.01, 0.1, 1.0]}
    >>> search = GridSearchCV(SVC(), grid).fit(*load_iris(return_X_y=True))
    >>> display = SearchDisplay.from_search(search)
    >>> display.names, list(display.frame()["columns"])
    (('gamma', 'C'), ['score', 'standard error', 'training time'])
    >>> len(display.plot())
    3
    """

    names: tuple[str, str]
    x: Array
    y: Array
    columns: dict[str, Array]
    best: int | None
    simplest: int | None = None
    title: str = ""

    @classmethod
    def from_search(
        cls,
        search: Any,
        *,
        metric: str | None = None,
        simplest: int | None = None,
        title: str = "",
    ) -> SearchDisplay:
        """Take the table of a search.

        Of more than two parameters, the candidates that agree with the best in all others.

        Parameters
        ----------
        search : GridSearchCV, SVCCV or SVRCV
            Fitted; scikit-learn's own will do.
        metric : str, optional
            The score, where there are several.
        simplest : int, optional
            The place of a second choice in `cv_results_`.
        title : str
            What is shown.
        """
        results, score = search.cv_results_, _metric(search, metric)
        first, second = _axes(results)
        rows = _slice(results, (first, second), _best(results, score))
        columns = {
            "score": results[f"mean_test_{score}"],
            "standard error": standard_error(results, score),
            "training time": results["mean_fit_time"],
        }
        if "mean_n_support" in results:
            columns["support vectors"] = results["mean_n_support"]
        known = {int(row): place for place, row in enumerate(rows)}
        return cls(
            (_short(first), _short(second)),
            _numbers(results, first)[rows],
            _numbers(results, second)[rows],
            {name: np.asarray(values, np.float64)[rows] for name, values in columns.items()},
            known.get(_best(results, score)),
            None if simplest is None else known.get(simplest),
            title,
        )

    @property
    def panels(self) -> tuple[int, int]:
        """One for each column."""
        n = len(self.columns)
        return (2, 2) if n == 4 else (1, n)

    @property
    def size(self) -> tuple[float, float]:
        """Room for all panels."""
        rows, columns = self.panels
        return 4.4 * columns, 3.4 * rows

    def frame(self) -> dict[str, Any]:
        """Return the candidates.

        Returns
        -------
        dict
            `names` of the parameters and their values `x` and `y`, the `columns`, the places of
            the `best` and of the `simplest` candidate, and `path`, the places of the candidates
            that were better than all before them.
        """
        return {
            "names": self.names,
            "x": self.x,
            "y": self.y,
            "columns": self.columns,
            "best": self.best,
            "simplest": self.simplest,
            "path": records(self.columns["score"]),
        }

    def _draw(self, *axes: Any) -> None:
        for place, (ax, name) in enumerate(zip(axes, self.columns, strict=True)):
            self._tiles(ax, name)
            if place == 0:
                self._choices(ax)
            ax.set_title(_TITLES[name] if place or not self.title else self.title)
            ax.set_xlabel(self.names[0])
            ax.set_ylabel(self.names[1])

    def _tiles(self, axes: Axes, name: str) -> None:
        """Colour every place as the nearest candidate."""
        values = self.columns[name]
        known = np.isfinite(values)
        at = np.column_stack([np.log2(self.x), np.log2(self.y)])
        low, high = at.min(axis=0), at.max(axis=0)
        edge = np.array([_half_step(at[:, 0]), _half_step(at[:, 1])])
        low, high = low - edge, high + edge
        x, y = (np.linspace(low[k], high[k], _PIXELS) for k in (0, 1))
        places = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        nearest = KDTree(at / edge).query(places / edge)[1]
        shown = np.where(known, values, np.nan)[nearest].reshape(_PIXELS, _PIXELS)
        if name in _LOGARITHMIC:
            shown = np.log10(np.maximum(shown, 1e-9))
        low_end = None
        if name == "score":  # the worse half is one colour, so that the others can be told apart
            low_end = float(np.nanmedian(values)) if known.any() else None
        image = axes.pcolormesh(
            2.0**x,
            2.0**y,
            shown,
            cmap=_MAPS[name],
            vmin=low_end,
            shading="nearest",
            rasterized=True,
        )
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        extend = "min" if name == "score" else "neither"
        bar = axes.figure.colorbar(image, ax=axes, label=_UNITS[name], extend=extend)
        bar.outline.set_visible(False)

    def _choices(self, axes: Axes) -> None:
        """Mark the path and the choices."""
        path = records(self.columns["score"])
        axes.plot(self.x[path], self.y[path], color="white", lw=2.6, solid_joinstyle="round")
        axes.plot(self.x[path], self.y[path], color=INK, lw=0.9, label="from best to better")
        marks = {"best": (self.best, "*", 130), "one standard error": (self.simplest, "D", 42)}
        for name, (place, marker, size) in marks.items():
            if place is not None:
                axes.scatter(
                    self.x[place],
                    self.y[place],
                    s=size,
                    marker=marker,
                    facecolor=color_of(4) if name == "best" else "white",
                    edgecolor=INK,
                    zorder=3,
                    label=name,
                )
        axes.legend(loc="upper right", frameon=True, framealpha=0.9, edgecolor="none", fontsize=7.5)


_TITLES = {
    "score": "Mean score of held-out rows",
    "standard error": "Its standard error",
    "training time": "Training time",
    "support vectors": "Support vectors",
}
_UNITS = {
    "score": "mean score",
    "standard error": "standard error",
    "training time": "log10 seconds, one thread",
    "support vectors": "rows, mean over splits",
}
_MAPS = {
    "score": "cividis",
    "standard error": "Greys",
    "training time": "Greys",
    "support vectors": "Greys",
}
_LOGARITHMIC = ("training time",)


@dataclass(frozen=True, eq=False)
class ValidationDisplay(PlainDisplay):
    """The score along one parameter, with one standard error to each side.

    Make it with `from_search`.

    Parameters
    ----------
    name : str
        The parameter.
    values : ndarray of shape (n,)
        Its values, ascending.
    scores : dict of str to pair of ndarrays
        Mean and standard error on held-out rows ("held out") and, where they were asked for, on
        the training rows ("training").
    best : int
        The place of the best.
    fixed : str
        What the other parameters are fixed at.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from maxmargin import SVC
    >>> search = GridSearchCV(SVC(), {"C": [0.1, 1.0, 10.0]}).fit(*load_iris(return_X_y=True))
    >>> display = ValidationDisplay.from_search(search, "C")
    >>> display.frame()["values"], display.plot().get_xlabel()
    (array([ 0.1,  1. , 10. ]), 'C')
    """

    _size = (5.2, 3.6)

    name: str
    values: Array
    scores: dict[str, tuple[Array, Array]]
    best: int
    fixed: str = ""

    @classmethod
    def from_search(
        cls, search: Any, parameter: str = "C", *, metric: str | None = None
    ) -> ValidationDisplay:
        """Take the candidates that differ from the best in one parameter only.

        Parameters
        ----------
        search : GridSearchCV, SVCCV or SVRCV
            Fitted; scikit-learn's own will do.
        parameter : str
            Its name, with or without that of the pipeline's step.
        metric : str, optional
            The score, where there are several.
        """
        results, score = search.cv_results_, _metric(search, metric)
        key = _parameter(results, parameter)
        best = _best(results, score)
        rows = _slice(results, (key,), best)
        values = _numbers(results, key)[rows]
        order = np.argsort(values)
        sides = {"held out": "test", "training": "train"}
        scores = {
            name: (
                np.asarray(results[f"mean_{side}_{score}"])[rows][order],
                standard_error(results, score, side)[rows][order],
            )
            for name, side in sides.items()
            if f"mean_{side}_{score}" in results
        }
        others = {k: v for k, v in results["params"][best].items() if f"param_{k}" != key}
        fixed = ", ".join(f"{_short(k)} = {_said(v)}" for k, v in others.items())
        place = int(np.flatnonzero(rows[order] == best)[0])
        return cls(_short(key), values[order], scores, place, fixed)

    def frame(self) -> dict[str, Any]:
        """Return the curve.

        Returns
        -------
        dict
            `name` and `values` of the parameter, `scores` as pairs of mean and standard error, the
            place of the `best`, and what is `fixed`.
        """
        return {
            "name": self.name,
            "values": self.values,
            "scores": self.scores,
            "best": self.best,
            "fixed": self.fixed,
        }

    def _draw(self, axes: Axes) -> None:
        for place, (name, (mean, error)) in enumerate(self.scores.items()):
            band(axes, self.values, mean, error, place, name)
        mean, error = self.scores["held out"]
        low = mean[self.best] - error[self.best]
        axes.axhline(low, color=GREY, lw=0.8, ls=":", label="best less one standard error")
        axes.axvline(float(self.values[self.best]), color=GREY, lw=0.8)
        axes.set_xscale("log", base=2)
        axes.set_xlabel(self.name)
        axes.set_ylabel("mean score")
        axes.set_title(f"Score along {self.name}" + (f", {self.fixed}" if self.fixed else ""))
        axes.legend()


def band(axes: Axes, x: Array, mean: Array, error: Array, place: int, name: str) -> None:
    """Draw a curve with one standard error to each side.

    Parameters
    ----------
    axes : Axes
        Where to.
    x, mean, error : ndarrays of shape (n,)
        The curve.
    place : int
        Of its colour.
    name : str
        Of the curve.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes = Figure().add_subplot()
    >>> band(axes, np.arange(2.0), np.ones(2), np.ones(2), 0, "held out")
    >>> axes.get_legend_handles_labels()[1]
    ['held out']
    """
    color = color_of(place)
    axes.fill_between(x, mean - error, mean + error, color=color, alpha=0.18, lw=0)
    axes.plot(x, mean, color=color, marker="os"[place % 2], ms=4, label=name)


def records(scores: Array) -> NDArray[np.int64]:
    """Return the places of scores that are better than all before them.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        In the order in which they came; NaN where there is none.

    Examples
    --------
    >>> records(np.array([0.5, np.nan, 0.4, 0.7]))
    array([0, 3])
    """
    known = np.where(np.isnan(scores), -np.inf, scores)
    highest = np.concatenate([[-np.inf], np.maximum.accumulate(known)[:-1]])
    return np.flatnonzero(known > highest)


def standard_error(results: dict[str, Any], score: str = "score", side: str = "test") -> Array:
    """Return the standard error of the mean of each candidate.

    Parameters
    ----------
    results : dict of str to ndarray
        `cv_results_`.
    score : str
        Name of the score.
    side : {"test", "train"}
        On which rows.

    Examples
    --------
    >>> standard_error({"std_test_score": np.ones(1), "split0_test_score": 0,
    ...                 "split1_test_score": 0})
    array([1.])
    """
    n = sum(key.startswith("split") and key.endswith(f"_{side}_{score}") for key in results)
    return np.asarray(results[f"std_{side}_{score}"] / np.sqrt(max(n - 1, 1)))


def _metric(search: Any, metric: str | None) -> str:
    """Return the name of the score to show."""
    if metric is not None:
        return metric
    if "mean_test_score" in search.cv_results_:
        return "score"
    refit = getattr(search, "refit", None)
    if isinstance(refit, str):
        return refit
    keys = (str(key) for key in search.cv_results_)
    return next(key for key in keys if key.startswith("rank_test_")).removeprefix("rank_test_")


def _best(results: dict[str, Any], score: str) -> int:
    return int(np.argmin(results[f"rank_test_{score}"]))


def _parameter(results: dict[str, Any], name: str) -> str:
    """Return the key of a parameter, which may be that of a pipeline's step."""
    for key in results:
        if key == f"param_{name}" or (key.startswith("param_") and key.endswith(f"__{name}")):
            return key
    known = ", ".join(_short(key) for key in results if key.startswith("param_"))
    raise ValueError(f"parameter is {name!r}; the search has {known}.")


def _axes(results: dict[str, Any]) -> tuple[str, str]:
    """Return the keys of two parameters: gamma and C, or those that have most values."""
    counts = {}
    for key in (key for key in results if key.startswith("param_")):
        values = _numbers(results, key)
        counts[key] = len(np.unique(values[np.isfinite(values)]))
    varied = [key for key in counts if counts[key] > 1]
    if len(varied) < 2:
        raise ValueError(
            "a map needs two parameters with several numbers each; ValidationDisplay shows one."
        )
    usual = {"gamma": 0, "C": 1}
    varied.sort(key=lambda key: (usual.get(_short(key), 2), -counts[key]))
    first, second = varied[:2]
    return (second, first) if _short(first) == "C" else (first, second)


def _slice(results: dict[str, Any], free: tuple[str, ...], best: int) -> NDArray[np.int64]:
    """Return the candidates that agree with the best in all other parameters."""
    names = [key.removeprefix("param_") for key in free]
    wanted = {k: v for k, v in results["params"][best].items() if k not in names}
    same = [
        row
        for row, params in enumerate(results["params"])
        if all(name in params and isinstance(params[name], int | float) for name in names)
        and {k: v for k, v in params.items() if k not in names} == wanted
    ]
    return np.array(same, np.int64)


def _numbers(results: dict[str, Any], key: str) -> Array:
    """Return a parameter as numbers; NaN where it is none."""
    column = results[key]
    values = [column[k] if not np.ma.is_masked(column[k]) else np.nan for k in range(len(column))]
    return np.array([v if isinstance(v, Real) else np.nan for v in values], np.float64)


def _half_step(values: Array) -> float:
    """Return half of the largest distance of neighbours."""
    steps = np.diff(np.unique(values))
    return float(steps.max()) / 2 if len(steps) else 0.5


def _short(key: str) -> str:
    return key.removeprefix("param_").rpartition("__")[2]


def _said(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, int | float) else str(value)
