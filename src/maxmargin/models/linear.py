"""Linear models: f_p(x) = w_p'x + c_p, one output a binary problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels import Linear
from maxmargin.problems import LinearProblem, LinearSolution


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Weights of the features, and the dual variables of the rows they were made of.

    Parameters
    ----------
    coef : ndarray of shape (p, d)
        Weights, one row an output.
    intercepts : ndarray of shape (p,)
        One an output.
    support : ndarray of int64, shape (m,)
        Rows of the training data with a dual variable other than zero in some problem.
    weights : ndarray of shape (p, m)
        Their signed dual variables, exactly zero or at a bound where they are.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.data import check_data
    >>> from maxmargin.problems import linear_problem
    >>> from maxmargin.solvers.linear import linear
    >>> problem = linear_problem(check_data([[-1.0], [1.0], [5.0]], [-1, 1, 1]), "hinge")
    >>> model = LinearModel.from_solutions([problem], [linear(problem)])
    >>> model.support, model.decisions(np.array([[3.0]])).round(6)
    (array([0, 1]), array([[3.]]))
    """

    coef: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    support: NDArray[np.int64]
    weights: NDArray[np.float64]

    @classmethod
    def from_solutions(
        cls, problems: Sequence[LinearProblem], solutions: Sequence[LinearSolution]
    ) -> LinearModel:
        """Collect the solutions of all binary problems of one data set.

        Parameters
        ----------
        problems, solutions : sequences
            Problems on the same X, and their solutions.
        """
        n_rows = problems[0].X.shape[0]
        used = np.zeros(n_rows, bool)
        for problem, solution in zip(problems, solutions, strict=True):
            used[problem.rows] |= solution.b != 0
        support = np.flatnonzero(used)
        weights = np.empty((len(problems), len(support)))
        every = np.zeros(n_rows)
        for p, (problem, solution) in enumerate(zip(problems, solutions, strict=True)):
            every.fill(0.0)
            every[problem.rows] = solution.b
            np.take(every, support, out=weights[p])
        return cls(
            coef=np.stack([solution.w for solution in solutions]),
            intercepts=np.array([solution.intercept for solution in solutions]),
            support=support,
            weights=weights,
        )

    def decisions(self, Z: Any, n_threads: int = 1) -> NDArray[np.float64]:
        """Evaluate all outputs at the rows of Z.

        Parameters
        ----------
        Z : ndarray or CSR of shape (n, d)
            Where to evaluate, float32 or float64.
        n_threads : int
            Threads to use.

        Returns
        -------
        ndarray of shape (n, p)
        """
        return _core.linear_scores(Linear().data(Z), self.coef, self.intercepts, n_threads)
