"""Linear machines along C: the solution for one C is where the next one begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import LinearProblem, Solution, SolverSettings
from maxmargin.solvers.gram import RowBasis, by_kernel, certified
from maxmargin.solvers.l1 import l1
from maxmargin.solvers.linear import newton
from maxmargin.solvers.solve import choose
from maxmargin.solvers.watch import Watch


@dataclass(frozen=True, eq=False)
class Basis:
    """Features of some rows in a basis that more rows share, as those of several folds.

    Parameters
    ----------
    whole : RowBasis
        Of all rows.
    features : ndarray of shape (n, r)
        Those of the rows of a problem, in their order.
    """

    whole: RowBasis
    features: NDArray[np.float64]


def linear_path(
    problems: Sequence[LinearProblem],
    settings: SolverSettings,
    watch: Watch,
    basis: Basis | None = None,
) -> Iterator[Solution]:
    """Solve the same machine for one C after the other, and certify each answer.

    Parameters
    ----------
    problems : sequence of LinearProblem
        On the same rows, C ascending.
    settings : SolverSettings
        Tolerance and limits.
    watch : Watch
        Asked whether to stop; then no more solutions follow.
    basis : Basis, optional
        For the method "gram": that of the problems' rows, if it is there.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import SquaredHinge
    >>> from maxmargin.problems import linear_problem
    >>> data = check_data([[-1.0], [1.0]], [-1, 1])
    >>> problems = [linear_problem(data, SquaredHinge(), C) for C in (0.1, 1.0, 10.0)]
    >>> [s.w.round(2) for s in linear_path(problems, SolverSettings(tol=1e-6), Watch())]
    [array([0.29]), array([0.8]), array([0.98])]
    """
    before: Solution | None = None
    method = choose(problems[0], settings) if problems else ""
    last: LinearProblem | None = None
    for problem in problems:
        start = None if before is None or last is None else _scaled(before, last, problem)
        if method == "working-set":
            found = l1(problem, settings, watch, start)
        elif method == "gram":
            if basis is None:
                whole = RowBasis.of(problem)
                basis = Basis(whole, whole.features)
            found = _by_basis(problem, settings, watch, basis, start)
        else:
            found = newton(problem, settings, watch, method, start)
            # Where Newton steps have taken over from descent, they would again for a larger C.
            if method == "descent" and found.work.newton_steps > 0:
                method = "newton-cg"
        if watch.expired:
            return
        before, last = found, problem
        yield found if method != "gram" else _with_weights(found, problem, basis, settings)


def _scaled(before: Solution, last: LinearProblem, problem: LinearProblem) -> Solution:
    """Return a solution with dual variables for a larger C: the best multiple that is allowed.

    Bounded variables grow with C; those of data that can be separated do not grow at all.
    """
    assert before.beta is not None
    assert before.w is not None
    beta = before.beta
    ratio = float(problem.C[0] / last.C[0])
    ridge = 0.0 if problem.ridge is None else float(problem.ridge @ beta**2)
    gain = float(problem.target @ beta) - problem.epsilon * float(np.abs(beta).sum())
    curve = float(before.w @ before.w) + ridge
    best = min(max(gain / curve, 1.0), ratio) if curve > 0 else ratio
    return replace(before, beta=np.asarray(best * beta))


def _by_basis(
    problem: LinearProblem,
    settings: SolverSettings,
    watch: Watch,
    basis: Basis,
    start: Solution | None,
) -> Solution:
    """Solve in a basis of the rows; the weights are those of its features.

    By Newton steps, or as `gram` by the kernel engine where there are kinks and a free intercept.
    """
    rows = np.arange(len(basis.features))
    if problem.kinked and problem.intercept.free:
        return by_kernel(replace(problem, X=basis.features, rows=rows), settings, watch, start)
    return newton(replace(problem, X=basis.features, rows=rows), settings, watch, "newton", start)


def _with_weights(
    found: Solution, problem: LinearProblem, basis: Basis | None, settings: SolverSettings
) -> Solution:
    assert basis is not None
    found = replace(found, w=basis.whole.weights(found.w), method="gram")
    return certified(problem, found, settings)
