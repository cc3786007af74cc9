"""The hyperplane {x : w'x + b = 0} and where points lie relative to it.

    score           f(x) = w'x + b
    distance        f(x) / |w|, positive on the side to which w points
    projection      x - distance w / |w|, the nearest point of the hyperplane

Scaling (w, b) by a positive number changes the scores but neither distances nor projections.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.losses.loss import Array, array


@dataclass(frozen=True, eq=False)
class Hyperplane:
    """The hyperplane w'x + b = 0 of any linear model.

    Parameters
    ----------
    w : array of shape (d,)
        Weights, not zero.
    b : float

    Examples
    --------
    >>> plane = Hyperplane(w=[3.0, 4.0], b=-5.0)
    >>> x = [[3.0, 4.0]]
    >>> plane.score(x), plane.distance(x), plane.project(x)
    (array([20.]), array([4.]), array([[0.6, 0.8]]))
    >>> plane.scaled(10.0).distance(x)
    array([4.])
    """

    w: Array
    b: float = 0.0

    def __post_init__(self) -> None:
        w = array(self.w)
        if w.ndim != 1 or not np.isfinite(w).all() or not np.any(w):
            raise ValueError(f"w must be a finite vector other than zero, got {self.w!r}")
        object.__setattr__(self, "w", w)
        object.__setattr__(self, "b", float(self.b))

    @classmethod
    def of(cls, model: Any) -> Hyperplane:
        """Return the hyperplane of a fitted linear classifier of two classes, whoever made it.

        Parameters
        ----------
        model : estimator
            With `coef_` and `intercept_`.

        Examples
        --------
        >>> from maxmargin import SVC
        >>> Hyperplane.of(SVC(kernel="linear").fit([[-1.0], [3.0]], [0, 1])).w
        array([0.5])
        """
        coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
        coef, intercept = np.atleast_2d(coef), np.atleast_1d(model.intercept_)
        if len(coef) != 1 or len(intercept) != 1:
            raise ValueError(
                f"model must have one hyperplane, got {len(coef)}: fit it to two classes"
            )
        return cls(coef[0], intercept[0])

    @property
    def norm(self) -> float:
        """The length |w|."""
        return float(np.linalg.norm(self.w))

    @property
    def normal(self) -> Array:
        """The unit normal vector w / |w|."""
        return array(self.w / self.norm)

    def scaled(self, factor: float) -> Hyperplane:
        """Return (factor w, factor b): the same set of points, with other scores."""
        return Hyperplane(factor * self.w, factor * self.b)

    def score(self, X: ArrayLike) -> Array:
        """Return w'x + b."""
        return array(array(X) @ self.w + self.b)

    def distance(self, X: ArrayLike) -> Array:
        """Return (w'x + b) / |w|: the distance, with the sign of the side."""
        return self.score(X) / self.norm

    def project(self, X: ArrayLike) -> Array:
        """Return the nearest point of the hyperplane to each row."""
        return array(X) - np.multiply.outer(self.distance(X), self.normal)
