"""The support vector machine as quadratic programs, with every matrix written out.

A quadratic program is, with the vector theta of all unknowns,

    minimise    1/2 theta'hessian theta + linear'theta
    subject to  equalities theta = equal_to,   inequalities theta <= at_most,
                lower <= theta <= upper

With the objective a |w|^2 + c sum(slack) of a convention, those of the lectures are

    hard margin   theta = (w, b)       1/2 |w|^2             y_i (w'x_i + b) >= 1
    soft margin   theta = (w, b, xi)   a |w|^2 + c sum(xi)   y_i (w'x_i + b) >= 1 - xi_i,  xi >= 0
    tube          theta = (w, b, xi)   a |w|^2 + c sum(xi)   |w'x_i + b - y_i| <= epsilon + xi_i
    dual          theta = alpha        alpha'Q alpha / (4 a) - sum(alpha),   y'alpha = 0,
                                       0 <= alpha <= c,   Q_ij = y_i y_j K_ij

The dual is that of the soft margin, and w = sum_i alpha_i y_i x_i / (2 a). In 1/2 |w|^2 + C sum
it has the well-known 1/2 and box C; in |w|^2 + C sum it has 1/4 and box C, which is the former
with box C / 2. A dual with 1/2 and box C therefore does not belong to the primal |w|^2 + C sum. If
the intercept is penalised, the equality is gone and K becomes K + 1.

The variable alpha / c, with box [0, 1], keeps the numbers within reach of an interior point method
when C is large or small.

Reference: C. Cortes and V. Vapnik, Support-vector networks, Machine Learning 20 (1995).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.losses.loss import Array, array
from maxmargin.problems.conventions import HALF_SUM, Convention


@dataclass(frozen=True, eq=False)
class QuadraticProgram:
    """Minimise 1/2 theta'hessian theta + linear'theta under linear constraints.

    They are: equalities theta = equal_to, inequalities theta <= at_most, lower <= theta <= upper.

    Examples
    --------
    >>> program = hard_margin_primal([[-1.0], [3.0]], [-1.0, 1.0])
    >>> program.value([1.0, 0.0])
    0.5
    >>> program.violation([0.5, -0.5]), program.violation([0.1, 0.0])
    (0.0, 0.9)
    """

    hessian: Array
    linear: Array
    _: KW_ONLY
    equalities: Array
    equal_to: Array
    inequalities: Array
    at_most: Array
    lower: Array
    upper: Array

    def value(self, theta: ArrayLike) -> float:
        """1/2 theta'hessian theta + linear'theta."""
        theta = array(theta)
        return float(theta @ self.hessian @ theta / 2 + self.linear @ theta)

    def violation(self, theta: ArrayLike) -> float:
        """Return the largest amount by which theta violates a constraint."""
        theta = array(theta)
        excess = (
            np.abs(self.equalities @ theta - self.equal_to),
            self.inequalities @ theta - self.at_most,
            self.lower - theta,
            theta - self.upper,
        )
        return float(max(0.0, *(part.max(initial=0.0) for part in excess)))


def hard_margin_primal(X: ArrayLike, y: ArrayLike) -> QuadraticProgram:
    """Write 1/2 |w|^2 subject to y_i (w'x_i + b) >= 1, in the variables (w, b).

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Labels -1 and +1.

    Examples
    --------
    >>> program = hard_margin_primal([[-1.0], [3.0]], [-1.0, 1.0])
    >>> program.hessian
    array([[1., 0.],
           [0., 0.]])
    >>> program.inequalities, program.at_most
    (array([[-1.,  1.],
           [-3., -1.]]), array([-1., -1.]))
    """
    X, y = _checked(X, y)
    n, d = X.shape
    free = np.full(d + 1, np.inf)
    return QuadraticProgram(
        np.diag(np.append(np.ones(d), 0.0)),
        np.zeros(d + 1),
        **_no_equality(d + 1),
        inequalities=-y[:, None] * np.column_stack([X, np.ones(n)]),
        at_most=-np.ones(n),
        lower=-free,
        upper=free,
    )


def soft_margin_primal(
    X: ArrayLike, y: ArrayLike, parameter: float, convention: Convention = HALF_SUM
) -> QuadraticProgram:
    """Write a |w|^2 + c sum(xi) with slacks xi, in the variables (w, b, xi).

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Labels -1 and +1.
    parameter : float
        The convention's C or lambda.
    convention : Convention

    Examples
    --------
    >>> program = soft_margin_primal([[-1.0], [3.0]], [-1.0, 1.0], parameter=10.0)
    >>> program.linear
    array([ 0.,  0., 10., 10.])
    >>> program.value([0.5, -0.5, 0.0, 0.0])
    0.125
    """
    X, y = _checked(X, y)
    right_side = -np.column_stack([y[:, None] * X, y, np.eye(len(y))])
    return _with_slack(X, parameter, convention, right_side, at_most=-np.ones(len(y)))


def tube_primal(
    X: ArrayLike,
    y: ArrayLike,
    parameter: float,
    epsilon: float,
    convention: Convention = HALF_SUM,
) -> QuadraticProgram:
    """Write support vector regression, a |w|^2 + c sum(xi) with xi_i beyond the tube's wall.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Real targets.
    parameter : float
        The convention's C or lambda.
    epsilon : float
        Half the width of the tube.
    convention : Convention

    Examples
    --------
    >>> program = tube_primal([[0.0], [1.0]], [0.0, 3.0], parameter=1.0, epsilon=0.5)
    >>> program.violation([2.0, 0.5, 0.0, 0.0])
    0.0
    """
    X, y = array(X), array(y)
    above = np.column_stack([X, np.ones(len(y)), -np.eye(len(y))])
    below = np.column_stack([-X, -np.ones(len(y)), -np.eye(len(y))])
    walls = np.concatenate([epsilon + y, epsilon - y])
    return _with_slack(X, parameter, convention, np.vstack([above, below]), at_most=walls)


def soft_margin_dual(
    K: ArrayLike,
    y: ArrayLike,
    parameter: float,
    convention: Convention = HALF_SUM,
    *,
    scaled: bool = False,
) -> QuadraticProgram:
    """Write the dual of the soft margin, in alpha in [0, c] or, scaled, in alpha / c in [0, 1].

    Its least value is minus that of the primal; scaled, minus that of the primal over c.

    Parameters
    ----------
    K : array of shape (n, n)
        Gram matrix K_ij = k(x_i, x_j).
    y : array of shape (n,)
        Labels -1 and +1.
    parameter : float
        The convention's C or lambda.
    convention : Convention
    scaled : bool
        Use the variable alpha / c.

    Examples
    --------
    >>> K = np.outer([-1.0, 3.0], [-1.0, 3.0])
    >>> soft_margin_dual(K, [-1.0, 1.0], parameter=10.0).hessian
    array([[1., 3.],
           [3., 9.]])
    >>> soft_margin_dual(K, [-1.0, 1.0], parameter=10.0, scaled=True).hessian
    array([[10., 30.],
           [30., 90.]])
    """
    K, y = _checked(K, y)
    n = len(y)
    if K.shape != (n, n):
        raise ValueError(f"K must be square, the Gram matrix of the {n} samples, got {K.shape}")
    a, c = convention.weights(parameter, n)
    if convention.penalise_intercept:
        K, equality = K + 1.0, _no_equality(n)
    else:
        equality = {"equalities": y[None, :], "equal_to": np.zeros(1)}
    unit = c if scaled else 1.0
    return QuadraticProgram(
        unit / (2 * a) * (y[:, None] * K * y),
        -np.ones(n),
        **equality,
        inequalities=np.empty((0, n)),
        at_most=np.empty(0),
        lower=np.zeros(n),
        upper=np.full(n, c / unit),
    )


def weights_from_dual(alpha: ArrayLike, X: ArrayLike, y: ArrayLike, a: float = 0.5) -> Array:
    """Return w = sum_i alpha_i y_i x_i / (2 a), the primal solution of a linear kernel.

    Parameters
    ----------
    alpha : array of shape (n,)
        The dual solution, unscaled.
    X : array of shape (n, d)
    y : array of shape (n,)
    a : float
        What |w|^2 is multiplied by in the primal: 1/2, or 1 where it is written |w|^2 + C sum.

    Examples
    --------
    >>> weights_from_dual([0.125, 0.125], [[-1.0], [3.0]], [-1.0, 1.0])
    array([0.5])
    """
    return array((array(alpha) * array(y)) @ array(X) / (2 * a))


class InterceptRange(NamedTuple):
    """The optimal intercepts: all of [low, high], and the middle as the one to use.

    Examples
    --------
    >>> InterceptRange(low=-0.8, high=0.8).middle
    0.0
    """

    low: float
    high: float

    @property
    def middle(self) -> float:
        """(low + high) / 2, or the finite end if the other is infinite."""
        if np.isfinite(self.low) and np.isfinite(self.high):
            return (self.low + self.high) / 2
        return self.low if np.isfinite(self.low) else self.high


def intercept_range(
    alpha: ArrayLike, scores: ArrayLike, y: ArrayLike, c: float, tol: float = 1e-6
) -> InterceptRange:
    """Return every b that is optimal together with alpha.

    With e_i = y_i - scores_i, the conditions of optimality are b >= e_i where alpha_i may still
    grow upwards in y_i alpha_i, and b <= e_i where it may fall. A free alpha_i, 0 < alpha_i < c,
    is in both sets and fixes b = e_i; without any, b may be an interval.

    Parameters
    ----------
    alpha : array of shape (n,)
        The dual solution, unscaled.
    scores : array of shape (n,)
        f(x_i) without b: K (alpha y) / (2 a).
    y : array of shape (n,)
    c : float
        The upper bound of alpha.
    tol : float
        alpha within tol max(alpha) of a bound is at the bound: an interior point method comes
        near its bounds, never onto them.

    Examples
    --------
    Two points at -1 and +1 and a C so small that both alpha are at it: w = 2 C, and b is loose.

    >>> alpha, y = np.array([0.1, 0.1]), np.array([-1.0, 1.0])
    >>> intercept_range(alpha, scores=[-0.2, 0.2], y=y, c=0.1)
    InterceptRange(low=-0.8, high=0.8)
    """
    alpha, y = array(alpha), array(y)
    e = y - array(scores)
    near = tol * alpha.max()
    can_grow, can_fall = alpha < c - near, alpha > near
    pushes_up = np.where(y > 0, can_grow, can_fall)
    pushes_down = np.where(y > 0, can_fall, can_grow)
    low = float(e[pushes_up].max(initial=-np.inf))
    high = float(e[pushes_down].min(initial=np.inf))
    # With free alphas low and high are one number up to the solver's rounding, in either order.
    return InterceptRange(min(low, high), max(low, high))


def _with_slack(
    X: Array, parameter: float, convention: Convention, inequalities: Array, at_most: Array
) -> QuadraticProgram:
    """Minimise a |w|^2 + c sum(xi) over (w, b, xi) with xi >= 0 and the given inequalities."""
    n, d = X.shape
    a, c = convention.weights(parameter, n)
    curvature = np.zeros(d + 1 + n)
    curvature[:d] = 2 * a
    curvature[d] = 2 * a * convention.penalise_intercept
    return QuadraticProgram(
        np.diag(curvature),
        np.append(np.zeros(d + 1), np.full(n, c)),
        **_no_equality(d + 1 + n),
        inequalities=inequalities,
        at_most=at_most,
        lower=np.append(np.full(d + 1, -np.inf), np.zeros(n)),
        upper=np.full(d + 1 + n, np.inf),
    )


def _no_equality(n_unknowns: int) -> dict[str, Array]:
    return {"equalities": np.empty((0, n_unknowns)), "equal_to": np.empty(0)}


def _checked(X: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    X, y = array(X), array(y)
    if X.ndim != 2 or y.shape != (len(X),):
        raise ValueError(f"X must be (n, d) and y (n,), got shapes {X.shape} and {y.shape}")
    if not np.all(np.abs(y) == 1):
        raise ValueError(f"y must be -1 or +1, got {np.unique(y)[:5]}; map the classes first")
    return X, y
