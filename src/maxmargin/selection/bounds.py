"""Bounds of the leave-one-out error by their names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.estimators import SVC
from maxmargin.estimators.blas import OneBlasThread
from maxmargin.problems import DualProblem, SolverSettings
from maxmargin.selection.left_out import two_class_problem
from maxmargin.solvers import solve
from maxmargin.solvers.leave_one_out import leave_out_each


def span_bound(
    model: SVC, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Return Vapnik and Chapelle's bound of the leave-one-out error of a soft margin.

    (span max(diameter, 1 / sqrt(C)) sum* alpha_i + m) / n: the sum is over free support vectors,
    the span is the largest of theirs, m the number of support vectors at their bound, and the
    diameter that of the smallest sphere around the rows. It holds where sets do not change; a row
    without which they would counts with the diameter as its span, the largest there can be.

    Parameters
    ----------
    model : SVC
        Fitted, of two classes, with the hinge loss.
    X, y, sample_weight : array-likes
        The data it was fitted to; all rows of the same weight.

    Returns
    -------
    float
        A share of the rows, at most 1.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from maxmargin import SVC
    >>> X, y = make_blobs(100, centers=[[0, 0], [3, 3]], random_state=0)
    >>> round(span_bound(SVC(kernel="linear", C=0.1).fit(X, y), X, y), 2)
    0.19
    """
    problem, beta = _hinge_problem(model, X, y, sample_weight)
    with OneBlasThread():
        K = problem.gram()
        found = leave_out_each(problem, beta, K=K)
        diameter = 2 * float(np.sqrt(squared_radius(problem)))
    C = float((problem.upper - problem.lower)[0])
    support = beta != 0
    free = support & (beta > problem.lower) & (beta < problem.upper)
    spans = np.where(found.changed[free], diameter, np.sqrt(np.maximum(found.span[free], 0.0)))
    span = float(np.nan_to_num(spans, nan=diameter).max(initial=0.0))
    total = span * max(diameter, 1 / np.sqrt(C)) * float(np.abs(beta[free]).sum())
    return min(1.0, float(total + int((support & ~free).sum())) / len(beta))


def radius_margin_bound(
    model: SVC, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Return the radius-margin bound of the leave-one-out error of a soft margin.

    (4 radius^2 sum alpha_i + sum xi_i) / n, with the radius of the smallest sphere around the rows
    and the slacks xi; without slacks, sum alpha_i = |w|^2, so that it is 4 radius^2 |w|^2 / n. It
    is a bound where a support vector is free. Where C is so small that all are at their bound, an
    interval of intercepts is optimal, a row that is left out can move it as far as it likes, and
    the error may be larger than this.

    Parameters
    ----------
    model, X, y, sample_weight
        As in `span_bound`.

    Returns
    -------
    float
        A share of the rows, at most 1.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from maxmargin import SVC
    >>> X, y = make_blobs(100, centers=[[0, 0], [6, 6]], random_state=0)
    >>> round(radius_margin_bound(SVC(kernel="linear", C=1.0).fit(X, y), X, y), 2)
    0.37
    """
    problem, beta = _hinge_problem(model, X, y, sample_weight)
    with OneBlasThread():
        [found] = solve([problem], SolverSettings(tol=1e-8, gradients=True), starts=[beta])
        radius = squared_radius(problem)
    assert found.beta is not None
    slack = np.maximum(0.0, 1.0 - problem.target * problem.outputs(found)).sum()
    total = 4 * radius * float(np.abs(found.beta).sum()) + float(slack)
    return min(1.0, total / len(beta))


def squared_radius(problem: DualProblem) -> float:
    """Return the squared radius of the smallest sphere around rows, in the space of the kernel.

    max over beta of sum_i beta_i k(x_i, x_i) - beta'K beta, beta >= 0, sum beta = 1.

    Parameters
    ----------
    problem : DualProblem
        Whose kernel and rows are meant.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> problem = c_svc(check_data([[0.0], [1.0], [4.0]], [-1, 1, 1]), Linear())
    >>> round(squared_radius(problem), 9)
    4.0
    """
    n = len(problem.rows)
    diagonal = _diagonal(problem)
    sphere = replace(
        problem,
        target=diagonal / 2,
        lower=np.zeros(n),
        upper=np.ones(n),
        totals=(1.0,),
        ridge=None,
    )
    tol = 1e-9 * float(diagonal.max())
    [found] = solve([sphere], SolverSettings(tol=tol, gradients=True, method="smo"))
    assert found.beta is not None
    assert found.gradient is not None
    # K beta = gradient + diagonal / 2
    return float(found.beta @ (diagonal / 2 - found.gradient))


def _diagonal(problem: DualProblem) -> NDArray[np.float64]:
    return np.asarray(problem.kernel.diagonal(problem.X))[problem.rows]


def _hinge_problem(
    model: SVC, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[DualProblem, NDArray[np.float64]]:
    problem, beta = two_class_problem(model, X, y, sample_weight)
    if problem.ridge is not None:
        raise ValueError(f"model has loss={model.loss!r}; the bound is that of the hinge loss.")
    width = problem.upper - problem.lower
    if np.ptp(width) > 1e-12 * width.max():
        raise ValueError("rows have different weights; the bound is for rows that count the same.")
    return problem, beta
