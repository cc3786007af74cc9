"""Feasible points to start a solver from, made of the solution of a similar problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems.dual import DualProblem


def nearest_feasible(problem: DualProblem, beta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make variables feasible while changing few of them.

    They are cut to the box; what a group's sum is then off by is taken from the variables inside
    the box first, then from the others in order, so that most keep the bound they are at.

    Parameters
    ----------
    problem : DualProblem
        The problem.
    beta : ndarray of shape (n_variables,)
        Dual variables of any values; infinite ones mean the bound of that sign.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> problem = c_svc(check_data([[0.0], [1.0], [3.0]], [-1, 1, 1]), Linear(), C=2.0)
    >>> nearest_feasible(problem, np.array([-5.0, 1.0, np.inf]))
    array([-2.,  0.,  2.])
    """
    start = np.clip(beta, problem.lower, problem.upper)
    start[~np.isfinite(start)] = 0.0
    interior = (start > problem.lower) & (start < problem.upper)
    for g, total in enumerate(problem.totals):
        member = np.ones(len(start), bool) if problem.group is None else problem.group == g
        for first in (member & interior & (start != 0), member & (start != 0), member):
            excess = float(start[member].sum()) - total
            # What rounding alone leaves is left, or it would make a support vector of its own.
            rounding = 1e-15 * float(np.abs(start[member]).sum() + abs(total))
            if abs(excess) <= rounding:
                break
            order = np.flatnonzero(first)
            end = problem.lower[order] if excess > 0 else problem.upper[order]
            if first is not member:  # towards zero or the bound, not across zero
                end = np.where(start[order] * np.sign(excess) > 0, 0.0, end)
            room = np.abs(start[order] - end)
            before = np.cumsum(np.minimum(room, abs(excess))) - np.minimum(room, abs(excess))
            spent = np.clip(abs(excess) - before, 0.0, room)
            reached = room - spent <= rounding
            start[order] = np.where(reached, end, start[order] - np.sign(excess) * spent)
    return start
