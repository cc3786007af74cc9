"""Sequential minimal optimisation with a Newton finish: the compiled kernel engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import (
    Certificate,
    CertificatePart,
    DualProblem,
    DualProblems,
    Solution,
    Solutions,
    SolverSettings,
    Status,
    Work,
    first_point,
    trace_of,
)
from maxmargin.solvers.watch import Watch

#: In the core's order.
_STATUS = (Status.OPTIMAL, Status.PRECISION, Status.MAX_ITERATIONS, Status.INTERRUPTED)


def smo(
    problems: Sequence[DualProblem],
    settings: SolverSettings,
    watch: Watch,
    starts: Sequence[NDArray[np.float64] | None],
    *,
    alone: bool = True,
) -> Solutions:
    """Solve problems on the same data, as many at a time as there are threads.

    Parameters
    ----------
    problems : sequence of DualProblem
        Of one formulation, with the same data and the same kernel.
    settings : SolverSettings
        Tolerance and limits.
    watch : Watch
        Asked about every 50 ms whether to stop.
    starts : sequence of ndarray or None
        Feasible points to begin from; None for zero, or the first variables filled until the sums
        are met.
    alone : bool
        Whether this is all there is to solve; one of many ends at `tol` and shares the cache.

    Returns
    -------
    Solutions
        One per problem, whatever the number of threads; those that were not begun when the
        solver was stopped are certified like the others.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> data = check_data([[0.0], [1.0], [3.0]], [-1, 1, 1])
    >>> problems = [c_svc(data, Linear(), C) for C in (0.1, 10.0)]
    >>> found = smo(problems, SolverSettings(), Watch(), [None, None])
    >>> [solution.beta.round(2) for solution in found]
    [array([-0.1,  0.1,  0. ]), array([-2.,  2.,  0.])]
    """
    together = DualProblems.of(problems)
    answer, error = _core.solve_all(
        together.core(),
        _joined_starts(problems, starts),
        settings.tol,
        settings.ending_gap,
        settings.max_iter,
        int(settings.cache_size * 2**20),
        settings.n_threads,
        alone,
        watch.hook,
    )
    if error is not None and settings.on_interrupt == "raise":
        raise error
    return SmoSolutions(together, answer, answer.gradient if settings.gradients else None)


def _joined_starts(
    problems: Sequence[DualProblem], starts: Sequence[NDArray[np.float64] | None]
) -> NDArray[np.float64] | None:
    if all(start is None for start in starts):
        return None
    return np.concatenate(
        [
            first_point(problem) if start is None else start
            for problem, start in zip(problems, starts, strict=True)
        ]
    )


class SmoSolutions(Solutions):
    """What the kernel engine answers, in its columns.

    Parameters
    ----------
    problems : DualProblems
        What was solved.
    answer : _core.Solutions
        The answer.
    gradient : ndarray or None
        That of all variables, where it is to be kept.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> problem = c_svc(check_data([[-1.0], [1.0]], [-1, 1]), Linear())
    >>> found = smo([problem, problem], SolverSettings(), Watch(), [None, None])
    >>> found.beta, found[1].status.name
    (array([-0.5,  0.5, -0.5,  0.5]), 'OPTIMAL')
    """

    def __init__(
        self, problems: DualProblems, answer: _core.Solutions, gradient: NDArray[np.float64] | None
    ) -> None:
        self._starts, self._beta, self._gradient = problems.variable_starts, answer.b, gradient
        self._counts, self._amounts = answer.counts, answer.amounts
        self._certificates, self._groups = answer.certificates, len(problems.whole.totals)
        columns, self._rows = answer.trace
        self._trace = trace_of(columns)

    def __len__(self) -> int:
        return len(self._counts)

    def __iter__(self) -> Iterator[Solution]:
        return map(self._made, range(len(self)))

    def _made(self, k: int) -> Solution:
        status, convex, *counted = self._counts[k].tolist()
        primal, dual, gap, violation, bound, first, second = self._certificates[k].tolist()
        part = CertificatePart(primal, dual, gap, violation, bound, bool(convex))
        variables, rows = slice(*self._starts[k : k + 2]), slice(*self._rows[k : k + 2])
        return Solution(
            status=_STATUS[status],
            certificate=Certificate((part,)),
            multipliers=(first, second)[: self._groups],
            beta=self._beta[variables],
            trace=self._trace[rows],
            work=Work(*counted, *self._amounts[k].tolist()),
            method="smo",
            gradient=None if self._gradient is None else self._gradient[variables],
        )

    @property
    def statuses(self) -> set[Status]:
        """How solvers ended, each way once."""
        return {_STATUS[status] for status in set(self._counts[:, 0].tolist())}

    @property
    def judged(self) -> CertificatePart:
        """All certificates as one: objectives summed, the largest gap, violation and bound."""
        primal, dual = self._certificates[:, :2].sum(axis=0).tolist()
        gap, violation, bound = self._certificates[:, 2:5].max(axis=0).tolist()
        return CertificatePart(primal, dual, gap, violation, bound, bool(self._counts[:, 1].all()))

    @property
    def work(self) -> Work:
        """What they took together."""
        counts, amounts = self._counts[:, 2:].sum(axis=0), self._amounts.sum(axis=0)
        return Work(*counts.tolist(), *amounts.tolist())

    @property
    def iterations(self) -> list[int]:
        """Steps of each."""
        return [int(count) for count in self._counts[:, 2].tolist()]

    @property
    def pair_steps(self) -> list[int]:
        """Pair steps of each."""
        return [int(count) for count in self._counts[:, 3].tolist()]

    @property
    def method(self) -> str:
        """By what they were found."""
        return "smo"

    @property
    def beta(self) -> NDArray[np.float64]:
        """Dual variables of all, one problem after the other."""
        return np.asarray(self._beta)

    @property
    def multipliers(self) -> NDArray[np.float64]:
        """Multipliers of the sums, a row for each problem."""
        return np.asarray(self._certificates[:, 5 : 5 + self._groups])
