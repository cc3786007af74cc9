"""Quadratic programs solved by Clarabel, an interior-point method, and checked.

It shares no code with the engine and so can judge it. Needs `pip install maxmargin[qp]`.

An interior-point method meets programs in units that are far from its own: with C = 1e9 the box of
the dual is a billion times as wide as its solution. Each answer is therefore judged by the
conditions of optimality, in the program's own units and in float64. What does not pass is tried
again, first with the unknowns in units of the box and the objective in those of its linear part,
with F theta as unknowns of their own where hessian = F'F; then without upper bounds, which is the
same program if the answer keeps them. A step of Newton's method on the constraints that hold with
equality then has the last digits. An answer that still does not pass comes with a warning.

Reference: P. Goulart and Y. Chen, Clarabel: an interior-point solver for conic programs with
quadratic objectives (2024).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from maxmargin.losses.loss import Array
from maxmargin.problems.qp import QuadraticProgram, Reading
from maxmargin.prompt import Brief, Hinted

#: Errors up to these, relative to the program's numbers, are SOLVED and INACCURATE.
SOLVED, INACCURATE = 1e-9, 1e-6


class QPStatus(Enum):
    """How the solver ended.

    SOLVED: the conditions of optimality hold to nine digits; INACCURATE: to six; INFEASIBLE: no
    point satisfies the constraints; UNBOUNDED: the objective falls for ever; FAILED: anything else.

    Examples
    --------
    >>> QPStatus("solved")
    <QPStatus.SOLVED: 'solved'>
    """

    SOLVED = "solved"
    INACCURATE = "inaccurate"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    FAILED = "failed"


_RAYS = {
    "PrimalInfeasible": QPStatus.INFEASIBLE,
    "AlmostPrimalInfeasible": QPStatus.INFEASIBLE,
    "DualInfeasible": QPStatus.UNBOUNDED,
    "AlmostDualInfeasible": QPStatus.UNBOUNDED,
}


@dataclass(frozen=True, eq=False, repr=False)
class QPSolution(Brief, Hinted):
    """A minimiser of a quadratic program, with its multipliers.

    Attributes
    ----------
    theta : array
        The minimiser; NaN if the program has none.
    value : float
        The objective there.
    status : QPStatus
    equality, inequality : array
        The multipliers of the equalities and of the inequalities. For the hard and the soft
        margin the latter are the alphas; for their dual the former is b.
    gap : float
        Primal minus dual objective, what is left to prove.
    n_iter : int
    error : float
        By how much the conditions of optimality are missed, relative to the program's numbers.
    w, b : array, float
        Weights and intercept of the machine, for programs of machines. A dual one has weights if it
        was given the samples.
    alpha, slack : array
        Dual variables of its samples, and what these lack of their margins.

    Examples
    --------
    >>> from maxmargin.problems import hard_margin_primal
    >>> solution = solve_qp(hard_margin_primal([[-1.0], [3.0]], [-1.0, 1.0]))
    >>> solution.w.round(9), round(solution.b, 9), solution.alpha.round(9)
    (array([0.5]), -0.5, array([0.125, 0.125]))
    """

    _meant: ClassVar[dict[str, str]] = {
        **dict.fromkeys(
            ["x", "solution", "minimizer", "argmin"], "theta, or w, b, alpha and slack"
        ),
        **dict.fromkeys(["xi", "slacks"], "slack"),
        **dict.fromkeys(["alphas", "dual", "multipliers"], "alpha, or equality and inequality"),
        **dict.fromkeys(["objective", "fun", "obj"], "value"),
        **dict.fromkeys(["support", "support_", "support_vectors"], "np.flatnonzero(alpha > 1e-6)"),
        **dict.fromkeys(["coef", "coef_", "weights"], "w"),
        **dict.fromkeys(["bias", "intercept", "intercept_"], "b"),
        "margin": "maxmargin.models.Margins.of(solution, X, y).smallest",
    }

    theta: Array
    value: float
    status: QPStatus
    equality: Array
    inequality: Array
    gap: float
    n_iter: int
    error: float
    program: QuadraticProgram = field(repr=False)

    @property
    def _reading(self) -> Reading:
        return self.program.read(self.theta, self.equality, self.inequality)

    @property
    def w(self) -> Array:
        """The weights."""
        w = self._reading.w
        if w is None:
            raise ValueError(
                "a dual program knows the Gram matrix and not the samples; give it these, as in "
                "soft_margin_dual(K, y, C=1.0, X=X), or use weights_from_dual(alpha, X, y)"
            )
        return w

    @property
    def b(self) -> float:
        """The intercept."""
        return self._reading.b

    @property
    def alpha(self) -> Array:
        """The dual variable of each sample; of a tube two rows, above and below it."""
        return self._reading.alpha

    @property
    def slack(self) -> Array:
        """What each sample lacks of its margin, or is beyond the tube."""
        return self._reading.slack


def solve_qp(program: QuadraticProgram, tol: float = 1e-12, max_iter: int = 200) -> QPSolution:
    """Minimise a quadratic program by an interior-point method, and check the answer.

    Parameters
    ----------
    program : QuadraticProgram
    tol : float
        Relative and absolute tolerance of the gap and of the constraints.
    max_iter : int

    Returns
    -------
    QPSolution

    Examples
    --------
    >>> from maxmargin.problems import soft_margin_primal
    >>> program = soft_margin_primal([[-1.0], [1.0]], [-1.0, 1.0], C=0.1)
    >>> solution = solve_qp(program)
    >>> solution.status
    <QPStatus.SOLVED: 'solved'>
    >>> round(solution.value, 9)
    0.18
    """
    if not isinstance(program, QuadraticProgram):
        raise TypeError(
            f"program must be a QuadraticProgram, got {type(program).__name__}; "
            "hard_margin_primal(X, y), soft_margin_dual(K, y, C=1.0) and their like make one"
        )
    best = None
    for found in _attempts(program, tol, max_iter):
        if found.status in (QPStatus.INFEASIBLE, QPStatus.UNBOUNDED):
            return found
        if best is None or found.error < best.error:
            best = found
        if best.error <= SOLVED:
            break
    assert best is not None
    if best.status is QPStatus.FAILED:
        warnings.warn(
            f"the quadratic program is not solved: its answer misses the conditions of optimality "
            f"by {best.error:.1e} of its numbers, where {INACCURATE:g} would do. Its numbers are "
            "too far apart; bring C nearer to 1, or scale the data.",
            RuntimeWarning,
            stacklevel=2,
        )
    return best


def _attempts(program: QuadraticProgram, tol: float, max_iter: int) -> Iterator[QPSolution]:
    """Yield judged answers, made in other units each."""
    sizes = np.concatenate([program.lower, program.upper])
    box = np.abs(sizes[np.isfinite(sizes)]).max(initial=0.0) or 1.0
    yield from _answers(program, program, 1.0, 1.0, tol, max_iter)
    lifted, force = _lifted(program, box)
    yield from _answers(program, lifted, box, force, tol, max_iter)
    if np.isfinite(program.upper).any():
        open_above = replace(program, upper=np.full_like(program.upper, np.inf))
        for found in _answers(open_above, open_above, 1.0, 1.0, tol, max_iter):
            if np.all(found.theta <= program.upper):  # the bounds that were left out, NaN fails
                yield _judged(program, found.theta, found.equality, found.inequality, found.n_iter)


def _lifted(program: QuadraticProgram, box: float) -> tuple[QuadraticProgram, float]:
    """Return the program in (theta / box, v), v a multiple of F theta, and the objective's unit."""
    sizes, vectors = np.linalg.eigh(program.hessian)
    kept = sizes > 1e-15 * sizes.max(initial=0.0)
    F = (vectors[:, kept] * np.sqrt(sizes[kept])).T
    force = float(np.abs(program.linear).max(initial=0.0) * box) or 1.0
    r, m = F.shape
    pull = F * (box / np.sqrt(force))
    rows = np.maximum(1.0, np.abs(pull).max(axis=1, initial=0.0))[:, None]
    free = np.full(r, np.inf)
    n_equal, n_less = len(program.equal_to), len(program.at_most)
    lifted = QuadraticProgram(
        np.diag(np.append(np.zeros(m), np.ones(r))),
        np.append(program.linear * (box / force), np.zeros(r)),
        equalities=np.block(
            [[program.equalities, np.zeros((n_equal, r))], [pull / rows, -np.eye(r) / rows]]
        ),
        equal_to=np.append(program.equal_to / box, np.zeros(r)),
        inequalities=np.column_stack([program.inequalities, np.zeros((n_less, r))]),
        at_most=program.at_most / box,
        lower=np.append(program.lower / box, -free),
        upper=np.append(program.upper / box, free),
    )
    return lifted, force


def _answers(
    program: QuadraticProgram,
    stated: QuadraticProgram,
    box: float,
    force: float,
    tol: float,
    max_iter: int,
) -> Iterator[QPSolution]:
    """Solve a program as it is stated, in units of the box and of the force, and judge it."""
    result = _clarabel_on(stated, tol, max_iter)
    m, n_equal = len(program.linear), len(program.equal_to)
    theta, multipliers = np.array(result.x)[:m] * box, np.array(result.z) * (force / box)
    ray = _RAYS.get(str(result.status))
    if ray is not None:
        if _is_ray(stated, ray, np.array(result.x), np.array(result.z)):
            yield _without_minimum(program, ray, int(result.iterations))
        return
    first = len(stated.equal_to)
    equality = multipliers[:n_equal]
    inequality = multipliers[first : first + len(program.at_most)]
    found = _judged(program, theta, equality, inequality, int(result.iterations))
    yield found
    if np.isfinite(theta).all() and found.error > SOLVED:
        yield _polished(program, found)


def _clarabel_on(program: QuadraticProgram, tol: float, max_iter: int) -> Any:
    clarabel = _clarabel()
    m = len(program.linear)
    below, above = np.isfinite(program.lower), np.isfinite(program.upper)
    identity = sparse.eye(m, format="csc")
    constraints = sparse.vstack(
        [program.equalities, program.inequalities, -identity[below], identity[above]], format="csc"
    )
    bounds = np.concatenate(
        [program.equal_to, program.at_most, -program.lower[below], program.upper[above]]
    )
    n_equal = len(program.equal_to)
    cones = [clarabel.ZeroConeT(n_equal), clarabel.NonnegativeConeT(len(bounds) - n_equal)]
    solver = clarabel.DefaultSolver(
        sparse.triu(program.hessian, format="csc"),
        program.linear,
        constraints,
        bounds,
        [cone for cone in cones if cone.dim],
        _settings(clarabel, tol, max_iter),
    )
    return solver.solve()


def _settings(clarabel: Any, tol: float, max_iter: int) -> Any:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = max_iter
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tol
    # Without it the last digits are lost when the variables are tiny, as alpha / C of a large C.
    settings.iterative_refinement_reltol = settings.iterative_refinement_abstol = 1e-16
    # What "almost solved" may mean: no worse than half the digits asked for.
    loose = float(np.sqrt(tol))
    settings.reduced_tol_gap_abs = settings.reduced_tol_gap_rel = loose
    settings.reduced_tol_feas = loose
    return settings


# ---- Judging an answer -------------------------------------------------------------------------


def _judged(
    program: QuadraticProgram, theta: Array, equality: Array, inequality: Array, n_iter: int
) -> QPSolution:
    """Return an answer with its gap and its error."""
    forces = _forces(program, theta, equality, inequality)
    pull = sum(forces)
    up, down = np.maximum(pull, 0.0), np.maximum(-pull, 0.0)
    below, above = np.isfinite(program.lower), np.isfinite(program.upper)
    dual = -theta @ program.hessian @ theta / 2 - equality @ program.equal_to
    dual += -inequality @ program.at_most
    dual += up[below] @ program.lower[below] - down[above] @ program.upper[above]
    value = program.value(theta)
    error = _error(program, theta, forces, inequality)
    status = QPStatus.FAILED
    if error <= INACCURATE:
        status = QPStatus.SOLVED if error <= SOLVED else QPStatus.INACCURATE
    gap = float(value - dual)
    return QPSolution(theta, value, status, equality, inequality, gap, n_iter, error, program)


def _forces(
    program: QuadraticProgram, theta: Array, equality: Array, inequality: Array
) -> list[Array]:
    """Return what pulls at theta; at a minimum the sum is zero but for what bounds hold."""
    return [
        program.hessian @ theta,
        program.linear,
        program.equalities.T @ equality,
        program.inequalities.T @ inequality,
    ]


def _error(
    program: QuadraticProgram, theta: Array, forces: list[Array], inequality: Array
) -> float:
    """By how much the conditions of optimality are missed, relative to the numbers in them.

    A force on an unknown counts only as far as the bound that it pushes towards is away, and a
    multiplier of an inequality only as far as that is not met with equality.
    """
    if not (np.isfinite(theta).all() and np.isfinite(inequality).all()):
        return np.inf
    pull = sum(forces) / (max(float(np.abs(force).max(initial=0.0)) for force in forces) or 1.0)
    size = float(np.abs(theta).max(initial=0.0)) or 1.0
    to_lower, to_upper = (theta - program.lower) / size, (program.upper - theta) / size
    misses = [
        np.minimum(np.maximum(pull, 0.0), np.maximum(to_lower, 0.0)),
        np.minimum(np.maximum(-pull, 0.0), np.maximum(to_upper, 0.0)),
        -to_lower,
        -to_upper,
    ]
    met = program.equalities @ theta - program.equal_to
    misses.append(np.abs(met) / _row_sizes(program.equalities, theta, program.equal_to))
    slack = program.at_most - program.inequalities @ theta
    slack = slack / _row_sizes(program.inequalities, theta, program.at_most)
    share = inequality / (float(np.abs(inequality).max(initial=0.0)) or 1.0)
    misses += [-slack, -share, np.minimum(np.maximum(share, 0.0), np.maximum(slack, 0.0))]
    return float(max(miss.max(initial=0.0) for miss in misses))


def _row_sizes(rows: Array, theta: Array, sides: Array) -> Array:
    sizes = np.abs(rows) @ np.abs(theta) + np.abs(sides)
    return np.where(sizes > 0, sizes, 1.0)


def _polished(program: QuadraticProgram, found: QPSolution) -> QPSolution:
    """One step of Newton's method with the constraints that seem to hold with equality."""
    theta, equality, inequality = found.theta, found.equality, found.inequality
    pull = sum(_forces(program, theta, equality, inequality))
    size, force = float(np.abs(theta).max()) or 1.0, float(np.abs(pull).max()) or 1.0
    low = (pull / force > (theta - program.lower) / size) & np.isfinite(program.lower)
    high = (-pull / force > (program.upper - theta) / size) & np.isfinite(program.upper)
    slack = program.at_most - program.inequalities @ theta
    share = inequality / (float(inequality.max(initial=0.0)) or 1.0)
    tight = share > slack / _row_sizes(program.inequalities, theta, program.at_most)
    free = ~(low | high)
    at = np.where(low, program.lower, np.where(high, program.upper, theta))
    rows = np.vstack([program.equalities, program.inequalities[tight]])
    sides = np.append(program.equal_to, program.at_most[tight])
    held = np.append(equality, inequality[tight])
    k, m = int(free.sum()), len(sides)
    left = np.block(
        [[program.hessian[np.ix_(free, free)], rows[:, free].T], [rows[:, free], np.zeros((m, m))]]
    )
    right = np.append(
        (-program.hessian @ at - program.linear - rows.T @ held)[free], sides - rows @ at
    )
    move = np.linalg.lstsq(left, right, rcond=None)[0]
    at[free] += move[:k]
    held = held + move[k:]
    multipliers = np.zeros_like(inequality)
    multipliers[tight] = held[len(equality) :]
    return _judged(program, at, held[: len(equality)], multipliers, found.n_iter)


def _is_ray(program: QuadraticProgram, ray: QPStatus, theta: Array, multipliers: Array) -> bool:
    """Tell whether a direction proves no minimum, or multipliers that no point is there."""
    below, above = np.isfinite(program.lower), np.isfinite(program.upper)
    if ray is QPStatus.UNBOUNDED:
        size = float(np.abs(theta).max(initial=0.0)) or 1.0
        along = theta / size
        held = [
            np.abs(program.hessian @ along) / (float(np.abs(program.hessian).max()) or 1.0),
            np.abs(program.equalities @ along),
            program.inequalities @ along,
            -along[below],
            along[above],
        ]
        falls = program.linear @ along < -INACCURATE * np.abs(program.linear).max(initial=0.0)
        return bool(falls and max(part.max(initial=0.0) for part in held) <= INACCURATE)
    identity = np.eye(len(program.linear))
    rows = np.vstack([program.equalities, program.inequalities, -identity[below], identity[above]])
    sides = np.concatenate(
        [program.equal_to, program.at_most, -program.lower[below], program.upper[above]]
    )
    z = multipliers / (float(np.abs(multipliers).max(initial=0.0)) or 1.0)
    nothing = np.abs(rows.T @ z).max(initial=0.0) <= INACCURATE * np.abs(rows).max(initial=1.0)
    signs = z[len(program.equal_to) :].min(initial=0.0) >= -INACCURATE
    return bool(nothing and signs and sides @ z < -INACCURATE * np.abs(sides).max(initial=0.0))


def _without_minimum(program: QuadraticProgram, status: QPStatus, n_iter: int) -> QPSolution:
    unknown = np.full(len(program.linear), np.nan)
    value = np.inf if status is QPStatus.INFEASIBLE else -np.inf
    return QPSolution(
        theta=unknown,
        value=value,
        status=status,
        equality=np.full(len(program.equal_to), np.nan),
        inequality=np.full(len(program.at_most), np.nan),
        gap=np.nan,
        n_iter=n_iter,
        error=np.nan,
        program=program,
    )


def _clarabel() -> Any:
    try:
        import clarabel
    except ImportError as error:
        raise ImportError(
            "quadratic programs are solved by clarabel, which is not installed; "
            "run: pip install maxmargin[qp]"
        ) from error
    return clarabel
