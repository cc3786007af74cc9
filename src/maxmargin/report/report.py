"""A report: all that is to be said of a model and rows, computed once, and its page."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from maxmargin.data.files import replacing
from maxmargin.prompt import Brief, Hinted
from maxmargin.report.findings import Finding, findings_of
from maxmargin.report.importances import Importances, importances_of
from maxmargin.report.scores import ClassScores, Score, class_scores, scores_of
from maxmargin.report.subject import Subject, Task
from maxmargin.report.summary import summary_of
from maxmargin.report.support import Support, support_of
from maxmargin.report.worst import WorstRows, worst_rows


@dataclass(frozen=True, eq=False, repr=False)
class Report(Brief, Hinted):
    """What is to be said of a model and rows, as numbers, sentences and a page.

    Make it with `report_of`.

    Parameters
    ----------
    subject : Subject
        The model and the rows.
    title : str
        Of the page.
    source : str
        Where the rows come from, such as the name of a file.
    scores : list of Score
        How good the predictions are; the first is the one to look at first.
    classes : list of ClassScores
        The same for each class, where there are classes.
    findings : list of Finding
        What to worry about, the serious first.
    support : Support or None
        The support vectors, where the model has some.
    importances : Importances or None
        What each column is worth.
    worst : WorstRows or None
        The rows that the model is most wrong about.
    created : datetime
        When it was made.
    seconds : float
        How long that took.

    Examples
    --------
    >>> from maxmargin import SVC, report_of
    >>> X, y = [[-1.0, 0.0], [1.0, 1.0], [5.0, 0.0]], ["left", "right", "right"]
    >>> report = report_of(SVC(kernel="linear").fit(X, y), X, y)
    >>> report.scores[0].name, report.scores[0].estimate.value
    ('accuracy', 1.0)
    >>> print(report.summary[0])
    The model is a support vector machine (linear kernel, C = 1) that tells left from right by 2 \
columns.
    """

    _meant: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["to_html", "render", "page"], "html()"),
        **dict.fromkeys(["write", "to_file", "export"], "save(path)"),
        "warnings": "findings",
    }

    subject: Subject
    title: str
    source: str
    scores: list[Score]
    classes: list[ClassScores]
    findings: list[Finding]
    support: Support | None
    importances: Importances | None
    worst: WorstRows | None
    created: datetime
    seconds: float

    @property
    def summary(self) -> list[str]:
        """Three sentences: what the model is, how good it is, what to worry about."""
        return summary_of(self.subject, self.scores, self.findings)

    def html(self) -> str:
        """Return the page: one file that needs no other, no network and no script."""
        from maxmargin.report.page import page

        return page(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, which takes its place when it is complete.

        Parameters
        ----------
        path : path-like
            Where to; by convention it ends in ".html".

        Returns
        -------
        Path
            The file.
        """
        content = self.html().encode()
        with replacing(path) as stream:
            stream.write(content)
        return Path(path)

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in a frame, so that neither changes the other's look."""
        look = "width: 100%; height: 80vh; border: 1px solid #8888"
        title = escape(self.title)
        return f'<iframe srcdoc="{escape(self.html())}" title="{title}" style="{look}"></iframe>'


def report_of(
    model: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    training: bool | None = None,
    names: ArrayLike | None = None,
    title: str | None = None,
    source: str = "",
) -> Report:
    """Judge a fitted model on rows, and report on it in one page of HTML.

    What is on the page: a summary in three sentences, what to worry about (in the data and in the
    fit), scores with 95 % intervals, confusion matrix, ROC and precision-recall curves,
    calibration, margins and slacks, the worst rows, importances, support vectors and what they say
    about C, the certificate in plain words, parameters, the search, times and versions. Regression
    and one class have pages of their own. Needs the extra `plot`.

    Parameters
    ----------
    model : estimator
        Fitted: a machine of maxmargin, a pipeline that ends with one, or a search such as
        GridSearchCV or SVCCV. Other models of scikit-learn's kind have a shorter report.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Rows; those of a data frame have names for its columns and, by its index, for its rows.
    y : array-like of shape (n_samples,), optional
        Labels or targets; a series of pandas names them. For one class, if at all, 1 and -1.
    training : bool, optional
        Whether the model was fitted to these rows, which makes scores too good. By default this
        is found out where the model keeps enough of its rows, and else said to be unknown. Rows
        that are recognised are not taken for new ones.
    names : array-like of shape (n_samples,), optional
        What the rows are called; by default their index.
    title : str, optional
        Of the page; by default the model in words.
    source : str
        Where the rows come from, such as the name of a file.

    Returns
    -------
    Report
        Its `save(path)` writes the page; a notebook shows it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC, report_of
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> report = report_of(SVC().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> print(report.summary[1])
    It is right for 93.3 % of 75 rows that it was not fitted to (95 % interval 85.3 to 97.1 %); \
giving always the most frequent answer would be right for 33.3 %.
    >>> report.save(pathlib.Path(tempfile.mkdtemp()) / "iris.html").name
    'iris.html'
    """
    # An import that is late on purpose: it says how to get matplotlib, before any work is lost.
    from maxmargin.plots.estimator import described
    from maxmargin.report.pictures import reliability_of

    began = time.perf_counter()
    subject = Subject.of(model, X, y, names=names, training=training)
    scores = scores_of(subject)
    classes = class_scores(subject) if subject.task is Task.CLASSES else []
    support = support_of(subject)
    importances = importances_of(subject)
    reliability = reliability_of(subject)
    error = None if reliability is None else reliability.frame()["error"]
    name = described(subject.machine)
    return Report(
        subject,
        f"{name[:1].upper()}{name[1:]}" if title is None else title,
        source,
        scores,
        classes,
        findings_of(subject, scores, classes, support, error),
        support,
        importances,
        worst_rows(subject, importances),
        datetime.now().astimezone(),
        time.perf_counter() - began,
    )
