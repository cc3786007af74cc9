"""What a fit falls back on when it is stopped: its problems solved on subsamples of their rows.

Where the time may end at any moment, all problems are solved on a 256th of their rows, then all on
a 16th, and only then one after the other on all rows, just as without a limit. A problem that is
not finished then has a coarse solution instead of none: among several classes, the votes of the
problems that were reached are worth nothing without those of the others.

The dual variables of a subsample, with zeros for all other rows, are a feasible point of the whole
problem, and are certified as such.

Steps in float32 leave a gradient that is known to some digits, and a certificate that allows for
that: its bound of the primal objective can be many times the objective. A point that steps have
reached is therefore certified again, if that takes a moment, and is compared by what they saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.data import ChunkedMatrix
from maxmargin.problems import (
    DualProblem,
    LinearProblem,
    Solution,
    SolverSettings,
    Status,
    certify_points,
    trace_row,
)
from maxmargin.solvers.watch import Watch

Cut: TypeAlias = DualProblem | LinearProblem
#: Gathers problems that have these numbers in the fit into groups, which solve themselves.
GroupsOf: TypeAlias = Callable[[Sequence[Cut], Sequence[int]], Iterator[Any]]

#: One row of so many, coarse first: each level costs little beside the next.
LEVELS = (256, 16)
#: Fewest rows of each class, and of the largest problem for a level to be worth its time.
LEAST_ROWS, LEAST_LARGEST = 4, 8
#: Seconds, and share of the time of the steps, that certificates may take when a limit is reached.
MOMENT, SHARE = 0.05, 0.1


class Reserve:
    """Coarse solutions of the problems of a fit.

    Attributes
    ----------
    points : dict of int to Solution
        By the number of the problem, those that can be cut and begin at zero.

    Examples
    --------
    >>> Reserve().points
    {}
    """

    def __init__(self) -> None:
        self.points: dict[int, Solution] = {}
        self._problems: dict[int, Cut] = {}

    def fill(
        self, problems: Sequence[Any], starts: Sequence[Any], groups_of: GroupsOf, watch: Watch
    ) -> None:
        """Solve all problems on ever more of their rows, until the watch says stop.

        Parameters
        ----------
        problems : sequence of problems
            All problems of a fit.
        starts : sequence
            Where each begins: one that goes on from somewhere needs no other point.
        groups_of : callable
            How problems are gathered, and by what each is solved.
        watch : Watch
            Asked about every 50 ms whether to stop.
        """
        self._problems = {
            part: problem
            for part, (problem, start) in enumerate(zip(problems, starts, strict=True))
            if start is None and _can_be_cut(problem)
        }
        largest = max((len(problem.rows) for problem in self._problems.values()), default=0)
        for every in LEVELS:
            if largest < LEAST_LARGEST * every:
                continue
            found = dict(self._level(every, groups_of, watch))
            # The votes of some problems alone are worse than those of none.
            if not self.points and len(found) < len(self._problems):
                return
            for part, point in found.items():
                self.points[part] = _better(self.points.get(part, point), point)
            if watch.expired:
                return

    def _level(
        self, every: int, groups_of: GroupsOf, watch: Watch
    ) -> Iterator[tuple[int, Solution]]:
        places, cut, parts = [], [], list(self._problems)
        for problem in self._problems.values():
            if watch.expired:
                return
            places.append(subsample(problem, every))
            cut.append(problem.on_rows(places[-1]))
        bases: dict[Any, Any] = {}
        for group in groups_of(cut, parts):
            watch.parts = [parts[k] for k in group.parts]
            if watch.expired:
                return
            solutions = group.solve(watch, bases)
            done = [
                (parts[k], _spread(self._problems[parts[k]], places[k], solution))
                for k, solution in zip(group.parts, solutions, strict=True)
                if solution.status is not Status.INTERRUPTED
            ]
            if len(done) < len(solutions):
                watch.reason = watch.reason or Status.INTERRUPTED
            yield from self._certified(done, group.settings, watch)

    def _certified(
        self, found: list[tuple[int, Solution]], settings: SolverSettings, watch: Watch
    ) -> Iterator[tuple[int, Solution]]:
        """Judge points of whole problems of one kind, until the watch says stop."""
        problems = [self._problems[part] for part, _ in found]
        dual = [problem for problem in problems if isinstance(problem, DualProblem)]
        if dual:
            points = [point.beta for _, point in found]
            judged = certify_points(dual, points, settings.n_threads, lambda: watch.expired)
            for (part, point), (certificate, multipliers) in zip(found, judged, strict=False):
                yield part, replace(point, certificate=certificate, multipliers=multipliers)
            return
        for problem, (part, point) in zip(problems, found, strict=True):
            if watch.expired:
                return
            certificate = problem.certify(point, settings.n_threads)
            yield part, replace(point, certificate=certificate)

    def has_any(self, problems: Sequence[Any]) -> bool:
        """Whether there may be a better point for any of these problems.

        Parameters
        ----------
        problems : sequence of problems
            All problems of a fit.
        """
        return bool(self.points) or any(isinstance(one, LinearProblem) for one in problems[:1])

    def instead(self, part: int, problem: Any, solution: Solution) -> Solution:
        """Return a solution, or the better point that is known where its solver was stopped.

        Parameters
        ----------
        part : int
            The number of the problem.
        problem : DualProblem, LinearProblem or LinearRisk
            The problem.
        solution : Solution
            Where its solver ended.
        """
        if solution.status is Status.INTERRUPTED and part in self.points:
            solution = with_better_point(solution, self.points[part])
        # Dual variables, which a warm start goes on from, are not thrown away for a guess.
        guessed = isinstance(problem, LinearProblem) and _can_be_cut(problem)
        if guessed and solution.status >= Status.MAX_ITERATIONS:
            return with_better_point(solution, problem.untouched())
        return solution


def certified_again(
    problems: Sequence[DualProblem], solutions: Sequence[Solution], n_threads: int = 1
) -> list[Solution]:
    """Return solutions with certificates of exact gradients, as many as a moment allows.

    Parameters
    ----------
    problems : sequence of DualProblem
        Of one formulation, with the same data and the same kernel.
    solutions : sequence of Solution
        Where their solvers were stopped.
    n_threads : int
        Threads to compute kernel values with.

    Examples
    --------
    >>> from maxmargin.problems import c_svc, untouched
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> problems = [c_svc(check_data([[0.0], [1.0]], [-1, 1]), Linear())]
    >>> certified_again(problems, untouched(problems))[0].certificate.primal
    2.0
    """
    begun = [k for k, solution in enumerate(solutions) if _wide(solution)]
    if not begun:
        return list(solutions)
    seconds = max(solutions[k].work.seconds for k in begun)
    end = perf_counter() + max(MOMENT, SHARE * seconds)
    judged = certify_points(
        [problems[k] for k in begun],
        [solutions[k].beta for k in begun],
        n_threads,
        lambda: perf_counter() > end,
    )
    again = list(solutions)
    for k, (certificate, multipliers) in zip(begun, judged, strict=False):
        point = replace(solutions[k], certificate=certificate, multipliers=multipliers)
        again[k] = _moved(solutions[k], point)
    return again


def with_better_point(stopped: Solution, point: Solution) -> Solution:
    """Return a solution that was stopped, at another point if that one is better.

    Parameters
    ----------
    stopped : Solution
        Where a solver was.
    point : Solution
        Another point of the same problem.

    Examples
    --------
    >>> from maxmargin.problems import c_svc
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import untouched
    >>> first, = untouched([c_svc(check_data([[0.0], [1.0]], [-1, 1]), Linear())])
    >>> with_better_point(first, first) is first
    True
    """
    seen = stopped.trace["primal"][-2:] if stopped.method == "smo" else ()
    if min(stopped.certificate.primal, *seen, np.inf) <= point.certificate.primal:
        return stopped
    return _moved(stopped, point)


def _wide(solution: Solution) -> bool:
    """Whether steps were stopped before their gradient was made exact."""
    touched = solution.beta is not None and solution.beta.any()
    stopped = solution.status is Status.INTERRUPTED and bool(touched)
    # That a kernel is not positive semidefinite is something that the steps have seen.
    return stopped and solution.certificate.parts[0].convex


def _moved(stopped: Solution, point: Solution) -> Solution:
    """Return a solution at another point, which its trace ends with."""
    [judged] = point.certificate.parts
    time, steps = (0.0, 0) if len(stopped.trace) == 0 else stopped.trace[-1].item()[1:3]
    assert point.beta is not None
    values = (judged.primal, judged.dual, judged.gap, judged.violation)
    last = trace_row((0, time, steps, *values, int(np.count_nonzero(point.beta))))
    return replace(
        stopped,
        certificate=point.certificate,
        multipliers=point.multipliers,
        beta=point.beta,
        w=point.w,
        trace=np.append(stopped.trace, last),
    )


def subsample(problem: Cut, every: int) -> NDArray[np.int64]:
    """Return one row of so many, evenly from those on each side of the boundary.

    Parameters
    ----------
    problem : DualProblem or LinearProblem
        With one variable for each row.
    every : int
        One row of this many, but no fewer than `LEAST_ROWS` of a side.

    Examples
    --------
    >>> from maxmargin.problems import c_svc
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> data = check_data(np.arange(20.0)[:, None], np.repeat([-1, 1], [8, 12]))
    >>> subsample(c_svc(data, Linear()), every=2)
    array([ 8, 10, 12, 14, 16, 18,  0,  2,  4,  6])
    """
    up = problem.upper > 0
    sides = [np.flatnonzero(up), np.flatnonzero(~up)]
    return np.concatenate(
        [side[:: max(1, min(every, len(side) // LEAST_ROWS))] for side in sides if len(side) > 0]
    )


def _can_be_cut(problem: Any) -> bool:
    """Whether the point of a subsample is one of the whole problem: no sum has to be met."""
    if isinstance(problem, DualProblem):
        return problem.totals == (0.0,) and not problem.hard
    return isinstance(problem, LinearProblem) and not isinstance(problem.X, ChunkedMatrix)


def _spread(problem: Cut, places: NDArray[np.int64], solution: Solution) -> Solution:
    """Return a subsample's solution as a point of the whole problem."""
    beta = np.zeros(problem.n_variables)
    beta[places] = solution.beta
    w = solution.w if isinstance(problem, LinearProblem) else None
    return replace(solution, beta=beta, w=w, gradient=None)


def _better(one: Solution, other: Solution) -> Solution:
    """Return the solution with the lower primal objective, the first of equals."""
    # Of a point that nothing is known about it is no number.
    return one if one.certificate.primal <= other.certificate.primal else other
