"""From the solution for C = 0 to those for all larger C, break point by break point.

What a piece of the path is, is told in `c_path`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import (
    DualProblem,
    SolverSettings,
    nearest_feasible,
)
from maxmargin.solvers.border import Border
from maxmargin.solvers.c_path import BOUND, EXACT, FREE, ZERO, CPath, problem_at
from maxmargin.solvers.smo import smo
from maxmargin.solvers.watch import Watch

#: So near to an end of its interval or to the margin, as a share of either, a row may be there, and
#: rates of this share of the largest are those of rounding: a copy of a free row stays where it is.
#: Farther away, only rates of this share of that are.
_NEAR, _STILL, _FAR = 1e-9, 1e-11, 1e-2
#: Steps of this share of C are none: what happens there happens at once.
_AT_ONCE = 1e-13
#: Break points for each row after which a path is left unfinished.
_MOST_BREAKS = 200
#: The sums over rows at their bound are made anew after so many changes.
_REFRESH = 256


def trace_c_path(problem: DualProblem, K: NDArray[np.float64], C_max: float, watch: Watch) -> CPath:
    """Follow the solutions from C = 0.

    Parameters
    ----------
    problem : DualProblem
        A soft margin with the hinge loss, at C = 1.
    K : ndarray of shape (n, n)
        Gram matrix of its rows; positive semi-definite.
    C_max : float
        Where to end; infinite to go on until nothing changes any more.
    watch : Watch
        Asked at every break point whether to stop.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> data = check_data([[-1.0], [1.0]], [-1, 1])
    >>> path = trace_c_path(c_svc(data, Linear()), Linear()(data.X, data.X), np.inf, Watch())
    >>> path.break_points
    array([0. , 0.5])
    """
    _refuse_indefinite(K)
    return _Walk(problem, K, C_max, watch).run()


def _refuse_indefinite(K: NDArray[np.float64]) -> None:
    """Where variables sum to zero K must have no negative curvature."""
    means = K.mean(axis=0)
    centred = K - means - means[:, None] + means.mean()
    centred[np.diag_indices_from(centred)] += 1e-8 * float(np.abs(K).max(initial=0.0)) + 1e-300
    try:
        np.linalg.cholesky(centred)
    except np.linalg.LinAlgError:
        raise ValueError(
            "the kernel is not positive semi-definite on these rows, so that solutions do not make "
            "a path; use another kernel."
        ) from None


class _Walk:
    def __init__(
        self, problem: DualProblem, K: NDArray[np.float64], C_max: float, watch: Watch
    ) -> None:
        self.problem, self.K, self.C_max, self.watch = problem, K, C_max, watch
        self.y = problem.target
        self.s = problem.upper - problem.lower
        self.n = len(self.y)
        self.scale = float(np.abs(K).max(initial=0.0)) or 1.0
        self.border = Border(K)
        self.bound = np.zeros(self.n, bool)
        self.C, self.alpha = 0.0, np.zeros(self.n)
        self.restarts, self.error = 0, 0.0
        self._held, self._changes = np.zeros(self.n), _REFRESH
        #: Rows that have become free at this C, and whether they come from their bound.
        self.entered: dict[int, bool] = {}
        self.rows: list[
            tuple[float, NDArray[np.float64], NDArray[np.float64], NDArray[np.int8]]
        ] = []

    # ---- The way ----------------------------------------------------------------------------

    def run(self) -> CPath:
        self._begin()
        at_once, end = 0, np.inf
        slope = np.zeros(self.n)
        while True:
            if self.border.rows:
                step, row, slope, b = self._next_of_piece()
            else:
                step, row, slope, b = self._next_ofinterval()
            if step > _AT_ONCE * self.C:
                at_once = 0
                if self.error > EXACT:
                    end = self.rows[-1][0]
                    break
                self._note(b)
                if self.C + step > self.C_max or len(self.rows) > _MOST_BREAKS * self.n:
                    end = self.C_max if self.C + step > self.C_max else self.C
                    break
                if not np.isfinite(step):
                    break
                if self.watch.expired:
                    end = self.C
                    break
                self._advance(step, slope)
            elif (at_once := at_once + 1) > 50 + 2 * self.n:
                self._restart()
                at_once = 0
                continue
            for one in row:
                self._change(one)
        nodes, values, lines, sets = map(np.array, zip(*self.rows, strict=True))
        return CPath(self.problem, self.K, nodes, values, slope, lines, sets, end, self.restarts)

    def _note(self, line: NDArray[np.float64]) -> None:
        """Begin a piece here."""
        self.entered.clear()
        sets = np.where(self.bound, BOUND, ZERO).astype(np.int8)
        sets[self.border.rows] = FREE
        self.rows.append((self.C, self.alpha.copy(), line, sets))

    def _advance(self, step: float, slope: NDArray[np.float64]) -> None:
        self.C += step
        self.alpha += step * slope
        self.alpha[self.bound] = self.C * self.s[self.bound]
        np.clip(self.alpha, 0.0, self.C * self.s, out=self.alpha)

    # ---- What happens next ------------------------------------------------------------------

    def _solve(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return beta_E and its slope, b and its slope, at the present C."""
        E = self.border.rows
        right = np.zeros((len(E) + 1, 2))
        right[0, 1] = -float((self.y * self.s)[self.bound].sum())
        right[1:, 1] = -self._pull()[E]
        right[:, 0] = self.C * right[:, 1]
        right[1:, 0] += self.y[E]
        found = self.border.solve(right)
        return found[1:].T, found[0]

    def _pull(self) -> NDArray[np.float64]:
        """K_L (y s)_L, kept up to date."""
        if self._changes >= _REFRESH or not self.bound.any():  # no rounding where there are none
            self._held = (self.y * self.s * self.bound) @ self.K
            self._changes = 0
        return self._held

    def _settled(
        self, y: NDArray[np.float64], most: NDArray[np.float64], beta: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Bring variables to the ends of their intervals that belong there.

        Those that have just become free, and those that rounding has left a hair outside. The
        others make up for it: at the margin their rows stay, as if those were not free.
        """
        inverse = self.border.inverse[1:, 1:]
        fixed = np.zeros(len(beta), bool)
        while True:
            ends = y * np.clip(y * beta, 0.0, most)
            outside = (ends != beta) & ~fixed
            if not fixed.any():
                for row, bound in self.entered.items():
                    if row in self.border.rows:
                        k = self.border.rows.index(row)
                        ends[k], outside[k] = y[k] * most[k] * bound, True
            if not outside.any() or (fixed | outside).sum() >= len(beta):
                return y * np.clip(y * ends, 0.0, most)
            fixed |= outside
            columns = inverse[:, fixed]
            with np.errstate(all="ignore"):
                try:
                    beta = beta - columns @ np.linalg.solve(columns[fixed], (beta - ends)[fixed])
                except np.linalg.LinAlgError:
                    return ends
            beta[fixed] = ends[fixed]

    def _next_of_piece(
        self,
    ) -> tuple[float, list[int], NDArray[np.float64], NDArray[np.float64]]:
        """Return the step, the row that changes its set, d alpha / d C, and b with its slope."""
        E, y, s, C = np.array(self.border.rows), self.y, self.s, self.C
        beta, b = self._solve()
        slope = np.where(self.bound, s, 0.0)
        slope[E] = y[E] * beta[1]
        rate = beta[1] @ self.K[E] + self._pull() + b[1]  # d f / d C
        self.alpha[E] = y[E] * self._settled(y[E], C * s[E], beta[0])
        f = (y * self.alpha)[E] @ self.K[E] + C * self._pull() + b[0]
        steps = np.full(self.n, np.inf)

        # Free variables reach 0, or C s.
        alpha, moving = self.alpha[E], slope[E]
        still = _STILL * max(float(np.abs(moving).max()), float(s[E].max()))
        near = _NEAR * C * s[E]
        down = moving < -np.where(alpha <= near, still, _FAR * still)
        up = moving - s[E] > np.where(C * s[E] - alpha <= near, still, _FAR * still)
        steps[E[down]] = alpha[down] / -moving[down]
        steps[E[up]] = (C * s[E[up]] - alpha[up]) / (moving[up] - s[E[up]])
        # Others reach the margin.
        still = _STILL * self.scale * (float(np.abs(beta[1]).sum()) + float(s[self.bound].sum()))
        g, rate = y * f - 1.0, y * rate
        self.error = float(np.where(self.bound, g, -g).max())
        self.error = max(self.error, float(np.abs(g[E]).max()), abs(float(y @ self.alpha)))
        outside = np.ones(self.n, bool)
        outside[E] = False
        least = np.where(np.abs(g) <= _NEAR, still, _FAR * still)
        fall = outside & ~self.bound & (rate < -least)
        rise = outside & self.bound & (rate > least)
        steps[fall] = np.maximum(g[fall], 0.0) / -rate[fall]
        steps[rise] = np.maximum(-g[rise], 0.0) / rate[rise]
        np.maximum(steps, 0.0, out=steps)
        row = int(steps.argmin())
        return float(steps[row]), [row], slope, b

    def _next_ofinterval(
        self,
    ) -> tuple[float, list[int], NDArray[np.float64], NDArray[np.float64]]:
        """No row is free: the interval of intercepts moves until two rows close it.

        Its ends are the largest and the least of lines in C, so that its width is concave: Newton's
        method from the right finds where it is zero in a few steps.
        """
        y, pull = self.y, self._pull()
        nothing = np.full(2, np.nan)
        slope = np.where(self.bound, self.s, 0.0)
        above = np.flatnonzero(self.bound == (y > 0))
        below = np.flatnonzero(self.bound != (y > 0))
        if len(above) == 0 or len(below) == 0:
            return np.inf, [], slope, nothing
        # held_i = y_i - C pull_i
        i, j = above[pull[above].argmax()], below[pull[below].argmin()]
        if not pull[i] - pull[j] > _STILL * self.scale * float(self.s.sum()):
            return np.inf, [], slope, nothing
        C, closing = np.inf, (i, j)
        while pull[i] > pull[j]:
            meet = max((y[i] - y[j]) / (pull[i] - pull[j]), self.C)
            if not meet < C:
                break
            C, closing = meet, (i, j)
            held = y - C * pull
            i, j = above[held[above].argmin()], below[held[below].argmax()]
        return C - self.C, [int(row) for row in closing], slope, nothing

    # ---- Sets -------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Find the slopes at C = 0: all of the lighter class, and the share of the other.

        sum beta = 0 leaves the heavier class as much as the lighter one has; which rows of it that
        is minimises |w|, a problem of that class alone.
        """
        y, s = self.y, self.s
        heavy = y > 0 if float(y @ s) > 0 else y < 0
        self.bound = ~heavy
        slope = np.where(heavy, 0.0, s)
        total = float(slope.sum())
        if total >= float(s[heavy].sum()) * (1 - 1e-15):
            self.bound[:] = True
        else:
            slope[heavy] = self._share(np.flatnonzero(heavy), total)
            self.bound |= slope >= s
        self._changes = _REFRESH
        # Rows become free as at C = 1, where there is room to choose between copies.
        self.C, self.alpha = 1.0, slope
        for row in np.flatnonzero((slope > 0) & (slope < s)):
            self._enter(int(row))
        self.C, self.alpha = 0.0, np.zeros(self.n)
        self.entered.clear()

    def _share(self, rows: NDArray[np.int64], total: float) -> NDArray[np.float64]:
        sign = self.y[rows[0]]
        rest = np.setdiff1d(np.arange(self.n), rows)
        ends = sign * self.s[rows]
        part = replace(
            self.problem,
            rows=self.problem.rows[rows],
            target=-self.K[np.ix_(rows, rest)] @ (self.y * self.s)[rest],
            lower=np.minimum(ends, 0.0),
            upper=np.maximum(ends, 0.0),
            totals=(sign * total,),
        )
        return np.asarray(sign * self._fitted(part))

    def _fitted(
        self, problem: DualProblem, start: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        [found] = smo([problem], SolverSettings(tol=1e-12 * self.scale), self.watch, [start])
        assert found.beta is not None
        return found.beta

    def _change(self, row: int) -> None:
        if row in self.border.rows:
            up = self.alpha[row] * 2 > self.C * self.s[row]
            if self.C == 0:  # where all are zero, the slope tells
                beta, _ = self._solve()
                up = self.y[row] * beta[1][self.border.rows.index(row)] * 2 > self.s[row]
            self._leave(row, bound=bool(up))
        else:
            self._enter(row)

    def _set_bound(self, row: int, bound: bool) -> None:
        if self.bound[row] != bound:
            self.bound[row] = bound
            if self._changes < _REFRESH:
                sign = 1.0 if bound else -1.0
                self._held = self._held + sign * self.y[row] * self.s[row] * self.K[row]
            self._changes += 1

    def _leave(self, row: int, *, bound: bool) -> None:
        self.border.leave(row)
        self.alpha[row] = self.C * self.s[row] if bound else 0.0
        self._set_bound(row, bound)

    def _enter(self, row: int) -> None:
        """Make a row free, in exchange for another where the system would be singular.

        Along the direction in which the free rows make up for this one, no score changes.
        """
        border, from_bound = self.border, bool(self.bound[row])
        spare, direction = border.spare(row)
        if spare > 1e-12 * self.scale or not border.rows:
            self._set_bound(row, False)
            border.enter(row)
            self.entered[row] = from_bound
            return
        E = np.array(border.rows)
        sign = -1.0 if from_bound else 1.0
        moving = -sign * self.y[row] * self.y[E] * direction[1:]
        most = self.C * self.s
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(moving < 0, self.alpha[E] / -moving, (most[E] - self.alpha[E]) / moving)
        room[np.abs(moving) < 1e-9] = np.inf
        own = self.alpha[row] if from_bound else most[row] - self.alpha[row]
        step = min(own, float(room.min()))
        self._jump(np.append(E, row), np.append(moving, sign) * step)
        if own <= float(room.min()):  # all the way
            self._set_bound(row, not from_bound)
            self.alpha[row] = 0.0 if from_bound else most[row]
            return
        out = int(room.argmin())
        self._leave(int(E[out]), bound=bool(moving[out] > 0))
        self._set_bound(row, False)
        border.enter(row)

    def _jump(self, rows: NDArray[np.int64], change: NDArray[np.float64]) -> None:
        if self.rows and self.C > 0 and np.abs(change).max(initial=0.0) > 0:
            self._note(np.full(2, np.nan))
        self.alpha[rows] += change

    def _restart(self) -> None:
        """Leave sets that change without end by the solution at a C that is larger by 1e-7."""
        self.restarts += 1
        self._note(np.full(2, np.nan))
        self.C = self.C * (1 + 1e-7) if self.C > 0 else 1e-7
        problem = problem_at(self.problem, self.C)
        start = nearest_feasible(problem, self.y * self.alpha)
        self.alpha = self.y * self._fitted(problem, start)
        self.border.clear()
        self.bound = self.alpha >= self.C * self.s
        self._changes = _REFRESH
        for row in np.flatnonzero((self.alpha > 0) & ~self.bound):
            self._enter(int(row))
        self.entered.clear()
