"""Linear programs solved by HiGHS, through scipy.

Reference: Q. Huangfu and J. A. J. Hall, Parallelizing the dual revised simplex method,
Mathematical Programming Computation 10 (2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

import numpy as np
from scipy.optimize import linprog

from maxmargin.losses.loss import Array
from maxmargin.problems.lp import LinearProgram
from maxmargin.prompt import Brief, Hinted


class LPStatus(Enum):
    """How the solver ended: SOLVED, INFEASIBLE, UNBOUNDED or FAILED.

    Examples
    --------
    >>> LPStatus("unbounded")
    <LPStatus.UNBOUNDED: 'unbounded'>
    """

    SOLVED = "solved"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    FAILED = "failed"


_STATUS = {0: LPStatus.SOLVED, 2: LPStatus.INFEASIBLE, 3: LPStatus.UNBOUNDED}


@dataclass(frozen=True, eq=False, repr=False)
class LPSolution(Brief, Hinted):
    """A minimiser (w, b, slack) of one of the perceptron's linear programs, and its value.

    Unless the status is SOLVED the arrays hold NaN. A program without slack has none.

    Examples
    --------
    >>> from maxmargin.problems import separation
    >>> solve_lp(separation([[0.0], [0.0]], [-1.0, 1.0])).status
    <LPStatus.INFEASIBLE: 'infeasible'>
    """

    _meant: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["theta", "x", "solution"], "w, b and slack"),
        **dict.fromkeys(["xi", "slacks"], "slack"),
        **dict.fromkeys(["objective", "fun"], "value"),
        **dict.fromkeys(["alpha", "alphas"], "solve_qp; these programs have none"),
    }

    w: Array
    b: float
    slack: Array
    value: float
    status: LPStatus


def solve_lp(program: LinearProgram) -> LPSolution:
    """Minimise a linear program.

    Examples
    --------
    The printed program with slack is solved by w = 0; with margin 1 it is not.

    >>> from maxmargin.problems import least_slack
    >>> X, y = [[-1.0], [3.0]], [-1.0, 1.0]
    >>> solve_lp(least_slack(X, y, margin=0.0)).value
    0.0
    >>> solution = solve_lp(least_slack(X, y, margin=1.0))
    >>> solution.value, bool(solution.w[0] > 0)
    (0.0, True)
    """
    if not isinstance(program, LinearProgram):
        raise TypeError(
            f"program must be a LinearProgram, got {type(program).__name__}; separation(X, y) and "
            "least_slack(X, y) make one, and solve_qp solves a QuadraticProgram"
        )
    bounds = np.column_stack([program.lower, np.full(len(program.linear), np.inf)])
    result = linprog(
        program.linear,
        A_ub=program.inequalities,
        b_ub=program.at_most,
        bounds=bounds,
        method="highs",
    )
    status = _STATUS.get(result.status, LPStatus.FAILED)
    theta = result.x if status is LPStatus.SOLVED else np.full(len(program.linear), np.nan)
    d = program.n_features
    return LPSolution(
        w=theta[:d],
        b=float(theta[d]),
        slack=theta[d + 1 :],
        value=float(program.linear @ theta),
        status=status,
    )
