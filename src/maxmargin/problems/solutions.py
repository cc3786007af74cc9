"""The solutions of several problems, and what they are together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems.certificate import Certificate, CertificatePart
from maxmargin.problems.solution import Solution
from maxmargin.problems.status import Status
from maxmargin.problems.work import Work


class Solutions(Sequence[Solution]):
    """Solutions of several problems.

    A solver that has its answers in columns derives from it, makes solutions only when they are
    asked for, and sums its columns up instead. A pickle has the solutions themselves.

    Parameters
    ----------
    solutions : iterable of Solution
        One for each problem.

    Examples
    --------
    >>> part = CertificatePart(2.0, 1.0, 0.5, 1e-4)
    >>> found = Solutions([Solution(Status.OPTIMAL, Certificate((part,)), (0.5,))] * 3)
    >>> len(found), found.statuses, found.judged.primal, found.multipliers.shape
    (3, {<Status.OPTIMAL: 0>}, 6.0, (3, 1))
    """

    def __init__(self, solutions: Iterable[Solution]) -> None:
        self._all = tuple(solutions)

    @classmethod
    def of(cls, solutions: Sequence[Solution]) -> Solutions:
        """Return solutions as such.

        Parameters
        ----------
        solutions : sequence of Solution
            Maybe as such already.
        """
        return solutions if isinstance(solutions, Solutions) else Solutions(solutions)

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (list(self),)

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Solution]:
        return iter(self._all)

    @overload
    def __getitem__(self, k: int) -> Solution: ...
    @overload
    def __getitem__(self, k: slice) -> list[Solution]: ...
    def __getitem__(self, k: int | slice) -> Solution | list[Solution]:
        if isinstance(k, slice):
            return [self[place] for place in range(len(self))[k]]
        return self._made(range(len(self))[k])

    def _made(self, k: int) -> Solution:
        """Return the solution of problem k."""
        return self._all[k]

    @property
    def statuses(self) -> set[Status]:
        """How solvers ended, each way once."""
        return {solution.status for solution in self}

    @property
    def judged(self) -> CertificatePart:
        """All certificates as one: objectives summed, the largest gap, violation and bound."""
        all_ = Certificate(tuple(part for solution in self for part in solution.certificate.parts))
        return CertificatePart(
            all_.primal, all_.dual, all_.gap, all_.violation, all_.bound, all_.convex
        )

    @property
    def work(self) -> Work:
        """What they took together."""
        return self[0].work if len(self) == 1 else Work.total(one.work for one in self)

    @property
    def iterations(self) -> list[int]:
        """Steps of each."""
        return [solution.work.iterations for solution in self]

    @property
    def pair_steps(self) -> list[int]:
        """Pair steps of each."""
        return [solution.work.pair_steps for solution in self]

    @property
    def method(self) -> str:
        """By what they were found."""
        return self[0].method

    @property
    def beta(self) -> NDArray[np.float64]:
        """Dual variables of all, one problem after the other."""
        return np.concatenate([np.asarray(solution.beta) for solution in self])

    @property
    def multipliers(self) -> NDArray[np.float64]:
        """Multipliers of the sums, a row for each problem."""
        return np.array([solution.multipliers for solution in self])
