"""Choosing C and gamma, and judging the choice, by cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import Pipeline

from maxmargin.cli.scores import ClassScore, mean_interval
from maxmargin.cli.task import Task
from maxmargin.cli.terminal import GREEN, Terminal

#: Factors of C and of the usual gamma.
PENALTIES = 2.0 ** np.arange(-3, 13, 3)
WIDTHS = 2.0 ** np.arange(-6, 7, 3)


def search(
    pipeline: Any, X: Any, y: NDArray[Any] | None, task: Task, folds: int, terminal: Terminal
) -> Any:
    """Find the best C, and gamma where the kernel has one, and show the grid.

    Parameters
    ----------
    pipeline : estimator
        The machine, or a pipeline that ends with it.
    X, y : rows and targets
        The training data.
    task : Task
        What is learnt.
    folds : int
        How many parts to leave out in turn.
    terminal : Terminal
        Where to show it.

    Returns
    -------
    estimator
        A clone with the best parameters.

    Examples
    --------
    >>> import io
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC(kernel="linear")
    >>> search(model, X, y, Task.CLASSIFICATION, 3, Terminal(io.StringIO()))
    SVC(C=..., kernel='linear')
    """
    if task is Task.ONE_CLASS:
        raise ValueError("--auto needs a target to score by; one-class has none")
    machine = pipeline[-1] if isinstance(pipeline, Pipeline) else pipeline
    prefix = "machine__" if isinstance(pipeline, Pipeline) else ""
    grid: dict[str, Any] = {f"{prefix}C": machine.C * PENALTIES}
    if getattr(machine, "kernel", "linear") != "linear":
        grid[f"{prefix}gamma"] = _usual_gamma(pipeline, X, y) * WIDTHS
    n_models = int(np.prod([len(values) for values in grid.values()]))
    terminal.line(f"searching the best of {n_models} models, {folds} folds each")
    found = GridSearchCV(pipeline, grid, cv=_splits(task, folds), refit=False).fit(X, y)
    scores = found.cv_results_["mean_test_score"].reshape([len(v) for v in grid.values()])
    _show(scores, grid, task, folds, terminal)
    return clone(pipeline).set_params(**found.best_params_)


def fold_scores(pipeline: Any, X: Any, y: NDArray[Any], task: Task, folds: int) -> str:
    """Score a model on rows it has not seen, with an interval.

    Parameters
    ----------
    pipeline, X, y, task, folds
        As in `search`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> fold_scores(SVC(), X, y, Task.CLASSIFICATION, 5)
    '5-fold cross-validation: accuracy 0.9533 (143 of 150), 95% interval 0.907 to 0.977'
    """
    splits = _splits(task, folds)
    if task is Task.CLASSIFICATION:
        score = ClassScore()
        score.add(y, cross_val_predict(pipeline, X, y, cv=splits))
        return f"{folds}-fold cross-validation: {score}"
    values = cross_val_score(pipeline, X, y, cv=splits)
    low, high = mean_interval(values)
    interval = f"95% interval {low:.3g} to {high:.3g}"
    return f"{folds}-fold cross-validation: R2 {values.mean():.4g}, {interval}"


def _splits(task: Task, folds: int) -> Any:
    # Shuffled, as files are often sorted by their target; always alike.
    kind = StratifiedKFold if task is Task.CLASSIFICATION else KFold
    return kind(folds, shuffle=True, random_state=0)


def _usual_gamma(pipeline: Any, X: Any, y: NDArray[Any] | None) -> float:
    """1 / (d var), of the rows as the machine gets them."""
    Z = clone(pipeline[:-1]).fit_transform(X, y) if isinstance(pipeline, Pipeline) else X
    squares, mean = (Z.multiply(Z), Z.mean()) if hasattr(Z, "multiply") else (Z * Z, Z.mean())
    variance = float(squares.mean() - mean**2)
    return 1.0 / (Z.shape[1] * variance) if variance > 0 else 1.0


def _show(
    scores: NDArray[np.float64], grid: dict[str, Any], task: Task, folds: int, terminal: Terminal
) -> None:
    measure = "accuracy" if task is Task.CLASSIFICATION else "R2"
    terminal.heading(f"Search: mean {measure} of {folds} folds", "the best is marked by *")
    C, *gammas = grid.values()
    columns = scores.reshape(len(C), -1)
    best = [int(place) for place in np.unravel_index(int(columns.argmax()), columns.shape)]
    header = ["C", *(f"gamma {g:.3g}" for g in gammas[0])] if gammas else ["C", measure]
    rows = []
    for i, row in enumerate(columns):
        cells = [f"{value:.4f}{'*' if [i, j] == best else ' '}" for j, value in enumerate(row)]
        rows.append([f"{C[i]:.4g}", *cells])
    terminal.table(header, rows)
    chosen = f"chosen: C {C[best[0]]:.4g}" + (f", gamma {gammas[0][best[1]]:.4g}" if gammas else "")
    terminal.line(terminal.marked(chosen, GREEN))
    terminal.line()
