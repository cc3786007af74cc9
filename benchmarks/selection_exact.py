"""How exact the cells of a shared search are: `python -m benchmarks.selection --exact`.

Every second C and gamma of the grid, five folds, two classes or a regression. Held-out decision
values f of the path engine beside those of single fits at tol = 1e-6, f*: rows whose sign differs,
in all cells and in the best one, and max |f - f*| / max |f*| of each cell and fold, which is to be
below 1e-3. Solutions without free support vectors have an interval of intercepts, all equally good,
of which the engines may take different ones: their cells are counted beside. The best cell is that
of single fits at tol = 1e-8, or ties with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.model_selection import KFold, StratifiedKFold

import maxmargin
from maxmargin.kernels import RBF
from maxmargin.problems import PathGrid, PathPart
from maxmargin.solvers import solve_paths

Array = NDArray[np.float64]
HEAD = (
    "| data | rows | signs that differ | in the best cell | largest relative error | "
    "above 1e-3 | other intercepts | best cell |"
)


def held_out(grid: PathGrid) -> list[Array]:
    """Decision values of each fold, (gammas, Cs, rows), by the path engine."""
    found = solve_paths(grid, tol=1e-3, n_threads=2)
    return [values[..., 0] for values in found.outputs]


def fitted(grid: PathGrid, y: Array, task: str, tol: float) -> tuple[list[Array], list[Array]]:
    """The same by single fits, and whether a fit has no free support vector."""
    every, values, loose = np.arange(len(y)), [], []
    for penalty, test in zip(grid.penalty, grid.test, strict=True):
        train = every[penalty > 0]
        shape = (len(grid.kernels), len(grid.Cs))
        found, none = np.empty((*shape, len(test))), np.zeros(shape, bool)
        for k, kernel in enumerate(grid.kernels):
            for c, C in enumerate(grid.Cs):
                machine = getattr(maxmargin, task.upper())
                model = machine(C=C, gamma=kernel.gamma, tol=tol, n_jobs=2)
                model.fit(grid.X[train], y[train])
                decide = model.predict if task == "svr" else model.decision_function
                found[k, c] = decide(grid.X[test])
                alpha = np.abs(model.dual_coef_)
                alpha = alpha.toarray() if sparse.issparse(alpha) else alpha
                none[k, c] = not ((alpha > 1e-9 * C) & (alpha < (1 - 1e-9) * C)).any()
        values.append(found)
        loose.append(none)
    return values, loose


def score(values: list[Array], grid: PathGrid, y: Array, task: str) -> Array:
    """Mean over folds of accuracy or R2, (gammas, Cs)."""
    each = []
    for said, test in zip(values, grid.test, strict=True):
        truth = y[test]
        if task == "svr":
            each.append(1 - ((said - truth) ** 2).sum(-1) / ((truth - truth.mean()) ** 2).sum())
        else:
            each.append(((said >= 0) == (truth > 0)).mean(-1))
    return np.asarray(np.mean(each, axis=0))


def report(name: str, X: Any, y: Any, task: str, Cs: Array, gammas: Array) -> str:
    """A row of the table."""
    if task == "svc":
        y = np.where(y == np.unique(y)[1], 1.0, -1.0)
    split = KFold if task == "svr" else StratifiedKFold
    folds = list(split(5, shuffle=True, random_state=0).split(X, y))
    penalty = np.zeros((5, len(y)))
    for row, (train, _) in zip(penalty, folds, strict=True):
        row[train] = 1.0
    every = np.arange(len(y))
    part = PathPart.tube(every, y) if task == "svr" else PathPart.hinge(every, y)
    epsilons = np.full(5, 0.1 if task == "svr" else 0.0)
    grid = PathGrid(X, [RBF(g) for g in gammas[::2]], [part], penalty,
                    [test for _, test in folds], Cs[::2], epsilons)  # fmt: skip
    ours = held_out(grid)
    theirs, loose = fitted(grid, y, task, 1e-6)
    exact = score(fitted(grid, y, task, 1e-8)[0], grid, y, task)
    scores = score(ours, grid, y, task)
    best = np.unravel_index(int(scores.argmax()), scores.shape)
    same = exact[best] >= exact.max() - (1e-6 * abs(exact.max()) if task == "svr" else 0.0)
    differ = [(a >= 0) != (b >= 0) for a, b in zip(ours, theirs, strict=True)]
    errors = np.stack([np.abs(a - b).max(-1) / np.abs(b).max(-1)
                       for a, b in zip(ours, theirs, strict=True)])  # fmt: skip
    free = ~np.stack(loose)
    signs = "-" if task == "svr" else f"{sum(map(np.sum, differ))} of {sum(d.size for d in differ)}"
    there = "-" if task == "svr" else str(sum(int(d[best].sum()) for d in differ))
    return (
        f"| {name} | {len(y)} | {signs} | {there} | {errors[free].max(initial=0.0):.1e} | "
        f"{(errors[free] > 1e-3).sum()} of {free.sum()} | "
        f"{(errors[~free] > 1e-3).sum()} of {(~free).sum()} | {'same' if same else 'OTHER'} |"
    )
