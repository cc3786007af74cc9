"""A maximum of affine functions of several variables, and which directions go down from a kink.

    h(x) = max_i  g_i'x + c_i,      dh(x) = convex hull of the g_i that attain the maximum,
    h'(x; d) = max over the same g_i of g_i'd

A direction d goes down if and only if h'(x; d) < 0. In one variable minus a subgradient always
does, unless x is a minimiser; in two it need not: h(x) = |x_1| + 2 |x_2| at (1, 0) has the
subgradient (1, 2), and along -(1, 2) it climbs. Minus the *shortest* subgradient always goes
down, and is the steepest way.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls

from maxmargin.losses.loss import Array, array


@dataclass(frozen=True, eq=False)
class Polyhedral:
    """The polyhedral convex function h(x) = max_i g_i'x + c_i.

    Parameters
    ----------
    gradients : array of shape (n_pieces, n_variables)
        The g_i, one a row.
    offsets : array of shape (n_pieces,)
        The c_i.
    tol : float
        Pieces within `tol` of the maximum attain it.

    Examples
    --------
    The function |x_1| + 2 |x_2| at (1, 0): minus a subgradient that climbs, and one that falls.

    >>> h = Polyhedral([[1, 2], [1, -2], [-1, 2], [-1, -2]], [0, 0, 0, 0])
    >>> x = np.array([1.0, 0.0])
    >>> h.subgradients(x)
    array([[ 1.,  2.],
           [ 1., -2.]])
    >>> h.directional_derivative(x, [-1, -2]), h.is_descent(x, [-1, -2])
    (3.0, False)
    >>> h.steepest_descent(x).round(12) + 0.0
    array([-1.,  0.])
    >>> h.is_descent(x, h.steepest_descent(x))
    True
    """

    gradients: Array
    offsets: Array
    tol: float = 1e-12

    def __post_init__(self) -> None:
        G = np.atleast_2d(array(self.gradients))
        c = array(self.offsets)
        if c.shape != (len(G),):
            raise ValueError(f"offsets must have shape ({len(G)},), one a gradient, got {c.shape}")
        object.__setattr__(self, "gradients", G)
        object.__setattr__(self, "offsets", c)

    def _pieces(self, x: ArrayLike) -> Array:
        return array(self.gradients @ array(x) + self.offsets)

    def value(self, x: ArrayLike) -> float:
        """max_i g_i'x + c_i."""
        return float(self._pieces(x).max())

    def subgradients(self, x: ArrayLike) -> Array:
        """Return the corners of the subdifferential at x, one a row."""
        pieces = self._pieces(x)
        return array(self.gradients[pieces >= pieces.max() - self.tol])

    def subgradient(self, x: ArrayLike) -> Array:
        """Return the first corner of the subdifferential at x."""
        return array(self.subgradients(x)[0])

    def directional_derivative(self, x: ArrayLike, d: ArrayLike) -> float:
        """h'(x; d), the largest g'd over the subdifferential."""
        return float((self.subgradients(x) @ array(d)).max())

    def is_descent(self, x: ArrayLike, d: ArrayLike) -> bool:
        """Tell whether h falls along d: h'(x; d) < 0."""
        return self.directional_derivative(x, d) < 0

    def steepest_descent(self, x: ArrayLike) -> Array:
        """Minus the shortest subgradient; zero if and only if x is a minimiser."""
        G = self.subgradients(x)
        # min |G'u|^2 + (1'u - 1)^2 over u >= 0 has the direction of the shortest point of the hull.
        u, _ = nnls(np.vstack([G.T, np.ones(len(G))]), np.append(np.zeros(G.shape[1]), 1.0))
        return array(-(G.T @ u) / u.sum())
