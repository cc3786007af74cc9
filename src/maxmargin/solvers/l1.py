"""Linear machines with an L1 penalty, by Newton's method on a few features at a time.

    minimise over w, c   |w|_1 + |c| / scaling + sum_i h_i(w'x_i + c)

A step minimises the quadratic model of the losses plus the penalty on a working set: the features
in use and the worst violators |x_j'b| > 1, b = -h'(score). Coordinate descent does that on the
model's small matrix. A step along its direction follows, as long as it pays.

The dual point is b, scaled down until |X'b|_inf <= 1 and, with a free intercept, 1'b = 0: its
objective D and P enclose the optimum.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.problems import (
    TRACE,
    CertificatePart,
    LinearProblem,
    LinearSolution,
    SolverSettings,
    Status,
    certify_linear,
    margin_loss,
)

#: Most steps without a limit given.
MOST_STEPS = 2000


@dataclass(frozen=True, eq=False)
class _Point:
    """Weights with what is known there."""

    w: NDArray[np.float64]
    c: float
    scores: NDArray[np.float64]
    objective: float
    b: NDArray[np.float64]
    curvature: NDArray[np.float64]


def l1(
    problem: LinearProblem,
    settings: SolverSettings | None = None,
    progress: Callable[[np.void], bool | None] | None = None,
) -> LinearSolution:
    """Solve a problem with an L1 penalty and certify the answer.

    Parameters
    ----------
    problem : LinearProblem
        What to solve, with penalty "l1".
    settings : SolverSettings, optional
        Limits; `tol` is an upper bound of the relative duality gap.
    progress : callable, optional
        Called after each step with the latest row of the trace; returning True stops the solver.

    Returns
    -------
    LinearSolution
        Never a failure: how it ended is in its `status`.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.problems import linear_problem
    >>> data = check_data([[-1.0, 0.1], [1.0, 0.1]], [-1, 1])
    >>> solution = l1(linear_problem(data, "squared_hinge", penalty="l1"))
    >>> solution.w.round(6), solution.status.name
    (array([0.75, 0.  ]), 'OPTIMAL')
    """
    settings = settings or SolverSettings(tol=1e-4)
    return _Descent(problem, settings, progress).run()


class _Descent:
    def __init__(
        self,
        problem: LinearProblem,
        settings: SolverSettings,
        progress: Callable[[np.void], bool | None] | None,
    ) -> None:
        self.problem, self.settings, self.progress = problem, settings, progress
        self.start = time.perf_counter()
        X = problem.X if len(problem.rows) == problem.X.shape[0] else problem.X[problem.rows]
        self.sparse = sparse.issparse(X)
        self.X = X
        self.columns = X.tocsc() if self.sparse else X
        penalty = problem.intercept.penalty
        self.scaling = 1.0 / np.sqrt(penalty) if penalty > 0 else np.inf
        self.trace: list[tuple[Any, ...]] = []

    def run(self) -> LinearSolution:
        d = self.X.shape[1]
        point = self._at(np.zeros(d), 0.0, np.zeros(self.problem.n_variables))
        limit = self.settings.max_iter if self.settings.max_iter >= 0 else MOST_STEPS
        # Small problems are solved to rounding, as far as steps make progress.
        goal = min(self.settings.tol, 1e-12) if self.X.size <= 2**18 else self.settings.tol
        status, steps, best = Status.MAX_ITERATIONS, 0, (np.inf, point, point.b)
        for steps in range(limit + 1):
            slope = np.asarray(self.X.T @ point.b)
            b = self._feasible(point, slope)
            part = self._certify(point, b)
            if part.gap < best[0]:
                best = (part.gap, point, b)
            if self._stopped(steps, part, point):
                status = Status.INTERRUPTED
                break
            if part.gap <= goal:
                status = Status.OPTIMAL
                break
            if steps == limit:
                break
            moved = self._step(point, slope)
            if moved is None:
                status = Status.PRECISION
                break
            point = moved
        return self._solution(status, steps, best[1], best[2])

    def _at(self, w: NDArray[np.float64], c: float, scores: NDArray[np.float64]) -> _Point:
        loss, b, curvature = margin_loss(self.problem, scores)
        objective = loss + float(np.abs(w).sum()) + abs(c) / self.scaling
        return _Point(w, c, scores, objective, b, curvature)

    def _working_set(self, point: _Point, slope: NDArray[np.float64]) -> NDArray[np.int64]:
        """Features in use, and of the others the worst violators: at least ten, at most as many."""
        used = point.w != 0
        excess = np.where(used, 0.0, np.abs(slope) - 1.0)
        room = min(max(10, int(used.sum())), int((excess > 0).sum()))
        worst = np.argsort(-excess, kind="stable")[:room]
        return np.union1d(np.flatnonzero(used), worst)

    def _step(self, point: _Point, slope: NDArray[np.float64]) -> _Point | None:
        chosen = self._working_set(point, slope)
        part = self.columns[:, chosen]
        A: NDArray[np.float64] = (part.toarray() if self.sparse else part).astype(np.float64)
        present = self.problem.intercept.present
        if present:
            A = np.column_stack([A, np.ones(len(A))])
        start = np.append(point.w[chosen], point.c) if present else point.w[chosen]
        penalty = np.ones(len(start))
        if present:
            penalty[-1] = 1.0 / self.scaling
        rows = point.curvature > 0
        weighted = A[rows] * point.curvature[rows, None]
        gram = A[rows].T @ weighted
        # Rows without curvature would leave directions that the model does not see.
        gram[np.diag_indices_from(gram)] += 1e-10 * max(float(np.trace(gram)), 1e-300) / len(gram)
        linear = gram @ start + A.T @ point.b
        target = _core.lasso(np.ascontiguousarray(gram), linear, penalty, start, 1e-6)
        direction = target - start
        if not direction.any():
            return None
        return self._search(point, chosen, direction, A @ direction)

    def _search(
        self,
        point: _Point,
        chosen: NDArray[np.int64],
        direction: NDArray[np.float64],
        change: NDArray[np.float64],
    ) -> _Point | None:
        """Halve the step until the objective falls by a share of what the model promises."""
        features = direction[:-1] if self.problem.intercept.present else direction
        step_c = float(direction[-1]) if self.problem.intercept.present else 0.0
        before = float(np.abs(point.w[chosen]).sum()) + abs(point.c) / self.scaling
        after = float(np.abs(point.w[chosen] + features).sum())
        after += abs(point.c + step_c) / self.scaling
        promise = after - before - float(point.b @ change)
        step = 1.0
        for _ in range(50):
            w = point.w.copy()
            w[chosen] += step * features
            moved = self._at(w, point.c + step * step_c, point.scores + step * change)
            if moved.objective < point.objective + 0.01 * step * min(promise, 0.0):
                return moved
            step /= 2
        return None

    def _feasible(self, point: _Point, slope: NDArray[np.float64]) -> NDArray[np.float64]:
        b = point.b
        intercept = self.problem.intercept
        if intercept.present and intercept.penalty == 0:
            # The heavier class is scaled down to the other: 1'b = 0, and the box still holds.
            up, down = float(b[b > 0].sum()), -float(b[b < 0].sum())
            b = b * np.where(b > 0, min(1.0, down / max(up, 1e-300)), 1.0)
            b = b * np.where(b < 0, min(1.0, up / max(down, 1e-300)), 1.0)
            slope = np.asarray(self.X.T @ b)
        steepest = float(np.abs(slope).max(initial=0.0))
        if intercept.penalty > 0:
            steepest = max(steepest, abs(float(b.sum())) * self.scaling)
        factor = 1.0 / max(1.0, steepest)
        if self.problem.ridge is not None:
            # The best multiple of b, if that is allowed.
            curve = float(self.problem.ridge @ b**2)
            if curve > 0:
                factor = min(1.0 / max(steepest, 1e-300), float(self.problem.target @ b) / curve)
        return np.asarray(factor * b)

    def _certify(self, point: _Point, b: NDArray[np.float64]) -> CertificatePart:
        return certify_linear(self.problem, point.w, point.c, b)

    def _stopped(self, steps: int, part: CertificatePart, point: _Point) -> bool:
        now = time.perf_counter() - self.start
        support = int(np.count_nonzero(point.b))
        row = (0, now, steps, part.primal, part.dual, part.gap, part.violation, support)
        self.trace.append(row)
        return self.progress is not None and bool(self.progress(np.array([row], TRACE)[0]))

    def _solution(
        self, status: Status, steps: int, point: _Point, b: NDArray[np.float64]
    ) -> LinearSolution:
        before = time.perf_counter()
        certificate = self._certify(point, b)
        if certificate.gap <= self.settings.tol and status is not Status.INTERRUPTED:
            status = Status.OPTIMAL
        now = time.perf_counter()
        return LinearSolution(
            w=point.w,
            intercept=point.c,
            b=b,
            status=status,
            certificate=certificate,
            trace=np.array(self.trace, TRACE),
            iterations=steps,
            newton_steps=steps,
            seconds=now - self.start,
            certificate_seconds=now - before,
            solver="working-set",
        )
