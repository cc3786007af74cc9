"""Linear machines in their primal form, stated with a loss and a penalty.

    minimise over w, b   1/2 |w|^2 + p/2 b^2 + sum_i C_i h(w'x_i + b)

A free intercept has p = 0, so that the machine is the one of the kernel formulations; LIBLINEAR's
has p = 1 / scaling^2. The dual variable of a row is beta_i = -C_i h'(score), signed as in `dual`;
`losses.tube` has its form for every loss but the logistic one.

With an L1 penalty, |w|_1 and |b| / scaling take the place of 1/2 |w|^2 and p/2 b^2. The dual then
has the constraints |X'beta|_inf <= 1 and |1'beta| <= 1 / scaling in the place of its quadratic
terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.data import Dataset
from maxmargin.kernels import Linear
from maxmargin.losses import L1, L2, Logistic, Loss, MarginLoss, Penalty, Tube
from maxmargin.problems.boxed import Boxed
from maxmargin.problems.certificate import Certificate
from maxmargin.problems.dual import core_certificate
from maxmargin.problems.formulations import check_signs, counting_rows, needed_tube, penalties
from maxmargin.problems.solution import Solution
from maxmargin.problems.status import Status

#: The penalty of every machine that does not say otherwise.
HALF_SQUARE = L2(factor=0.5)


@dataclass(frozen=True)
class Intercept:
    """How the intercept enters a problem.

    Parameters
    ----------
    present : bool
        Whether there is one.
    penalty : float
        p of p/2 b^2; 0 for a free intercept.

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

    @property
    def free(self) -> bool:
        """Whether there is one that is not penalised."""
        return self.present and self.penalty == 0

    @property
    def scaling(self) -> float:
        """The constant feature's value; infinite for a free intercept."""
        return float(1.0 / np.sqrt(self.penalty)) if self.penalty > 0 else np.inf


@dataclass(frozen=True, eq=False)
class LinearProblem(Boxed):
    """One linear machine.

    Parameters
    ----------
    X : ndarray or CSR of shape (N, d)
        Rows, float32 or float64.
    rows : ndarray of int64, shape (n,)
        The rows of `X` that take part.
    loss : Loss
        h: one with a tube, or `Logistic`.
    C : ndarray of shape (n,)
        Factor of each row's loss.
    target, lower, upper : ndarray of shape (n,)
        Target and interval of each dual variable.
    ridge : ndarray of shape (n,) or None
        Curvature of each conjugate; None where it is zero.
    epsilon : float
        Half the width of the tube in which errors cost nothing.
    intercept : Intercept
        How the intercept enters.
    penalty : Penalty
        What the weights cost: `L2(factor=0.5)` or `L1()`.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import Hinge
    >>> linear_problem(check_data([[0.0], [1.0]], [-1, 1]), Hinge(), C=2.0).upper
    array([0., 2.])
    """

    X: Any
    rows: NDArray[np.int64]
    loss: Loss
    C: NDArray[np.float64]
    target: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    ridge: NDArray[np.float64] | None = None
    epsilon: float = 0.0
    intercept: Intercept = Intercept()
    penalty: Penalty = HALF_SQUARE

    @property
    def sparse_weights(self) -> bool:
        """Whether the penalty is L1."""
        return isinstance(self.penalty, L1)

    @property
    def kinked(self) -> bool:
        """Whether the loss has kinks, which are what makes dual variables free."""
        return not isinstance(self.loss, Logistic) and self.ridge is None

    def core(self, scale: float | None = None) -> _core.LinearProblem:
        """Return the problem as the compiled core takes it.

        Parameters
        ----------
        scale : float, optional
            The size of a typical residual at w = 0, where these rows are a part of others.
        """
        logistic = isinstance(self.loss, Logistic)
        if scale is None:
            margin = isinstance(self.loss, MarginLoss)
            scale = 1.0 if margin else float(np.std(self.target)) or 1.0
        return _core.LinearProblem(
            Linear().data(self.X),
            self.rows,
            _core.LossKind.logistic if logistic else _core.LossKind.tube,
            self.target,
            self.lower,
            self.upper,
            self.ridge,
            self.epsilon,
            self.intercept.present,
            self.intercept.penalty,
            scale,
        )

    def certify(self, solution: Solution, n_threads: int = 1) -> Certificate:
        """Judge a primal and a feasible dual point in float64, apart from any solver.

        Parameters
        ----------
        solution : Solution
            With weights, an intercept as its multiplier, and dual variables, whose sum is zero
            where the intercept is free.
        n_threads : int
            Threads to use.

        Examples
        --------
        >>> from maxmargin.data import check_data
        >>> from maxmargin.losses import Hinge
        >>> from maxmargin.solvers import solve
        >>> problem = linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), Hinge())
        >>> problem.certify(solve([problem])[0]).gap
        0.0
        """
        return self.certify_point(
            solution.w, solution.multipliers[0], solution.beta, n_threads=n_threads
        )

    def certify_point(self, w: Any, b: float, beta: Any, *, n_threads: int = 1) -> Certificate:
        """Certify a point that is not a solution yet.

        Parameters
        ----------
        w, b : ndarray of shape (d,), float
            Weights and intercept.
        beta : ndarray of shape (n,)
            Dual variables.
        n_threads : int
            Threads to use.
        """
        return core_certificate(
            _core.certify_linear(self.core(), w, b, beta, n_threads, self.sparse_weights)
        )

    def untouched(self) -> Solution:
        """Return the solution that no step was taken for, certified like any other.

        Examples
        --------
        >>> from maxmargin.data import check_data
        >>> from maxmargin.losses import Hinge
        >>> problem = linear_problem(check_data([[0.0], [1.0]], [-1, 1]), Hinge())
        >>> problem.untouched().certificate.primal
        2.0
        """
        w, beta = np.zeros(self.X.shape[1]), np.zeros(self.n_variables)
        # Without weights, the more frequent class is the likelier one.
        b = float(np.average(self.target, weights=self.C)) if self.intercept.present else 0.0
        certificate = self.certify_point(w, b, beta)
        return Solution(Status.INTERRUPTED, certificate, (b,), beta=beta, w=w)


def linear_problem(
    data: Dataset,
    loss: Loss,
    C: float = 1.0,
    *,
    intercept: Intercept | None = None,
    penalty: Penalty = HALF_SQUARE,
    rows: NDArray[np.int64] | None = None,
) -> LinearProblem:
    """State a linear machine.

    Parameters
    ----------
    data : Dataset
        Targets are -1 and +1 for a loss of margins, real for one of residuals. Rows of weight zero
        take no part.
    loss : Loss
        `Logistic()`, or one with a `tube`.
    C : float
        Factor of every row's loss, times its weight.
    intercept : Intercept, optional
        A free one by default.
    penalty : Penalty
        `L2(factor=0.5)`, or `L1()` for losses of margins that have a second derivative.
    rows : ndarray of int64, optional
        The rows of `data.X` that `data.y` and `data.weight` belong to; all of them by default.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import Huber
    >>> data = check_data([[0.0], [1.0]], [0.5, 2.0])
    >>> linear_problem(data, Huber(0.5), C=3.0).upper
    array([1.5, 1.5])
    """
    if not 0 < C < np.inf:
        raise ValueError(f"C is {C}; it must be a finite number greater than 0.")
    if penalty not in (HALF_SQUARE, L1()):
        raise ValueError(f"penalty is {penalty}; it must be {HALF_SQUARE} or {L1()}.")
    smooth = isinstance(loss, MarginLoss) and hasattr(loss, "curvature")
    if isinstance(penalty, L1) and not smooth:
        raise ValueError(
            f"penalty is {penalty} and loss is {loss}; with an L1 penalty it must be "
            "SquaredHinge() or Logistic()."
        )
    y, weight, chosen = counting_rows(data, rows)
    factors = penalties(C, weight)
    if isinstance(loss, MarginLoss):
        check_signs(y)
    if isinstance(loss, Logistic) and not loss.scaled:
        tube = Tube.two_sided(y, factors)
    else:
        tube = needed_tube(loss, y, factors, "a linear machine")
    return LinearProblem(
        X=data.X,
        rows=chosen,
        loss=loss,
        C=factors,
        intercept=Intercept() if intercept is None else intercept,
        penalty=penalty,
        **tube._asdict(),
    )
