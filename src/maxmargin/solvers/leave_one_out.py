"""What a machine says of each of its rows when it is fitted without it, from one fit.

When the variable of a row goes to zero, the free ones make up for it along a line, as long as none
of them reaches an end of its interval and no other row reaches the margin: the span rule,

    y_i f_without_i(x_i) = y_i f(x_i) - alpha_i S_i^2,

S_i the distance of the row from the affine hull of the (other) free rows. Rows that are no support
vectors change nothing. See O. Chapelle, V. Vapnik, O. Bousquet and S. Mukherjee, Choosing multiple
parameters for support vector machines (2002).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from maxmargin.problems import DualProblem, Solution, SolverSettings, nearest_feasible
from maxmargin.prompt import Brief
from maxmargin.solvers.solve import solve
from maxmargin.solvers.watch import Watch

#: A row nearer to the hull of others than this share of the largest norm lies in it.
_IN_HULL = 1e-10
#: Shares of other rows above this are not those of rounding.
_SHARE = 1e-7
#: Problems that are solved together when rows are refitted.
_TOGETHER = 64
#: Conditions may be missed by this much, in units of the margin.
_SLACK = 1e-8


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneOut(Brief):
    """Decision values of rows by machines that were fitted without them.

    Made by `maxmargin.selection.leave_one_out`.

    Parameters
    ----------
    decision : ndarray of shape (n,)
        f_without_i(x_i); positive speaks for the second class.
    y : ndarray of shape (n,)
        Labels, -1 and +1.
    fitted : ndarray of shape (n,)
        f(x_i), by the machine of all rows.
    span : ndarray of shape (n,)
        S_i^2; NaN for rows that are no support vectors, and where no other row is free.
    changed : ndarray of bool, shape (n,)
        Where other rows change their sets when this one is left out: `decision` is approximate
        there, unless the row is among those refitted.
    refitted : ndarray of bool, shape (n,)
        Where `decision` is that of a fit without the row.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import SVC
    >>> from maxmargin.selection import leave_one_out
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), [0, 0, 1, 1]
    >>> found = leave_one_out(SVC(kernel="linear").fit(X, y), X, y, refit="changed")
    >>> found.errors, found.decision.round(3)
    (0, array([-2.   , -0.333,  0.333,  2.   ]))
    """

    decision: NDArray[np.float64]
    y: NDArray[np.float64]
    fitted: NDArray[np.float64]
    span: NDArray[np.float64]
    changed: NDArray[np.bool_]
    refitted: NDArray[np.bool_]

    @property
    def errors(self) -> int:
        """Rows that are on the wrong side when they are left out."""
        return int(np.count_nonzero(self.y * self.decision <= 0))

    @property
    def error_rate(self) -> float:
        """Their share."""
        return self.errors / len(self.y)

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Where `decision` is exact, up to the tolerance of the fit."""
        return ~self.changed | self.refitted

    @property
    def n_changed(self) -> int:
        """Number of rows without which others change their sets."""
        return int(self.changed.sum())

    @property
    def error_bounds(self) -> tuple[int, int]:
        """Least and most errors that n fits could find.

        Leaving a row out never moves its own decision value towards its class, so that errors of
        the machine of all rows stay errors; of other rows, those whose value is approximate count
        once as right and once as wrong.
        """
        wrong = self.y * self.decision <= 0
        sure = np.where(self.exact, wrong, self.y * self.fitted <= 0)
        return int(sure.sum()), int((sure | ~self.exact).sum())


def leave_out_each(
    problem: DualProblem,
    beta: NDArray[np.float64],
    *,
    refit: bool = False,
    settings: SolverSettings | None = None,
    watch: Watch | None = None,
    K: NDArray[np.float64] | None = None,
) -> LeaveOneOut:
    """Apply the span rule to every row of a soft margin.

    Parameters
    ----------
    problem : DualProblem
        C-SVC with the hinge loss or its square.
    beta : ndarray of shape (n,)
        Dual variables of a solution; a few steps make them as exact as the rule needs them.
    refit : bool
        Whether rows without which others change their sets are left out by a fit each.
    settings : SolverSettings, optional
        Threads and what an interrupt does.
    watch : Watch, optional
        Asked whether to stop.
    K : ndarray of shape (n, n), optional
        Gram matrix, if it is there.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> problem = c_svc(check_data([[-2.0], [-1.0], [1.0], [2.0]], [-1, -1, 1, 1]), Linear())
    >>> leave_out_each(problem, solve([problem])[0].beta, refit=True).decision.round(3)
    array([-2.   , -0.333,  0.333,  2.   ])
    """
    settings = settings or SolverSettings()
    watch = watch or Watch()
    K = problem.gram() if K is None else K
    exact = _tight(settings)
    [found] = solve([problem], exact, watch, [beta])
    rule = span_rule(problem, K, found)
    return refitted(problem, found, rule, rule.changed, exact, watch) if refit else rule


def refitted(
    problem: DualProblem,
    solution: Solution,
    rule: LeaveOneOut,
    which: NDArray[np.bool_],
    settings: SolverSettings,
    watch: Watch,
) -> LeaveOneOut:
    """Leave some rows out by a fit each, from the solution with them.

    Parameters
    ----------
    problem, solution
        As in `span_rule`.
    rule : LeaveOneOut
        What it says.
    which : ndarray of bool, shape (n,)
        The rows.
    settings : SolverSettings
        Of the fits; with gradients.
    watch : Watch
        Asked whether to stop.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> problem = c_svc(check_data([[-2.0], [-1.0], [1.0], [2.0]], [-1, -1, 1, 1]), Linear())
    >>> [solution] = solve([problem])
    >>> rule, exact = span_rule(problem, problem.gram(), solution), SolverSettings(gradients=True)
    >>> refitted(problem, solution, rule, rule.changed, exact, Watch()).decision.round(3)
    array([-2.   , -0.333,  0.333,  2.   ])
    """
    decision, done = rule.decision.copy(), rule.refitted.copy()
    for row, one, found in _refits(problem, np.flatnonzero(which), solution, settings, watch):
        decision[row] = one.outputs(found)[row]
        done[row] = True
    return replace(rule, decision=decision, refitted=done)


def span_rule(problem: DualProblem, K: NDArray[np.float64], solution: Solution) -> LeaveOneOut:
    """Apply the rule to a solution that is exact to 1e-8 of the margin, or better.

    Parameters
    ----------
    problem : DualProblem
        As in `leave_out_each`.
    K : ndarray of shape (n, n)
        Its Gram matrix.
    solution : Solution
        Of the problem.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> problem = c_svc(check_data([[-2.0], [-1.0], [1.0], [2.0]], [-1, -1, 1, 1]), Linear())
    >>> rule = span_rule(problem, problem.gram(), solve([problem])[0])
    >>> rule.decision[rule.exact]
    array([-2.,  2.])
    """
    assert solution.beta is not None
    return _SpanRule(problem, K, solution.beta, solution.multipliers[0]).apply()


@dataclass(frozen=True, eq=False, repr=False)
class LeftOut(Brief):
    """Where a solution goes when each of its support vectors is left out.

    Made by `left_out_solutions`.

    Parameters
    ----------
    rows : ndarray of int64, shape (m,)
        The support vectors.
    change : ndarray of shape (n, m)
        What is added to the dual variables, a column for each row that is left out.
    shift : ndarray of shape (m,)
        What is added to the intercept.
    changed : ndarray of bool, shape (m,)
        Where other rows change their sets: approximate there, unless refitted.
    refitted : ndarray of bool, shape (m,)
        Where a column is that of a fit without the row.
    """

    rows: NDArray[np.int64]
    change: NDArray[np.float64]
    shift: NDArray[np.float64]
    changed: NDArray[np.bool_]
    refitted: NDArray[np.bool_]


def left_out_solutions(
    problem: DualProblem,
    beta: NDArray[np.float64],
    *,
    refit: bool = False,
    settings: SolverSettings | None = None,
) -> LeftOut:
    """Return the solutions without each support vector, as changes of the one with all.

    Parameters
    ----------
    problem, beta, refit, settings
        As in `leave_out_each`.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> problem = c_svc(check_data([[-2.0], [-1.0], [1.0], [2.0]], [-1, -1, 1, 1]), Linear())
    >>> left_out_solutions(problem, solve([problem])[0].beta, refit=True).shift.round(3)
    array([ 0.333, -0.333])
    """
    exact, watch = _tight(settings or SolverSettings()), Watch()
    [found] = solve([problem], exact, watch, [beta])
    assert found.beta is not None
    rule = _SpanRule(problem, problem.gram(), found.beta, found.multipliers[0])
    change, shift, changed = rule.moves()
    done = np.zeros(len(shift), bool)
    place = {int(row): k for k, row in enumerate(rule.support)}
    rows = rule.support[changed] if refit else rule.support[:0]
    for row, _, solution in _refits(problem, rows, found, exact, watch):
        assert solution.beta is not None
        k = place[int(row)]
        change[:, k] = solution.beta - found.beta
        shift[k] = solution.multipliers[0] - found.multipliers[0]
        done[k] = True
    return LeftOut(rule.support, change, shift, changed, done)


def _tight(settings: SolverSettings) -> SolverSettings:
    """As exact as the rule needs solutions."""
    return replace(settings, tol=1e-10, gradients=True, method="smo")


def _refits(
    problem: DualProblem,
    rows: NDArray[np.int64],
    solution: Solution,
    settings: SolverSettings,
    watch: Watch,
) -> Iterator[tuple[int, DualProblem, Solution]]:
    """Yield the fits without each of some rows, as long as there is time."""
    assert solution.beta is not None
    every = np.arange(len(solution.beta))
    for begin in range(0, len(rows), _TOGETHER):
        part = rows[begin : begin + _TOGETHER]
        if watch.expired:
            return
        left = [problem.without(every == row) for row in part]
        starts = [nearest_feasible(one, solution.beta) for one in left]
        found = solve(left, settings, watch, starts)
        if not watch.expired:
            yield from zip(part.tolist(), left, found, strict=True)


class _SpanRule:
    """Where every variable and every score goes when each row is left out, as columns."""

    def __init__(
        self,
        problem: DualProblem,
        K: NDArray[np.float64],
        beta: NDArray[np.float64],
        intercept: float,
    ) -> None:
        self.problem, self.K, self.beta = problem, K, beta
        self.y = problem.target
        self.ridge = np.zeros(len(K)) if problem.ridge is None else problem.ridge
        self.f = K @ beta + intercept
        self.scale = float(np.diagonal(K).max() + self.ridge.max()) or 1.0
        inside = (beta > problem.lower) & (beta < problem.upper) & (beta != 0)
        self.basis, self.spare = self._independent(np.flatnonzero(inside))
        self.support = np.flatnonzero(beta)

    def _ridged(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
        block = self.K[np.ix_(rows, columns)]
        if self.problem.ridge is not None:
            block[rows[:, None] == columns] += self.ridge[rows[np.isin(rows, columns)]]
        return block

    def _independent(self, free: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Split free rows into affinely independent ones and those in their hull."""
        if len(free) < 2:
            return free, free[:0]
        H = self._ridged(free, free)
        first = H[0].copy()
        H = H - first - first[:, None] + first[0]
        _, order, rank, _ = lapack.dpstrf(H[1:, 1:], tol=_IN_HULL * self.scale, lower=1)
        order = free[1:][order - 1]
        return np.append(free[:1], order[:rank]), order[rank:]

    def moves(
        self,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return the changes of the variables and the intercept, and where sets change."""
        change, shift, alone = self._moves()
        after = self.f[:, None] + self._scores(change, shift)
        return change, shift, np.asarray(alone | self._sets_change(change, after))

    def _moves(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        n, m = len(self.K), len(self.support)
        change = np.zeros((n, m))  # of beta, one column for each row that is left out
        change[self.support, np.arange(m)] = -self.beta[self.support]
        if len(self.basis) == 0:
            return change, np.zeros(m), np.ones(m, bool)
        place = {int(row): k for k, row in enumerate(self.support)}
        return change, *self._make_up(change, place)

    def apply(self) -> LeaveOneOut:
        n, m = len(self.K), len(self.support)
        change, shift, alone = self._moves()
        moved = self._scores(change, shift)
        after = self.f[:, None] + moved
        own = self.support, np.arange(m)
        alpha = np.abs(self.beta[self.support])
        with np.errstate(invalid="ignore"):
            drop = -self.y[self.support] * moved[own] + self.ridge[self.support] * alpha
        changed, decision = np.zeros(n, np.bool_), self.f.copy()
        changed[self.support] = alone | self._sets_change(change, after)
        decision[self.support] = after[own]
        span = np.full(n, np.nan)
        span[self.support] = np.where(alone, np.nan, drop / alpha)
        return LeaveOneOut(decision, self.y, self.f, span, changed, np.zeros(n, bool))

    def _scores(
        self, change: NDArray[np.float64], shift: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return how scores move, of rows that are not free and of each column's own."""
        free = np.append(self.basis, self.spare)
        rest = np.setdiff1d(np.arange(len(self.K)), free)
        moves = change[free]
        moved = np.zeros(change.shape)
        moved[rest] = self.K[np.ix_(rest, free)] @ moves + shift
        # Beside free rows, a column moves its own row only.
        inside = np.isin(self.support, free)
        at_bound, within = np.flatnonzero(~inside), np.flatnonzero(inside)
        bound, own = self.support[at_bound], self.support[within]
        moved[np.ix_(rest, at_bound)] -= self.K[np.ix_(rest, bound)] * self.beta[bound]
        values = np.einsum("ij,ji->i", self.K[np.ix_(own, free)], moves[:, within])
        moved[own, within] = values + shift[within]
        return moved

    def _make_up(
        self, change: NDArray[np.float64], place: dict[int, int]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Move the free variables of each column; return the intercepts' moves."""
        basis, size = self.basis, len(self.basis)
        A = np.ones((size + 1, size + 1))
        A[0, 0] = 0.0
        A[1:, 1:] = self._ridged(basis, basis)
        inverse = np.linalg.inv(A)
        inverse = inverse + inverse @ (np.eye(size + 1) - A @ inverse)
        # Rows at their bound, and free ones that others can stand for.
        others = np.setdiff1d(self.support, basis)
        columns = np.array([place[int(row)] for row in others], np.int64)
        right = np.vstack([np.ones(len(others)), self.K[np.ix_(basis, others)]])
        answer = inverse @ right
        shift, alone = np.zeros(change.shape[1]), np.zeros(change.shape[1], bool)
        moves = answer * self.beta[others]
        shift[columns] = moves[0]
        change[basis[:, None], columns] += moves[1:]
        # Rows of the basis.
        hull = np.isin(others, self.spare)
        stand = answer[1:, hull]  # what each basis row gives to those in the hull
        at = np.array([place[int(row)] for row in basis], np.int64)
        swapped = np.abs(stand).max(axis=1, initial=0.0) > _SHARE
        for k in np.flatnonzero(swapped):
            best = int(np.abs(stand[k]).argmax())
            share = self.beta[basis[k]] / stand[k, best]
            change[basis, at[k]] -= share * stand[:, best]
            change[others[hull][best], at[k]] += share
        pivots = np.diagonal(inverse)[1:]
        apart = pivots * self.scale > 1e-14
        alone[at[~swapped & ~apart]] = True
        kept = np.flatnonzero(~swapped & apart)
        steps = -self.beta[basis[kept]] / pivots[kept]
        change[basis[:, None], at[kept]] = steps * inverse[1:, kept + 1]
        shift[at[kept]] = steps * inverse[0, kept + 1]
        change[basis, at] = -self.beta[basis]
        return shift, alone

    def _sets_change(
        self, change: NDArray[np.float64], after: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Whether a variable leaves its interval, or a row its side of the margin."""
        problem, y, beta = self.problem, self.y, self.beta
        own = np.zeros(change.shape, bool)
        own[self.support, np.arange(change.shape[1])] = True
        free = np.zeros(len(y), bool)
        free[self.basis] = free[self.spare] = True
        room = _SLACK * np.abs(beta).max(initial=0.0)
        to = beta[free, None] + change[free]
        left = (to < problem.lower[free, None] - room) | (to > problem.upper[free, None] + room)
        g = y[:, None] * after - 1.0
        bound = (beta != 0) & ~free
        crossed = np.where(bound[:, None], g > _SLACK, g < -_SLACK)
        crossed[free] = False
        return np.asarray((left & ~own[free]).any(axis=0) | (crossed & ~own).any(axis=0))
