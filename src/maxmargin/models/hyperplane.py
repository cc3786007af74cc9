"""The hyperplane {x : w'x + b = 0} and where points lie relative to it.

    score           f(x) = w'x + b
    distance        f(x) / |w|, positive on the side to which w points
    projection      x - distance w / |w|, the nearest point of the hyperplane

Scaling (w, b) by a positive number changes the scores but neither distances nor projections.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.losses.loss import Array, array
from maxmargin.prompt import Brief, Hinted, brief


@dataclass(frozen=True, eq=False, repr=False)
class Hyperplane(Brief, Hinted):
    """The hyperplane w'x + b = 0 of any linear model.

    `Hyperplane.of` takes it from a fitted model, a run of an optimizer or a solution of a program.

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

    _meant: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["decision_function", "f", "evaluate"], "score(X)"),
        **dict.fromkeys(["margin", "margins"], "maxmargin.models.Margins(plane, X, y)"),
        **dict.fromkeys(["projection", "nearest"], "project(X)"),
        **dict.fromkeys(["distances"], "distance(X)"),
        "plot": "maxmargin.plots.BoundaryDisplay.from_estimator(plane, X, y).plot()",
    }

    w: Array
    b: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.b, Real) and np.size(self.b) != 1:
            raise ValueError(f"b must be a number, got {self.b!r}")
        w = _vector(self.w)
        if w.ndim != 1 or not np.isfinite(w).all() or not np.any(w):
            cure = "; of a fitted model, use Hyperplane.of(model)" if w.ndim == 2 else ""
            raise ValueError(f"w must be a finite vector other than zero, got {self.w!r}{cure}")
        object.__setattr__(self, "w", w)
        object.__setattr__(self, "b", float(np.ravel(self.b)[0]))

    @classmethod
    def of(cls, model: Any) -> Hyperplane:
        """Return the hyperplane of whatever has one.

        Parameters
        ----------
        model : estimator, Hyperplane, or anything with `w`
            A fitted linear classifier of two classes, whoever made it, with `coef_` and
            `intercept_`; a solution of a program or a run of the perceptron, with `w` and `b`; a
            run of `minimize` on an `Objective`, which says whether the last entry of w is b.

        Examples
        --------
        >>> from maxmargin import SVC
        >>> Hyperplane.of(SVC(kernel="linear").fit([[-1.0], [3.0]], [0, 1])).w
        array([0.5])
        >>> from maxmargin.optimizers import minimize
        >>> from maxmargin.problems import Objective
        >>> J = Objective([[-1.0], [3.0]], [-1.0, 1.0], "hinge", C=1.0)
        >>> Hyperplane.of(minimize(J, [1.0, 2.0], 0.5, max_iter=1))
        Hyperplane(w=array([1.]), b=1.5)
        """
        if isinstance(model, cls):
            return model
        if hasattr(model, "trace") and hasattr(model, "ending"):
            return cls._of_run(model)
        if hasattr(model, "w"):
            return cls(model.w, model.b)
        if not hasattr(model, "coef_") or not hasattr(model, "intercept_"):
            raise TypeError(
                f"model must have a hyperplane, as fitted machines of a linear kernel have, got "
                f"{_name(model)}; kernel machines have decision_function(X) in its place"
            )
        coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
        coef, intercept = np.atleast_2d(coef), np.atleast_1d(model.intercept_)
        if len(coef) != 1 or len(intercept) != 1:
            raise ValueError(
                f"model must have one hyperplane, got {len(coef)}: fit it to two classes"
            )
        return cls(coef[0], intercept[0])

    @classmethod
    def _of_run(cls, run: Any) -> Hyperplane:
        if run.intercept is None:
            raise TypeError(
                "run does not know whether the last of its unknowns is b; use "
                "Hyperplane(w[:-1], w[-1]) or Hyperplane(w)"
            )
        return cls(run.w[:-1], run.w[-1]) if run.intercept else cls(run.w)

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
        X, d = array(X), len(self.w)
        if X.shape[-1:] != (d,):
            cure = ""
            if X.shape[-1:] == (d - 1,):
                cure = ": if the last weight is b, as in the w of an optimizer, use "
                cure += "Hyperplane(w[:-1], w[-1]) or Hyperplane.of(run)"
            raise ValueError(f"X has shape {X.shape}, but w has {d} weights{cure}")
        return array(X @ self.w + self.b)

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the side of each row, -1 or +1; the plane itself is on that of -1."""
        return np.where(self.score(X) > 0, 1, -1)

    def distance(self, X: ArrayLike) -> Array:
        """Return (w'x + b) / |w|: the distance, with the sign of the side."""
        return self.score(X) / self.norm

    def project(self, X: ArrayLike) -> Array:
        """Return the nearest point of the hyperplane to each row."""
        return array(X) - np.multiply.outer(self.distance(X), self.normal)


def _vector(w: Any) -> Array:
    try:
        return array(w)
    except (TypeError, ValueError):
        raise TypeError(
            f"w must be a vector of weights, got {_name(w)}; of a fitted model, a run or a "
            "solution, use Hyperplane.of(...)"
        ) from None


def _name(thing: Any) -> str:
    return f"{type(thing).__name__} {brief(thing)}"
