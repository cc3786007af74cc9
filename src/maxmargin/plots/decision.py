"""Decision regions of a classifier, and what the margin is made of.

With f the decision function: the boundary f = 0, the margin lines f = -1 and f = +1, a support
vector's alpha as the size of its ring, the slack max(0, 1 - y f) as a segment from the point to its
margin line, a point's projection onto the boundary, the ball in which it may move and still be
right, and the normal vector from the boundary to the margin.

Of more than two features a picture shows a plane, and rows beside it are not where the model has
them. So the default, for two classes, is the plane of the discriminant: f itself across, and how
the rows differ else upwards. There every row is at its own decision value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, LineCollection
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import gaussian_filter
from sklearn.utils.validation import check_consistent_length

from maxmargin.plots.classifier import Classifier
from maxmargin.plots.discriminant import Discriminant
from maxmargin.plots.display import Display, head, settle
from maxmargin.plots.estimator import drawable
from maxmargin.plots.points import points_of
from maxmargin.plots.section import Section
from maxmargin.plots.style import GREY, INK, color_of, marker_of, style, tint
from maxmargin.plots.surface import Evaluate, Surface
from maxmargin.prompt import keywords

RING = (40.0, 150.0)  # areas, in square points, of the smallest and largest alpha
NEAREST = 6  # points of each class whose distances are drawn: more hide each other
DETAILS = ("slack", "projections", "noise")


@dataclass(frozen=True, eq=False, repr=False)
class BoundaryDisplay(Display):
    """Regions, boundary, margin, support vectors and slacks of a fitted classifier.

    Make it with `from_estimator`.

    Parameters
    ----------
    title : str
        What is shown.
    names : tuple of two str
        What the axes are called.
    classes : ndarray
        Labels, in the order of `points["code"]`.
    points : structured ndarray
        One `POINT` per row of data. NaN: not known, or not there.
    surface : Surface
        Decision values, or with more than two classes the codes of the predicted ones.
    limits : tuple of two pairs
        What part of the surface to show.
    levels : tuple of float
        Lines to draw: the boundary, and the margin where there is one.
    normal : ndarray of shape (2, 2) or None
        The arrow from the boundary to the margin: where it starts and ends.
    exact : bool
        Whether all points lie in the plane of the picture.
    metric : bool
        Whether distances in the plane are distances between rows.
    note : str
        What a reader must know of the plane.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from maxmargin import SVC
    >>> X, y = [[-2.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [2.0, 1.0]], ["no", "no", "yes", "yes"]
    >>> display = BoundaryDisplay.from_estimator(SVC(kernel="linear").fit(X, y), X, y)
    >>> points = display.frame()["points"]
    >>> points["alpha"]
    array([0. , 0.5, 0.5, 0. ])
    >>> points["boundary"][1].round(6) + 0.0
    array([0., 0.])
    >>> display.plot().get_xlabel()
    '$x_{1}$'
    """

    title: str
    names: tuple[str, str]
    classes: NDArray[Any]
    points: NDArray[np.void]
    surface: Surface
    limits: tuple[tuple[float, float], tuple[float, float]]
    levels: tuple[float, ...]
    normal: NDArray[np.float64] | None
    exact: bool
    metric: bool = True
    note: str = ""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike | None,
        *,
        features: Sequence[int | str] | str | None = None,
        fill: str | ArrayLike = "median",
        feature_names: Sequence[str] | None = None,
        title: str | None = None,
    ) -> BoundaryDisplay:
        """Compute the picture of a fitted classifier.

        Parameters
        ----------
        estimator : estimator or Hyperplane
            Fitted classifier, or pipeline that ends with one; or any hyperplane, as a classifier of
            the labels -1 and +1. Margin lines, alphas and slacks need
            a `decision_function` and support vectors; regions only `predict`.
        X : array-like of shape (n_samples, n_features)
            The data it was fitted to; a data frame names the axes.
        y : array-like of shape (n_samples,) or None
            Labels, of any type; None for those that the model gives, as of inliers and outliers.
        features : pair of int or str, "output", "pca" or None
            The two features to show; the decision value, and how rows differ else; or the plane in
            which the data vary most. None: the two features there are. Of more "output", or with
            more than two classes "pca" (`LeadDisplay` shows the decision values of these).
        fill : {"median", "mean"} or array-like of shape (n_features,)
            What the other features are fixed at; texts at the most frequent.
        feature_names : sequence of str, optional
            What the features are called, where X does not tell.
        title : str, optional
            By default what the model is, such as "support vector machine, linear kernel, C = 1".
        """
        if y is not None:
            check_consistent_length(X, y)
        classifier = Classifier(drawable(estimator), X)
        plane = _plane(classifier, features, fill, feature_names)
        exact = not plane.hides
        places, levels = plane.coordinates(X), _levels(classifier)
        extent = np.vstack([places, plane.marks(levels)])
        surface = Surface.of(
            _evaluate(plane, classifier),
            # Beyond the picture, so that lines do not end before a point's nearest on them.
            *_limits(extent, 0.3 if classifier.has_scores else 0.09),
            levels,
            points=places,
            # Codes jump, so that their lines are only as smooth as the grid is fine.
            halvings=3 if classifier.has_scores else 4,
        )
        return cls(
            title=classifier.name if title is None else title,
            names=plane.names,
            classes=classifier.names,
            points=points_of(classifier, y, places, surface if exact else None),
            surface=surface,
            limits=_limits(extent, 0.09),
            levels=levels,
            normal=_normal(surface, places) if classifier.has_margin else None,
            exact=exact,
            metric=isinstance(plane, Section),
            note=plane.note,
        )

    @property
    def is_binary(self) -> bool:
        """Whether the surface holds decision values and not codes of classes."""
        return 0.0 in self.levels

    def frame(self) -> dict[str, Any]:
        """Return what was computed.

        Returns
        -------
        dict
            `points` (structured: x, y, code, decision, alpha, slack, margin, boundary, radius),
            `classes`, the grid `x`, `y` and its `values`, `lines` (pieces of each level line),
            `normal`, `noise_radius` and `note`.
        """
        return {
            "points": self.points,
            "classes": self.classes,
            "x": self.surface.x,
            "y": self.surface.y,
            "values": self.surface.values,
            "lines": {level: self.surface.lines(level) for level in self.levels},
            "normal": self.normal,
            "noise_radius": self.noise_radius,
            "note": self.note,
        }

    @keywords(
        **dict.fromkeys(["balls", "noise_balls", "noise_ball"], "noise="),
        **dict.fromkeys(["margin", "margin_lines", "lines"], "margins="),
        **dict.fromkeys(["slacks", "xi"], "slack="),
        **dict.fromkeys(["support_vectors", "sv", "rings"], "support="),
        **dict.fromkeys(["w", "arrow", "weights"], "normal="),
        **dict.fromkeys(["projection", "distances"], "projections="),
        **dict.fromkeys(["before", "moved"], "moved_from="),
        **dict.fromkeys(["size", "s"], "scale="),
        title="BoundaryDisplay.from_estimator(..., title=), or axes.set_title(...)",
    )
    def plot(
        self,
        ax: Axes | None = None,
        *,
        regions: bool = True,
        margins: bool = True,
        support: bool = True,
        slack: bool | None = None,
        projections: bool = False,
        noise: bool = False,
        normal: bool = False,
        moved_from: ArrayLike | None = None,
        note: bool = True,
        scale: float = 1.0,
        legend: bool = True,
    ) -> Axes:
        """Draw.

        Parameters
        ----------
        ax : Axes, optional
            Where to; by default a new figure.
        regions : bool
            Tint each class's region, paler within the margin.
        margins : bool
            Draw the lines f = -1 and f = +1.
        support : bool
            Ring the support vectors; a larger alpha has a larger ring.
        slack : bool, optional
            Draw segments from the points that miss their margin to its line. By default where all
            points lie in the plane.
        projections : bool
            Draw segments from the points to the boundary, for the nearest of each class.
        noise : bool
            Draw the largest balls of one radius in which all points may move and still be right:
            the radius is the least distance of a right point to the boundary.
        normal : bool
            Draw the normal vector, from the boundary to the margin.
        moved_from : array-like of shape (n_samples, 2), optional
            Where the points were before: those that have moved are drawn there as empty markers,
            with an arrow to where they are.
        note : bool
            Say above the axes what a slice fixes, and that rows lie beside it.
        scale : float
            Factor of the areas of points and rings.
        legend : bool
            Say what is what, beside the axes.

        Returns
        -------
        Axes
        """
        slack = self.exact if slack is None else slack
        for name, wanted in zip(DETAILS, (slack, projections, noise), strict=True):
            if wanted and not self.exact:
                raise ValueError(
                    f"{name}=True needs all points in the plane of the picture, but other "
                    "features are hidden; fit to the two features shown."
                )
        if (noise or normal) and not self.metric:
            raise ValueError(
                f"{'noise' if noise else 'normal'}=True needs distances between rows, which the "
                "plane of the decision value does not have; fit to two features."
            )
        before = None if moved_from is None else self._places_before(moved_from)
        axes: Axes = self._axes(ax)[0]
        with style():
            if regions:
                self._draw_regions(axes)
            self._draw_lines(axes, margins)
            if noise:
                self._draw_noise(axes, scale)
            if projections:
                self._draw_segments(axes, "boundary", self._nearest, ls=":", lw=1.3 * scale**0.5)
            if slack:
                self._draw_segments(axes, "margin", self.points["slack"] > 0, lw=1.3 * scale**0.5)
            self._draw_points(axes, scale)
            if support:
                self._draw_support(axes, scale)
            if normal and self.normal is not None:
                self._draw_normal(axes)
            self._finish(axes, self.note if note else "", self.noise_radius if noise else 0.0)
            if before is not None:
                self._draw_moves(axes, before, scale)
            if legend:
                entries = self.legend(
                    margins=margins,
                    support=support,
                    slack=slack,
                    projections=projections,
                    noise=noise,
                )
                axes.legend(handles=entries, loc="upper left", bbox_to_anchor=(1.01, 1.0))
        if ax is None:
            settle(axes.figure)
        return axes

    def legend(
        self,
        *,
        margins: bool = True,
        support: bool = True,
        slack: bool | None = None,
        projections: bool = False,
        noise: bool = False,
    ) -> list[Line2D]:
        """Return entries of a legend.

        Parameters
        ----------
        margins, support, slack, projections, noise : bool
            What is drawn, as in `plot`.
        """
        slack = self.exact if slack is None else slack
        # Markers of no data, in the look of those drawn.
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
                label=f"{name:g}" if isinstance(name, float) else str(name),
            )
            for code, name in enumerate(self.classes.tolist())
        ]
        entries.append(Line2D(blank, blank, color=INK, label="boundary"))
        if margins and len(self.levels) == 3 and self.is_binary:
            entries.append(Line2D(blank, blank, color=INK, ls="--", lw=1, label="margin, f = ±1"))
        if support and np.nansum(self.points["alpha"]) > 0:
            ring: dict[str, Any] = {"ls": "", "marker": "o", "mfc": "none", "mec": INK, "ms": 10}
            entries.append(Line2D(blank, blank, label="support vector,\nsize: α", **ring))
        if slack and np.nansum(self.points["slack"]) > 0:
            entries.append(Line2D(blank, blank, color=GREY, lw=1, label="slack"))
        if projections:
            entries.append(Line2D(blank, blank, color=GREY, lw=1, ls=":", label="projection"))
        if noise:
            ball: dict[str, Any] = {"ls": "", "marker": "o", "mfc": "none", "mec": tint(GREY, 0.6)}
            entries.append(Line2D(blank, blank, ms=12, label="noise tolerated", **ball))
        return entries

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches, with room for a legend beside the axes."""
        (left, right), (bottom, top) = self.limits
        ratio = (top - bottom) / (right - left)
        return 6.2, float(np.clip(4.4 * ratio, 2.4, 5.0)) + 0.7 if self._is_equal else 4.2

    @property
    def _is_equal(self) -> bool:
        """Distances look right only on equal scales; not worth it where that makes a strip."""
        (left, right), (bottom, top) = self.limits
        return self.metric and 1 / 3 < (right - left) / (top - bottom) < 3

    @property
    def _crowding(self) -> float:
        """Factor of the areas of points and rings: less where there are many."""
        return min(1.0, float((500 / max(len(self.points), 1)) ** 0.5))

    @property
    def _nearest(self) -> NDArray[np.bool_]:
        """The right points nearest to the boundary."""
        chosen = np.zeros(len(self.points), bool)
        for code in range(len(self.classes)):
            mine = np.flatnonzero((self.points["code"] == code) & (self.points["radius"] > 0))
            chosen[mine[np.argsort(self.points["radius"][mine])[:NEAREST]]] = True
        return chosen

    @property
    def noise_radius(self) -> float:
        """By how much all right points may move and still be right; 0 if there are none."""
        radius = self.points["radius"]
        return float(radius[radius > 0].min(initial=np.inf)) if (radius > 0).any() else 0.0

    def _places_before(self, moved_from: ArrayLike) -> NDArray[np.float64]:
        before = np.asarray(moved_from, np.float64)
        if before.shape != (len(self.points), 2) or not (self.exact and self.metric):
            raise ValueError(
                f"moved_from has shape {before.shape}; it must be ({len(self.points)}, 2), where "
                "the points were in the two features shown."
            )
        return before

    # ---- Drawing ----------------------------------------------------------------------------

    def _draw_regions(self, axes: Axes) -> None:
        x, y, values = self.surface.x, self.surface.y, self.surface.values
        if self.is_binary:
            ends = max(1.0, float(np.abs(values).max())) + 1
            levels = [-ends, *self.levels, ends]
            strengths = (0.24, 0.10) if len(self.levels) == 3 else (0.20,)
            colors = [tint(color_of(0), s) for s in strengths]
            colors += [tint(color_of(1), s) for s in reversed(strengths)]
            axes.contourf(x, y, values, levels, colors=colors, zorder=0)
            return
        colors = [tint(color_of(code), 0.22) for code in range(len(self.classes))]
        axes.pcolormesh(
            x,
            y,
            values,
            cmap=ListedColormap(colors),
            vmin=-0.5,
            vmax=len(self.classes) - 0.5,
            shading="nearest",
            rasterized=True,
            zorder=0,
        )

    def _draw_lines(self, axes: Axes, margins: bool) -> None:
        # Under few points, over the carpet that many are.
        zorder = 1.0 if self._crowding == 1 else 3.5
        look: dict[str, Any] = {"colors": INK, "zorder": zorder}
        if not self.is_binary:
            self._draw_borders(axes, look)
            return
        axes.add_collection(LineCollection(self.surface.lines(0.0), linewidths=1.6, **look))
        if margins and len(self.levels) == 3:
            both = [*self.surface.lines(-1.0), *self.surface.lines(1.0)]
            axes.add_collection(LineCollection(both, linewidths=1.0, linestyles="--", **look))

    def _draw_borders(self, axes: Axes, look: dict[str, Any]) -> None:
        """Lines between the regions of classes: blurred by a cell, the grid's steps are smooth."""
        codes = np.unique(self.surface.values)
        for code in codes if len(codes) > 1 else ():
            mine = gaussian_filter((self.surface.values == code).astype(float), 1.5)
            axes.contour(self.surface.x, self.surface.y, mine, [0.5], linewidths=1.2, **look)

    def _draw_noise(self, axes: Axes, scale: float) -> None:
        """Balls of one radius around all right points, which then touch the boundary and stop."""
        side = np.where(self.points["code"] == 1, 1.0, -1.0)
        balls = self.points[side * self.points["decision"] > 0]
        width = np.full(len(balls), 2 * self.noise_radius)
        axes.add_collection(
            EllipseCollection(
                width,
                width,
                np.zeros(len(balls)),
                units="xy",
                offsets=np.column_stack([balls["x"], balls["y"]]),
                offset_transform=axes.transData,
                facecolors=[(*to_rgb(color_of(code)), 0.10) for code in balls["code"]],
                edgecolors=[tint(color_of(code), 0.6) for code in balls["code"]],
                linewidths=0.7 * scale**0.5,
                zorder=1.5,
            )
        )

    def _draw_segments(self, axes: Axes, end: str, which: NDArray[np.bool_], **look: Any) -> None:
        drawn = self.points[which & np.isfinite(self.points[end]).all(axis=1)]
        start = np.column_stack([drawn["x"], drawn["y"]])
        axes.add_collection(
            LineCollection(
                list(np.stack([start, drawn[end]], axis=1)),
                colors=[color_of(code) for code in drawn["code"]],
                zorder=2,
                **look,
            )
        )

    def _draw_points(self, axes: Axes, scale: float) -> None:
        for code in range(len(self.classes)):
            mine = self.points[self.points["code"] == code]
            look: dict[str, Any] = {"color": color_of(code), "marker": marker_of(code)}
            if self._crowding == 1:
                look |= {"edgecolors": "white", "linewidths": 0.5}
            else:
                look |= {"edgecolors": "none", "alpha": 0.7}
            axes.scatter(mine["x"], mine["y"], s=22 * scale * self._crowding, zorder=3, **look)

    def _draw_support(self, axes: Axes, scale: float) -> None:
        rings = self.points[self.points["alpha"] > 0]
        share = rings["alpha"] / max(rings["alpha"].max(initial=0.0), 1e-300)
        area = scale * self._crowding * (RING[0] + (RING[1] - RING[0]) * share)
        look: dict[str, Any] = {"facecolors": "none", "edgecolors": INK, "zorder": 2.5}
        axes.scatter(rings["x"], rings["y"], s=area, linewidths=0.9 * scale**0.5, **look)

    def _draw_normal(self, axes: Axes) -> None:
        assert self.normal is not None
        start, end = self.normal
        arrow = {"arrowstyle": "-|>", "color": INK, "shrinkA": 0, "shrinkB": 0, "lw": 1.6}
        axes.annotate("", end, start, arrowprops=arrow, zorder=4)
        halo = [withStroke(linewidth=3, foreground="white")]
        look: dict[str, Any] = {"weight": "bold", "path_effects": halo, "zorder": 5}
        axes.annotate("w", end, (5, 5), textcoords="offset points", **look)

    def _draw_moves(self, axes: Axes, before: NDArray[np.float64], scale: float) -> None:
        """Where moved points were: an empty marker, so that no ring seems to be what has moved."""
        after = np.column_stack([self.points["x"], self.points["y"]])
        for i in np.flatnonzero((before != after).any(axis=1)):
            code = int(self.points["code"][i])
            axes.scatter(
                before[i, 0],
                before[i, 1],
                s=26 * scale,
                marker=marker_of(code),
                facecolors="white",
                edgecolors=color_of(code),
                linewidths=1.1,
                zorder=4,
            )
            halo = [withStroke(linewidth=3.2, foreground="white")]
            arrow: dict[str, Any] = {"arrowstyle": "-|>", "color": INK, "lw": 1.4}
            arrow |= {"shrinkA": 3 * scale**0.5, "shrinkB": 4 * scale**0.5, "path_effects": halo}
            axes.annotate("", after[i], before[i], arrowprops=arrow, zorder=5)

    def _finish(self, axes: Axes, note: str, room: float) -> None:
        (left, right), (bottom, top) = self.limits
        x, y = self.points["x"], self.points["y"]
        axes.set(
            xlim=(min(left, x.min() - room), max(right, x.max() + room)),
            ylim=(min(bottom, y.min() - room), max(top, y.max() + room)),
        )
        axes.set(xlabel=self.names[0], ylabel=self.names[1])
        head(axes, self.title, note)
        if self._is_equal or room > 0:  # a ball is round
            axes.set_aspect("equal", adjustable="box")


def _plane(
    classifier: Classifier,
    features: Sequence[int | str] | str | None,
    fill: str | ArrayLike,
    feature_names: Sequence[str] | None,
) -> Discriminant | Section:
    hidden = classifier.table.values.shape[1] != 2 or classifier.table.texts
    if features is None and hidden and classifier.has_scores:
        features = "output"
    if isinstance(features, str) and features == "output":
        return Discriminant.of(classifier)
    return Section.of(classifier.X, features, fill, feature_names)


def _evaluate(plane: Discriminant | Section, classifier: Classifier) -> Evaluate:
    if isinstance(plane, Discriminant):
        return plane.scores
    return lambda points: classifier.scores(plane.rows(points))


def _levels(classifier: Classifier) -> tuple[float, ...]:
    if classifier.has_margin:
        return -1.0, 0.0, 1.0
    if classifier.has_scores:
        return (0.0,)
    return tuple(code + 0.5 for code in range(len(classifier.classes) - 1))


def _limits(
    places: NDArray[np.float64], padding: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    low, high = places.min(axis=0), places.max(axis=0)
    pad = padding * np.where(high > low, high - low, 1.0)
    (left, bottom), (right, top) = low - pad, high + pad
    return (float(left), float(right)), (float(bottom), float(top))


def _normal(surface: Surface, places: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """From the boundary, where it is nearest to the middle of the data, to the margin of +1."""
    start = surface.nearest(places.mean(axis=0)[None], 0.0)
    end = surface.nearest(start, 1.0)
    arrow = np.concatenate([start, end])
    return arrow if np.isfinite(arrow).all() else None
