"""How much a model's score depends on each column: what is lost when its cells are shuffled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.explain import importances
from maxmargin.report.subject import Subject, Task

#: Shuffles of each column, rows that are predicted, and columns above which it would take long.
REPEATS, MOST_ROWS, MOST_COLUMNS = 5, 1000, 200


@dataclass(frozen=True, eq=False)
class Importances:
    """What shuffling each column costs.

    Parameters
    ----------
    names : list of str
        Of the columns, those that cost most first.
    means, deviations : ndarrays
        Loss of score over the shuffles: mean and standard deviation.
    places : ndarray of int
        Where the columns are in the table.
    measure : str
        What the means are, in words.
    n_rows : int
        Rows that were used.

    Examples
    --------
    >>> two = np.array([0.5, 0.0])
    >>> Importances(["a", "b"], two, two, np.arange(2), "accuracy", 100).names[0]
    'a'
    """

    names: list[str]
    means: NDArray[np.float64]
    deviations: NDArray[np.float64]
    places: NDArray[np.int64]
    measure: str
    n_rows: int


def importances_of(subject: Subject) -> Importances | None:
    """Return the importances of all columns, or None where there are too many.

    The seed is fixed, and of many rows some are used.

    Parameters
    ----------
    subject : Subject
        The model and the rows.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = X[:, 1] > 0
    >>> importances_of(Subject.of(SVC().fit(X, y), X, y)).names[0]
    'x2'
    """
    d = subject.columns.d
    if d > MOST_COLUMNS or subject.n < 2 or sparse.issparse(subject.X):
        return None
    rng = np.random.default_rng(0)
    some = np.sort(rng.permutation(subject.n)[:MOST_ROWS])
    X = subject.X.iloc[some] if hasattr(subject.X, "iloc") else subject.X[some]
    truth = subject.predicted if subject.task is Task.ONE_CLASS else subject.y
    assert truth is not None
    scoring = {Task.CLASSES: "accuracy", Task.NUMBERS: "r2", Task.ONE_CLASS: _agreement}
    found = importances(
        subject.model,
        X,
        truth[some],
        scoring=scoring[subject.task],
        n_repeats=REPEATS,
        random_state=0,
    )
    order = found.order
    measure = {
        Task.CLASSES: "What is lost of the accuracy",
        Task.NUMBERS: "What is lost of R²",
        Task.ONE_CLASS: "Share of rows whose verdict changes",
    }[subject.task]
    return Importances(
        [subject.columns.names[j] for j in order],
        found.mean[order],
        found.std[order],
        order,
        measure,
        len(some),
    )


def _agreement(model: Any, X: Any, y: NDArray[Any]) -> float:
    return float(np.mean(np.asarray(model.predict(X)) == y))
