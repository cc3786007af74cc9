"""Linear machines: the method chosen by fixed rules, the answer certified.

Every answer has a primal point (w, c) and a dual point b whose objectives P and D enclose the
optimum; the solvers stop on the relative gap (P - D) / max(|P|, |D|).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.data import ChunkedMatrix
from maxmargin.kernels import Linear
from maxmargin.problems import (
    TRACE,
    CertificatePart,
    DualProblem,
    LinearProblem,
    LinearSolution,
    Solution,
    SolverSettings,
    Status,
    certify_linear,
)
from maxmargin.solvers.l1 import l1
from maxmargin.solvers.smo import smo, trace_row, trace_rows

Progress = Callable[[np.void], bool | None]

_STATUS = {
    _core.LinearStatus.optimal: Status.OPTIMAL,
    _core.LinearStatus.precision: Status.PRECISION,
    _core.LinearStatus.max_iterations: Status.MAX_ITERATIONS,
    _core.LinearStatus.stopped: Status.INTERRUPTED,
}
_METHODS = {
    "newton": _core.LinearMethod.newton,
    "newton-cg": _core.LinearMethod.newton_cg,
    "descent": _core.LinearMethod.descent,
}
SOLVERS = ("auto", *_METHODS, "gram")

#: Most features of which the matrix of second derivatives is formed.
MATRIX_COLUMNS = 2048
#: Most rows of which the Gram matrix is formed.
GRAM_ROWS = 2048


def choose_solver(problem: LinearProblem) -> str:
    """Name the method that `linear` takes by itself, by fixed rules.

    "newton" forms the matrix of second derivatives: up to a few thousand features. "gram" replaces
    the features by as many as there are rows: fewer rows than features, not sparse. "descent" goes
    through rows one by one, and "newton-cg" does without the matrix: many features.

    Parameters
    ----------
    problem : LinearProblem
        The problem.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.problems import linear_problem
    >>> choose_solver(linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), "hinge"))
    'newton'
    """
    n, d = problem.n_variables, problem.X.shape[1]
    if isinstance(problem.X, ChunkedMatrix):
        return "newton" if d <= MATRIX_COLUMNS else "newton-cg"
    dense = not sparse.issparse(problem.X)
    if d > n and n <= GRAM_ROWS and (dense or n <= GRAM_ROWS // 4):
        return "gram"
    if d <= MATRIX_COLUMNS:
        return "newton"
    return "descent" if problem.kind == _core.LossKind.tube else "newton-cg"


def by_kernel(problem: LinearProblem) -> bool:
    """Whether a problem is one of the kernel engine's: a loss with kinks and a free intercept.

    Parameters
    ----------
    problem : LinearProblem
        The problem.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.problems import linear_problem
    >>> by_kernel(linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), "hinge"))
    True
    """
    intercept = problem.intercept
    return problem.kinked and intercept.present and intercept.penalty == 0


def linear(
    problem: LinearProblem,
    settings: SolverSettings | None = None,
    progress: Progress | None = None,
    solver: str = "auto",
    basis: RowBasis | None = None,
) -> LinearSolution:
    """Solve a linear problem and certify the answer.

    Parameters
    ----------
    problem : LinearProblem
        What to solve.
    settings : SolverSettings, optional
        Limits; `tol` is an upper bound of the relative duality gap. Small problems are solved to
        rounding.
    progress : callable, optional
        Called about every 50 ms with the latest row of the trace; returning True stops the solver.
    solver : str
        A method, or "auto" for `choose_solver`'s; an L1 penalty has its own, `l1`.
    basis : RowBasis, optional
        That of the problem's rows, for "gram", if it is known from another problem on them.

    Returns
    -------
    LinearSolution
        Never a failure: how it ended is in its `status`.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.problems import linear_problem
    >>> solution = linear(linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), "squared_hinge"))
    >>> solution.w.round(3), solution.status.name
    (array([0.8]), 'OPTIMAL')
    """
    settings = settings or SolverSettings(tol=1e-4)
    if problem.penalty == "l1":
        return l1(problem, settings, progress)
    name = choose_solver(problem) if solver == "auto" else solver
    if name == "gram" and by_kernel(problem):
        return _by_kernel(problem, settings, progress)
    if name == "gram":
        return _by_basis(problem, settings, progress, basis or RowBasis.of(problem))
    return _solution(_solve(problem, settings, progress, name, settings.tol, np.inf), name)


def linear_all(
    problems: Sequence[LinearProblem],
    settings: SolverSettings | None = None,
    progress: Progress | None = None,
) -> list[LinearSolution]:
    """Solve several problems by coordinate descent, as many at a time as there are threads.

    Parameters
    ----------
    problems : sequence of LinearProblem
        What to solve; piecewise quadratic losses.
    settings, progress
        As of `linear`.

    Returns
    -------
    list of LinearSolution
        One a problem.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.problems import linear_problem
    >>> problem = linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), "hinge")
    >>> [solution.w.round(3) for solution in linear_all([problem, problem])]
    [array([1.]), array([1.])]
    """
    settings = settings or SolverSettings(tol=1e-4)
    answers, error = _core.descend_all(
        [problem.core() for problem in problems],
        settings.tol,
        settings.max_iter,
        settings.n_threads,
        None if progress is None else lambda *row: bool(progress(trace_row(row))),
    )
    if error is not None and settings.on_interrupt == "raise":
        raise error
    return [
        untouched_linear(problem) if answer is None else _solution(answer, "descent")
        for problem, answer in zip(problems, answers, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class RowBasis:
    """As many features as there are rows, with the same inner products.

    With the eigenvectors V and eigenvalues e of XX', the rows of V sqrt(e) have the inner products
    of the rows of X, hence the same dual variables and scores. Weights u of these features are
    w = X' V / sqrt(e) u of the given ones.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        The rows.
    features : ndarray of shape (n, r)
        V sqrt(e), without the eigenvalues that are rounding.
    lift : ndarray of shape (n, r)
        V / sqrt(e).

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.data import check_data
    >>> from maxmargin.problems import linear_problem
    >>> wide = np.arange(20.0).reshape(2, 10)
    >>> basis = RowBasis.of(linear_problem(check_data(wide, [-1, 1]), "hinge"))
    >>> np.allclose(basis.features @ basis.features.T, wide @ wide.T)
    True
    """

    X: Any
    features: NDArray[np.float64]
    lift: NDArray[np.float64]

    @classmethod
    def of(cls, problem: LinearProblem) -> RowBasis:
        """Return the basis of a problem's rows."""
        X = problem.X[problem.rows].astype(np.float64)
        K = X @ X.T
        values, vectors = np.linalg.eigh(K.toarray() if sparse.issparse(K) else K)
        kept = values >= len(values) * np.finfo(float).eps * values[-1]
        roots = np.sqrt(np.maximum(values[kept], np.finfo(float).tiny))
        return cls(X, np.ascontiguousarray(vectors[:, kept] * roots), vectors[:, kept] / roots)

    def weights(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights of the given features that are u in this basis."""
        return np.asarray(self.X.T @ (self.lift @ u))


def _by_basis(
    problem: LinearProblem,
    settings: SolverSettings,
    progress: Progress | None,
    basis: RowBasis,
) -> LinearSolution:
    rows = np.arange(len(basis.features))
    reduced = replace(problem, X=basis.features, rows=rows)
    found = linear(reduced, settings, progress, "newton")
    w = basis.weights(found.w)
    certificate = certify_linear(problem, w, found.intercept, found.b, settings.n_threads)
    return replace(found, w=w, certificate=certificate, solver="gram")


def _by_kernel(
    problem: LinearProblem, settings: SolverSettings, progress: Progress | None
) -> LinearSolution:
    """Solve with the kernel engine, its tolerance lowered until the gap is small enough."""
    dual = DualProblem(
        X=problem.X,
        kernel=Linear(),
        rows=problem.rows,
        target=problem.target,
        lower=problem.lower,
        upper=problem.upper,
        epsilon=problem.epsilon,
    )
    tol, b = 1e-3, None
    while True:
        found = smo(dual, replace(settings, tol=tol, max_iter=-1), b, progress)
        b = found.b
        w = np.asarray(problem.X[problem.rows].T @ b, np.float64)
        certificate = certify_linear(problem, w, found.multipliers[0], b, settings.n_threads)
        good = certificate.gap <= settings.tol
        if good or found.status is not Status.OPTIMAL or tol < 1e-10:
            break
        tol /= 10
    return LinearSolution(
        w=w,
        intercept=found.multipliers[0],
        b=b,
        status=Status.OPTIMAL if good else max(found.status, Status.PRECISION),
        certificate=certificate,
        trace=found.trace,
        iterations=found.iterations,
        newton_steps=found.newton_steps,
        seconds=found.seconds,
        certificate_seconds=found.certificate_seconds,
        solver="gram",
    )


def _solution(answer: _core.LinearSolution, solver: str) -> LinearSolution:
    return LinearSolution(
        w=answer.w,
        intercept=answer.intercept,
        b=answer.b,
        status=_STATUS[answer.status],
        certificate=_part(answer.certificate),
        trace=trace_rows(answer.trace),
        iterations=answer.steps,
        newton_steps=answer.newton_steps,
        seconds=answer.seconds,
        certificate_seconds=answer.certificate_seconds,
        solver=solver,
    )


def untouched_linear(problem: LinearProblem) -> LinearSolution:
    """State the solution that no step was taken for, certified like any other.

    Parameters
    ----------
    problem : LinearProblem
        A problem.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.problems import linear_problem
    >>> problem = linear_problem(check_data([[0.0], [1.0]], [-1, 1]), "hinge")
    >>> untouched_linear(problem).certificate.primal
    2.0
    """
    w, b = np.zeros(problem.X.shape[1]), np.zeros(problem.n_variables)
    return LinearSolution(
        w=w,
        intercept=0.0,
        b=b,
        status=Status.INTERRUPTED,
        certificate=certify_linear(problem, w, 0.0, b),
        trace=np.zeros(0, TRACE),
        iterations=0,
        newton_steps=0,
        seconds=0.0,
        certificate_seconds=0.0,
        solver="none",
    )


def linear_dual(
    problem: DualProblem,
    settings: SolverSettings | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Solve a kernel problem whose kernel is linear, through its primal.

    Parameters
    ----------
    problem : DualProblem
        A `c_svc` or `epsilon_svr` problem with `kernels.Linear`: its variables sum to zero.
    settings : SolverSettings, optional
        `tol` is an upper bound of the KKT violation, as in `smo`.
    progress : callable, optional
        As of `linear`.

    Returns
    -------
    Solution
        As `smo` returns it. The intercept is the one that belongs to b.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.problems import c_svc
    >>> linear_dual(c_svc(check_data([[-1.0], [1.0]], [-1, 1]), Linear())).b
    array([-0.5,  0.5])
    """
    if not (isinstance(problem.kernel, Linear) and problem.totals == (0.0,)):
        raise ValueError(
            f"kernel is {problem.kernel} and totals are {problem.totals}; linear_dual needs "
            "Linear() and a sum of 0. Use smo."
        )
    if problem.ridge is not None:
        raise ValueError("ridge is given; linear_dual has none. Use smo.")
    with np.errstate(over="ignore"):
        if not np.isfinite(problem.kernel.diagonal(problem.X)).all():
            raise ValueError("kernel values overflow float64; scale the data")
    settings = settings or SolverSettings()
    primal = LinearProblem(
        X=problem.X,
        rows=problem.rows,
        kind=_core.LossKind.tube,
        target=problem.target,
        lower=problem.lower,
        upper=problem.upper,
        epsilon=problem.epsilon,
        scale=1.0 if problem.epsilon == 0 else float(np.std(problem.target)) or 1.0,
    )
    answer = _solve(primal, settings, progress, "newton", np.inf, settings.tol)
    return Solution(
        b=answer.b,
        multipliers=(answer.dual_intercept,),
        status=_STATUS[answer.status],
        certificate=_part(answer.certificate),
        trace=trace_rows(answer.trace),
        iterations=answer.steps,
        newton_steps=answer.newton_steps,
        rows_computed=0,
        seconds=answer.seconds,
        certificate_seconds=answer.certificate_seconds,
    )


def _solve(
    problem: LinearProblem,
    settings: SolverSettings,
    progress: Progress | None,
    solver: str,
    tol: float,
    violation: float,
) -> _core.LinearSolution:
    answer, error = _core.solve_linear(
        problem.core(),
        _METHODS[solver],
        tol,
        violation,
        settings.max_iter,
        settings.n_threads,
        None if progress is None else lambda *row: bool(progress(trace_row(row))),
    )
    if error is not None and settings.on_interrupt == "raise":
        raise error
    return answer


def _part(core: _core.LinearCertificate) -> CertificatePart:
    return CertificatePart(core.primal, core.dual, core.gap, core.violation, core.bound)
