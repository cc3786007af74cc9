"""Linear machines with an L1 penalty, by Newton's method on a few features at a time.

    minimise over w, b   |w|_1 + |b| / scaling + sum_i C_i h(y_i (w'x_i + b))

A step minimises the quadratic model of the losses plus the penalty on a working set: the features
in use and the worst violators |x_j'beta| > 1, beta = -C h'. Coordinate descent does that on the
model's small matrix. A step along its direction follows, as long as it pays.

With fewer rows than features C is raised to its value fourfold at a time, from where the first
weights are due: the losses alone do not say there which features to use, but a smaller C does.
The dual point is beta, scaled down until |X'beta|_inf <= 1 and, with a free intercept, 1'beta = 0:
its objective D and P enclose the optimum.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.problems import (
    TRACE,
    Certificate,
    LinearProblem,
    Solution,
    SolverSettings,
    Status,
    Work,
    trace_row,
)
from maxmargin.solvers.watch import Watch

#: Most steps without a limit given.
MOST_STEPS = 2000
#: C grows by this factor, once a step lowers the objective by no more than this share.
RAISE, SETTLED = 4.0, 0.01
#: A slope of 1 and of this much more are the same.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class _Point:
    """Weights with what is known there."""

    w: NDArray[np.float64]
    b: float
    scores: NDArray[np.float64]
    objective: float
    beta: NDArray[np.float64]
    curvature: NDArray[np.float64]


def l1(
    problem: LinearProblem,
    settings: SolverSettings,
    watch: Watch,
    start: Solution | None = None,
) -> Solution:
    """Solve a problem with an L1 penalty and certify the answer.

    Parameters
    ----------
    problem : LinearProblem
        With penalty `L1()`.
    settings : SolverSettings
        Limits; `tol` is an upper bound of the relative duality gap.
    watch : Watch
        Asked after each step whether to stop.
    start : Solution, optional
        Weights and intercept to begin with; their features are the first working set.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import L1, SquaredHinge
    >>> from maxmargin.problems import linear_problem
    >>> data = check_data([[-1.0, 0.1], [1.0, 0.1]], [-1, 1])
    >>> solution = l1(linear_problem(data, SquaredHinge(), penalty=L1()), SolverSettings(), Watch())
    >>> solution.w.round(6), solution.status.name
    (array([0.75, 0.  ]), 'OPTIMAL')
    """
    return _Descent(problem, settings, watch).run(start)


class _Descent:
    def __init__(self, problem: LinearProblem, settings: SolverSettings, watch: Watch) -> None:
        self.problem, self.settings, self.watch = problem, settings, watch
        self.start = time.perf_counter()
        X = problem.X if len(problem.rows) == problem.X.shape[0] else problem.X[problem.rows]
        self.sparse = sparse.issparse(X)
        self.X = X
        self.columns = X.tocsc() if self.sparse else X
        self.scaling = problem.intercept.scaling
        self.share = 1.0  # of C
        self.trace: list[tuple[Any, ...]] = []

    def run(self, start: Solution | None) -> Solution:
        point = self._first(start)
        limit = self.settings.max_iter if self.settings.max_iter >= 0 else MOST_STEPS
        # Small problems are solved to rounding, as far as steps make progress.
        goal = min(self.settings.tol, 1e-12) if self.X.size <= 2**18 else self.settings.tol
        status, steps, best = Status.MAX_ITERATIONS, 0, (np.inf, point, point.beta)
        # A start with weights is that of a smaller C already.
        if len(point.beta) < self.X.shape[1] and not point.w.any():
            steepest = float(np.abs(self.X.T @ point.beta).max(initial=0.0))
            point = self._raised(point, RAISE / max(steepest, RAISE))
        for steps in range(limit + 1):
            slope = np.asarray(self.X.T @ point.beta)
            beta = self._feasible(point, slope)
            certificate = self._certify(point, beta)
            if certificate.gap < best[0]:
                best = (certificate.gap, point, beta)
            if self._stopped(steps, certificate, point):
                status = Status.INTERRUPTED
                break
            if certificate.gap <= goal and not self._misses_all(point, slope):
                status = Status.OPTIMAL
                break
            if steps == limit:
                break
            moved = self._step(point, slope)
            if moved is None and self.share == 1.0:
                status = Status.PRECISION
                break
            before, point = point.objective, moved or point
            if self.share < 1.0 and before - point.objective <= SETTLED * before:
                point = self._raised(point, min(1.0, RAISE * self.share))
        return self._solution(status, steps, best[1], best[2])

    def _first(self, start: Solution | None) -> _Point:
        if start is not None and start.w is not None and start.w.any():
            b = start.multipliers[0]
            return self._at(start.w, b, np.asarray(self.X @ start.w) + b)
        none = np.zeros(self.X.shape[1])
        return self._constant(self._at(none, 0.0, np.zeros(self.problem.n_variables)))

    def _at(self, w: NDArray[np.float64], b: float, scores: NDArray[np.float64]) -> _Point:
        problem, loss, y = self.problem, self.problem.loss, self.problem.target
        C, z = self.share * problem.C, loss.argument(scores, y)
        objective = float(C @ loss.value(z) + np.abs(w).sum()) + abs(b) / self.scaling
        slope, _ = loss.subdifferential(z)
        curvature = C * loss.curvature(z)  # type: ignore[attr-defined]
        return _Point(w, b, scores, objective, -C * y * slope, curvature)

    def _raised(self, point: _Point, share: float) -> _Point:
        """Return the same weights as a point of the problem with this share of C."""
        self.share = share
        return self._at(point.w, point.b, point.scores)

    def _constant(self, point: _Point) -> _Point:
        """Return the best point without weights: where that is the solution, they stay zero."""
        none = np.zeros_like(point.w)
        while self.problem.intercept.free and (moved := self._step(point, none)) is not None:
            point = moved
        return point

    def _misses_all(self, point: _Point, slope: NDArray[np.float64]) -> bool:
        """Whether there are no weights, however small the gap, where some are due."""
        return not point.w.any() and bool(np.abs(slope).max(initial=0.0) > 1 + _ROUNDING)

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
        start = np.append(point.w[chosen], point.b) if present else point.w[chosen]
        penalty = np.ones(len(start))
        if present:
            penalty[-1] = 1.0 / self.scaling
        rows = point.curvature > 0
        weighted = A[rows] * point.curvature[rows, None]
        gram = A[rows].T @ weighted
        # Rows without curvature would leave directions that the model does not see. Each column has
        # its own unit, and what is small for one is not for another.
        level = float(point.curvature.max()) or float(self.problem.C.max())
        gram[np.diag_indices_from(gram)] += 1e-10 * level * (A * A).sum(axis=0)
        linear = gram @ start + A.T @ point.beta
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
        step_b = float(direction[-1]) if self.problem.intercept.present else 0.0
        before = float(np.abs(point.w[chosen]).sum()) + abs(point.b) / self.scaling
        after = float(np.abs(point.w[chosen] + features).sum())
        after += abs(point.b + step_b) / self.scaling
        promise = after - before - float(point.beta @ change)
        step = 1.0
        for _ in range(50):
            w = point.w.copy()
            w[chosen] += step * features
            moved = self._at(w, point.b + step * step_b, point.scores + step * change)
            if moved.objective < point.objective + 0.01 * step * min(promise, 0.0):
                return moved
            step /= 2
        return None

    def _feasible(self, point: _Point, slope: NDArray[np.float64]) -> NDArray[np.float64]:
        beta = point.beta
        intercept = self.problem.intercept
        if intercept.free:
            # The heavier class is scaled down to the other: 1'beta = 0, and the box still holds.
            up, down = float(beta[beta > 0].sum()), -float(beta[beta < 0].sum())
            beta = beta * np.where(beta > 0, min(1.0, down / max(up, 1e-300)), 1.0)
            beta = beta * np.where(beta < 0, min(1.0, up / max(down, 1e-300)), 1.0)
            slope = np.asarray(self.X.T @ beta)
        steepest = float(np.abs(slope).max(initial=0.0))
        if intercept.penalty > 0:
            steepest = max(steepest, abs(float(beta.sum())) * self.scaling)
        factor = 1.0 / max(1.0, steepest)
        if self.problem.ridge is not None:
            # The best multiple of beta, if that is allowed.
            curve = float(self.problem.ridge @ beta**2)
            if curve > 0:
                best = float(self.problem.target @ beta) / curve
                factor = min(1.0 / max(steepest, 1e-300), best)
        return np.asarray(factor * beta)

    def _certify(self, point: _Point, beta: NDArray[np.float64]) -> Certificate:
        return self.problem.certify_point(point.w, point.b, beta)

    def _stopped(self, steps: int, certificate: Certificate, point: _Point) -> bool:
        now = time.perf_counter() - self.start
        support = int(np.count_nonzero(point.beta))
        values = certificate.primal, certificate.dual, certificate.gap, certificate.violation
        self.trace.append((0, now, steps, *values, support))
        return self.watch.see(trace_row(self.trace[-1]))

    def _solution(
        self, status: Status, steps: int, point: _Point, beta: NDArray[np.float64]
    ) -> Solution:
        before = time.perf_counter()
        certificate = self._certify(point, beta)
        if certificate.gap <= self.settings.tol and status is not Status.INTERRUPTED:
            status = Status.OPTIMAL
        now = time.perf_counter()
        return Solution(
            status=status,
            certificate=certificate,
            multipliers=(point.b,),
            beta=beta,
            w=point.w,
            trace=np.array(self.trace, TRACE),
            work=Work(
                iterations=steps,
                newton_steps=steps,
                seconds=now - self.start,
                certificate_seconds=now - before,
            ),
            method="working-set",
        )
