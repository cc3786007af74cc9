"""What a fit leaves for the next one: its dual variables, known by the rows they belong to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.problems import DualProblem, RowVariables, Solution, nearest_feasible


@dataclass(frozen=True, eq=False)
class Memory:
    """The variables of each problem that are not zero.

    Parameters
    ----------
    keys : tuple
        What each problem is about: its classes, or None.
    rows : tuple of ndarray
        Training rows of the variables, for each problem.
    values : tuple of ndarray
        The variables, infinite where they were at a bound. Where a row has two they are added.
    exact : tuple of ndarray
        All variables of each problem as the solver left them.
    """

    keys: tuple[Hashable, ...]
    rows: tuple[NDArray[np.int64], ...]
    values: tuple[NDArray[np.float64], ...]
    exact: tuple[NDArray[np.float64], ...]

    @classmethod
    def of(
        cls,
        keys: Sequence[Hashable],
        found: RowVariables,
        solutions: Sequence[Solution],
    ) -> Memory:
        """Remember a fit."""
        value = np.where(found.at_bound, np.copysign(np.inf, found.value), found.value)
        ends = np.cumsum(np.bincount(found.problem, minlength=len(solutions)))
        bounds = list(pairwise([0, *ends.tolist()]))
        rows = tuple(found.rows[begin:end] for begin, end in bounds)
        values = tuple(value[begin:end] for begin, end in bounds)
        exact = tuple(solution.b for solution in solutions)
        return cls(tuple(keys), rows, values, exact)

    def starts(
        self,
        keys: Sequence[Hashable],
        problems: Sequence[DualProblem],
        before: Any,
        now: Any,
    ) -> Iterator[NDArray[np.float64] | None]:
        """Yield for each new problem a feasible point near the old one's solution, or None.

        Parameters
        ----------
        keys, problems : sequences
            The new problems.
        before, now : rows
            The old support vectors with their training rows as a pair, and the new rows. Rows of
            numbers are recognised by their values wherever they stand, others by their place.
        """
        old_rows, vectors = before
        places = _places(old_rows, vectors, now)
        known = {key: p for p, key in enumerate(self.keys)}
        for key, problem in zip(keys, problems, strict=True):
            if key not in known:
                yield None
                continue
            p = known[key]
            value = np.zeros(int(problem.rows.max()) + 1)
            for row, x in zip(self.rows[p], self.values[p], strict=True):
                place = places.get(int(row), -1)
                if 0 <= place < len(value):
                    value[place] = x
            chosen = value[problem.rows]
            if problem.n_variables == len(chosen):
                b = chosen
            else:
                b = np.concatenate([np.maximum(chosen, 0.0), np.minimum(chosen, 0.0)])
            yield nearest_feasible(problem, b)


def _places(old_rows: NDArray[np.int64], vectors: Any, now: Any) -> dict[int, int]:
    """Where the old rows stand in the new data."""
    if vectors is None:
        return {int(row): int(row) for row in old_rows}
    waiting: dict[bytes, list[int]] = defaultdict(list)
    for row, key in zip(old_rows, _contents(vectors), strict=True):
        waiting[key].append(int(row))
    places = {}
    for place, key in enumerate(_contents(now)):
        if waiting.get(key):
            places[waiting[key].pop(0)] = place
    return places


def _contents(X: Any) -> Iterator[bytes]:
    if not sparse.issparse(X):
        for row in np.ascontiguousarray(X):
            yield row.tobytes()
        return
    for i in range(X.shape[0]):
        part = slice(X.indptr[i], X.indptr[i + 1])
        yield X.indices[part].astype(np.int64).tobytes() + X.data[part].tobytes()
