"""Linear problems of fewer rows than features, through the inner products of the rows."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import lapack

from maxmargin.kernels import Linear
from maxmargin.problems import (
    DualProblem,
    LinearProblem,
    Solution,
    SolverSettings,
    Status,
    nearest_feasible,
)
from maxmargin.solvers.kernel_matrix import kernel_matrix
from maxmargin.solvers.linear import newton
from maxmargin.solvers.smo import smo
from maxmargin.solvers.watch import Watch

#: The last is far below any tolerance, and far above the rounding of a score.
HAIRS = (0.0, 1e-15, 1e-12, 1e-9)
#: The bases of problems that are solved one after the other, by their rows.
Bases: TypeAlias = "dict[Hashable, RowBasis]"


@dataclass(frozen=True, eq=False)
class RowBasis:
    """As many features as there are rows, with the same inner products.

    With a Cholesky factor L of XX', its rows and columns exchanged so that the largest pivot comes
    first, the rows of L have the inner products of the rows of X, hence the same dual variables and
    scores. Weights u of these features are w = X_1' L_1'^-1 u of the given ones, X_1 and L_1 the
    first rows of each, as many as are independent.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        The rows.
    features : ndarray of shape (n, r)
        L, its rows in the order of X.
    first : ndarray of int64, shape (r,)
        The independent rows in the order of L.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import Hinge
    >>> from maxmargin.problems import linear_problem
    >>> wide = np.arange(20.0).reshape(2, 10)
    >>> basis = RowBasis.of(linear_problem(check_data(wide, [-1, 1]), Hinge()))
    >>> np.allclose(basis.features @ basis.features.T, wide @ wide.T)
    True
    """

    X: Any
    features: NDArray[np.float64]
    first: NDArray[np.int64]

    @classmethod
    def of(cls, problem: LinearProblem) -> RowBasis:
        """Return the basis of a problem's rows."""
        whole = len(problem.rows) == problem.X.shape[0]
        X = problem.X if whole else problem.X[problem.rows]
        X = X.astype(np.float64, copy=False)
        K = kernel_matrix(Linear(), X) if sparse.issparse(X) else X @ X.T
        factor, order, rank, _ = lapack.dpstrf(K, lower=1)
        features = np.empty((len(factor), rank))
        features[order - 1] = np.tril(factor)[:, :rank]
        return cls(X, features, order[:rank] - 1)

    def weights(self, u: Any) -> NDArray[np.float64]:
        """Return the weights of the given features that are u in this basis."""
        mixed, _ = lapack.dtrtrs(self.features[self.first], u, lower=1, trans=1)
        spread = np.zeros(self.X.shape[0])
        spread[self.first] = mixed
        return np.asarray(self.X.T @ spread)


def gram(problem: LinearProblem, settings: SolverSettings, watch: Watch, bases: Bases) -> Solution:
    """Solve with the kernel engine where there are kinks and a free intercept, else in a basis.

    Parameters
    ----------
    problem : LinearProblem
        With the squared norm as its penalty.
    settings : SolverSettings
        Limits.
    watch : Watch
        Asked about every 50 ms whether to stop.
    bases : dict
        Those of earlier problems, which others on the same rows share.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import SquaredHinge
    >>> from maxmargin.problems import linear_problem
    >>> data = check_data([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [-1, 1])
    >>> gram(linear_problem(data, SquaredHinge()), SolverSettings(), Watch(), {}).w.round(3)
    array([0.8, 0. , 0. ])
    """
    if problem.kinked and problem.intercept.free:
        return by_kernel(problem, settings, watch)
    key = id(problem.X), problem.rows.tobytes()
    if key not in bases:
        bases[key] = RowBasis.of(problem)
    return _by_basis(problem, settings, watch, bases[key])


def _by_basis(
    problem: LinearProblem, settings: SolverSettings, watch: Watch, basis: RowBasis
) -> Solution:
    """Solve by Newton steps in a basis of the problem's rows."""
    reduced = replace(problem, X=basis.features, rows=np.arange(len(basis.features)))
    found = newton(reduced, settings, watch)
    found = replace(found, w=basis.weights(found.w), method="gram")
    found = certified(problem, found, settings)
    # What is optimal in the basis need not be so in the rows, where columns differ much in size.
    good = found.certificate.gap <= settings.tol
    return replace(found, status=Status.OPTIMAL if good else max(found.status, Status.PRECISION))


def certified(problem: LinearProblem, found: Solution, settings: SolverSettings) -> Solution:
    """Certify a point of a problem.

    Where rounding may have left margins below 1 its weights are scaled up by a hair, if that is
    what the gap lacks.

    Parameters
    ----------
    problem : LinearProblem
        Any.
    found : Solution
        Weights, intercept and dual variables.
    settings : SolverSettings
        The gap that is asked for.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import Hinge
    >>> from maxmargin.problems import linear_problem
    >>> problem = linear_problem(check_data([[-1.0], [1.0]], [-1, 1]), Hinge())
    >>> found = newton(problem, SolverSettings(), Watch())
    >>> certified(problem, found, SolverSettings()).certificate.gap < 1e-12
    True
    """
    assert found.w is not None
    points = []
    for hair in HAIRS if problem.kinked else HAIRS[:1]:
        w, b = found.w * (1 + hair), found.multipliers[0] * (1 + hair)
        certificate = problem.certify_point(w, b, found.beta, n_threads=settings.n_threads)
        points.append(replace(found, w=w, multipliers=(b,), certificate=certificate))
        if certificate.gap <= settings.tol:
            break
    return min(points, key=lambda point: point.certificate.gap)


def by_kernel(
    problem: LinearProblem,
    settings: SolverSettings,
    watch: Watch,
    start: Solution | None = None,
) -> Solution:
    """Solve with the kernel engine, its tolerance lowered until the gap is small enough.

    Parameters
    ----------
    problem : LinearProblem
        With kinks and a free intercept.
    settings, watch
        As in `gram`.
    start : Solution, optional
        With dual variables to begin with.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import Hinge
    >>> from maxmargin.problems import linear_problem
    >>> problem = linear_problem(check_data([[-1.0, 0.0], [1.0, 0.0]], [-1, 1]), Hinge())
    >>> by_kernel(problem, SolverSettings(), Watch()).w
    array([1., 0.])
    """
    dual = DualProblem(
        X=problem.X,
        kernel=Linear(),
        rows=problem.rows,
        target=problem.target,
        lower=problem.lower,
        upper=problem.upper,
        epsilon=problem.epsilon,
    )
    tol, beta = 1e-3, None
    if start is not None and start.beta is not None:
        beta = nearest_feasible(dual, start.beta)
    while True:
        [found] = smo([dual], replace(settings, tol=tol, max_iter=-1), watch, [beta])
        beta = found.beta
        w = np.asarray(problem.X[problem.rows].T @ beta, np.float64)
        found = certified(problem, replace(found, w=w), settings)
        good = found.certificate.gap <= settings.tol
        if good or found.status is not Status.OPTIMAL or tol < 1e-10:
            break
        tol /= 10
    status = Status.OPTIMAL if good else max(found.status, Status.PRECISION)
    return replace(found, status=status, method="gram")
