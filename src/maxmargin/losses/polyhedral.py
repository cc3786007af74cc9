"""A maximum of affine functions of several variables, and which directions go down from a kink.

    h(w) = max_i  g_i'w + o_i,      dh(w) = convex hull of the g_i that attain the maximum,
    h'(w; direction) = max over the same g_i of g_i'direction

A direction goes down if and only if h'(w; direction) < 0. In one variable minus a subgradient
always does, unless w is a minimiser; in two it need not: h(w) = |w_1| + 2 |w_2| at (1, 0) has the
subgradient (1, 2), and along -(1, 2) it climbs. Minus the *shortest* subgradient always goes
down, and is the steepest way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls

from maxmargin.losses.loss import Array, array
from maxmargin.prompt import Brief, Hinted


@dataclass(frozen=True, eq=False, repr=False)
class Polyhedral(Brief, Hinted):
    """The polyhedral convex function h(w) = max_i g_i'w + o_i.

    Parameters
    ----------
    gradients : array of shape (n_pieces, n_variables)
        The g_i, one per row.
    offsets : array of shape (n_pieces,)
        The o_i.
    tol : float
        Pieces within `tol` of the maximum attain it.

    Examples
    --------
    The function |w_1| + 2 |w_2| at (1, 0): minus a subgradient that climbs, and one that falls.

    >>> h = Polyhedral([[1, 2], [1, -2], [-1, 2], [-1, -2]], [0, 0, 0, 0])
    >>> w = np.array([1.0, 0.0])
    >>> h.subgradients(w)
    array([[ 1.,  2.],
           [ 1., -2.]])
    >>> h.directional_derivative(w, [-1, -2]), h.is_descent(w, [-1, -2])
    (3.0, False)
    >>> h.steepest_descent(w).round(12) + 0.0
    array([-1.,  0.])
    >>> h.is_descent(w, h.steepest_descent(w))
    True
    """

    _meant: ClassVar[dict[str, str]] = {
        "subdifferential": "subgradients(w), its corners",
        "gradient": "subgradient(w), one of subgradients(w)",
        "descent_direction": "steepest_descent(w)",
    }

    gradients: Array
    offsets: Array
    tol: float = 1e-12

    def __post_init__(self) -> None:
        G = np.atleast_2d(array(self.gradients))
        o = array(self.offsets)
        if o.shape != (len(G),):
            raise ValueError(f"offsets must have shape ({len(G)},), one each, got {o.shape}")
        object.__setattr__(self, "gradients", G)
        object.__setattr__(self, "offsets", o)

    def _pieces(self, w: ArrayLike) -> Array:
        w, d = array(w), self.gradients.shape[1]
        if w.shape != (d,):
            raise ValueError(f"w must have shape ({d},), one entry per variable, got {w.shape}")
        return array(self.gradients @ w + self.offsets)

    def __call__(self, w: ArrayLike) -> float:
        """max_i g_i'w + o_i."""
        return self.value(w)

    def value(self, w: ArrayLike) -> float:
        """max_i g_i'w + o_i."""
        return float(self._pieces(w).max())

    def subgradients(self, w: ArrayLike) -> Array:
        """Return the corners of the subdifferential at w, one per row."""
        pieces = self._pieces(w)
        return array(self.gradients[pieces >= pieces.max() - self.tol])

    def subgradient(self, w: ArrayLike) -> Array:
        """Return the first corner of the subdifferential at w."""
        return array(self.subgradients(w)[0])

    def directional_derivative(self, w: ArrayLike, direction: ArrayLike) -> float:
        """h'(w; direction), the largest g'direction over the subdifferential."""
        return float((self.subgradients(w) @ array(direction)).max())

    def is_descent(self, w: ArrayLike, direction: ArrayLike) -> bool:
        """Tell whether h falls along the direction: h'(w; direction) < 0."""
        return self.directional_derivative(w, direction) < 0

    def steepest_descent(self, w: ArrayLike) -> Array:
        """Minus the shortest subgradient; zero if and only if w is a minimiser."""
        G = self.subgradients(w)
        # min |G'u|^2 + (1'u - 1)^2 over u >= 0 has the direction of the shortest point of the hull.
        u, _ = nnls(np.vstack([G.T, np.ones(len(G))]), np.append(np.zeros(G.shape[1]), 1.0))
        return array(-(G.T @ u) / u.sum())
