"""Influential training rows: how decision values change when one of them is left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.estimators import SVC
from maxmargin.estimators.blas import OneBlasThread
from maxmargin.kernels import Function, Precomputed
from maxmargin.prompt import Brief
from maxmargin.selection.left_out import two_class_problem
from maxmargin.solvers.leave_one_out import left_out_solutions

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Influences(Brief):
    """What the decision values of rows lose or gain without each support vector.

    Made by `influences`. Rows that are no support vectors change nothing.

    Parameters
    ----------
    rows : ndarray of int64, shape (m,)
        Places of the support vectors in the training data.
    labels : ndarray of shape (m,)
        Their classes.
    change : ndarray of shape (m, q)
        f_without_k(z) - f(z) of each row z that was asked about.
    changed : ndarray of bool, shape (m,)
        Without which of them others change their sets (free, at bound, zero): `change` is
        approximate there, unless the row is among those refitted.
    refitted : ndarray of bool, shape (m,)
        Where `change` is that of a fit without the row.

    Examples
    --------
    >>> no, labels = np.array([False, False]), np.array(["a", "b"])
    >>> found = Influences(np.array([4, 7]), labels, np.array([[0.1], [-2.0]]), no, no)
    >>> found.frame()["index"], found.exact.all()
    (array([7, 4]), np.True_)
    """

    rows: NDArray[np.int64]
    labels: NDArray[Any]
    change: Array
    changed: NDArray[np.bool_]
    refitted: NDArray[np.bool_]

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Where `change` is exact, up to rounding."""
        return ~self.changed | self.refitted

    @property
    def size(self) -> Array:
        """Mean absolute change over the rows that were asked about, shape (m,)."""
        return np.asarray(np.abs(self.change).mean(axis=1))

    def frame(self) -> dict[str, Any]:
        """Return the support vectors, the most influential first.

        Returns
        -------
        dict
            `index` in the training data, `label`, `size`, `exact`.
        """
        order = np.argsort(-self.size, kind="stable")
        return {
            "index": self.rows[order],
            "label": self.labels[order],
            "size": self.size[order],
            "exact": self.exact[order],
        }

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw them; needs matplotlib.

        Parameters
        ----------
        ax : Axes, optional
            Where to; by default a new figure.
        **options
            As `maxmargin.plots.InfluenceDisplay` takes them.

        Returns
        -------
        Axes
        """
        from maxmargin.plots import InfluenceDisplay

        return InfluenceDisplay(self, **options).plot(ax)


def influences(
    model: SVC,
    X: Any,
    y: ArrayLike,
    *,
    at: Any = None,
    sample_weight: ArrayLike | None = None,
    refit: str | None = "changed",
) -> Influences:
    """Return how decision values change when each training row is left out, from one fit.

    Where all other rows keep their sets (free, at bound, zero), the change solves a linear system
    of the free variables and is exact without a fit. Other rows are left out by a fit each, from
    where the machine is; without those (`refit=None`) their change is an approximation.

    Parameters
    ----------
    model : SVC
        Fitted, of two classes, with a finite C and without probabilities.
    X, y, sample_weight : array-likes
        The data it was fitted to.
    at : array-like of shape (q, n_features), optional
        Rows whose decision values are looked at; by default the training rows.
    refit : {"changed"} or None
        Whether rows without which others change their sets are left out by a fit each.

    Returns
    -------
    Influences
        `change`, `rows`, `size`, `exact`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin import SVC
    >>> X, y = make_moons(100, noise=0.3, random_state=0)
    >>> found = influences(SVC(C=10.0).fit(X, y), X, y)
    >>> found.frame()["index"][:3], int(found.refitted.sum())
    (array([24, 51, 57]), 20)
    """
    if refit not in (None, "changed"):
        raise ValueError(f'refit is {refit!r}; it must be None or "changed".')
    problem, beta = two_class_problem(model, X, y, sample_weight)
    rows = problem.X if at is None else model._check_new(at)
    if at is not None and isinstance(model.model_.kernel, Function):
        rows = model.model_.kernel(rows, X)  # as the problem has its own
    with OneBlasThread():
        found = left_out_solutions(
            problem, beta, refit=refit is not None, settings=model._settings()
        )
        if isinstance(problem.kernel, Precomputed):
            sums = rows[:, problem.rows] @ found.change
        else:
            centres = problem.X[problem.rows]
            sums = problem.kernel.expand(rows, centres, found.change, model._threads())
    change = np.ascontiguousarray((sums + found.shift).T)
    labels = np.asarray(y)[problem.rows[found.rows]]
    return Influences(problem.rows[found.rows], labels, change, found.changed, found.refitted)
