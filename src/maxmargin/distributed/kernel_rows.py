"""Kernel problems on a worker: what it does with its partitions when the client asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from distributed import get_worker
from numpy.typing import NDArray

from maxmargin.distributed.cluster import cancelled
from maxmargin.distributed.kernel_piece import Change, Piece
from maxmargin.distributed.share import Partition, Share
from maxmargin.distributed.statement import Statement
from maxmargin.distributed.vectors import Vectors, alike, stacked
from maxmargin.distributed.working_set import Candidates, solved
from maxmargin.problems import SolverSettings


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
    share: Share, intercepts: NDArray[np.float64], sizes: Sequence[int]
) -> tuple[NDArray[np.float64], list[Candidates]]:
    """Return what a worker's rows add to the certificates, and candidates for working sets.

    Parameters
    ----------
    share : Share
        The worker's, after `open_rows`.
    intercepts : ndarray of float64
        Of each problem.
    sizes : sequence of int
        Most candidates of each problem; empty where none are wanted.
    """
    rows: KernelRows = share.kept["kernel"]
    sums, candidates = np.zeros((rows.n_problems, 6)), []
    for p, level in enumerate(map(float, intercepts)):
        for piece in rows.pieces:
            sums[p] += piece.variables(p).sums(piece.beta[p], piece.f[p], level)
    for p, size in enumerate(sizes[: rows.n_problems]):
        each = [piece.candidates(p, float(intercepts[p]), size) for piece in rows.pieces]
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
