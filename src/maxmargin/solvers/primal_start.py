"""Kernel problems begun where the primal has its solution, where pair steps crawl.

Pair steps may crawl where C k(x, x) is large, and mostly do unless the classes can be separated:
the first few of each row tell. A linear machine of many more rows than columns is a few Newton
steps whatever C is, but ends earlier where C and the scales of columns are extreme; from its dual
variables the kernel engine takes the last steps, to rounding, and certifies them. A polynomial
kernel has such columns too, though their number grows with the degree: those of the partial
Cholesky factor G of its matrix, K ~ G G', which are fewer where the scales of the data differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels import Linear, Polynomial
from maxmargin.problems import (
    DualProblem,
    DualProblems,
    Solution,
    Solutions,
    SolverSettings,
    Status,
)
from maxmargin.solvers.hard_margin import added
from maxmargin.solvers.linear import primal
from maxmargin.solvers.smo import smo
from maxmargin.solvers.watch import Watch

#: Pair steps may crawl where the median of (upper - lower) k(x, x) is above so many times the
#: columns of the primal; with few rows they are quick even so.
STEEP, STEEP_FEW, FEW_ROWS = 0.75, 10.0, 256
#: Pair steps for each row after which they do.
STEPS_EACH = 10
#: The least rows for each column of the primal, and the most columns of a factor.
ROWS_EACH, MOST_COLUMNS = 3, 640
#: Above this median and with so many rows, which Newton steps do not end by themselves, a factor is
#: tried that may turn out to leave too much of K.
STEEPEST, MANY_ROWS = 3e3, 1024
#: What is left of k(x, x): next to nothing, and what may change an output by so much at most.
NOTHING, LITTLE = 1e-16, 10.0


def smo_from_primal(
    problems: Sequence[DualProblem],
    settings: SolverSettings,
    watch: Watch,
    starts: Sequence[NDArray[np.float64] | None],
    *,
    alone: bool = True,
) -> Solutions:
    """Solve problems as `smo` does, from their primal solutions where that is quicker.

    Parameters
    ----------
    problems, settings, watch, starts, alone
        As in `smo`.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.problems import c_svc
    >>> X = np.linspace(-9, 9, 300)[:, None]
    >>> problem = c_svc(check_data(X, np.where(X[:, 0] > 0.1, 1, -1)), Linear(), C=1e4)
    >>> [solution] = smo_from_primal([problem], SolverSettings(), Watch(), [None])
    >>> solution.status.name, bool(solution.certificate.gap < 1e-9)
    ('OPTIMAL', True)
    """
    if not _may_be_steep(problems[0], settings):
        return smo(problems, settings, watch, starts, alone=alone)
    steep = [
        start is None and (alone or _large(problem)) and _steep(problem)
        for problem, start in zip(problems, starts, strict=True)
    ]
    if not any(steep):
        return smo(problems, settings, watch, starts, alone=alone)
    few = STEPS_EACH * max(len(problem.rows) for problem in problems)
    begun = smo(problems, replace(settings, max_iter=few), watch, starts, alone=alone)
    found = list(begun)
    crawl = [k for k, now in enumerate(found) if now.status is Status.MAX_ITERATIONS]
    if not crawl:
        return begun
    first = {k: _primal(problems[k], settings, watch) for k in crawl if steep[k]}
    better = {k: starts[k] if now is None else now.beta for k, now in first.items()}

    def go_on(places: Sequence[int], begin: Sequence[NDArray[np.float64] | None]) -> None:
        again = smo([problems[k] for k in places], settings, watch, begin, alone=alone)
        for k, now in zip(places, again, strict=True):
            found[k] = added(found[k], now)

    for k, now in first.items():
        found[k] = found[k] if now is None else added(found[k], now)
    go_on(crawl, [better.get(k, starts[k]) for k in crawl])
    # A start that is far from the solution may be a place that is hard to leave.
    for k in [k for k, now in first.items() if now is not None]:
        before = found[k]
        if not before.certificate.violation <= settings.tol and not watch.expired:
            go_on([k], [None])
            found[k] = min(before, found[k], key=_distance)
    return Solutions(found)


def _large(problem: DualProblem) -> bool:
    """Whether a problem is large enough to be begun by itself though it is one of several."""
    return len(problem.rows) > FEW_ROWS


def _may_be_steep(problem: DualProblem, settings: SolverSettings) -> bool:
    """Whether problems of this kind may have a primal of few columns, and may begin there."""
    free = settings.method == "auto" and settings.max_iter < 0
    known = isinstance(problem.kernel, Linear | Polynomial) and problem.ridge is None
    return free and known and len(problem.totals) == 1


def _steep(problem: DualProblem) -> bool:
    """Whether pair steps may crawl on a problem that may have a primal of few columns."""
    if problem.totals != (0.0,):
        return False
    columns, rows = _columns(problem), problem.rows
    few = ROWS_EACH * columns <= len(rows)
    if not few and (isinstance(problem.kernel, Linear) or len(rows) <= MANY_ROWS):
        return False
    with np.errstate(over="ignore"):
        diagonal = problem.kernel.diagonal(problem.X[rows])
        steep = float(np.median((problem.upper - problem.lower) * diagonal))
    least = columns * (STEEP if _large(problem) else STEEP_FEW) if few else STEEPEST
    return bool(least < steep < np.inf and np.isfinite(diagonal).all())


def _columns(problem: DualProblem) -> int:
    """Return how many columns the primal has at most: monomials of the degree and below."""
    columns = int(problem.X.shape[1])
    if isinstance(problem.kernel, Polynomial):
        return comb(columns + problem.kernel.degree, problem.kernel.degree)
    return columns


def _primal(problem: DualProblem, settings: SolverSettings, watch: Watch) -> Solution | None:
    """Return the primal solution on the columns of the kernel, or of a factor of its matrix."""
    if isinstance(problem.kernel, Linear):
        return primal(problem, settings, watch)
    rows, diagonal = len(problem.rows), problem.kernel.diagonal(problem.X[problem.rows])
    room = int(settings.cache_size * 2**20) // (16 * rows)
    most = min(MOST_COLUMNS, rows // ROWS_EACH, room)
    if most < 1:
        return None
    factor, left, error = _core.partial_factor(
        DualProblems.of([problem]).core(), diagonal, most, NOTHING * float(diagonal.max()),
        settings.n_threads, watch.hook,
    )  # fmt: skip
    if error is not None and settings.on_interrupt == "raise":
        raise error
    if factor is None or not float(np.median(problem.upper - problem.lower)) * left <= LITTLE:
        return None
    columns = replace(problem, X=factor, kernel=Linear(), rows=np.arange(rows))
    return primal(columns, settings, watch)


def _distance(solution: Solution) -> float:
    """How far a solution may be from the optimum."""
    worst = solution.certificate.worst
    return worst.violation + worst.bound
