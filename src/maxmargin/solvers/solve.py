"""From problems to solutions: the one place that chooses how.

The type of a problem, and its shape, tell the method:

    DualProblem    "smo"          pair steps and Newton steps on the dual; of a linear kernel from
                                  the primal's solution where they would crawl
                   "primal"       a linear kernel, many more rows than features, all few
                   "hard margin"  no upper bound on the dual variables: growing soft margins
                   "smallest nu"  after "smo", where nu is too small for any margin
    LinearProblem  "newton"       many more rows than features
                   "gram"         few rows, fewer than features
                   "descent"      about as many rows as features or fewer, a loss with a tube;
                                  a hinge whose C is small
                   "newton-cg"    many features, the logistic loss, and smooth ones on sparse data
                   "working-set"  the L1 penalty
    CrammerSingerProblem          "crammer-singer": coordinate descent, then Newton steps
    LinearRisk     `Steps`        passes of stochastic steps, or of the perceptron's rule
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from maxmargin.data import ChunkedMatrix
from maxmargin.kernels import Kernel, Linear
from maxmargin.losses import Logistic
from maxmargin.problems import (
    CrammerSingerProblem,
    DualProblem,
    DualProblems,
    LinearProblem,
    LinearRisk,
    Solution,
    Solutions,
    SolverSettings,
    Status,
    Steps,
    untouched,
)
from maxmargin.solvers.crammer_singer import crammer_singer_steps
from maxmargin.solvers.gap import close_gaps
from maxmargin.solvers.gram import Bases, gram
from maxmargin.solvers.hard_margin import added, hard_margin, soft_margin
from maxmargin.solvers.l1 import l1
from maxmargin.solvers.linear import METHODS, descend_all, newton, primal
from maxmargin.solvers.primal_start import smo_from_primal
from maxmargin.solvers.reserve import Reserve, certified_again
from maxmargin.solvers.smallest_nu import smallest_nu
from maxmargin.solvers.stochastic import correct, descend
from maxmargin.solvers.watch import Progress, Watch

Problem: TypeAlias = DualProblem | LinearProblem | CrammerSingerProblem | LinearRisk

#: Names of methods for a `DualProblem` and for a `LinearProblem`.
KERNEL_METHODS = ("auto", "smo", "primal")
LINEAR_METHODS = ("auto", *METHODS, "gram")
#: Most features of which the matrix of second derivatives is formed.
MATRIX_COLUMNS = 2048
#: Most rows of which the Gram matrix is formed: by the kernel engine, for Newton steps that
#: coordinate descent could take instead, and where it could not.
GRAM_ROWS, NEWTON_GRAM_ROWS, LOGISTIC_GRAM_ROWS = 2048, 128, 512
#: Sparse smooth losses have no matrix of second derivatives with more columns, unless its factor
#: takes at most so many multiplications for each entry.
SPARSE_MATRIX_COLUMNS, FACTOR_SHARE = 200, 400
#: With at most so many entries Newton steps are quick enough, and end at rounding; with fewer rows
#: than columns where these are so few, of dense data with smooth losses and of sparse data.
SMALL_ENTRIES, SMALL_COLUMNS, SMALL_SPARSE_COLUMNS = 2**12, 128, 64
#: Coordinate descent takes fewer rows than so many times the columns: of smooth losses and of those
#: with kinks, which it leaves to Newton steps if they are quicker.
DESCENT_RATIO, KINKED_DESCENT_RATIO = 2, 4
#: Coordinate descent on a loss with kinks takes so many passes times C |x|^2, which is taken for at
#: least so much; with a free intercept so many times as long.
BOUND_PASSES, LEAST_BOUND, FREE_FACTOR = 45, 0.5, 4
#: Newton's method takes so many steps where it goes on to rounding, with at most so many entries,
#: and so many elsewhere.
ROUNDING_STEPS, ROUNDING_ENTRIES, NEWTON_STEPS = 30, 2**18, 8
#: A step reads the data so often; multiplications of its matrix are so many times as quick as those
#: of a pass of descent, of which an entry takes so many.
STEP_READS, MATRIX_SPEED, PASS_PRODUCTS = 2, 9, 4
#: Dense entries that are looked at for the mean of |x|^2.
SAMPLED_ENTRIES = 2**14
#: Conjugate gradients take few products where C |x|^2 is at most so much.
FLAT = 4.0
#: A linear kernel is solved in the primal with more rows and at most as many columns. Smaller
#: problems end in the kernel engine, which solves them to rounding.
PRIMAL_ROWS, PRIMAL_COLUMNS = 1024, 2000


def solve(
    problems: Sequence[Problem],
    settings: SolverSettings | Sequence[SolverSettings] | None = None,
    progress: Progress | Watch | None = None,
    starts: Sequence[Any] | None = None,
) -> Solutions:
    """Solve problems and certify the answers.

    Parameters
    ----------
    problems : sequence of DualProblem, LinearProblem, CrammerSingerProblem or LinearRisk
        What to solve. Those that share data, kernel and formulation are solved together, as many at
        a time as there are threads; kernel values that several problems share are given as their X,
        with `kernels.Precomputed`.
    settings : SolverSettings or a sequence of them, optional
        Tolerances and limits, for all problems or for each.
    progress : callable, optional
        Called about every 50 ms with the latest row of the trace; returning True stops the solver.
    starts : sequence, optional
        Where to begin, for each problem, None for the beginning: feasible dual variables, or the
        `Iterate` of stochastic steps.

    Returns
    -------
    Solutions
        A sequence, one per problem, and the same whatever the number of threads. Never a failure:
        how it ended is in its `status`, and problems that were not reached are certified where they
        begin.

    Raises
    ------
    InfeasibleError, UndecidableError
        By a hard margin that does not exist, or about which float64 cannot tell.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.losses import Hinge
    >>> from maxmargin.problems import c_svc, linear_problem
    >>> data = check_data([[0.0], [1.0], [3.0]], [-1, 1, 1])
    >>> kernel, linear = solve([c_svc(data, RBF(gamma=1.0)), linear_problem(data, Hinge())])
    >>> kernel.method, linear.method, bool(kernel.certificate.gap < 1e-12)
    ('smo', 'newton', True)
    """
    if not isinstance(problems, Sequence):
        raise TypeError(
            f"problems must be a list, such as [c_svc(data, kernel, C)], got "
            f"{type(problems).__name__}; programs are solved by solve_qp and solve_lp, and an "
            "Objective by maxmargin.optimizers.minimize"
        )
    settings = settings or SolverSettings()
    each = [settings] * len(problems) if isinstance(settings, SolverSettings) else settings
    watch = Watch.of(progress)
    starts = starts or [None] * len(problems)
    reserve = _reserve(problems, each, starts, watch)
    solved = []
    bases: Bases = {}
    for group in _groups(problems, each, starts, watch):
        watch.parts = group.parts
        if watch.expired:
            solutions = group.untouched()
        else:
            solutions = group.solve(watch, bases)
            watch.solved(solutions)
            if watch.limited and watch.reason is not None and group.method == "smo":
                solutions = certified_again(group.problems, solutions, group.settings.n_threads)
        solved.append((group.parts, solutions))
    found = _in_order(solved)
    unfinished = max(found.statuses, default=Status.OPTIMAL) >= Status.MAX_ITERATIONS
    if unfinished and reserve.has_any(problems):
        found = Solutions(map(reserve.instead, range(len(problems)), problems, found))
    return found if watch.reason is None else Solutions(with_reason(found, watch.reason))


def _in_order(solved: Sequence[tuple[Sequence[int], Sequence[Solution]]]) -> Solutions:
    """Return solutions of groups of parts in the order of the parts."""
    if len(solved) == 1:  # groups have their parts in order
        return Solutions.of(solved[0][1])
    found = {
        part: solution
        for parts, solutions in solved
        for part, solution in zip(parts, solutions, strict=True)
    }
    return Solutions(found[part] for part in range(len(found)))


def choose(problem: Problem, settings: SolverSettings, start: Any = None) -> str:
    """Name the method that a problem is solved by, by fixed rules.

    Parameters
    ----------
    problem : DualProblem, LinearProblem, CrammerSingerProblem or LinearRisk
        The problem.
    settings : SolverSettings
        Whose `method` may name one.
    start : object, optional
        Where to begin.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import Hinge
    >>> from maxmargin.problems import linear_problem
    >>> choose(linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), Hinge()), SolverSettings())
    'newton'
    """
    if isinstance(problem, LinearRisk):
        steps = settings.method
        return steps.method if isinstance(steps, Steps) else "asgd"
    if isinstance(problem, CrammerSingerProblem):
        return "crammer-singer"
    if isinstance(problem, DualProblem):
        if problem.hard:
            return "hard margin"
        if settings.method != "auto":
            return _named(settings, KERNEL_METHODS)
        linear = isinstance(problem.kernel, Linear) and start is None
        return "primal" if linear and _tall(problem) else "smo"
    if problem.sparse_weights:
        return "working-set"
    if settings.method != "auto":
        return _named(settings, LINEAR_METHODS)
    return _linear_method(problem)


def _named(settings: SolverSettings, known: Sequence[str]) -> str:
    """Return the method that was asked for."""
    if settings.method not in known:
        raise ValueError(f"method is {settings.method!r}; it must be one of {', '.join(known)}.")
    return str(settings.method)


def _tall(problem: DualProblem) -> bool:
    """Whether a linear kernel has many more rows than features, all of them few."""
    if problem.ridge is not None or problem.totals != (0.0,):
        return False
    columns = int(problem.X.shape[1])
    return len(problem.rows) > max(PRIMAL_ROWS, 2 * columns) and columns <= PRIMAL_COLUMNS


def _linear_method(problem: LinearProblem) -> str:
    n, d = problem.n_variables, problem.X.shape[1]
    is_sparse = sparse.issparse(problem.X)
    if isinstance(problem.X, ChunkedMatrix):
        return "newton" if d <= MATRIX_COLUMNS else "newton-cg"
    if isinstance(problem.loss, Logistic):
        if d > n and n <= (LOGISTIC_GRAM_ROWS if is_sparse else GRAM_ROWS):
            return "gram"
        return "newton" if d <= MATRIX_COLUMNS else "newton-cg"
    kinked, free = problem.kinked, problem.intercept.free
    few_columns = d <= (SMALL_SPARSE_COLUMNS if is_sparse else 0 if kinked else SMALL_COLUMNS)
    if n * d <= SMALL_ENTRIES and (d <= n or few_columns):
        return "newton"
    if kinked and free and not is_sparse and n <= min(GRAM_ROWS, DESCENT_RATIO * d):
        return "gram"
    if not kinked and not is_sparse and n <= min(NEWTON_GRAM_ROWS, d - 1):
        return "gram"
    if not kinked and d <= n < DESCENT_RATIO * d and _nearly_flat(problem):
        return "newton-cg"
    if d > MATRIX_COLUMNS or n < (KINKED_DESCENT_RATIO if kinked else DESCENT_RATIO) * d:
        return "descent"
    if kinked and _descent_is_quicker(problem):
        return "descent"
    wide = is_sparse and not kinked and d > SPARSE_MATRIX_COLUMNS
    return "newton-cg" if wide and d**3 > FACTOR_SHARE * problem.X.nnz else "newton"


def _steepness(problem: LinearProblem) -> float:
    """Return the mean of C |x|^2, of dense data from some of the rows."""
    X, rows = problem.X, problem.rows
    if not sparse.issparse(X):
        some = values = X[rows[:: 1 + len(rows) * X.shape[1] // SAMPLED_ENTRIES]]
    else:
        some = X if len(rows) == X.shape[0] else X[rows]
        values = some.data[:, None]
    squares = float(np.einsum("ij,ij->", values, values, dtype=np.float64))
    return float(problem.C.mean() * squares / some.shape[0])


def _nearly_flat(problem: LinearProblem) -> bool:
    """Whether a smooth loss curves so little that conjugate gradients need few products.

    On larger data passes of descent are quicker where few digits are asked for.
    """
    X = problem.X
    stored = X.nnz if sparse.issparse(X) else X.size
    return stored <= ROUNDING_ENTRIES and _steepness(problem) <= FLAT


def _descent_is_quicker(problem: LinearProblem) -> bool:
    """Compare passes of descent with Newton steps with the matrix, for a loss with kinks.

    Where C |x|^2 is small a step takes most dual variables to their bound, where they stay.
    """
    X, n, d = problem.X, problem.n_variables, problem.X.shape[1]
    passes = BOUND_PASSES * max(LEAST_BOUND, _steepness(problem))
    if problem.intercept.free:
        passes *= FREE_FACTOR
    stored = max(1, X.nnz if sparse.issparse(X) else n * d)
    matrix = stored * (stored / n) + d**3 / 3  # products of a Newton step: its sum and its factor
    step = STEP_READS + matrix / (MATRIX_SPEED * PASS_PRODUCTS * stored)
    return bool(passes <= step * (ROUNDING_STEPS if stored <= ROUNDING_ENTRIES else NEWTON_STEPS))


@dataclass(frozen=True)
class _Group:
    """Problems that one method solves together, or one after the other."""

    method: str
    parts: Sequence[int]
    problems: Sequence[Any]
    settings: SolverSettings
    starts: Sequence[Any]
    alone: bool

    def solve(self, watch: Watch, bases: Bases) -> Sequence[Solution]:
        """Solve down to the tolerances."""
        solutions = self._call(watch, bases)
        if self.settings.tol_gap is None or self.method not in ("smo", "primal"):
            return solutions
        return close_gaps(self.problems, solutions, self.settings, watch)

    def _call(self, watch: Watch, bases: Bases) -> Sequence[Solution]:
        """Call the method."""
        settings, first, start = self.settings, self.problems[0], self.starts[0]
        match self.method:
            case "smo":
                found = smo_from_primal(
                    self.problems, settings, watch, self.starts, alone=self.alone
                )
                return self._with_margins(found, watch)
            case "primal":
                return [primal(first, settings, watch)]
            case "hard margin":
                return [hard_margin(first, settings, watch, alone=self.alone)]
            case "crammer-singer":
                return [crammer_singer_steps(first, settings, watch)]
            case "working-set":
                return [l1(first, settings, watch)]
            case "gram":
                return [gram(first, settings, watch, bases)]
            case "descent" if len(self.problems) > 1:
                return descend_all(self.problems, settings, watch)
            case "newton" | "newton-cg" | "descent":
                return [newton(first, settings, watch, self.method)]
            case "perceptron" | "averaged-perceptron":
                return [correct(first, settings, watch, start)]
            case _:
                return [descend(first, settings, watch, start)]

    def _with_margins(self, solutions: Solutions, watch: Watch) -> Sequence[Solution]:
        """Replace the solutions of nu-SVC that have none."""
        if not self.problems[0].unit_margin:
            return solutions
        pairs = enumerate(zip(self.problems, solutions, strict=True))
        without = [k for k, (problem, now) in pairs if problem.degenerate(now)]
        if not without:
            return solutions
        found = list(solutions)
        for k in without:
            watch.parts = self.parts[k : k + 1]
            found[k] = added(found[k], smallest_nu(self.problems[k], self.settings, watch))
        watch.parts = self.parts
        return found

    def untouched(self) -> Sequence[Solution]:
        """Return what no step was taken for."""
        if self.method == "hard margin":
            soft = untouched([soft_margin(problem, 1.0) for problem in self.problems])
            return [replace(solution, soft_c=1.0) for solution in soft]
        if isinstance(self.problems[0], DualProblem):
            return untouched(self.problems)
        if isinstance(self.problems[0], LinearRisk):
            # No pass is made, but there is an iterate, for more to begin with.
            none = replace(self, settings=replace(self.settings, max_iter=0))
            made = none._call(Watch(), {})
            return [replace(solution, status=Status.INTERRUPTED) for solution in made]
        return [problem.untouched() for problem in self.problems]


def _reserve(
    problems: Sequence[Problem],
    settings: Sequence[SolverSettings],
    starts: Sequence[Any],
    watch: Watch,
) -> Reserve:
    """Return what to fall back on: coarse solutions where the time is limited."""
    reserve = Reserve()
    if watch.limited:

        def groups_of(cut: Sequence[Problem], parts: Sequence[int]) -> Iterator[_Group]:
            return _groups(cut, [settings[part] for part in parts], [None] * len(cut), watch)

        watch.coarse = True
        reserve.fill(problems, starts, groups_of, watch)
        watch.coarse = False
    return reserve


def _groups(
    problems: Sequence[Problem],
    settings: Sequence[SolverSettings],
    starts: Sequence[Any],
    watch: Watch,
) -> Iterator[_Group]:
    """Gather problems that are solved together; those that are solved alone come first."""
    if _all_alike(problems, settings) and not watch.one_by_one:
        method = choose(problems[0], settings[0], starts[0])
        if method == "smo":
            n = len(problems)
            yield _Group(method, range(n), problems, settings[0], starts, alone=n == 1)
            return
    methods = list(map(choose, problems, settings, starts))
    together: dict[Hashable, list[int]] = {}
    single: list[list[int]] = []
    for part, problem in enumerate(problems):
        key = None if watch.one_by_one else _shared(problem, methods[part])
        if key is None:
            single.append([part])
        else:
            together.setdefault((methods[part], key, settings[part]), []).append(part)
    for parts in [*single, *together.values()]:
        yield _Group(
            methods[parts[0]],
            parts,
            [problems[part] for part in parts],
            settings[parts[0]],
            [starts[part] for part in parts],
            alone=len(problems) == 1,
        )


def _all_alike(problems: Sequence[Problem], settings: Sequence[SolverSettings]) -> bool:
    """Whether problems share arrays and settings, and no method asks how many rows they have."""
    together = isinstance(problems, DualProblems) and not isinstance(problems.whole.kernel, Linear)
    return together and all(one is settings[0] for one in settings)


def _shared(problem: Problem, method: str) -> Hashable:
    """Return what problems must have in common to be solved together; None if they never are."""
    if method == "smo":
        assert isinstance(problem, DualProblem)
        form = (problem.group is None, problem.ridge is None, len(problem.totals), problem.epsilon)
        return (id(problem.X), _value_or_identity(problem.kernel), form)
    return id(problem.X) if method == "descent" else None


def _value_or_identity(kernel: Kernel) -> Hashable:
    """Return a kernel, which is equal to others of its value; one that has no hash by identity."""
    try:
        hash(kernel)
    except TypeError:
        return id(kernel)
    return kernel


def with_reason(solutions: Sequence[Solution], reason: Status) -> list[Solution]:
    """Say why solvers were stopped, which the watch knows.

    Parameters
    ----------
    solutions : sequence of Solution
        Of which some were.
    reason : Status
        Why.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import Hinge
    >>> from maxmargin.problems import linear_problem
    >>> begun = linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), Hinge()).untouched()
    >>> with_reason([begun], Status.TIME_LIMIT)[0].status.name
    'TIME_LIMIT'
    """
    return [
        replace(solution, status=reason) if solution.status is Status.INTERRUPTED else solution
        for solution in solutions
    ]
