"""Solutions for all C, or for many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.estimators import SVC, LinearSVC
from maxmargin.estimators.blas import OneBlasThread
from maxmargin.estimators.l1_min_c import l1_min_c
from maxmargin.problems import Certificate, LinearProblem
from maxmargin.prompt import Brief
from maxmargin.solvers import Watch
from maxmargin.solvers.c_path import CPath
from maxmargin.solvers.c_walk import trace_c_path
from maxmargin.solvers.linear_path import linear_path


def c_path(
    X: Any,
    y: ArrayLike,
    *,
    kernel: Any = "rbf",
    degree: int = 3,
    gamma: float | str = "scale",
    coef0: float = 0.0,
    class_weight: Any = None,
    sample_weight: ArrayLike | None = None,
    C_max: float = np.inf,
) -> CPath:
    """Solve `SVC` for every C at once: dual variables are lines in C between break points.

    For two classes and the hinge loss. Exact: each piece is solved for from its sets of free rows
    and rows at their bound. The kernel matrix is held, and the dual variables at every break point,
    of which there are two to four for each row as a rule: 8 n bytes each.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows; the kernel matrix if kernel="precomputed".
    y : array-like of shape (n_samples,)
        Labels of two classes.
    kernel, degree, gamma, coef0, class_weight
        As in `SVC`; the kernel must be positive semi-definite.
    sample_weight : array-like of shape (n_samples,), optional
        As in `SVC.fit`.
    C_max : float
        Where to end. By default the path is followed until nothing changes any more.

    Returns
    -------
    CPath
        `break_points`, `alphas(C)`, `intercept(C)`, `n_support(C)`, `objective(C)`, and `at(C)`: a
        certified solution. `maxmargin.plots.CPathDisplay` draws it.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin.selection import c_path
    >>> path = c_path(*make_moons(60, noise=0.3, random_state=0), gamma=2.0, C_max=100.0)
    >>> solution = path.at(7.0)
    >>> bool(solution.certificate.violation < 1e-8), path.n_support(7.0)
    (True, 21)
    """
    machine = SVC(kernel=kernel, degree=degree, gamma=gamma, coef0=coef0, class_weight=class_weight)
    machine._check_parameters()
    if not C_max > 0:
        raise ValueError(f"C_max is {C_max}; it must be greater than 0.")
    data = machine._check(X, y, sample_weight, reset=True)
    problems = machine._state(data)
    if len(problems) != 1:
        raise ValueError("y has more than two classes; a path in C is that of two.")
    [problem] = problems
    with OneBlasThread():
        return trace_c_path(problem, problem.gram(), float(C_max), Watch())


@dataclass(frozen=True, eq=False, repr=False)
class L1Path(Brief):
    """Sparse linear machines for many C.

    Parameters
    ----------
    Cs : ndarray of shape (m,)
        C, ascending.
    coefs : ndarray of shape (m, d)
        Weights.
    intercepts : ndarray of shape (m,)
        Intercepts.
    certificates : tuple of Certificate
        How good each is.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from maxmargin.selection import l1_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = l1_path(scale(X), y, Cs=5)
    >>> path.n_features
    array([ 0,  4,  9, 16, 20])
    """

    Cs: NDArray[np.float64]
    coefs: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    certificates: tuple[Certificate, ...]

    @property
    def n_features(self) -> NDArray[np.int64]:
        """How many weights are not zero."""
        return np.asarray(np.count_nonzero(self.coefs, axis=1))

    @property
    def gaps(self) -> NDArray[np.float64]:
        """Relative duality gap of each."""
        return np.array([certificate.gap for certificate in self.certificates])


def l1_path(
    X: Any,
    y: ArrayLike,
    *,
    Cs: int | ArrayLike = 50,
    loss: str = "squared_hinge",
    tol: float = 1e-4,
    fit_intercept: bool = True,
    intercept: str = "free",
    intercept_scaling: float = 1.0,
    class_weight: Any = None,
    sample_weight: ArrayLike | None = None,
    max_iter: int = 1000,
) -> L1Path:
    """Solve `LinearSVC(penalty="l1")` for one C after the other, each from the solution before.

    The features of one solution are the first working set of the next.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    Cs : int or array-like
        Values of C; or how many, from the largest without any weights, `l1_min_c`, to a thousand
        times that.
    loss, tol, fit_intercept, intercept, intercept_scaling, class_weight, max_iter
        As in `LinearSVC`.
    sample_weight : array-like of shape (n_samples,), optional
        As in `LinearSVC.fit`.

    Returns
    -------
    L1Path
        `Cs`, `coefs`, `intercepts`, `n_features` and the certificates.

    Examples
    --------
    >>> from maxmargin.selection import l1_path
    >>> path = l1_path([[-1.0, 0.1], [1.0, 0.1]], [0, 1], Cs=[0.1, 1.0, 10.0])
    >>> path.coefs.round(3)
    array([[0.   , 0.   ],
           [0.75 , 0.   ],
           [0.975, 0.   ]])
    """
    same: dict[str, Any] = {
        "loss": loss,
        "fit_intercept": fit_intercept,
        "intercept": intercept,
        "intercept_scaling": intercept_scaling,
    }
    machine = LinearSVC(penalty="l1", tol=tol, class_weight=class_weight, max_iter=max_iter, **same)
    machine._check_parameters()
    data = machine._check(X, y, sample_weight, reset=True)
    [first, *more] = machine._state(data)
    if more or not isinstance(first, LinearProblem):
        raise ValueError("y has more than two classes; a path of weights is that of two.")
    if isinstance(Cs, int):
        least = l1_min_c(X, y, **same)
        grid = least * np.logspace(0, 3, Cs)
    else:
        grid = np.sort(np.asarray(Cs, np.float64))
    if grid.ndim != 1 or len(grid) == 0 or not (np.isfinite(grid) & (grid > 0)).all():
        raise ValueError(f"Cs is {Cs!r}; it must be a number of values, or positive values of C.")
    problems = [_at(first, C) for C in grid]
    with OneBlasThread():
        found = list(linear_path(problems, machine._settings(), Watch()))
    return L1Path(
        grid,
        np.array([solution.w for solution in found]),
        np.array([solution.multipliers[0] for solution in found]),
        tuple(solution.certificate for solution in found),
    )


def _at(problem: LinearProblem, C: float) -> LinearProblem:
    """Return a problem that was stated with C = 1 for another C."""
    return replace(
        problem,
        C=C * problem.C,
        lower=C * problem.lower,
        upper=C * problem.upper,
        ridge=None if problem.ridge is None else problem.ridge / C,
    )
