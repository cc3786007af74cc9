"""Linear machines in their primal form, every loss of a score as data.

    minimise over w, c   1/2 |w|^2 + p/2 c^2 + sum_i h_i(w'x_i + c)

A free intercept has p = 0, so that the machine is the one of the kernel formulations; LIBLINEAR's
has p = 1 / scaling^2. The dual variable of a row is b_i = -h_i'(score), signed as in `dual`. With
r = t - score, every piecewise quadratic loss has

    b_i = clip(shrink(r, epsilon) / ridge_i, lower_i, upper_i),

shrink(r, epsilon) = sign(r) max(0, |r| - epsilon):

    hinge                        t = y       ridge 0            box between 0 and y C_i
    squared hinge                t = y       ridge 1 / (2 C_i)  box between 0 and y times infinity
    epsilon-insensitive          t = target  ridge 0            box [-C_i, C_i]
    its square                   t = target  ridge 1 / (2 C_i)  no box
    Huber, turning at epsilon    t = target  ridge 1 / C_i      box [-epsilon C_i, epsilon C_i]

The logistic loss C_i log(1 + exp(-y score)) is the one beside these.

With an L1 penalty, |w|_1 and |c| / scaling take the place of 1/2 |w|^2 and p/2 c^2. The dual then
has the constraints |X'b|_inf <= 1 and |1'b| <= 1 / scaling in the place of its quadratic terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.data import Dataset
from maxmargin.kernels import Linear
from maxmargin.problems.solution import CertificatePart, Status

MARGIN_LOSSES = ("hinge", "squared_hinge", "logistic")
RESIDUAL_LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive", "huber")


@dataclass(frozen=True)
class Intercept:
    """How the intercept enters a problem.

    Parameters
    ----------
    present : bool
        Whether there is one.
    penalty : float
        p of p/2 c^2; 0 for a free intercept.

    Examples
    --------
    >>> Intercept.penalized(scaling=2.0).penalty
    0.25
    """

    present: bool = True
    penalty: float = 0.0

    @classmethod
    def penalized(cls, scaling: float = 1.0) -> Intercept:
        """Return LIBLINEAR's: one more feature of this constant value, penalised as the others."""
        return cls(True, 1.0 / scaling**2)

    @classmethod
    def none(cls) -> Intercept:
        """Return none: the boundary goes through the origin."""
        return cls(False)


@dataclass(frozen=True, eq=False)
class LinearProblem:
    """One linear machine.

    Parameters
    ----------
    X : ndarray or CSR of shape (N, d)
        Rows, float32 or float64.
    rows : ndarray of int64, shape (n,)
        The rows of `X` that take part.
    kind : _core.LossKind
        `tube` for the piecewise quadratic losses, `logistic`.
    target, lower, upper : ndarray of shape (n,)
        t and the interval of each dual variable.
    ridge : ndarray of shape (n,) or None
        Curvature of each conjugate; None where it is zero.
    epsilon : float
        Half the width of the tube in which errors cost nothing.
    intercept : Intercept
        How the intercept enters.
    scale : float
        Size of a typical residual at w = 0.
    penalty : {"l2", "l1"}
        What the weights cost.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> linear_problem(check_data([[0.0], [1.0]], [-1, 1]), "hinge", C=2.0).upper
    array([0., 2.])
    """

    X: Any
    rows: NDArray[np.int64]
    kind: _core.LossKind
    target: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    ridge: NDArray[np.float64] | None = None
    epsilon: float = 0.0
    intercept: Intercept = Intercept()
    scale: float = 1.0
    penalty: str = "l2"

    @property
    def n_variables(self) -> int:
        """Number of dual variables."""
        return len(self.target)

    @property
    def kinked(self) -> bool:
        """Whether the loss has kinks, which are what makes dual variables free."""
        return self.kind == _core.LossKind.tube and self.ridge is None

    def core(self) -> _core.LinearProblem:
        """Return the problem as the compiled core takes it."""
        return _core.LinearProblem(
            Linear().data(self.X),
            self.rows,
            self.kind,
            self.target,
            self.lower,
            self.upper,
            self.ridge,
            self.epsilon,
            self.intercept.present,
            self.intercept.penalty,
            self.scale,
        )


@dataclass(frozen=True, eq=False)
class LinearSolution:
    """A primal and a dual point of a linear problem, and how good they are.

    Parameters
    ----------
    w : ndarray of shape (d,)
        Weights of the features.
    intercept : float
        c.
    b : ndarray of shape (n,)
        Signed dual variables. `w` is X'b up to the square root of twice the gap, P - D.
    status : Status
        How the solver ended.
    certificate : CertificatePart
        P of (w, c), D and violation of b.
    trace : structured ndarray
        Rows of `TRACE`; the violation is known in the last one only.
    iterations, newton_steps : int
        Steps or passes of the method, and the Newton steps among them.
    seconds, certificate_seconds : float
        Time of the solve, and of the passes that certify it.
    solver : str
        The method that was used.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.solvers.linear import linear
    >>> linear(linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), "hinge")).w
    array([1.])
    """

    w: NDArray[np.float64]
    intercept: float
    b: NDArray[np.float64]
    status: Status
    certificate: CertificatePart
    trace: NDArray[np.void]
    iterations: int
    newton_steps: int
    seconds: float
    certificate_seconds: float
    solver: str


def linear_problem(
    data: Dataset,
    loss: str,
    C: float = 1.0,
    epsilon: float = 0.0,
    intercept: Intercept | None = None,
    rows: NDArray[np.int64] | None = None,
    penalty: str = "l2",
) -> LinearProblem:
    """State a linear machine.

    Parameters
    ----------
    data : Dataset
        Targets are -1 and +1 for a loss of margins, real for one of residuals. Rows of weight zero
        take no part.
    loss : str
        One of `MARGIN_LOSSES` or `RESIDUAL_LOSSES`.
    C : float
        Factor of every row's loss, times its weight.
    epsilon : float
        Half the width of the tube; for "huber", where the parabola turns into a line.
    intercept : Intercept, optional
        A free one by default.
    rows : ndarray of int64, optional
        The rows of `data.X` that `data.y` and `data.weight` belong to; all of them by default.
    penalty : {"l2", "l1"}
        "l1" for "squared_hinge" and "logistic" only.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> data = check_data([[0.0], [1.0]], [0.5, 2.0])
    >>> linear_problem(data, "huber", C=3.0, epsilon=0.5).upper
    array([1.5, 1.5])
    """
    if loss not in MARGIN_LOSSES + RESIDUAL_LOSSES:
        raise ValueError(
            f"loss is {loss!r}; it must be one of {', '.join(MARGIN_LOSSES + RESIDUAL_LOSSES)}."
        )
    if penalty == "l1" and loss not in ("squared_hinge", "logistic"):
        raise ValueError(
            f'penalty is "l1" and loss is {loss!r}; with an L1 penalty it must be "squared_hinge" '
            'or "logistic".'
        )
    if not C > 0:
        raise ValueError(f"C is {C}; it must be greater than 0.")
    if not epsilon >= 0:
        raise ValueError(f"epsilon is {epsilon}; it must be at least 0.")
    if loss == "huber" and epsilon == 0:
        raise ValueError(
            'epsilon is 0; with loss="huber" it is where the parabola turns into a line and must '
            "be greater than 0."
        )
    present = data.weight > 0
    chosen = np.arange(data.n_rows) if rows is None else rows
    with np.errstate(over="ignore"):
        t, ends = data.y[present], (C * data.weight)[present]
    if not np.isfinite(ends).all():
        raise ValueError(
            f"C times the weights overflows: C is {C}, the largest weight {data.weight.max()}."
        )
    if loss in MARGIN_LOSSES and not (np.abs(t) == 1.0).all():
        raise ValueError("y must be -1 and +1; one_vs_rest makes such problems of classes.")
    lower, upper, ridge = _dual_of(loss, t, ends, epsilon)
    return LinearProblem(
        X=data.X,
        rows=np.ascontiguousarray(chosen[present], np.int64),
        kind=_core.LossKind.logistic if loss == "logistic" else _core.LossKind.tube,
        target=t,
        lower=lower,
        upper=upper,
        ridge=ridge,
        epsilon=0.0 if loss in (*MARGIN_LOSSES, "huber") else float(epsilon),
        intercept=Intercept() if intercept is None else intercept,
        scale=1.0 if loss in MARGIN_LOSSES else float(np.std(t)) or 1.0,
        penalty=penalty,
    )


def _dual_of(
    loss: str, t: NDArray[np.float64], C: NDArray[np.float64], epsilon: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
    """Box and ridge of each row's dual variable."""
    if loss == "hinge":
        return np.minimum(0.0, t * C), np.maximum(0.0, t * C), None
    if loss == "squared_hinge":
        free = np.full(len(t), np.inf)
        return np.where(t > 0, 0.0, -free), np.where(t > 0, free, 0.0), 1.0 / (2.0 * C)
    if loss == "squared_epsilon_insensitive":
        free = np.full(len(t), np.inf)
        return -free, free, 1.0 / (2.0 * C)
    if loss == "huber":
        return -epsilon * C, epsilon * C, 1.0 / C
    return -C, C, None


def certify_linear(
    problem: LinearProblem,
    w: NDArray[np.float64],
    intercept: float,
    b: NDArray[np.float64],
    n_threads: int = 1,
) -> CertificatePart:
    """Judge a primal and a feasible dual point in float64, apart from any solver.

    Parameters
    ----------
    problem : LinearProblem
        The problem.
    w, intercept : ndarray of shape (d,), float
        The primal point.
    b : ndarray of shape (n,)
        The dual point, with sum zero where the intercept is free.
    n_threads : int
        Threads to use.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.data import check_data
    >>> problem = linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), "hinge")
    >>> certify_linear(problem, np.ones(1), 0.0, np.array([-0.5, 0.5])).gap
    0.0
    """
    if problem.penalty == "l1":
        return _certify_l1(problem, w, intercept, b)
    core = _core.certify_linear(problem.core(), w, intercept, b, n_threads)
    return CertificatePart(core.primal, core.dual, core.gap, core.violation, core.bound)


def margin_loss(
    problem: LinearProblem, scores: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Evaluate a smooth loss of margins.

    Parameters
    ----------
    problem : LinearProblem
        With the squared hinge or the logistic loss.
    scores : ndarray of shape (n,)
        w'x + c of each row.

    Returns
    -------
    loss : float
        Their sum.
    b, curvature : ndarray of shape (n,)
        The negative slope and the second derivative of each.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.data import check_data
    >>> problem = linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), "squared_hinge")
    >>> margin_loss(problem, np.zeros(2))
    (2.0, array([-2.,  2.]), array([2., 2.]))
    """
    y, z = problem.target, problem.target * scores
    if problem.ridge is not None:
        slack = np.maximum(0.0, 1.0 - z)
        curvature = 1.0 / problem.ridge
        loss = float(curvature @ slack**2) / 2
        return loss, y * slack * curvature, np.where(slack > 0, curvature, 0.0)
    C, e = problem.upper, np.exp(-np.abs(z))
    share = np.where(z > 0, e, 1.0) / (1.0 + e)
    loss = float(C @ (np.log1p(e) + np.maximum(0.0, -z)))
    return loss, y * C * share, C * e / (1.0 + e) ** 2


def _certify_l1(
    problem: LinearProblem, w: NDArray[np.float64], intercept: float, b: NDArray[np.float64]
) -> CertificatePart:
    """P and D with the L1 penalty; the violation is what |X'b| exceeds 1 by."""
    X = problem.X[problem.rows]
    scaling = 1.0 / np.sqrt(problem.intercept.penalty) if problem.intercept.penalty else np.inf
    loss, _, _ = margin_loss(problem, np.asarray(X @ w) + intercept)
    primal = loss + float(np.abs(w).sum()) + abs(intercept) / scaling
    a = problem.target * b
    if problem.ridge is not None:
        dual = float(a.sum() - (problem.ridge @ a**2) / 2)
    else:
        share = a / problem.upper
        inside = (share > 0) & (share < 1)
        p = np.where(inside, share, 0.5)
        entropy = np.where(inside, p * np.log(p) + (1 - p) * np.log1p(-p), 0.0)
        dual = -float(problem.upper @ entropy)
    steepest = float(np.abs(np.asarray(X.T @ b)).max(initial=0.0))
    violation = max(0.0, steepest - 1.0)
    size = max(abs(primal), abs(dual))
    gap = max(0.0, primal - dual) / size if size > 0 else 0.0
    return CertificatePart(primal, dual, gap, violation, 0.0)
