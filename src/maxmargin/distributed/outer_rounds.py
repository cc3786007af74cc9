"""Exact kernel machines on a cluster: rounds of working sets, until no row of any worker violates.

A round, of all problems of a fit together:

    update   workers add what has changed of the support vectors' variables to their gradients
    judge    workers sum up their parts of the certificates and name their worst violators
    give     workers send the rows and the numbers of the variables that were chosen
    solve    a few workers solve the problems of the working sets, the other variables fixed

The first working sets are found by a cascade: every worker solves a sample of its rows, and their
support vectors meet, a few workers' at a time, until they fit one problem.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
from dask.sizeof import sizeof
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.distributed.cluster import FAN_IN, Stopped
from maxmargin.distributed.kernel_piece import Change
from maxmargin.distributed.kernel_rows import (
    fill,
    give,
    join_levels,
    judge,
    open_rows,
    support_of_sample,
    update,
)
from maxmargin.distributed.partitions import Partitions
from maxmargin.distributed.statement import Statement
from maxmargin.distributed.vectors import Vectors
from maxmargin.distributed.working_set import Candidates, WorkingSet, solve_sets
from maxmargin.problems import (
    TRACE,
    Certificate,
    Solution,
    SolverSettings,
    Status,
    Work,
    core_certificate,
    trace_row,
)
from maxmargin.solvers import Watch, with_reason

#: Fewest rows of a working set.
SMALLEST_SET = 64
#: Violation down to which samples are solved: they only name candidates.
SAMPLE_TOL = 0.1
#: A working set is solved down to this share of the violation of all rows, and of tol.
FINER, BELOW = 0.01, 0.5
#: A working set may have so many times the rows whose kernel values fit `cache_size`, so that all
#: support vectors are in it. What does not fit is computed again.
LARGEST_SET = 4
#: Rounds that do not raise the dual objective before that is taken for rounding.
MOST_STALLED = 8
#: Share of a worker's memory that support vectors and working sets may take.
MEMORY_SHARE = 0.6


@dataclass(frozen=True, eq=False)
class Support:
    """The variables of a problem that are not zero.

    Parameters
    ----------
    places : ndarray of int64
        Their rows, ascending.
    value, lower, upper : ndarray of float64
        The variables and their boxes.

    Examples
    --------
    >>> before = Support.none()
    >>> one, end = np.array([0.5]), np.array([1.0])
    >>> after, change = before.replaced(0, np.array([7]), one, 0 * end, end)
    >>> after.places, change.step
    (array([7]), array([0.5]))
    """

    places: NDArray[np.int64]
    value: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    @classmethod
    def none(cls) -> Support:
        """Return that of a problem whose variables are all zero."""
        return cls(np.zeros(0, np.int64), *np.zeros((3, 0)))

    @property
    def n_free(self) -> int:
        """How many are inside of their boxes: those that a step of any other one moves."""
        return int(np.count_nonzero((self.value > self.lower) & (self.value < self.upper)))

    def replaced(
        self,
        problem: int,
        places: NDArray[np.int64],
        value: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
    ) -> tuple[Support, Change]:
        """Return these with some variables as they are now, and what that changes.

        Parameters
        ----------
        problem : int
            The number of the problem.
        places, value, lower, upper : ndarrays
            The variables.
        """
        before, here = np.zeros(len(places)), np.isin(self.places, places)
        before[np.searchsorted(places, self.places[here])] = self.value[here]
        moved = np.flatnonzero(value != before)
        kept, used = ~here, value != 0
        both = np.concatenate([self.places[kept], places[used]])
        order = np.argsort(both)
        joined = [
            np.concatenate([old[kept], new[used]])[order]
            for old, new in ((self.value, value), (self.lower, lower), (self.upper, upper))
        ]
        change = Change(problem, places[moved], value[moved], value[moved] - before[moved])
        return Support(both[order], *joined), change


class OuterRounds:
    """The problems of a fit on the rows of all workers, and how far they are solved.

    Parameters
    ----------
    partitions : Partitions
        The rows.
    state : Statement
        The problems.
    settings : SolverSettings
        Limits; `cache_size` gives the working sets their size.
    watch : Watch
        Asked about every 50 ms whether to stop.

    Attributes
    ----------
    vectors : Vectors
        Rows of all support vectors, once it is solved.
    support : list of Support
        Of each problem.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from maxmargin import SVR
    >>> from maxmargin.distributed.cluster import Cluster
    >>> from maxmargin.kernels import Linear
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> X = da.arange(6, chunks=3).reshape(-1, 1)
    >>> data = Partitions(Cluster(client), X, 2 * X[:, 0], target="numbers")
    >>> rounds = OuterRounds(data, Statement(SVR(C=9.0), Linear()), SolverSettings(), Watch())
    >>> rounds.solve()[0].status.name, rounds.support[0].places
    ('OPTIMAL', array([0, 5]))
    >>> client.close()
    """

    def __init__(
        self, partitions: Partitions, state: Statement, settings: SolverSettings, watch: Watch
    ) -> None:
        self._partitions, self._state, self._watch = partitions, state, watch
        self._settings = settings
        self._size = max(SMALLEST_SET, int(np.sqrt(settings.cache_size * 2**20 / 4)))
        self._began = time.perf_counter()
        self.vectors = Vectors.none(partitions.shape[1])
        self.support: list[Support] = []
        self._certified: list[_Certified] = []
        self._problems: list[_Course] = []
        self._totals, self._epsilon, self._room = np.zeros(0), 0.0, np.inf
        self._levels = np.zeros((0, 5))
        self._sent = np.zeros(0, np.int64)

    # ---- The loop -----------------------------------------------------------------------------

    def solve(self) -> list[Solution]:
        """Solve all problems; what is there when the watch says stop is as certified."""
        with self._partitions.cluster.asking(self._tick), suppress(Stopped):
            self._partitions.surviving(self._attempt)
        self.support = [each.support for each in self._certified]
        solutions = [
            course.solution(each, self._settings, self._watch.reason)
            for course, each in zip(self._problems, self._certified, strict=True)
        ]
        reason = self._watch.reason
        return solutions if reason is None else with_reason(solutions, reason)

    def certify(self, support: Sequence[Support], vectors: Vectors) -> list[Certificate]:
        """Judge given variables on all rows.

        Parameters
        ----------
        support : sequence of Support
            Of each problem.
        vectors : Vectors
            Their rows.
        """
        self.support, self.vectors = list(support), vectors

        def attempt() -> None:
            self._judge(self._open())

        self._partitions.surviving(attempt)
        return [each.certificate for each in self._certified]

    def _attempt(self) -> None:
        """Solve from what is known here: nothing, or the support of a fit that lost a worker."""
        levels = self._open()
        if not any(len(each.places) for each in self.support):
            levels = self._first_round(levels)
        while True:
            candidates = self._judge(levels, self._set_sizes())
            active = [p for p, course in enumerate(self._problems) if course.active]
            if not active:
                return
            levels = self._round([(p, candidates[p].places) for p in active])

    def _open(self) -> NDArray[np.float64]:
        """Begin on all workers; return the levels of all problems at what is known here."""
        found = self._partitions.map(open_rows, self._state, self._partitions.starts)
        self._room = min(each.room for each in found)
        found = [each for each in found if len(each.totals)]
        self._totals = np.sum([each.totals for each in found], axis=0)
        self._epsilon = found[0].epsilon
        self._sent = np.zeros(0, np.int64)
        if not self._problems:
            self._problems = [_Course(self._began) for _ in self._totals]
            self.support = self.support or [Support.none() for _ in self._totals]
        changes = [
            Change(p, each.places, each.value, each.value)
            for p, each in enumerate(self.support)
            if len(each.places)
        ]
        return self._update(changes) if changes else _joined([each.levels for each in found])

    def _first_round(self, levels: NDArray[np.float64]) -> NDArray[np.float64]:
        coarse = replace(self._settings, tol=max(SAMPLE_TOL, self._settings.tol))
        if self._totals.any():
            found = self._partitions.map(fill, self._size, coarse)
            places = np.concatenate([part.places for each in found for part in each])
            value = np.concatenate([part.value for each in found for part in each])
            order = np.argsort(places)
            places, value = places[order], value[order]
            [numbers] = self._fetch([(0, places)], places)
            after = self.support[0].replaced(0, places, value, numbers.lower, numbers.upper)
            self.support[0], change = after
            return self._update([change])
        self._judge(levels)  # there is a certificate from the beginning
        samples = self._partitions.map(support_of_sample, self._size, coarse)
        wanted = self._cascade([each for each in samples if each], coarse)
        chosen = [(p, places) for p, places in enumerate(wanted) if len(places)]
        return self._round(chosen) if chosen else levels

    def _cascade(
        self, samples: list[list[NDArray[np.int64]]], settings: SolverSettings
    ) -> list[NDArray[np.int64]]:
        """Let the support vectors of samples meet until those of each problem fit one set."""
        while len(samples) > 1:
            groups = [samples[k : k + FAN_IN] for k in range(0, len(samples), FAN_IN)]
            samples = [
                [self._cut(np.concatenate(parts)) for parts in zip(*group, strict=True)]
                for group in groups
            ]
            if len(samples) > 1:
                chosen = [
                    (p, places) for each in samples for p, places in enumerate(each) if len(places)
                ]
                found = iter(self._solve(self._sets(chosen), [settings] * len(chosen)))
                samples = [
                    [places[_used(next(found))] if len(places) else places for places in each]
                    for each in samples
                ]
        return [self._cut(places) for places in samples[0]]

    def _cut(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return places in order, at most as many as a working set has, spread over all."""
        places = np.sort(places)
        if len(places) <= self._size:
            return places
        return places[np.linspace(0, len(places) - 1, self._size).astype(np.int64)]

    # ---- One round ----------------------------------------------------------------------------

    def _round(self, chosen: Sequence[tuple[int, NDArray[np.int64]]]) -> NDArray[np.float64]:
        """Solve working sets, take the answers over, and return the levels of all problems."""
        sets = self._sets(chosen)
        settings = [self._problems[each.problem].settings(self._settings) for each in sets]
        changes = []
        for each, found in zip(sets, self._solve(sets, settings), strict=True):
            p = each.problem
            self._problems[p].work += found.work
            assert found.beta is not None
            self.support[p], change = self.support[p].replaced(
                p, each.places, found.beta, each.lower, each.upper
            )
            if len(change.places):
                changes.append(change)
        return self._update(changes) if changes else self._levels

    def _sets(self, chosen: Sequence[tuple[int, NDArray[np.int64]]]) -> list[WorkingSet]:
        """Have the numbers and rows of chosen variables sent here."""
        wanted = [(p, np.sort(places)) for p, places in chosen]
        places = np.unique(np.concatenate([places for _, places in wanted]))
        return self._fetch(wanted, places)

    def _fetch(
        self, wanted: list[tuple[int, NDArray[np.int64]]], places: NDArray[np.int64]
    ) -> list[WorkingSet]:
        used = [each.places for each in self.support]
        self.vectors = self.vectors.among(np.unique(np.concatenate([places, *used])))
        found = self._partitions.map(give, wanted, self.vectors.missing(places))
        self.vectors = self.vectors.joined([part for _, parts in found for part in parts])
        self._check_memory()
        sets = []
        for k, (p, which) in enumerate(wanted):
            parts = [part for given, _ in found for part in given[k]]
            at, target, lower, upper, beta, f, ridge = map(np.concatenate, zip(*parts, strict=True))
            order = np.argsort(at)
            whole = len(np.setdiff1d(self.support[p].places, which)) == 0
            sets.append(
                WorkingSet(
                    p, at[order], target[order], lower[order], upper[order], beta[order], f[order],
                    ridge[order] if len(ridge) else None, self._epsilon, whole,
                )
            )  # fmt: skip
        return sets

    def _solve(
        self, sets: Sequence[WorkingSet], settings: Sequence[SolverSettings]
    ) -> list[Solution]:
        """Have workers solve working sets, the largest first and each where least is to do."""
        threads = self._partitions.cluster.threads()
        turns: dict[str, list[int]] = {to: [] for to in threads}
        loads = dict.fromkeys(threads, 0.0)
        for k in sorted(range(len(sets)), key=lambda k: -len(sets[k].places)):
            to = min(loads, key=lambda to: loads[to] / threads[to])
            turns[to].append(k)
            loads[to] += len(sets[k].places) ** 2
        # Time must be left to compute the gradient of what is found.
        seconds, tasks, numbers = self._watch.seconds_left / 3, [], []
        for to, own in turns.items():
            if own:
                places = np.unique(np.concatenate([sets[k].places for k in own]))
                each = [replace(settings[k], n_threads=threads[to]) for k in own]
                args = (
                    [sets[k] for k in own], self.vectors.among(places), self._state.kernel, each,
                    seconds,
                )  # fmt: skip
                self._partitions.cluster.report["bytes_moved"] += sizeof(args[1])
                tasks.append((to, solve_sets, args))
                numbers += own
        found = [one for part in self._partitions.cluster.run(tasks) for one in part]
        return [found[numbers.index(k)] for k in range(len(sets))]

    def _update(self, changes: Sequence[Change]) -> NDArray[np.float64]:
        """Have the gradients of all rows follow; return the levels of all problems."""
        places = np.unique(np.concatenate([change.places for change in changes]))
        new = self.vectors.among(np.setdiff1d(places, self._sent))
        self._sent = np.union1d(self._sent, new.places)
        found = self._partitions.map(update, changes, new)
        values = sum(values for _, values in found)
        for change in changes:
            course, share = self._problems[change.problem], values // len(changes)
            course.work += Work(kernel_entries=share, exact_entries=share)
        return _joined([levels for levels, _ in found if len(levels)])

    def _set_sizes(self) -> list[int]:
        """Return how many variables the next working set of each problem may have.

        A set without some of the free variables, which move with every other one, needs many
        rounds, and so does one without room for rows beside the support vectors.
        """
        return [
            max(self._size, 2 * each.n_free, min(2 * len(each.places), LARGEST_SET * self._size))
            for each in self.support
        ]

    def _judge(self, levels: NDArray[np.float64], sizes: Sequence[int] = ()) -> list[Candidates]:
        """Certify all problems; return candidates for their working sets, if these have sizes."""
        self._levels = levels
        intercepts = np.array([_core.joined_intercept(row[:4].copy()) for row in levels])
        workers = self._partitions.n_workers
        quotas = [min(size, max(SMALLEST_SET, 2 * size // workers)) for size in sizes]
        found = [each for each in self._partitions.map(judge, intercepts, quotas) if len(each[0])]
        sums = np.sum([part for part, _ in found], axis=0)
        certified = []
        for p, course in enumerate(self._problems):
            core = _core.joined_certificate(
                levels[p, :4].copy(), sums[p], float(self._totals[p]), float(levels[p, 4])
            )
            each = _Certified(
                core_certificate(core), core.intercepts[:1], self.support[p], course.work
            )
            certified.append(each)
            course.see(p, each, self._settings)
        self._certified = certified
        if self._tick():
            raise Stopped
        return [
            Candidates.joined([each[p] for _, each in found]).best(size)
            for p, size in enumerate(sizes)
        ]

    def _tick(self) -> bool:
        """Show the worst problem to the watch; tell whether to stop: not before one certificate."""
        rows = [course.trace[-1] for course in self._problems if course.trace]
        if rows:
            row = max(rows, key=lambda row: float(row["violation"])).copy()
        else:
            row = trace_row((0, 0, 0, np.inf, -np.inf, np.inf, np.inf, 0))
        self._watch.parts = range(max(1, len(self._problems)))
        wanted = self._watch.see(row) or self._watch.expired
        return wanted and bool(self._certified)

    def _check_memory(self) -> None:
        """Refuse support vectors and working sets that a worker could not hold."""
        count, cache = len(self.vectors.places), self._settings.cache_size * 2**20
        entry = sizeof(self.vectors) / max(1, count)
        # Once as they came, and once packed for the kernel.
        room = (MEMORY_SHARE * self._room - cache) / 2
        if count * entry > room:
            raise MemoryError(
                f"{count:,} support vectors and candidates of {entry:,.0f} bytes do not fit on a "
                f"worker that has {self._room / 2**20:,.0f} MB beside its rows, with cache_size="
                f"{self._settings.cache_size:g} MB: about {max(0, int(room / entry)):,} would. Use "
                "workers with more memory, or a smaller cache_size; or approximate the kernel, "
                "make_pipeline(maxmargin.Nystroem(n_components=1000), LinearSVC())."
            )


@dataclass(frozen=True, eq=False)
class _Certified:
    """A problem's variables, and how good they are on all rows."""

    certificate: Certificate
    multipliers: tuple[float, ...]
    support: Support
    work: Work


class _Course:
    """How the solution of one problem goes on."""

    def __init__(self, began: float) -> None:
        self.active = True
        self.status = Status.OPTIMAL
        self.work = Work()
        self.trace: list[Any] = []
        self._began = began
        self._tol = np.inf
        self._stalled = 0
        self._dual = -np.inf

    def see(self, p: int, each: _Certified, settings: SolverSettings) -> None:
        """Take note of a certificate, and decide whether to go on."""
        part = each.certificate.parts[0]
        self.trace.append(
            trace_row((
                p, time.perf_counter() - self._began, self.work.iterations, part.primal, part.dual,
                part.gap, part.violation, len(each.support.places),
            ))
        )  # fmt: skip
        closed = settings.tol_gap is None or part.gap <= settings.tol_gap
        self._stalled = self._stalled + 1 if part.dual <= self._dual else 0
        self._dual = max(self._dual, part.dual)
        finer = self._tol * FINER if self._stalled or part.within(settings.tol) else np.inf
        self._tol = min(finer, max(BELOW * settings.tol, FINER * part.violation))
        if part.within(settings.tol) and closed:
            self.active, self.status = False, Status.OPTIMAL
        elif 0 <= settings.max_iter <= self.work.pair_steps:
            self.active, self.status = False, Status.MAX_ITERATIONS
        elif self._stalled >= MOST_STALLED or not isfinite(part.violation):
            self.active, self.status = False, Status.PRECISION

    def settings(self, settings: SolverSettings) -> SolverSettings:
        """Return how far and how long to solve the next working set."""
        steps = settings.max_iter
        if steps >= 0:
            steps = max(0, steps - self.work.pair_steps)
        return replace(settings, tol=self._tol, tol_gap=None, max_iter=steps, on_interrupt="keep")

    def solution(
        self, each: _Certified, settings: SolverSettings, reason: Status | None
    ) -> Solution:
        """Return the solution that the last certificate speaks of."""
        part = each.certificate.parts[0]
        closed = settings.tol_gap is None or part.gap <= settings.tol_gap
        status = self.status
        if self.active:  # somebody said stop
            status = Status.OPTIMAL if part.within(settings.tol) and closed else Status.INTERRUPTED
        return Solution(
            status,
            each.certificate,
            each.multipliers,
            beta=each.support.value,
            trace=np.array([tuple(row) for row in self.trace], TRACE),
            work=each.work,
            method="smo",
        )


def _used(solution: Solution) -> NDArray[np.int64]:
    """Return which variables are not zero."""
    assert solution.beta is not None
    return np.flatnonzero(solution.beta)


def _joined(levels: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Join the levels of all workers, problem by problem."""
    each = np.stack(levels)
    return np.stack(
        [np.append(join_levels(each[:, p, :4]), each[:, p, 4].max()) for p in range(each.shape[1])]
    )
