"""Margins, slacks and support vectors of any linear model on any data.

    functional margin   z_i = y_i (w'x_i + b)       grows when (w, b) is scaled up
    geometric margin    z_i / |w|                   the signed distance to the hyperplane
    margin of the data  min_i z_i / |w|
    slack               xi_i = max(0, 1 - z_i)      by how much the margin 1 is missed
    noise ball          max(0, z_i / |w|)           how far x_i may move and still be right

Slack 0: outside the margin or on it. In (0, 1]: inside the margin, still on the right side or on
the boundary. Above 1: on the wrong side.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.losses.loss import Array, array
from maxmargin.losses.margin import Hinge
from maxmargin.models.hyperplane import Hyperplane
from maxmargin.problems.samples import samples
from maxmargin.prompt import Brief, Hinted


class SlackClass(IntEnum):
    """Where a slack puts its point: OUTSIDE (0), INSIDE (in (0, 1]) or WRONG (above 1).

    Examples
    --------
    >>> SlackClass(2)
    <SlackClass.WRONG: 2>
    """

    OUTSIDE = 0
    INSIDE = 1
    WRONG = 2


class SupportKind(IntEnum):
    """Whether a point can be a support vector, and of which kind.

    NONE: beyond the margin, moving it changes nothing. ON_MARGIN: functional margin 1. INSIDE: in
    (or at the end of) the margin, right side. WRONG: wrong side.

    Examples
    --------
    >>> SupportKind(0)
    <SupportKind.NONE: 0>
    """

    NONE = 0
    ON_MARGIN = 1
    INSIDE = 2
    WRONG = 3


@dataclass(frozen=True, eq=False, repr=False)
class Margins(Brief, Hinted):
    """The margins of a hyperplane on labelled data.

    `Margins.of(model, X, y)` takes the hyperplane from a model, and labels of any kind.

    Parameters
    ----------
    plane : Hyperplane
    X : array of shape (n, d)
    y : array of shape (n,)
        Labels -1 and +1.

    Examples
    --------
    >>> X, y = [[-2.0], [-0.5], [1.0], [-1.0]], [-1.0, -1.0, 1.0, 1.0]
    >>> margins = Margins(Hyperplane(w=[2.0], b=0.0), X, y)
    >>> margins.functional
    array([ 4.,  1.,  2., -2.])
    >>> margins.geometric, margins.smallest
    (array([ 2. ,  0.5,  1. , -1. ]), -1.0)
    >>> margins.slack, margins.total_slack
    (array([0., 0., 0., 3.]), 3.0)
    >>> [kind.name for kind in map(SupportKind, margins.support_kind())]
    ['NONE', 'ON_MARGIN', 'NONE', 'WRONG']
    """

    _meant: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["min", "margin", "minimum", "geometric_margin"], "smallest"),
        **dict.fromkeys(["slacks", "xi", "hinge"], "slack"),
        **dict.fromkeys(["functional_margin", "functional_margins"], "functional"),
        **dict.fromkeys(["geometric_margins", "distances", "distance"], "geometric"),
        **dict.fromkeys(["support", "support_"], "support_vectors()"),
        "plot": "maxmargin.plots.BoundaryDisplay.from_estimator(margins.plane, X, y).plot()",
    }

    plane: Hyperplane
    X: Array
    y: Array

    def __post_init__(self) -> None:
        if not isinstance(self.plane, Hyperplane):
            raise TypeError(
                f"plane must be a Hyperplane, got {type(self.plane).__name__}; of a fitted "
                "model, a run or a solution, use Margins.of(model, X, y)"
            )
        X, y = samples(self.X, self.y, signs=True)
        d = len(self.plane.w)
        if X.shape[1] != d:
            raise ValueError(f"X must be (n, {d}) for this plane, got shape {X.shape}")
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "y", y)

    @classmethod
    def of(cls, model: Any, X: ArrayLike, y: ArrayLike) -> Margins:
        """Return the margins of a model on labelled data.

        Parameters
        ----------
        model : estimator, Hyperplane, run or solution
            Whatever `Hyperplane.of` takes.
        X : array of shape (n, d)
            Samples.
        y : array of shape (n,)
            Labels: those of the model's classes, or -1 and +1.

        Examples
        --------
        >>> from maxmargin import SVC
        >>> X, y = [[-1.0], [0.5], [3.0]], ["no", "no", "yes"]
        >>> round(Margins.of(SVC(kernel="linear", C=10).fit(X, y), X, y).smallest, 12)
        1.25
        """
        classes, labels = getattr(model, "classes_", None), np.asarray(y)
        if classes is not None and len(classes) == 2:
            unknown = set(labels.tolist()) - set(np.asarray(classes).tolist())
            if unknown:
                raise ValueError(
                    f"y has the label {unknown.pop()!r}; the model's classes are "
                    f"{', '.join(map(repr, np.asarray(classes).tolist()))}"
                )
            labels = np.where(labels == classes[1], 1.0, -1.0)
        return cls(Hyperplane.of(model), array(X), labels)

    @property
    def functional(self) -> Array:
        """y_i (w'x_i + b)."""
        return self.y * self.plane.score(self.X)

    @property
    def geometric(self) -> Array:
        """y_i (w'x_i + b) / |w|."""
        return self.y * self.plane.distance(self.X)

    @property
    def smallest(self) -> float:
        """The margin of the data set: positive if and only if the plane separates it."""
        return float(self.geometric.min())

    @property
    def slack(self) -> Array:
        """max(0, 1 - y_i (w'x_i + b))."""
        return Hinge().value(self.functional)

    @property
    def total_slack(self) -> float:
        """The sum of slacks, by which two hyperplanes may be compared."""
        return float(self.slack.sum())

    @property
    def noise_radius(self) -> Array:
        """The radius of the open ball around each point in which it stays correctly classified."""
        return array(np.maximum(0.0, self.geometric))

    @property
    def nearest(self) -> Array:
        """The projections of the points onto the hyperplane."""
        return self.plane.project(self.X)

    def slack_class(self, tol: float = 0.0) -> NDArray[np.int64]:
        """Return the SlackClass of each point, slack up to `tol` counting as 0."""
        slack = self.slack
        wrong, inside = SlackClass.WRONG, SlackClass.INSIDE
        return np.select([slack > 1, slack > tol], [wrong, inside], SlackClass.OUTSIDE)

    def support_kind(self, tol: float = 1e-6) -> NDArray[np.int64]:
        """Return the SupportKind of each point; within `tol` of 1 a margin is on the margin."""
        z = self.functional
        return np.select(
            [z > 1 + tol, z >= 1 - tol, z >= 0],
            [SupportKind.NONE, SupportKind.ON_MARGIN, SupportKind.INSIDE],
            SupportKind.WRONG,
        )

    def support_vectors(self, tol: float = 1e-6) -> NDArray[np.intp]:
        """Return the rows whose margin is at most 1, up to `tol`."""
        return np.flatnonzero(self.support_kind(tol) != SupportKind.NONE)
