"""The rows of one partition in kernel problems: their dual variables and gradients.

Support vectors come to a worker once each; after that, what changes of their dual variables is
added to the gradient of its own rows,

    f += K(own rows, changed vectors) (change of their variables),

in float64, with a bound on all rounding since the beginning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.distributed.share import Partition
from maxmargin.distributed.statement import Statement
from maxmargin.distributed.vectors import Vectors, alike, stacked
from maxmargin.distributed.working_set import BOUND, FREE, ZERO, Candidates
from maxmargin.kernels import Function, Kernel
from maxmargin.problems import DualProblem

_ROUNDING = 2.0**-53
#: As in the core's expansions: centres that are added up in a row, and rows that are.
_CHUNK, _MIRROR = 512, 128


@dataclass(frozen=True, eq=False)
class Change:
    """What has become of some dual variables of a problem.

    Parameters
    ----------
    problem : int
        The number of the problem.
    places : ndarray of int64
        Rows of the variables.
    value, step : ndarray of float64
        What they are now, and by how much that is more than before.

    Examples
    --------
    >>> Change(0, np.array([4]), np.array([0.5]), np.array([0.1])).value
    array([0.5])
    """

    problem: int
    places: NDArray[np.int64]
    value: NDArray[np.float64]
    step: NDArray[np.float64]


class Piece:
    """The rows of a partition in all problems: dual variables and gradients.

    Parameters
    ----------
    partition : Partition
        The rows.
    start : int
        Place of the first of them among all rows.
    state : Statement
        The problems.

    Examples
    --------
    >>> from maxmargin import SVR
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.distributed.share import read_partition
    >>> part = read_partition(0, [[1.0], [2.0]], [1.5, 2.0], None, "numbers", "SVR")
    >>> piece = Piece(part, 10, Statement(SVR(), Linear()))
    >>> known = Vectors(np.array([11]), np.array([[2.0]]), np.zeros(1, np.int64))
    >>> piece.add(known, [Change(0, known.places, np.array([0.5]), np.array([0.5]))])  # values
    2
    >>> piece.f[0], piece.beta[0]
    (array([-0.5,  0. ]), array([0. , 0.5]))
    """

    def __init__(self, partition: Partition, start: int, state: Statement) -> None:
        self.X, self.start, self.kernel = partition.X, start, state.kernel
        self.problems, self.codes = state(partition)
        self.beta = [np.zeros(problem.n_variables) for problem in self.problems]
        self.f = [-problem.target for problem in self.problems]
        self.error = np.zeros(len(self.problems))
        self.blocks = _blocks(self.problems, self.codes, state.pairs)

    def variables(self, p: int) -> _core.Variables:
        """Return the variables of a problem as the core judges them."""
        problem = self.problems[p]
        return _core.Variables(
            problem.target, problem.lower, problem.upper, problem.epsilon, problem.ridge
        )

    def add(self, known: Vectors, changes: Sequence[Change], n_threads: int = 1) -> int:
        """Take over changes of dual variables; return how many kernel values that took.

        Parameters
        ----------
        known : Vectors
            Rows, those of the changes among them.
        changes : sequence of Change
            At most one for each problem.
        n_threads : int
            Threads to use.
        """
        places = np.unique(np.concatenate([change.places for change in changes]))
        steps = np.zeros((len(places), len(self.problems)))
        for change in changes:
            steps[np.searchsorted(places, change.places), change.problem] = change.step
        vectors, values = alike(known.at(places), self.X), 0
        for block in self.blocks:
            own = steps[:, block.problems]
            used = np.flatnonzero(own.any(axis=1))
            if len(used) and len(block.rows):
                self._add_block(block, vectors[used], own[used], n_threads)
                values += len(used) * len(block.rows)
            for change in changes:
                if change.problem in block.problems:
                    self._set_own(block, change)
        return values

    def _add_block(self, block: Block, vectors: Any, steps: Any, n_threads: int) -> None:
        X = self.X if len(block.rows) == self.X.shape[0] else self.X[block.rows]
        sums, largest, exact = _expanded(self.kernel, X, vectors, steps, n_threads)
        m = len(steps)
        additions = min(m, _CHUNK) + m // _CHUNK + -(-m // _MIRROR)
        # A step is the rounded difference of two values: one of the four more.
        each = exact + (additions + 4) * _ROUNDING * largest
        for column, (p, part) in enumerate(zip(block.problems, block.parts, strict=True)):
            f = self.f[p][part]
            f += sums[:, column]
            rounding = _ROUNDING * float(np.abs(f).max())
            self.error[p] += float(np.abs(steps[:, column]).sum()) * each + rounding

    def _set_own(self, block: Block, change: Change) -> None:
        p, local = change.problem, change.places - self.start
        at = np.searchsorted(block.rows, local)
        mine = np.flatnonzero((local >= 0) & (at < len(block.rows)))
        mine = mine[block.rows[at[mine]] == local[mine]]
        own = at[mine] + block.parts[block.problems.index(p)].start
        problem, value = self.problems[p], change.value[mine]
        if ((value < problem.lower[own]) | (value > problem.upper[own])).any():
            raise ValueError(
                "the fitted dual variables are not feasible for these data and parameters: give "
                "the data, weights and parameters that the model was fitted with."
            )
        self.beta[p][own] = value
        if problem.ridge is not None and len(own):
            self.f[p][own] += problem.ridge[own] * change.step[mine]
            sizes = np.abs(self.f[p][own]) + 4 * problem.ridge[own] * np.abs(value)
            self.error[p] += _ROUNDING * float(sizes.max())

    def candidates(self, p: int, intercept: float, size: int) -> Candidates:
        """Return the best variables of a problem for a working set.

        Parameters
        ----------
        p : int
            The problem.
        intercept : float
            Its intercept.
        size : int
            Most of them.
        """
        problem, beta = self.problems[p], self.beta[p]
        up, down = self.variables(p).costs(beta, self.f[p])
        inside = (beta > problem.lower) & (beta < problem.upper)
        kind = np.where(beta == 0, ZERO, np.where(inside, FREE, BOUND)).astype(np.int8)
        every = Candidates(self.start + problem.rows, -intercept - up, down + intercept, kind)
        return every.best(size)

    def numbers(self, p: int, places: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
        """Return places, target, box, value, gradient and ridge of some variables of a problem.

        Parameters
        ----------
        p : int
            The problem.
        places : ndarray of int64
            Rows among all rows; those of other partitions are left out.
        """
        problem = self.problems[p]
        own = np.flatnonzero(np.isin(self.start + problem.rows, places))
        ridge = np.zeros(0) if problem.ridge is None else problem.ridge[own]
        return (
            self.start + problem.rows[own],
            problem.target[own],
            problem.lower[own],
            problem.upper[own],
            self.beta[p][own],
            self.f[p][own],
            ridge,
        )

    def vectors(self, places: NDArray[np.int64]) -> Vectors:
        """Return those rows whose places are among some.

        Parameters
        ----------
        places : ndarray of int64
            Among all rows, ascending.
        """
        begin, end = np.searchsorted(places, [self.start, self.start + self.X.shape[0]])
        local = places[begin:end] - self.start
        return Vectors(places[begin:end], self.X[local], self.codes[local])


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of a partition that are in the same problems.

    Parameters
    ----------
    rows : ndarray of int64
        Which rows, ascending.
    problems : list of int
        The problems.
    parts : list of slice
        Where they stand among the variables of each of them.

    Examples
    --------
    >>> Block(np.arange(3), [0], [slice(0, 3)]).problems
    [0]
    """

    rows: NDArray[np.int64]
    problems: list[int]
    parts: list[slice]


def _blocks(
    problems: Sequence[DualProblem],
    codes: NDArray[np.int64],
    pairs: list[tuple[int, int]] | None,
) -> list[Block]:
    """Cut rows by the problems that they are in; each pair of classes has one class first."""
    if pairs is None:
        whole = slice(0, len(problems[0].rows))
        return [Block(problems[0].rows, list(range(len(problems))), [whole] * len(problems))]
    blocks: dict[int, Block] = {}
    for p, ((first, second), problem) in enumerate(zip(pairs, problems, strict=True)):
        cut = int((codes[problem.rows] == first).sum())
        for code, part in ((first, slice(0, cut)), (second, slice(cut, len(problem.rows)))):
            block = blocks.setdefault(code, Block(problem.rows[part], [], []))
            block.problems.append(p)
            block.parts.append(part)
    return list(blocks.values())


def _expanded(
    kernel: Kernel, X: Any, vectors: Any, weights: NDArray[np.float64], n_threads: int
) -> tuple[NDArray[np.float64], float, float]:
    """Return sums of kernels, how large a value of them can be, and how wrong."""
    if isinstance(kernel, Function):
        values = kernel(X, vectors)
        return values @ weights, float(np.abs(values).max()), 0.0
    sums = kernel.expand(X, vectors, np.ascontiguousarray(weights), n_threads)
    return sums, *_core.entry_bounds(kernel.core(), kernel.data(stacked([X, vectors])))
