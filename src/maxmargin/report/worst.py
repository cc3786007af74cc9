"""The rows that a model is most wrong about, as the user knows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.report.importances import Importances
from maxmargin.report.subject import Subject, Task

#: As many rows and columns are shown, and letters of a cell.
ROWS, COLUMNS, LETTERS = 10, 5, 40


@dataclass(frozen=True)
class WorstRows:
    """A table of rows.

    Parameters
    ----------
    header : list of str
        Of its columns.
    rows : list of list of str
        Cells.
    measured : int
        As many columns at the left are what the model says; the others are the row itself.
    wrong : int
        As many of the rows are wrong.
    left_out : int
        As many columns of the data are not shown.

    Examples
    --------
    >>> WorstRows(["row", "size"], [["7", "1.5"]], 1, 1, 0).wrong
    1
    """

    header: list[str]
    rows: list[list[str]]
    measured: int
    wrong: int
    left_out: int


def worst_rows(subject: Subject, importances: Importances | None) -> WorstRows | None:
    """Return the rows with the lowest margins, or the largest errors.

    Parameters
    ----------
    subject : Subject
        The model and the rows.
    importances : Importances or None
        Which columns matter most; without them the first are shown.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1, 0]
    >>> worst_rows(Subject.of(SVC(kernel="linear").fit(X, y), X, y), None).rows[0][:3]
    ['4', '0', '1']
    """
    measures = _measures(subject)
    if measures is None:
        return None
    badness, header, cells, wrong = measures
    order = np.argsort(-badness, kind="stable")[:ROWS]
    d = subject.columns.d
    shown = np.arange(d) if importances is None else importances.places
    shown = shown[:COLUMNS]
    rows = [
        [
            subject.names[i],
            *(column[i] for column in cells),
            *(_cell(subject.X, i, j) for j in shown),
        ]
        for i in order.tolist()
    ]
    names = [subject.columns.names[j] for j in shown]
    return WorstRows(
        ["row", *header, *names], rows, 1 + len(header), int(wrong[order].sum()), d - len(shown)
    )


def _measures(subject: Subject) -> Any:
    """How bad each row is, the header and the texts that say it, and whether it is wrong."""
    found = subject.predicted
    if subject.task is Task.NUMBERS:
        assert subject.y is not None
        errors = subject.y - found
        tube = subject.epsilon or 0.0
        cells = [_texts(subject.y), _texts(found), [f"{error:+.4g}" for error in errors]]
        return np.abs(errors), ["true", "predicted", "error"], cells, np.abs(errors) > tube
    margins = subject.margins
    if subject.task is Task.ONE_CLASS:
        if margins is None:
            return None
        verdicts = ["outlier" if label < 0 else "inlier" for label in found]
        cells, header = [verdicts, _texts(margins)], ["verdict", "decision value"]
        if subject.y is not None:
            cells.insert(0, ["outlier" if label < 0 else "inlier" for label in subject.y])
            header.insert(0, "true")
        return -margins, header, cells, found < 0
    assert subject.y is not None
    wrong = found != subject.y
    if margins is None:
        if subject.probabilities is None:
            return None
        margins = subject.probabilities[np.arange(subject.n), subject.codes]
        what = "probability of the true class"
    else:
        what = "margin"
    cells = [[str(label) for label in subject.y], [str(label) for label in found], _texts(margins)]
    header = ["true", "predicted", what]
    if subject.has_slack:
        cells.append(_texts(np.maximum(0.0, 1.0 - margins)))
        header.append("slack")
    return -margins, header, cells, wrong


def _texts(values: Any) -> list[str]:
    # What is left of a difference of equal numbers is rounding.
    return [f"{value if abs(value) > 1e-9 else 0.0:.4g}" for value in np.asarray(values).tolist()]


def _cell(X: Any, i: int, j: int) -> str:
    if hasattr(X, "iloc"):
        value = X.iloc[i, j]
    else:
        value = X[[i]].toarray()[0, j] if sparse.issparse(X) else np.asarray(X)[i, j]
    if isinstance(value, float | np.floating):
        return "missing" if np.isnan(value) else f"{value:.4g}"
    text = str(value)
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}…"
