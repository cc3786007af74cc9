"""Leave-one-out from one fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.estimators import SVC
from maxmargin.estimators.blas import OneBlasThread
from maxmargin.problems import DualProblem
from maxmargin.solvers.leave_one_out import LeaveOneOut, leave_out_each


def two_class_problem(
    model: SVC, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[DualProblem, NDArray[np.float64]]:
    """Return the problem that a machine of two classes was fitted to, and its dual variables.

    Parameters
    ----------
    model : SVC
        Fitted, with a finite C.
    X, y, sample_weight : array-likes
        The data it was fitted to.

    Examples
    --------
    >>> X, y = [[-1.0], [1.0]], [0, 1]
    >>> two_class_problem(SVC(kernel="linear").fit(X, y), X, y, None)[1]
    array([-0.5,  0.5])
    """
    if not isinstance(model, SVC):
        raise ValueError(f"model is {type(model).__name__}; it must be a fitted SVC.")
    model._course()
    if model._calibration() is not None:
        raise ValueError(
            "model has probabilities, whose fit puts rows in an order of its own; use "
            "calibration=None."
        )
    data = model._check(X, y, sample_weight, reset=False)
    problems = model._state(data)
    if len(problems) != 1:
        raise ValueError("model has more than two classes; leave-one-out by spans is for two.")
    [problem] = problems
    if problem.hard:
        raise ValueError("model has C=inf; leave-one-out needs a finite C, however large.")
    beta = model._solution_of(0, problem).beta
    if beta is None or not problem.feasible(beta):
        raise ValueError(
            "the fitted dual variables are not feasible for these data: give the data, weights and "
            "parameters that the model was fitted with."
        )
    return problem, beta


def leave_one_out(
    model: SVC,
    X: Any,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    refit: str | None = None,
) -> LeaveOneOut:
    """Return what machines fitted without each row would say of it, from one fit.

    The span rule: exact for every row without which the others keep their sets (free, at bound,
    zero); `changed` marks the others, for which it is an approximation.

    Parameters
    ----------
    model : SVC
        Fitted, of two classes.
    X, y, sample_weight : array-likes
        The data it was fitted to.
    refit : {"changed"} or None
        Whether the rows in `changed` are left out by a fit each, which makes all values exact.

    Returns
    -------
    LeaveOneOut
        `decision`, `errors`, `error_bounds`, `changed`; a value for each row of X. Rows of weight
        zero were not in the fit: theirs is the decision value of the model.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin import SVC
    >>> from maxmargin.selection import leave_one_out
    >>> X, y = make_moons(100, noise=0.3, random_state=0)
    >>> found = leave_one_out(SVC(C=10.0).fit(X, y), X, y, refit="changed")
    >>> found.errors, found.n_changed, found.error_bounds
    (4, 20, (4, 4))
    """
    if refit not in (None, "changed"):
        raise ValueError(f'refit is {refit!r}; it must be None or "changed".')
    problem, beta = two_class_problem(model, X, y, sample_weight)
    with OneBlasThread():
        found = leave_out_each(problem, beta, refit=refit is not None, settings=model._settings())
    n = model._n_rows
    if len(problem.rows) == n and (problem.rows == np.arange(n)).all():
        return found
    labels = np.where(np.asarray(y) == model.classes_[1], 1.0, -1.0)
    outside = np.asarray(model.decision_function(X))
    nothing = np.zeros(n, bool)
    whole = LeaveOneOut(outside, labels, outside, np.full(n, np.nan), nothing, nothing)
    return replace(
        whole, **{name: _placed(vars(whole)[name], problem.rows, vars(found)[name])
                  for name in ("decision", "fitted", "span", "changed", "refitted")}
    )  # fmt: skip


def _placed(whole: NDArray[Any], rows: NDArray[np.int64], values: NDArray[Any]) -> NDArray[Any]:
    placed = whole.copy()
    placed[rows] = values
    return placed
