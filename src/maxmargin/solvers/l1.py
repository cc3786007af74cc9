"""Linear machines with an L1 penalty, by Newton's method on a few features at a time.

    minimise over w, b   |w|_1 + |b| / scaling + sum_i C_i h(y_i (w'x_i + b))

The steps and the certificate are the core's (`cpp/linear/l1.cpp`).
"""

from __future__ import annotations

from maxmargin import _core
from maxmargin.problems import LinearProblem, Solution, SolverSettings
from maxmargin.solvers.linear import beginning, solution_of
from maxmargin.solvers.watch import Watch


def l1(
    problem: LinearProblem,
    settings: SolverSettings,
    watch: Watch,
    start: Solution | None = None,
) -> Solution:
    """Solve a problem with an L1 penalty and certify the answer.

    Parameters
    ----------
    problem : LinearProblem
        With penalty `L1()`.
    settings : SolverSettings
        Limits; `tol` is an upper bound of the relative duality gap.
    watch : Watch
        Asked about every 50 ms whether to stop.
    start : Solution, optional
        Weights and intercept to begin with; their features are the first working set.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import L1, SquaredHinge
    >>> from maxmargin.problems import linear_problem
    >>> data = check_data([[-1.0, 0.1], [1.0, 0.1]], [-1, 1])
    >>> solution = l1(linear_problem(data, SquaredHinge(), penalty=L1()), SolverSettings(), Watch())
    >>> solution.w.round(6), solution.status.name
    (array([0.75, 0.  ]), 'OPTIMAL')
    """
    answer, error = _core.solve_l1(
        problem.core(),
        settings.tol,
        settings.max_iter,
        settings.n_threads,
        watch.hook,
        beginning(start),
    )
    if error is not None and settings.on_interrupt == "raise":
        raise error
    return solution_of(answer, answer.intercept, "working-set")
