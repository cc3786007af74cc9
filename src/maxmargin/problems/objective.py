"""The regularised risk of a linear model, in any convention.

    J(w, b) = a penalty(w) + c sum_i h(argument(f_i, y_i)),      f_i = w'x_i + b

with the squared norm as penalty unless told otherwise, and (a, c) from the convention. The
unknowns are one vector (w_1, ..., w_d, b), called w for short; b is last, and is penalised only if
the convention says so.

Its subdifferential follows from the rules of scaling, sum and chain: with s_i in dh(.),

    a dpenalty(w) + c sum_i s_i slope(y_i) (x_i, 1)

and every such s is also a point of Fenchel's dual, whose value bounds J from below:

    D(s) = - c sum_i (h*(s_i) + s_i o_i) - a penalty*(-pull / a)
    pull = c sum_i s_i slope(y_i) x_i

where o_i = 0 for a loss of margins and y_i for a loss of residuals, provided that
sum_i s_i slope(y_i) = 0 if b is not penalised. For the squared norm a penalty*(-pull / a) is
|pull|^2 / (4 a).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.losses.calculus import is_margin_loss
from maxmargin.losses.loss import Array, Loss, Penalty, array
from maxmargin.losses.named import loss_of, penalty_of
from maxmargin.losses.penalty import L2
from maxmargin.problems.conventions import Convention, parameter_of
from maxmargin.problems.samples import samples
from maxmargin.prompt import Brief, Hinted, keywords

Rows: TypeAlias = NDArray[np.intp]
Choice: TypeAlias = Callable[[Array, Array], Array]
TINY = np.finfo(float).tiny


def smallest(low: ArrayLike, high: ArrayLike) -> Array:
    """Choose the number of [low, high] nearest to zero: at the hinge's kink 0, at that of |r| 0.

    Examples
    --------
    >>> float(smallest(-1.0, 0.0)), float(smallest(-1.0, 1.0)), float(smallest(2.0, 2.0))
    (0.0, 0.0, 2.0)
    """
    return array(np.minimum(np.maximum(0.0, low), high))


def lowest(low: ArrayLike, high: ArrayLike) -> Array:
    """Choose the low end of [low, high]: -1 at the hinge's kink, so that points on the margin push.

    Examples
    --------
    >>> float(lowest(-1.0, 0.0))
    -1.0
    """
    return array(low)


@keywords(
    **dict.fromkeys(["lambda_", "lmbda", "alpha", "reg"], "lam="),
    **dict.fromkeys(["c"], "C="),
    **dict.fromkeys(["regularizer", "regulariser", "regularization", "norm"], "penalty=L2()"),
    **dict.fromkeys(["fit_intercept", "bias"], "intercept="),
)
@dataclass(frozen=True, eq=False, repr=False)
class Objective(Brief, Hinted):
    """The regularised risk J(w, b) = a penalty(w) + c sum_i h_i of a linear model.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Labels -1 and +1 for a loss of margins, real targets for a loss of residuals.
    loss : Loss or str
        Or its name, such as "hinge".
    parameter : float
        The convention's C or lambda; give it by its letter, `C` or `lam`, to have that checked.
    C, lam : float
        The same parameter by its letter. After that both `parameter` and the letter have it.
    convention : Convention or str
        Or its name, such as "C_MEAN". By default `HALF_SUM`; with `lam`, `LAMBDA_MEAN`.
    penalty : Penalty or str
        The function summed over the penalised coordinates, in the place of |w|^2; or its name,
        "l1" or "l2".
    intercept : bool
        Whether the model has a b, the last entry of the parameter vector.
    choose : callable
        Which subgradient to take between low and high.

    Attributes
    ----------
    A : array of shape (n, d) or (n, d + 1)
        X, with a last column of ones if there is an intercept: the scores are A w.
    a, c : float
        What the penalty and what each loss is multiplied by.
    penalised : array of bool
        Which entries of the parameter vector are inside the penalty.

    Examples
    --------
    >>> J = Objective([[-1.0], [2.0]], [-1.0, 1.0], "hinge", C=1.0)
    >>> J.value([0.5, 0.0])
    0.625
    >>> J([0.5], b=0.0)
    0.625
    >>> J.subgradient([0.5, 0.0])
    array([-0.5,  1. ])

    A direction along which it falls, by the exact one-sided derivative.

    >>> J.directional_derivative([0.5, 0.0], [1.0, 0.0])
    -0.5
    """

    _meant: ClassVar[dict[str, str]] = {
        **dict.fromkeys(
            ["subdifferential", "subgradients"],
            "subgradient(w), one element of it, and directional_derivative(w, direction), the "
            "largest along a direction: of several unknowns it is a set that no pair of ends tells",
        ),
        **dict.fromkeys(["grad", "derivative"], "gradient(w) or subgradient(w)"),
        **dict.fromkeys(["lambda_", "reg", "regularization"], "parameter"),
        **dict.fromkeys(
            ["minimize", "minimise", "fit", "solve", "train"],
            "maxmargin.optimizers.minimize(J, start, step_size)",
        ),
        **dict.fromkeys(["margins", "residuals", "margin"], "arguments(w)"),
        **dict.fromkeys(["dual", "lower_bound"], "dual_value(dual_point(w))"),
        "plot": "maxmargin.plots.PathDisplay.from_runs(J, run).plot(), of a run of minimize",
    }

    X: Array
    y: Array
    loss: Loss
    parameter: float = None  # type: ignore[assignment]  # until it is known from its letter
    _: KW_ONLY
    C: float | None = field(default=None, repr=False)
    lam: float | None = field(default=None, repr=False)
    convention: Convention = None  # type: ignore[assignment]
    penalty: Penalty = field(default_factory=L2)
    intercept: bool = True
    choose: Choice = field(default=smallest, repr=False)
    A: Array = field(init=False, repr=False)
    a: float = field(init=False)
    c: float = field(init=False)
    penalised: NDArray[np.bool_] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        loss, penalty = loss_of(self.loss), penalty_of(self.penalty)
        X, y = samples(self.X, self.y, signs=is_margin_loss(loss))
        low, high = loss.subdifferential(loss.argument(np.zeros(len(y)), y))
        if np.any(low > high):
            raise ValueError(
                f"loss must be convex, got {loss!r}, which has no subgradient at score 0; "
                "use a convex bound of it, such as Hinge()"
            )
        value, convention = parameter_of(self.parameter, self.C, self.lam, self.convention)
        letter = "lam" if convention.letter == "lambda" else "C"
        a, c = convention.weights(value, len(X))
        A = np.column_stack([X, np.ones(len(X))]) if self.intercept else X
        penalised = np.ones(A.shape[1], dtype=bool)
        if self.intercept:
            penalised[-1] = convention.penalise_intercept
        computed: dict[str, Any] = {"X": X, "y": y, "A": A, "a": a, "c": c, "penalised": penalised}
        computed |= {
            "loss": loss,
            "penalty": penalty,
            "convention": convention,
            "parameter": value,
            letter: value,
        }
        for name, content in computed.items():
            object.__setattr__(self, name, content)

    @property
    def n(self) -> int:
        """The number of samples."""
        return len(self.y)

    def __call__(self, w: ArrayLike, b: float | None = None) -> float:
        """J(w), with b as the last entry of w or apart."""
        return self.value(w if b is None else np.append(w, b))

    def arguments(self, w: ArrayLike) -> Array:
        """Return the margins y f or the residuals f - y at w."""
        return self.loss.argument(self.A @ self._point(w), self.y)

    def value(self, w: ArrayLike) -> float:
        """J(w) = a penalty(w) + c sum_i h_i."""
        w = self._point(w)
        risk = self.loss.value(self.arguments(w)).sum()
        return float(self.a * self.penalty.value(w[self.penalised]).sum() + self.c * risk)

    @keywords(**dict.fromkeys(["batch", "indices", "i"], "rows="))
    def subgradient(self, w: ArrayLike, rows: Rows | None = None) -> Array:
        """Return a dpenalty(w) + c sum_i s_i slope_i A_i, one element of dJ(w).

        With `rows`, a mini-batch of indices, the sum runs over them only and is multiplied by
        n / len(rows): for rows drawn at random its expectation is the subgradient of J.
        """
        w = self._point(w)
        A, y, c = self.A, self.y, self.c
        if rows is not None:
            rows = np.atleast_1d(rows)
            A, y, c = A[rows], y[rows], c * self.n / len(rows)
        s = self.choose(*self.loss.subdifferential(self.loss.argument(A @ w, y)))
        g = c * ((s * self.loss.slope(y)) @ A)
        g[self.penalised] += self.a * self.choose(*self.penalty.subdifferential(w[self.penalised]))
        return array(g)

    def gradient(self, w: ArrayLike) -> Array:
        """Return the gradient of J at w, which there is where no sample is at a kink."""
        w = self._point(w)
        for function, z in ((self.loss, self.arguments(w)), (self.penalty, w[self.penalised])):
            low, high = function.subdifferential(z)
            if np.any(low != high):
                raise ValueError(
                    f"J has no gradient here: {np.count_nonzero(low != high)} of the arguments of "
                    f"{function!r} are at a kink; subgradient(w) chooses one of the slopes"
                )
        return self.subgradient(w)

    def directional_derivative(self, w: ArrayLike, direction: ArrayLike) -> float:
        """J'(w; direction), the largest g'direction over dJ(w): negative where J goes down."""
        w, direction = self._point(w), self._point(direction)
        low, high = self.loss.subdifferential(self.arguments(w))
        speed = self.loss.slope(self.y) * (self.A @ direction)
        risk = np.maximum(low * speed, high * speed).sum()
        low, high = self.penalty.subdifferential(w[self.penalised])
        speed = direction[self.penalised]
        return float(self.a * np.maximum(low * speed, high * speed).sum() + self.c * risk)

    def dual_point(self, w: ArrayLike) -> Array:
        """Return the slopes s_i of the losses at w: a point of the dual problem."""
        return self.choose(*self.loss.subdifferential(self.arguments(w)))

    def dual_value(self, s: ArrayLike) -> float:
        """D(s), a lower bound of J for every s; J(w) - D(s) bounds how far w is from optimal.

        If b is not penalised, s is first made to satisfy sum_i s_i slope_i = 0, by shrinking
        the positive or the negative terms of that sum, whichever weigh more.
        """
        if not hasattr(self.loss, "conjugate"):
            raise TypeError(
                f"{self.loss!r} has no conjugate, which a lower bound of J is made of; minimise it "
                "without certify=True, or give your loss a method conjugate(s)"
            )
        s, slope = array(s), self.loss.slope(self.y)
        if not self.penalised.all():
            s = _balance(s * slope) / slope
        pull = self.c * ((s * slope) @ self.A)[self.penalised]
        offsets = -self.loss.argument(np.zeros(self.n), self.y)
        penalty = self.a * self.penalty.conjugate(-pull / self.a).sum()
        return float(-penalty - self.c * (self.loss.conjugate(s) + s * offsets).sum())

    def _point(self, w: ArrayLike) -> Array:
        """Return w as an array, if it has an entry for each unknown."""
        w, (d, m) = array(w), (self.X.shape[1], self.A.shape[1])
        if w.shape == (m,):
            return w
        names = f"{d} weights and, last, the intercept b" if self.intercept else f"{d} weights"
        cure = ""
        if self.intercept and w.shape == (d,):
            cure = "; append b, call J(w, b), or make the objective with intercept=False"
        raise ValueError(f"w has shape {w.shape}; it must be ({m},): {names}{cure}")


def _balance(terms: Array) -> Array:
    """Shrink the heavier sign until the terms sum to zero."""
    up, down = terms[terms > 0].sum(), -terms[terms < 0].sum()
    lighter = min(up, down)
    factor = np.where(terms > 0, lighter / max(up, TINY), lighter / max(down, TINY))
    return array(terms * factor)
