"""Every row left out, for every kernel and C of a search, from one solution each."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Precomputed
from maxmargin.problems import DualProblem, PathGrid, SolverSettings, Status
from maxmargin.solvers.kernel_matrix import kernel_matrix
from maxmargin.solvers.leave_one_out import LeaveOneOut, refitted, span_rule
from maxmargin.solvers.paths import PathOutputs
from maxmargin.solvers.solve import solve
from maxmargin.solvers.watch import Watch

#: Matrices of the rows' size that a kernel needs: its own, and where outputs and variables go.
MATRICES_EACH = 5


def leave_out_paths(
    grid: PathGrid,
    *,
    tol: float = 1e-3,
    memory: int = 2**31,
    n_threads: int = 1,
    progress: Callable[[int, int], bool | None] | None = None,
) -> PathOutputs:
    """Solve a search of two classes, and say of each row what machines without it would.

    By the span rule (`leave_one_out.span_rule`): exact for rows without which the others keep
    their sets. Rows for which it has no value, because no other row is free, are left out by a fit
    each. `more` of what is returned has, of each cell, the rows of which this is not so
    (`n_approximate`), and how many errors n fits would find at least and at most.

    Parameters
    ----------
    grid : PathGrid
        One part, two classes, and one split that learns from all rows. Rows that are tested twice
        have the outputs of the machine of all rows the second time.
    tol : float
        Upper bound of the KKT violation. The rule needs more: solutions are exact to 1e-10.
    memory : int
        Bytes for kernel matrices, of which one is there in any case.
    n_threads : int
        Kernels at a time; results do not depend on it.
    progress : callable, optional
        Called about every 50 ms with the number of cells that are done and of all; True stops it.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import PathPart
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> part, test = PathPart.hinge(np.arange(4), y), [np.arange(4)]
    >>> found = leave_out_paths(
    ...     PathGrid(X, [Linear()], [part], np.ones((1, 4)), test, np.array([10.0]))
    ... )
    >>> found.outputs[0][0, 0, :, 0].round(2), found.more["n_approximate"][0, 0]
    (array([-2.,  1., -1.,  2.]), array([2]))
    """
    watch = Watch()
    found = _Cells(grid, watch)
    at_once = int(memory // max(1, MATRICES_EACH * grid.matrix_bytes))
    error: BaseException | None = None
    with ThreadPoolExecutor(max(1, min(n_threads, at_once, len(grid.kernels)))) as pool:
        jobs = [
            pool.submit(found.follow, k, SolverSettings(tol=min(tol, 1e-10), gradients=True))
            for k in range(len(grid.kernels))
        ]
        try:
            # Signals come to this thread alone, and only between short waits.
            while wait(jobs, timeout=0.05).not_done:
                if progress is not None and progress(found.done, found.violation.size):
                    watch.reason = Status.INTERRUPTED
        except BaseException as raised:
            watch.reason, error = Status.INTERRUPTED, raised
    for job in jobs:
        job.result()
    return PathOutputs([found.outputs], None, found.violation, found.n_support, found.seconds,
                       error, found.more)  # fmt: skip


class _Cells:
    """What is known of the models, kernel by kernel."""

    def __init__(self, grid: PathGrid, watch: Watch) -> None:
        self.grid, self.watch = grid, watch
        [self.part], [penalty] = grid.parts, grid.penalty
        self.penalty = penalty[self.part.rows]
        self.learnt = np.flatnonzero(self.penalty > 0)
        shape = (len(grid.kernels), 1, len(grid.Cs))
        self.outputs = np.full((shape[0], shape[2], len(grid.test[0]), 1), np.nan)
        self.violation, self.seconds = np.full(shape, np.nan), np.zeros(shape)
        self.n_support = np.zeros(shape, np.int64)
        self.more = {
            name: np.zeros(shape, np.int64)
            for name in ("n_approximate", "least_errors", "most_errors")
        }
        self.done = 0

    def follow(self, k: int, settings: SolverSettings) -> None:
        """Fill the cells of one kernel, C by C."""
        began, grid, part = time.perf_counter(), self.grid, self.part
        K = kernel_matrix(grid.kernels[k], grid.X)
        square = K if len(self.learnt) == len(K) else K[np.ix_(self._rows, self._rows)]
        beta: NDArray[np.float64] | None = None
        last = 0.0
        for c, C in enumerate(grid.Cs.tolist()):
            if self.watch.expired:
                return
            size = C * self.penalty[self.learnt]
            problem = DualProblem(
                square,
                Precomputed(),
                np.arange(len(square)),
                part.target[self.learnt],
                size * part.lower[self.learnt],
                size * part.upper[self.learnt],
            )
            start = None if beta is None else np.clip(C / last * beta, problem.lower, problem.upper)
            [solution] = solve([problem], settings, self.watch, [start])
            if self.watch.expired:
                return
            assert solution.beta is not None
            beta, last = solution.beta, C
            left_out = span_rule(problem, square, solution)
            # Without a free row the rule has nothing to say, and its value may be far off.
            silent = left_out.changed & np.isnan(left_out.span)
            left_out = refitted(problem, solution, left_out, silent, settings, self.watch)
            if self.watch.expired:
                return
            now = time.perf_counter()
            self._put((k, 0, c), K, left_out, solution, now - began)
            began = now

    @property
    def _rows(self) -> NDArray[np.int64]:
        """The rows of the data that count."""
        return np.asarray(self.part.rows[self.learnt])

    def _put(
        self, cell: tuple[int, int, int], K: Any, found: LeaveOneOut, solution: Any, seconds: float
    ) -> None:
        n = len(K)
        fitted, decision = np.empty(n), np.empty(n)
        fitted[self._rows], decision[self._rows] = found.fitted, found.decision
        # Rows that count nothing are left out already.
        others = np.setdiff1d(np.arange(n), self._rows)
        if len(others):
            outside = K[np.ix_(others, self._rows)] @ solution.beta + solution.multipliers[0]
            fitted[others] = decision[others] = outside
        test = self.grid.test[0]
        k, _, c = cell
        self.outputs[k, c, :, 0] = np.concatenate([decision, fitted])[: len(test)]
        certificate = solution.certificate
        self.violation[cell] = certificate.violation + certificate.bound
        self.n_support[cell] = np.count_nonzero(solution.beta)
        self.seconds[cell] = seconds
        self.more["n_approximate"][cell] = np.count_nonzero(~found.exact)
        self.more["least_errors"][cell], self.more["most_errors"][cell] = found.error_bounds
        self.done += 1
