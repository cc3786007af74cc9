"""Solutions for all C, or for many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.estimators import SVC
from maxmargin.estimators.blas import OneBlasThread
from maxmargin.solvers import Watch
from maxmargin.solvers.c_path import CPath, trace_c_path


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
