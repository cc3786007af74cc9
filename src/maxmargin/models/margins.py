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

import numpy as np
from numpy.typing import NDArray

from maxmargin.losses.loss import Array, array
from maxmargin.losses.margin import Hinge
from maxmargin.models.hyperplane import Hyperplane


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


@dataclass(frozen=True, eq=False)
class Margins:
    """The margins of a hyperplane on labelled data.

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

    plane: Hyperplane
    X: Array
    y: Array

    def __post_init__(self) -> None:
        X, y = array(self.X), array(self.y)
        d = len(self.plane.w)
        if X.ndim != 2 or X.shape[1] != d or y.shape != (len(X),):
            raise ValueError(
                f"X must be (n, {d}) and y (n,) for this plane, got shapes {X.shape} and {y.shape}"
            )
        if not np.all(np.abs(y) == 1):
            raise ValueError(f"y must be -1 or +1, got {np.unique(y)[:5]}; map the classes first")
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "y", y)

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
