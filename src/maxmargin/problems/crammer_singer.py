"""Crammer and Singer's machine: one linear problem for all classes.

    minimise over w_c, b_c   sum_c [1/2 |w_c|^2 + p/2 b_c^2]
                             + sum_i C_i max(0, 1 + max_{c != y} f_c(x_i) - f_y(x_i))

with f_c(x) = w_c'x + b_c and y the class of row i. A row has a dual variable for each class, whose
sum is zero: beta_iy is at least 0 and at most C_i, the others are at most 0. w_c = X'beta_c.

Of two classes w_0 = -w_1, so that with w = w_1 - w_0 it is half of the hinge's problem with 2 C.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.data import ChunkedMatrix, Dataset
from maxmargin.kernels import Linear
from maxmargin.problems.certificate import Certificate
from maxmargin.problems.dual import core_certificate
from maxmargin.problems.formulations import counting_rows, penalties
from maxmargin.problems.linear import Intercept
from maxmargin.problems.solution import Solution
from maxmargin.problems.status import Status


@dataclass(frozen=True, eq=False)
class CrammerSingerProblem:
    """The linear machine of several classes at once.

    Parameters
    ----------
    X : ndarray or CSR of shape (N, d)
        Rows, float32 or float64.
    rows : ndarray of int64, shape (n,)
        The rows of `X` that take part.
    y : ndarray of int64, shape (n,)
        Labels: the number of each row's class.
    C : ndarray of shape (n,)
        Factor of each row's loss.
    n_outputs : int
        Number of classes.
    intercept : Intercept
        How the intercepts enter.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> problem = crammer_singer_problem(check_data([[0.0], [1.0], [2.0]], [0, 1, 2]), C=2.0)
    >>> problem.n_outputs, problem.C
    (3, array([2., 2., 2.]))
    """

    X: Any
    rows: NDArray[np.int64]
    y: NDArray[np.int64]
    C: NDArray[np.float64]
    n_outputs: int
    intercept: Intercept = field(default_factory=Intercept)

    def core(self) -> _core.CrammerSinger:
        """Return the problem as the compiled core takes it."""
        return _core.CrammerSinger(
            Linear().data(self.X),
            self.rows,
            self.y,
            self.C,
            self.n_outputs,
            self.intercept.present,
            self.intercept.penalty,
        )

    def feasible(self, beta: NDArray[np.float64]) -> bool:
        """Whether these are variables of all classes and rows, inside their box.

        Parameters
        ----------
        beta : ndarray of shape (n_outputs, n)
            Dual variables.
        """
        if beta.shape != (self.n_outputs, len(self.rows)):
            return False
        upper = np.where(np.arange(self.n_outputs)[:, None] == self.y, self.C, 0.0)
        balanced = np.abs(beta.sum(axis=0)) <= 1e-12 * self.C
        return bool((beta <= upper).all() and balanced.all())

    def certify(self, solution: Solution, n_threads: int = 1) -> Certificate:
        """Judge a primal and a feasible dual point in float64, apart from any solver.

        Parameters
        ----------
        solution : Solution
            With weights and dual variables of shapes (n_outputs, d) and (n_outputs, n), and one
            intercept per class as its multipliers.
        n_threads : int
            Threads to use.

        Examples
        --------
        >>> from maxmargin.data import check_data
        >>> from maxmargin.problems import crammer_singer_problem
        >>> from maxmargin.solvers import solve
        >>> problem = crammer_singer_problem(check_data([[-1.0], [0.0], [1.0]], [0, 1, 2]))
        >>> bool(problem.certify(solve([problem])[0]).gap < 1e-12)
        True
        """
        found = _core.certify_crammer_singer(
            self.core(),
            np.ascontiguousarray(solution.w, np.float64),
            np.array(solution.multipliers),
            np.ascontiguousarray(solution.beta, np.float64),
            n_threads,
        )
        return core_certificate(found)

    def untouched(self) -> Solution:
        """Return the solution that no step was taken for, certified like any other.

        Examples
        --------
        >>> from maxmargin.data import check_data
        >>> problem = crammer_singer_problem(check_data([[0.0], [1.0], [2.0]], [0, 1, 2]))
        >>> problem.untouched().certificate.primal
        3.0
        """
        k = self.n_outputs
        none = Solution(
            Status.INTERRUPTED,
            Certificate(()),
            (0.0,) * k,
            beta=np.zeros((k, len(self.rows))),
            w=np.zeros((k, self.X.shape[1])),
        )
        return replace(none, certificate=self.certify(none))


def crammer_singer_problem(
    data: Dataset,
    C: float = 1.0,
    *,
    intercept: Intercept | None = None,
    rows: NDArray[np.int64] | None = None,
) -> CrammerSingerProblem:
    """State Crammer and Singer's machine.

    Parameters
    ----------
    data : Dataset
        Targets are the numbers of classes, 0, 1, and so on. Rows of weight zero take no part.
    C : float
        Factor of every row's loss, times its weight.
    intercept : Intercept, optional
        A free one for each class by default. Of free ones only differences matter: their mean is
        zero.
    rows : ndarray of int64, optional
        The rows of `data.X` that `data.y` and `data.weight` belong to; all of them by default.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.problems import crammer_singer_problem
    >>> from maxmargin.solvers import solve
    >>> [found] = solve([crammer_singer_problem(check_data([[-2.0], [0.0], [2.0]], [0, 1, 2]))])
    >>> abs(found.w).round(6).ravel().tolist()
    [1.0, 0.0, 1.0]
    """
    if not 0 < C < np.inf:
        raise ValueError(f"C is {C}; it must be a finite number greater than 0.")
    if isinstance(data.X, ChunkedMatrix):
        raise ValueError(
            "X is a source of chunks; Crammer and Singer's machine goes through rows in any order "
            "and needs them in memory."
        )
    y, weight, chosen = counting_rows(data, rows)
    labels = np.asarray(y, np.int64)
    if (labels != y).any() or labels.min(initial=0) < 0:
        raise ValueError("y must be numbers of classes: 0, 1, and so on.")
    return CrammerSingerProblem(
        X=data.X,
        rows=chosen,
        y=labels,
        C=penalties(C, weight),
        n_outputs=int(labels.max()) + 1,
        intercept=Intercept() if intercept is None else intercept,
    )
