"""Kernel problems on partitions: what workers do with their rows.

A worker knows the dual variables and the gradient of its own rows in every problem. Support vectors
come to it once each; after that, what changes of their dual variables is added to the gradient,

    f += K(own rows, changed vectors) (change of their variables),

in float64, with a bound on all rounding since the beginning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from distributed import get_worker
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.distributed.cluster import cancelled
from maxmargin.distributed.share import Partition, Share
from maxmargin.distributed.vectors import Vectors, alike, stacked
from maxmargin.distributed.working_set import BOUND, FREE, ZERO, Candidates, solved
from maxmargin.estimators.classes import numbers
from maxmargin.estimators.machine import Machine
from maxmargin.estimators.training import Training
from maxmargin.kernels import Function, Kernel, Precomputed
from maxmargin.models import Classes
from maxmargin.problems import DualProblem, SolverSettings

_ROUNDING = 2.0**-53
#: As in the core's expansions: centres that are added up in a row, and rows that are.
_CHUNK, _MIRROR = 512, 128


@dataclass(frozen=True, eq=False)
class Statement:
    """What turns a partition into its part of the problems of a fit, on its worker.

    Parameters
    ----------
    machine : Machine
        The machine of one process, whose formulation it is.
    kernel : Kernel
        The kernel.
    classes : Classes, optional
        Of a classifier.
    class_weight : ndarray of float64, optional
        Its factor of each class.

    Examples
    --------
    >>> from maxmargin import SVR
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.distributed.share import read_partition
    >>> part = read_partition(0, [[0.0], [1.0]], [1.5, 2.0], None, "numbers", "SVR")
    >>> Statement(SVR(C=3.0), RBF())(part)[0][0].upper
    array([3., 3.])
    """

    machine: Machine
    kernel: Kernel
    classes: Classes | None = None
    class_weight: NDArray[np.float64] | None = None

    def __call__(self, partition: Partition) -> tuple[list[DualProblem], NDArray[np.int64]]:
        """State the problems of a partition's rows, and return the numbers of their classes."""
        n = len(partition.weight)
        rows, y, weight, codes = np.arange(n), partition.y, partition.weight, np.zeros(n, np.int64)
        if self.classes is not None:
            codes = numbers(partition.y, self.classes.names)
            rows = np.flatnonzero(weight > 0)
            y, weight = codes[rows], weight[rows]
        # A kernel that nobody calls: its values are not needed to state a problem.
        data = Training(
            partition.X, y, weight, rows, None, self.classes, self.class_weight, Precomputed()
        )
        stated: list[DualProblem] = list(self.machine._state(data))
        return [replace(problem, kernel=self.kernel) for problem in stated], codes

    @property
    def pairs(self) -> list[tuple[int, int]] | None:
        """The two classes of each problem, where a row is in some of the problems only."""
        if self.classes is None or self.classes.scheme == "ovr" or len(self.classes.names) == 2:
            return None
        return list(combinations(range(len(self.classes.names)), 2))


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


class KernelRows:
    """The rows of a share in the problems of a fit, and the support vectors that it has been sent.

    Parameters
    ----------
    share : Share
        The worker's.
    state : Statement
        The problems.
    starts : ndarray of int64
        Place of the first row of each partition among all rows.

    Examples
    --------
    >>> from maxmargin import SVR
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.distributed.share import read_partition
    >>> part = read_partition(0, [[1.0], [2.0]], [1.5, 2.0], None, "numbers", "SVR")
    >>> rows = KernelRows(Share("fit", [part]), Statement(SVR(), Linear()), np.array([0]))
    >>> rows.levels().shape
    (1, 5)
    """

    def __init__(self, share: Share, state: Statement, starts: NDArray[np.int64]) -> None:
        self.state, self.n_threads = state, share.n_threads
        self.counting = [part for part in share.partitions if part.weight.any()]
        self.pieces = [Piece(part, int(starts[part.number]), state) for part in self.counting]
        n_features = share.partitions[0].X.shape[1]
        self.known = Vectors.none(n_features)
        self.n_problems = len(self.pieces[0].problems) if self.pieces else 0

    @property
    def epsilon(self) -> float:
        """Weight of the absolute values, the same in all problems."""
        return self.pieces[0].problems[0].epsilon if self.pieces else 0.0

    @property
    def totals(self) -> NDArray[np.float64]:
        """What the variables of each problem add up to here, in sum over workers."""
        each = [[problem.totals[0] for problem in piece.problems] for piece in self.pieces]
        return np.sum(each, axis=0) if each else np.zeros(0)

    def levels(self) -> NDArray[np.float64]:
        """Return what the core joins to intercepts, a row for each problem, and the error of f."""
        found = np.zeros((self.n_problems, 5))
        for p in range(self.n_problems):
            each = np.stack(
                [piece.variables(p).levels(piece.beta[p], piece.f[p]) for piece in self.pieces]
            )
            found[p, :4] = join_levels(each)
            found[p, 4] = max(piece.error[p] for piece in self.pieces)
        return found

    def sample(self, size: int, seed: int) -> tuple[Partition, NDArray[np.int64]]:
        """Return some rows, as many of each class where they are there, and their places.

        Parameters
        ----------
        size : int
            How many at most.
        seed : int
            Of the choice.
        """
        codes = np.concatenate(
            [np.where(part.weight > 0, piece.codes, -1)
             for part, piece in zip(self.counting, self.pieces, strict=True)]
        )  # fmt: skip
        rng, present = np.random.default_rng(seed), np.unique(codes[codes >= 0])
        chosen = []
        for code in present:
            members = np.flatnonzero(codes == code)
            count = min(len(members), -(-size // len(present)))
            chosen.append(rng.choice(members, count, replace=False))
        picked = np.sort(np.concatenate(chosen))
        ends = np.cumsum([0, *(len(part.weight) for part in self.counting)])
        rows, labels, weights, places = [], [], [], []
        for part, piece, begin, end in zip(
            self.counting, self.pieces, ends, ends[1:], strict=False
        ):
            own = picked[(picked >= begin) & (picked < end)] - begin
            rows.append(part.X[own])
            labels.append(part.y[own])
            weights.append(part.weight[own])
            places.append(piece.start + own)
        together = Partition(0, stacked(rows), np.concatenate(labels), np.concatenate(weights))
        return together, np.concatenate(places)


def join_levels(each: NDArray[np.float64]) -> NDArray[np.float64]:
    """Join what variables in several places say about an intercept.

    Parameters
    ----------
    each : ndarray of shape (n, 4)
        Cheapest way up, dearest way down, sum of the levels of free variables, their number.

    Examples
    --------
    >>> join_levels(np.array([[1.0, 2.0, 3.0, 1.0], [0.5, 1.0, 4.0, 2.0]]))
    array([0.5, 2. , 7. , 3. ])
    """
    return np.array([each[:, 0].min(), each[:, 1].max(), each[:, 2].sum(), each[:, 3].sum()])


# ---- What the client has called on shares --------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Opened:
    """What the client is told about the problems of a fit on a worker.

    Parameters
    ----------
    totals : ndarray of float64
        What the variables of each problem add up to here, in sum over workers; empty where no row
        counts.
    epsilon : float
        Weight of the absolute values.
    room : float
        Bytes of the worker's memory beside its rows.
    levels : ndarray of shape (n_problems, 5)
        As in `KernelRows.levels`.

    Examples
    --------
    >>> Opened(np.zeros(1), 0.0, np.inf, np.zeros((1, 5))).room
    inf
    """

    totals: NDArray[np.float64]
    epsilon: float
    room: float
    levels: NDArray[np.float64]


def open_rows(share: Share, state: Statement, starts: NDArray[np.int64]) -> Opened:
    """Begin the problems of a fit on a worker, all variables zero.

    Parameters
    ----------
    share : Share
        The worker's.
    state, starts
        As in `KernelRows`.
    """
    rows = share.kept["kernel"] = KernelRows(share, state, starts)
    limit = get_worker().memory_manager.memory_limit or np.inf
    return Opened(rows.totals, rows.epsilon, limit - share.__sizeof__(), rows.levels())


def update(
    share: Share, changes: Sequence[Change], new: Vectors
) -> tuple[NDArray[np.float64], int]:
    """Add changes of dual variables to the gradient of a worker's rows.

    Parameters
    ----------
    share : Share
        The worker's, after `open_rows`.
    changes : sequence of Change
        At most one for each problem.
    new : Vectors
        Those of their rows that the worker has not been sent yet.

    Returns
    -------
    tuple
        Levels of all problems, and the number of kernel values that it took.
    """
    rows: KernelRows = share.kept["kernel"]
    rows.known = rows.known.joined([new])
    values = 0
    for piece in rows.pieces:
        if cancelled():
            break
        values += piece.add(rows.known, changes, rows.n_threads)
    return rows.levels(), values


def judge(
    share: Share, intercepts: NDArray[np.float64], size: int
) -> tuple[NDArray[np.float64], list[Candidates]]:
    """Return what a worker's rows add to the certificates, and candidates for working sets.

    Parameters
    ----------
    share : Share
        The worker's, after `open_rows`.
    intercepts : ndarray of float64
        Of each problem.
    size : int
        Most candidates of a problem; none of them if it is 0.
    """
    rows: KernelRows = share.kept["kernel"]
    sums, candidates = np.zeros((rows.n_problems, 6)), []
    for p in range(rows.n_problems):
        level = float(intercepts[p])
        for piece in rows.pieces:
            sums[p] += piece.variables(p).sums(piece.beta[p], piece.f[p], level)
        if size > 0:
            each = [piece.candidates(p, level, size) for piece in rows.pieces]
            candidates.append(Candidates.joined(each).best(size))
    return sums, candidates


def give(
    share: Share, wanted: Sequence[tuple[int, NDArray[np.int64]]], places: NDArray[np.int64]
) -> tuple[list[list[tuple[NDArray[Any], ...]]], list[Vectors]]:
    """Return numbers of variables, and rows.

    Parameters
    ----------
    share : Share
        The worker's, after `open_rows`.
    wanted : sequence of (problem, places)
        Variables whose numbers are wanted.
    places : ndarray of int64
        Rows that are wanted, ascending.
    """
    rows: KernelRows = share.kept["kernel"]
    given = [[piece.numbers(p, which) for piece in rows.pieces] for p, which in wanted]
    return given, [piece.vectors(places) for piece in rows.pieces]


def support_of_sample(share: Share, size: int, settings: SolverSettings) -> list[NDArray[np.int64]]:
    """Solve the problems of some of a worker's rows, and return the support vectors of each.

    Parameters
    ----------
    share : Share
        The worker's, after `open_rows`.
    size : int
        How many rows.
    settings : SolverSettings
        How well.
    """
    rows: KernelRows = share.kept["kernel"]
    if not rows.pieces:
        return []
    sample, places = rows.sample(size, rows.counting[0].number)
    problems, _ = rows.state(sample)
    nothing = np.zeros(0, np.int64)
    support = [nothing] * len(problems)
    # A variable can only go up where another one can go down.
    movable = [
        p for p, stated in enumerate(problems)
        if (stated.lower < 0).any() and (stated.upper > 0).any()
    ]  # fmt: skip
    if movable:
        found = solved(
            [problems[p] for p in movable],
            replace(settings, n_threads=rows.n_threads),
            [np.zeros(problems[p].n_variables) for p in movable],
        )
        for p, solution in zip(movable, found, strict=True):
            assert solution.beta is not None
            support[p] = places[problems[p].rows[np.flatnonzero(solution.beta)]]
    return support


def fill(share: Share, size: int, settings: SolverSettings) -> list[Change]:
    """Fill variables until their sum is this worker's part of the total, outliers first.

    What is an outlier is told by the solution of some of the rows.

    Parameters
    ----------
    share, size, settings
        As in `support_of_sample`.
    """
    rows: KernelRows = share.kept["kernel"]
    if not rows.pieces:
        return []
    sample, _ = rows.sample(size, rows.counting[0].number)
    problems, _ = rows.state(sample)
    [found] = solved(problems, replace(settings, n_threads=rows.n_threads), [None])
    assert found.beta is not None
    used = np.flatnonzero(found.beta)
    vectors, weights = sample.X[problems[0].rows[used]], found.beta[used, None]
    scores, ends, places = [], [], []
    for piece in rows.pieces:
        stated = piece.problems[0]
        own = alike(vectors, piece.X)
        sums = rows.state.kernel.expand(piece.X[stated.rows], own, weights, rows.n_threads)
        scores.append(sums[:, 0])
        ends.append(stated.upper)
        places.append(piece.start + stated.rows)
    order = np.argsort(np.concatenate(scores), kind="stable")
    upper, total = np.concatenate(ends)[order], float(rows.totals[0])
    value = np.clip(total - (np.cumsum(upper) - upper), 0.0, upper)
    filled = np.flatnonzero(value)
    value = value[filled]
    return [Change(0, np.concatenate(places)[order[filled]], value, value)]
