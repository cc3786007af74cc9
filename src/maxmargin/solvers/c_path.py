"""All solutions of a soft margin, one for each C: they are piecewise linear in C.

    minimise over beta   1/2 beta'K beta - y'beta,   0 <= y_i beta_i <= C s_i,   sum beta = 0

With f = K beta + b, a row is free where y_i f_i = 1 (the set E), at its bound C s_i where
y_i f_i <= 1 (L), and zero where y_i f_i >= 1. As long as no row changes its set,

    [ 0  1'  ] [   b    ]   [ 0   ]       [ -sum_L y s      ]
    [ 1 K_EE ] [ beta_E ] = [ y_E ]  +  C [ -K_EL (y s)_L   ],

so that beta and b are lines in C. A break point is where a free variable reaches an end of its
interval, or a row that is not free reaches the margin. Each piece is solved for by itself, from its
sets: errors do not add up on the way. See T. Hastie, S. Rosset, R. Tibshirani and J. Zhu, The
entire regularization path for the support vector machine (2004).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import (
    DualProblem,
    Solution,
    Status,
    nearest_feasible,
)
from maxmargin.prompt import Brief

#: Where a row may be.
ZERO, FREE, BOUND = 0, 1, 2
#: A path ends where rounding leaves conditions missed by more, in units of the margin; two rows
#: that do so in opposite directions make a violation of twice that.
EXACT = 4e-9


@dataclass(frozen=True, eq=False, repr=False)
class CPath(Brief):
    """The solution for every C from 0 to `C_end`.

    Made by `maxmargin.selection.c_path`.

    Parameters
    ----------
    problem : DualProblem
        The machine at C = 1: `upper - lower` has the weights of the rows.
    K : ndarray of shape (n, n)
        Gram matrix of its rows.
    nodes : ndarray of shape (m,)
        C where a piece begins, in ascending order; twice where the variables jump between solutions
        that are equally good.
    values : ndarray of shape (m, n)
        alpha there.
    slope : ndarray of shape (n,)
        d alpha / d C after the last node.
    lines : ndarray of shape (m, 2)
        Of each piece: the intercept where it begins, and its slope; NaN where no row is free, so
        that there is an interval of intercepts.
    sets : ndarray of int8, shape (m, n)
        Of each piece: whether a row is at zero (0), free (1) or at its bound (2).
    C_end : float
        Up to where the path is known; infinite if to its end. Where float64 no longer tells the
        margin to 1e-8, as for a large C and a kernel matrix that is nearly singular, it ends early.
    n_restarts : int
        How often sets that changed without end at one C were left by a fit at a larger one, by one
        part in 1e7. Zero but for data in which very many rows meet the margin at once.

    Examples
    --------
    >>> from maxmargin.selection import c_path
    >>> path = c_path([[0.0], [1.0], [3.0]], [-1, 1, 1], kernel="linear")
    >>> path.break_points
    array([0., 2.])
    >>> path.alphas(1.0), path.n_support(1.0)
    (array([1., 1., 0.]), 2)
    """

    problem: DualProblem
    K: NDArray[np.float64]
    nodes: NDArray[np.float64]
    values: NDArray[np.float64]
    slope: NDArray[np.float64]
    lines: NDArray[np.float64]
    sets: NDArray[np.int8]
    C_end: float = np.inf
    n_restarts: int = 0

    @property
    def break_points(self) -> NDArray[np.float64]:
        """C where the slopes change, in ascending order, 0 first."""
        return np.unique(self.nodes)

    @property
    def y(self) -> NDArray[np.float64]:
        """Labels of the rows, -1 and +1."""
        return self.problem.target

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weights of the rows: alpha is at most C times these."""
        return self.problem.upper - self.problem.lower

    def _piece(self, C: float) -> int:
        if not 0 < C <= self.C_end:
            raise ValueError(
                f"C is {C}; it must be greater than 0 and at most {self.C_end}, where the path "
                "ends."
            )
        return int(np.searchsorted(self.nodes, C, side="right")) - 1

    def alphas(self, C: float) -> NDArray[np.float64]:
        """Return the dual variables alpha of all rows.

        Parameters
        ----------
        C : float
            Factor of the losses, greater than 0.
        """
        k = self._piece(C)
        begin, start, most = self.nodes[k], self.values[k], C * self.weight
        if k + 1 == len(self.nodes):
            free = start + (C - begin) * self.slope
        else:
            share = (C - begin) / (self.nodes[k + 1] - begin)
            free = (1 - share) * start + share * self.values[k + 1]
        ends = np.where(self.sets[k] == ZERO, 0.0, most)
        inside = self.sets[k] == FREE
        return np.where(inside, np.clip(free, 0.0, most), ends)

    def intercept(self, C: float) -> float:
        """Return the intercept; of an interval its middle.

        Parameters
        ----------
        C : float
            Factor of the losses, greater than 0.
        """
        k = self._piece(C)
        first, second = self.lines[k]
        if np.isfinite(first):
            return float(first + (C - self.nodes[k]) * second)
        held = self.y - self.K @ (self.y * self.alphas(C))
        return sum(interval(held, self.y, self.sets[k] == BOUND)) / 2

    def n_support(self, C: float) -> int:
        """Return the number of rows with alpha greater than 0.

        Parameters
        ----------
        C : float
            Factor of the losses, greater than 0.
        """
        return int(np.count_nonzero(self.alphas(C)))

    def objective(self, C: float) -> float:
        """Return the optimum 1/2 |w|^2 + C sum_i s_i max(0, 1 - y_i f(x_i)).

        Parameters
        ----------
        C : float
            Factor of the losses, greater than 0.
        """
        alpha = self.alphas(C)
        beta = self.y * alpha
        return float(alpha.sum() - beta @ (self.K @ beta) / 2)

    def at(self, C: float) -> Solution:
        """Return the solution, certified as one of `solve`.

        Parameters
        ----------
        C : float
            Factor of the losses, greater than 0.
        """
        problem = problem_at(self.problem, C)
        beta = nearest_feasible(problem, self.y * self.alphas(C))
        certificate = problem.certify_point(beta)
        return Solution(
            Status.OPTIMAL, certificate, (self.intercept(C),), beta=beta, method="c_path"
        )

    def frame(self) -> dict[str, NDArray[Any]]:
        """Return the path as arrays.

        Returns
        -------
        dict
            `C` of each node; `alphas` there, of shape (m, n); `intercept`, `objective`; `n_free`
            and `n_bound` of the piece that begins there.
        """
        beta = self.y * self.values
        sums = self.values.sum(axis=1)
        objective = sums - np.einsum("ij,ij->i", beta @ self.K, beta) / 2
        intercept = self.lines[:, 0].copy()
        for k in np.flatnonzero(~np.isfinite(intercept)):
            held = self.y - self.K @ beta[k]
            intercept[k] = sum(interval(held, self.y, self.sets[k] == BOUND)) / 2
        return {
            "C": self.nodes,
            "alphas": self.values,
            "intercept": intercept,
            "objective": objective,
            "n_free": (self.sets == FREE).sum(axis=1),
            "n_bound": (self.sets == BOUND).sum(axis=1),
        }


def problem_at(problem: DualProblem, C: float) -> DualProblem:
    """Return the machine at another C than 1.

    Parameters
    ----------
    problem : DualProblem
        At C = 1.
    C : float
        Factor of the losses, greater than 0.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> problem_at(c_svc(check_data([[0.0], [1.0]], [-1, 1]), Linear()), 3.0).upper
    array([0., 3.])
    """
    return replace(problem, lower=C * problem.lower, upper=C * problem.upper)


def interval(
    held: NDArray[np.float64], y: NDArray[np.float64], bound: NDArray[np.bool_]
) -> tuple[float, float]:
    """Return where the intercept may be when no row is free.

    y_i (f_i + b) <= 1 for rows at their bound, >= 1 for those at zero.

    Parameters
    ----------
    held : ndarray of shape (n,)
        y - K beta.
    y : ndarray of shape (n,)
        Labels.
    bound : ndarray of bool, shape (n,)
        Which rows are at their bound.

    Examples
    --------
    >>> interval(np.array([-1.0, 1.0]), np.array([-1.0, 1.0]), np.array([True, True]))
    (-1.0, 1.0)
    """
    above = bound == (y > 0)
    low, high = held[~above].max(initial=-np.inf), held[above].min(initial=np.inf)
    if not np.isfinite(low):
        low = high
    return float(low), float(high if np.isfinite(high) else low)
