"""Working sets: which variables of all rows the next problem is about, and how it is solved.

With F the variables that are left as they are, the problem of a working set W is the canonical dual
with the targets that make its gradient at beta_W that of all rows:

    K_WW beta_W + R_W beta_W - t'_W = f_W   gives   t'_W = (K_WW + R_W) beta_W - f_W,

which are the targets themselves where no variable of F is other than zero. Solving it lowers the
objective of all rows by as much as its own.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.distributed.cluster import cancelled
from maxmargin.distributed.vectors import Vectors
from maxmargin.estimators.training import check_gram
from maxmargin.kernels import Function, Kernel, Precomputed
from maxmargin.problems import DualProblem, Solution, SolverSettings
from maxmargin.solvers import Watch, solve

#: What a variable is: zero, inside its box, at a bound other than zero.
ZERO, FREE, BOUND = 0, 1, 2
#: The worst violators are one in so many of a working set, up and down each.
WORST_SHARE = 16


@dataclass(frozen=True, eq=False)
class Candidates:
    """Variables of one problem that may belong to its working set.

    Parameters
    ----------
    places : ndarray of int64
        Their rows, among all rows.
    up, down : ndarray of float64
        What the objective wins by a small step up and down, relative to the intercept's level;
        -inf where there is no room.
    kind : ndarray of int8
        ZERO, FREE or BOUND.

    Examples
    --------
    >>> no, far = -np.inf, np.array([0.5, -np.inf, 0.1, -0.3])
    >>> some = Candidates(np.arange(4), far, np.array([no, 0.2, -0.1, no]), np.array([0, 2, 1, 0]))
    >>> some.best(2).places
    array([0, 1])
    """

    places: NDArray[np.int64]
    up: NDArray[np.float64]
    down: NDArray[np.float64]
    kind: NDArray[np.int8]

    @classmethod
    def joined(cls, parts: Sequence[Candidates]) -> Candidates:
        """Return those of several places."""
        return cls(
            np.concatenate([part.places for part in parts]),
            np.concatenate([part.up for part in parts]),
            np.concatenate([part.down for part in parts]),
            np.concatenate([part.kind for part in parts]),
        )

    def best(self, size: int) -> Candidates:
        """Return those that a working set of some size has.

        First a few of the worst violators, as many up as down, so that the most violating pair is
        in it and the sum can be kept; then free variables; then a sample of the other violators,
        because the worst of them lie side by side and few of them become support vectors; then
        those at a bound, and zeros that may soon violate: no further away than the worst violator.

        Parameters
        ----------
        size : int
            Most of them.
        """
        worst = np.maximum(self.up, self.down)
        rank = np.select([self.kind == FREE, worst > 0, self.kind == BOUND], [1, 2, 3], default=4)
        few = max(1, size // WORST_SHARE)
        for way in (self.up, self.down):
            first = np.argsort(-way, kind="stable")[:few]
            rank[first[way[first] > 0]] = 0
        near = (rank < 4) | (worst > -worst.max(initial=0.0))
        order = np.lexsort((np.where(rank == 2, _shuffled(self.places), -worst), rank))
        chosen = order[near[order]][:size]
        return Candidates(
            self.places[chosen], self.up[chosen], self.down[chosen], self.kind[chosen]
        )


def _shuffled(places: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a number for each row that says nothing about it, the same on every worker."""
    return (places.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class WorkingSet:
    """The variables of a problem that are to be solved for, the others staying as they are.

    Parameters
    ----------
    problem : int
        The number of the problem.
    places : ndarray of int64
        Rows of the variables, ascending.
    target, lower, upper, beta, f : ndarray of float64
        Of each variable: target, box, value, gradient.
    ridge : ndarray of float64 or None
        Diagonal that is added to the kernel matrix.
    epsilon : float
        Weight of the absolute values.
    whole : bool
        Whether all variables that are not zero are in it.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> zero, one = np.zeros(2), np.ones(2)
    >>> pair = WorkingSet(0, np.array([4, 9]), np.array([-1.0, 1.0]), np.array([-1.0, 0.0]),
    ...                   np.array([0.0, 1.0]), zero, np.array([1.0, -1.0]), None, 0.0, True)
    >>> rows = Vectors(pair.places, np.array([[-1.0], [1.0]]), np.zeros(2, np.int64))
    >>> found, = solved([pair.stated(rows, Linear())], SolverSettings(), [zero])
    >>> found.beta
    array([-0.5,  0.5])
    """

    problem: int
    places: NDArray[np.int64]
    target: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    beta: NDArray[np.float64]
    f: NDArray[np.float64]
    ridge: NDArray[np.float64] | None
    epsilon: float
    whole: bool

    def stated(self, vectors: Vectors, kernel: Kernel, n_threads: int = 1) -> DualProblem:
        """Return the problem of these variables.

        Parameters
        ----------
        vectors : Vectors
            Rows, those of the variables among them.
        kernel : Kernel
            The kernel.
        n_threads : int
            Threads to use.
        """
        rows = np.searchsorted(vectors.places, self.places)
        target = self.target
        if not self.whole:
            X, used = vectors.rows[rows], np.flatnonzero(self.beta)
            product = kernel.expand(X, X[used], self.beta[used, None], n_threads)[:, 0]
            if self.ridge is not None:
                product += self.ridge * self.beta
            target = product - self.f
        return DualProblem(
            vectors.rows,
            kernel,
            rows,
            target,
            self.lower,
            self.upper,
            self.epsilon,
            totals=(float(self.beta.sum()),),
            ridge=self.ridge,
        )


def solve_sets(
    sets: Sequence[WorkingSet],
    vectors: Vectors,
    kernel: Kernel,
    settings: Sequence[SolverSettings],
    seconds: float,
) -> list[Solution]:
    """Solve the problems of working sets, on a worker; end early when nobody waits any longer.

    Parameters
    ----------
    sets : sequence of WorkingSet
        Of one formulation.
    vectors : Vectors
        Their rows.
    kernel : Kernel
        The kernel.
    settings : sequence of SolverSettings
        One for each.
    seconds : float
        Time to take at most; what has been found by then is as feasible as the beginning.
    """
    end = time.monotonic() + seconds
    problems = [each.stated(vectors, kernel, settings[0].n_threads) for each in sets]
    watch = Watch(lambda row: cancelled() or time.monotonic() > end)
    return solved(problems, settings, [each.beta for each in sets], watch)


def solved(
    problems: Sequence[DualProblem],
    settings: SolverSettings | Sequence[SolverSettings],
    starts: Sequence[Any],
    watch: Watch | None = None,
) -> list[Solution]:
    """Solve problems on the same rows; a Python function as kernel becomes its matrix of values.

    Parameters
    ----------
    problems, settings, starts, watch
        As in `solvers.solve`.
    """
    kernel = problems[0].kernel
    if isinstance(kernel, Function):
        X = problems[0].X
        gram = check_gram(kernel(X, X))
        problems = [replace(each, X=gram, kernel=Precomputed()) for each in problems]
    found = solve(problems, settings, watch, starts)
    return [replace(each, trace=each.trace[:0], gradient=None) for each in found]
