"""The support vector machine as quadratic programs, with every matrix written out.

A quadratic program is, with the vector theta of all unknowns,

    minimise    1/2 theta'hessian theta + linear'theta
    subject to  equalities theta = equal_to,   inequalities theta <= at_most,
                lower <= theta <= upper

With the objective a |w|^2 + c sum(slack) of a convention, those of the lectures are

    hard margin   theta = (w, b)       1/2 |w|^2             y_i (w'x_i + b) >= 1
    soft margin   theta = (w, b, xi)   a |w|^2 + c sum(xi)   y_i (w'x_i + b) >= 1 - xi_i,  xi >= 0
    tube          theta = (w, b, xi)   a |w|^2 + c sum(xi)   |w'x_i + b - y_i| <= epsilon + xi_i
    duals         theta = alpha        alpha'Q alpha / (4 a) - sum(alpha),   y'alpha = 0,
                                       0 <= alpha <= c,   Q_ij = y_i y_j K_ij
    of the tube   theta = (alpha, alpha*), with beta = alpha - alpha*
                                       beta'K beta / (4 a) - y'beta + epsilon sum(alpha + alpha*),
                                       sum(beta) = 0,   0 <= alpha, alpha* <= c

The dual of the hard margin is that of the soft one without c. The primal solution is
w = sum_i alpha_i y_i x_i / (2 a), or sum_i beta_i x_i / (2 a). In 1/2 |w|^2 + C sum the dual has
the well-known 1/2 and box C; in |w|^2 + C sum it has 1/4 and box C, which is the former with box
C / 2. A dual with 1/2 and box C therefore does not belong to the primal |w|^2 + C sum. If
the intercept is penalised, the equality is gone and K becomes K + 1.

A program knows what its unknowns mean (`read`), so that every solution has w, b, alpha and slack.

Reference: C. Cortes and V. Vapnik, Support-vector networks, Machine Learning 20 (1995).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.losses.loss import Array, array
from maxmargin.problems.conventions import Convention, parameter_of
from maxmargin.problems.samples import samples
from maxmargin.prompt import Brief, Hinted, keywords

#: What others call the parameters of the programs.
_LETTERS = {
    **dict.fromkeys(["c", "penalty"], "C="),
    **dict.fromkeys(["lambda_", "lmbda", "alpha", "reg"], "lam="),
    **dict.fromkeys(["eps", "width", "tube"], "epsilon="),
    **dict.fromkeys(["labels", "targets", "t"], "y="),
    **dict.fromkeys(["gram", "kernel", "Q"], "K="),
}


class Reading(NamedTuple):
    """What a point of a program says about the machine.

    Parameters
    ----------
    w : array of shape (d,) or None
        Weights; None where only a Gram matrix is known.
    b : float
        The intercept.
    alpha : array of shape (n,) or (2, n)
        Dual variables; of a tube those of targets above it and of targets below.
    slack : array of shape (n,)
        What each sample lacks.

    Examples
    --------
    >>> program = hard_margin_primal([[-1.0], [3.0]], [-1.0, 1.0])
    >>> nothing = np.empty(0)
    >>> program.read([0.5, -0.5], nothing, np.array([0.125, 0.125])).w
    array([0.5])
    """

    w: Array | None
    b: float
    alpha: Array
    slack: Array


class _Reader(Protocol):
    def __call__(
        self, program: QuadraticProgram, theta: Array, equality: Array, inequality: Array, /
    ) -> Reading: ...


@dataclass(frozen=True, eq=False, repr=False)
class QuadraticProgram(Brief, Hinted):
    """Minimise 1/2 theta'hessian theta + linear'theta under linear constraints.

    They are: equalities theta = equal_to, inequalities theta <= at_most, lower <= theta <= upper.
    A program of a machine has a reader, which tells w, b, alpha and slack of a point.

    Examples
    --------
    >>> program = hard_margin_primal([[-1.0], [3.0]], [-1.0, 1.0])
    >>> program.value([1.0, 0.0])
    0.5
    >>> program.violation([0.5, -0.5]), program.violation([0.1, 0.0])
    (0.0, 0.9)
    """

    _meant: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["solve", "minimize", "w", "alpha"], "maxmargin.solvers.solve_qp(program)"),
        **dict.fromkeys(["P", "Q", "H"], "hessian"),
        **dict.fromkeys(["q", "c", "p"], "linear"),
        **dict.fromkeys(["A", "G"], "equalities and inequalities"),
        **dict.fromkeys(["b", "h"], "equal_to and at_most"),
    }

    hessian: Array
    linear: Array
    _: KW_ONLY
    equalities: Array
    equal_to: Array
    inequalities: Array
    at_most: Array
    lower: Array
    upper: Array
    reader: _Reader | None = field(default=None, repr=False)

    def read(self, theta: ArrayLike, equality: Array, inequality: Array) -> Reading:
        """Return what theta and the multipliers of the constraints say about the machine."""
        if self.reader is None:
            raise ValueError(
                "this program does not know what its unknowns mean; w, b, alpha and slack are "
                "those of hard_margin_primal, soft_margin_dual and their like"
            )
        return self.reader(self, array(theta), equality, inequality)

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
    X, y = samples(X, y, signs=True)
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
        reader=_PrimalReader(d),
    )


@keywords(**_LETTERS)
def soft_margin_primal(
    X: ArrayLike,
    y: ArrayLike,
    parameter: float | None = None,
    convention: Convention | str | None = None,
    *,
    C: float | None = None,
    lam: float | None = None,
) -> QuadraticProgram:
    """Write a |w|^2 + c sum(xi) with slacks xi, in the variables (w, b, xi).

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Labels -1 and +1.
    parameter, C, lam : float
        The convention's parameter; by its letter, C or lambda, that is checked.
    convention : Convention or str
        Or its name; by default `HALF_SUM`, with `lam` `LAMBDA_MEAN`.

    Examples
    --------
    >>> program = soft_margin_primal([[-1.0], [3.0]], [-1.0, 1.0], C=10.0)
    >>> program.linear
    array([ 0.,  0., 10., 10.])
    >>> program.value([0.5, -0.5, 0.0, 0.0])
    0.125
    """
    X, y = samples(X, y, signs=True)
    value, convention = parameter_of(parameter, C, lam, convention)
    right_side = -np.column_stack([y[:, None] * X, y, np.eye(len(y))])
    return _with_slack(X, value, convention, right_side, at_most=-np.ones(len(y)))


@keywords(**_LETTERS)
def tube_primal(
    X: ArrayLike,
    y: ArrayLike,
    parameter: float | None = None,
    epsilon: float = 0.1,
    convention: Convention | str | None = None,
    *,
    C: float | None = None,
    lam: float | None = None,
) -> QuadraticProgram:
    """Write support vector regression, a |w|^2 + c sum(xi) with xi_i beyond the tube's wall.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Real targets.
    parameter, C, lam : float
        The convention's parameter; by its letter, C or lambda, that is checked.
    epsilon : float
        Half the width of the tube.
    convention : Convention or str
        Or its name; by default `HALF_SUM`, with `lam` `LAMBDA_MEAN`.

    Examples
    --------
    >>> program = tube_primal([[0.0], [1.0]], [0.0, 3.0], C=1.0, epsilon=0.5)
    >>> program.violation([2.0, 0.5, 0.0, 0.0])
    0.0
    """
    X, y = samples(X, y, signs=False)
    value, convention = parameter_of(parameter, C, lam, convention)
    _check_epsilon(epsilon)
    above = np.column_stack([X, np.ones(len(y)), -np.eye(len(y))])
    below = np.column_stack([-X, -np.ones(len(y)), -np.eye(len(y))])
    walls = np.concatenate([epsilon + y, epsilon - y])
    return _with_slack(X, value, convention, np.vstack([above, below]), at_most=walls)


def hard_margin_dual(K: ArrayLike, y: ArrayLike, *, X: ArrayLike | None = None) -> QuadraticProgram:
    """Write the dual of the hard margin, in alpha >= 0.

    Its least value is minus that of the primal; without a separator there is none.

    Parameters
    ----------
    K, y, X
        As in `soft_margin_dual`.

    Examples
    --------
    >>> K = np.outer([-1.0, 3.0], [-1.0, 3.0])
    >>> hard_margin_dual(K, [-1.0, 1.0]).upper
    array([inf, inf])
    """
    K, y = _gram(K, y, signs=True)
    return _dual(K, y, 0.5, np.inf, 1.0, False, X)


@keywords(**_LETTERS)
def soft_margin_dual(
    K: ArrayLike,
    y: ArrayLike,
    parameter: float | None = None,
    convention: Convention | str | None = None,
    *,
    C: float | None = None,
    lam: float | None = None,
    scaled: bool = False,
    X: ArrayLike | None = None,
) -> QuadraticProgram:
    """Write the dual of the soft margin, in alpha in [0, c] or, scaled, in alpha / c in [0, 1].

    Its least value is minus that of the primal; scaled, minus that of the primal over c.

    Parameters
    ----------
    K : array of shape (n, n)
        Gram matrix K_ij = k(x_i, x_j).
    y : array of shape (n,)
        Labels -1 and +1.
    parameter, C, lam : float
        The convention's parameter; by its letter, C or lambda, that is checked.
    convention : Convention or str
        Or its name; by default `HALF_SUM`, with `lam` `LAMBDA_MEAN`.
    scaled : bool
        Use the variable alpha / c.
    X : array of shape (n, d)
        Samples of which K is the linear kernel, if the solution shall have w.

    Examples
    --------
    >>> K = np.outer([-1.0, 3.0], [-1.0, 3.0])
    >>> soft_margin_dual(K, [-1.0, 1.0], C=10.0).hessian
    array([[1., 3.],
           [3., 9.]])
    >>> soft_margin_dual(K, [-1.0, 1.0], C=10.0, scaled=True).hessian
    array([[10., 30.],
           [30., 90.]])
    """
    K, y = _gram(K, y, signs=True)
    value, convention = parameter_of(parameter, C, lam, convention)
    a, c = convention.weights(value, len(y))
    return _dual(K, y, a, c, c if scaled else 1.0, convention.penalise_intercept, X)


@keywords(**_LETTERS)
def tube_dual(
    K: ArrayLike,
    y: ArrayLike,
    parameter: float | None = None,
    epsilon: float = 0.1,
    convention: Convention | str | None = None,
    *,
    C: float | None = None,
    lam: float | None = None,
    X: ArrayLike | None = None,
) -> QuadraticProgram:
    """Write the dual of support vector regression, in (alpha, alpha*).

    alpha_i pulls f up to a target above the tube, alpha*_i down to one below it. Its least value is
    minus that of the primal.

    Parameters
    ----------
    K : array of shape (n, n)
        Gram matrix K_ij = k(x_i, x_j).
    y : array of shape (n,)
        Real targets.
    parameter, C, lam, convention
        As in `soft_margin_dual`.
    epsilon : float
        Half the width of the tube.
    X : array of shape (n, d)
        Samples of which K is the linear kernel, if the solution shall have w.

    Examples
    --------
    >>> tube_dual([[0.0, 0.0], [0.0, 1.0]], [0.0, 3.0], C=1.0, epsilon=0.5).linear
    array([ 0.5, -2.5,  0.5,  3.5])
    """
    K, y = _gram(K, y, signs=False)
    value, convention = parameter_of(parameter, C, lam, convention)
    _check_epsilon(epsilon)
    n, (a, c) = len(y), convention.weights(value, len(y))
    signs = np.append(np.ones(n), -np.ones(n))
    gram = K + 1.0 if convention.penalise_intercept else K
    equality = (
        _no_equality(2 * n)
        if convention.penalise_intercept
        else {"equalities": signs[None, :], "equal_to": np.zeros(1)}
    )
    return QuadraticProgram(
        signs[:, None] * np.tile(gram, (2, 2)) * signs / (2 * a),
        epsilon - signs * np.tile(y, 2),
        **equality,
        inequalities=np.empty((0, 2 * n)),
        at_most=np.empty(0),
        lower=np.zeros(2 * n),
        upper=np.full(2 * n, c),
        reader=_TubeDualReader(y, a, epsilon, _rows(X, n)),
    )


def _dual(
    K: Array,
    y: Array,
    a: float,
    c: float,
    unit: float,
    penalise_intercept: bool,
    X: ArrayLike | None,
) -> QuadraticProgram:
    """Minimise alpha'Q alpha / (4 a) - sum(alpha), in the variable alpha / unit."""
    n = len(y)
    if penalise_intercept:
        K, equality = K + 1.0, _no_equality(n)
    else:
        equality = {"equalities": y[None, :], "equal_to": np.zeros(1)}
    return QuadraticProgram(
        unit / (2 * a) * (y[:, None] * K * y),
        -np.ones(n),
        **equality,
        inequalities=np.empty((0, n)),
        at_most=np.empty(0),
        lower=np.zeros(n),
        upper=np.full(n, c / unit),
        reader=_DualReader(y, a, unit, _rows(X, n)),
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
        reader=_PrimalReader(d),
    )


def _no_equality(n_unknowns: int) -> dict[str, Array]:
    return {"equalities": np.empty((0, n_unknowns)), "equal_to": np.empty(0)}


@dataclass(frozen=True)
class _PrimalReader:
    """theta is (w, b) or (w, b, xi), and the inequalities' multipliers are alpha."""

    n_features: int

    def __call__(
        self, program: QuadraticProgram, theta: Array, equality: Array, inequality: Array
    ) -> Reading:
        d = self.n_features
        n = len(theta) - d - 1 or len(inequality)
        slack = theta[d + 1 :] if len(theta) > d + 1 else np.zeros(n)
        # A tube's first n inequalities are those of f above its target, and pull f down.
        alpha = inequality if len(inequality) == n else inequality.reshape(2, n)[::-1]
        return Reading(theta[:d], float(theta[d]), alpha, slack)


@dataclass(frozen=True, eq=False)
class _DualReader:
    """theta is alpha / unit; hessian theta is y times the scores without a free b."""

    y: Array
    a: float
    unit: float
    X: Array | None

    def __call__(
        self, program: QuadraticProgram, theta: Array, equality: Array, inequality: Array
    ) -> Reading:
        alpha = self.unit * theta
        margins = program.hessian @ theta + self.y * sum(equality)
        b = float(equality[0]) if len(equality) else float(alpha @ self.y) / (2 * self.a)
        w = None if self.X is None else weights_from_dual(alpha, self.X, self.y, self.a)
        return Reading(w, b, alpha, np.maximum(0.0, 1.0 - margins))


@dataclass(frozen=True, eq=False)
class _TubeDualReader:
    """theta is (alpha, alpha*); the first half of hessian theta has the scores without a free b."""

    y: Array
    a: float
    epsilon: float
    X: Array | None

    def __call__(
        self, program: QuadraticProgram, theta: Array, equality: Array, inequality: Array
    ) -> Reading:
        n = len(self.y)
        alpha = theta.reshape(2, n)
        beta = alpha[0] - alpha[1]
        residuals = (program.hessian @ theta)[:n] + sum(equality) - self.y
        b = float(equality[0]) if len(equality) else float(beta.sum()) / (2 * self.a)
        w = None if self.X is None else weights_from_dual(beta, self.X, np.ones(n), self.a)
        return Reading(w, b, alpha, np.maximum(0.0, np.abs(residuals) - self.epsilon))


def _rows(X: ArrayLike | None, n: int) -> Array | None:
    if X is None:
        return None
    rows = array(X)
    if rows.ndim != 2 or len(rows) != n:
        raise ValueError(f"X must be ({n}, d), the samples of K, got shape {rows.shape}")
    return rows


def _check_epsilon(epsilon: float) -> None:
    if not 0 <= epsilon < np.inf:
        raise ValueError(f"epsilon must be 0 or more and finite, got {epsilon!r}")


def _gram(K: ArrayLike, y: ArrayLike, *, signs: bool) -> tuple[Array, Array]:
    K, y = samples(K, y, signs=signs)
    if K.shape != (len(y), len(y)):
        raise ValueError(
            f"K must be square, the Gram matrix of the {len(y)} samples, got {K.shape}; of rows X "
            "it is X @ X.T, or kernel(X, X) of a kernel"
        )
    return K, y
