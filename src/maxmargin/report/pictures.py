"""The pictures of a report: which displays there are for which model, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.plots import (
    MarginDisplay,
    PrecisionRecallDisplay,
    PredictionDisplay,
    ReliabilityDisplay,
    ResidualDisplay,
    RocDisplay,
    SearchDisplay,
    ValidationDisplay,
)
from maxmargin.plots.regression import Curve
from maxmargin.report.figures import Picture
from maxmargin.report.findings import counted
from maxmargin.report.subject import Subject, Task

#: As many rows of a scatter are drawn, and as many curves of classes.
DRAWN, CURVES = 2000, 6
#: With fewer rows a bin of a calibration curve says little.
ROWS_PER_BIN = 10


def plain(name: Any) -> str:
    r"""Return a name as matplotlib writes it as it is, and not as a formula.

    Parameters
    ----------
    name : object
        Any.

    Examples
    --------
    >>> plain("$5 or $6")
    '\\$5 or \\$6'
    """
    return str(name).replace("$", r"\$")


def ranking_pictures(subject: Subject) -> Iterator[Picture]:
    """Yield ROC and precision-recall curves, of each class that is there against the rest.

    Parameters
    ----------
    subject : Subject
        The model and the rows.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = [[-1.0], [1.0], [5.0]], [0, 1, 1]
    >>> subject = Subject.of(SVC().fit(X, y), X, y)
    >>> [picture.title for picture in ranking_pictures(subject)]
    ['ROC curve', 'Precision-recall curve']
    """
    positive, scores = _curves(subject)
    if not positive:
        return
    roc = RocDisplay.from_scores(positive, scores)
    best = PrecisionRecallDisplay.from_scores(positive, scores)
    several = len(positive) > 1
    plural = "s" if several else ""
    yield Picture(
        roc,
        f"ROC curve{plural}",
        _areas("Share that is found against false alarms, for every threshold", roc.areas, several)
        + " The straight line is a guess.",
    )
    shares = ", ".join(f"{share:.3f}" for share in best.shares.values())
    yield Picture(
        best,
        f"Precision-recall curve{plural}",
        _areas("Precision against the share that is found", best.areas, several)
        + ("" if several else f" The straight line is a guess, at {shares}."),
    )


def _areas(what: str, areas: dict[str, float], several: bool) -> str:
    shown = [f"{name.replace(chr(92), '')}: {area:.3f}" for name, area in areas.items()]
    if several:
        return f"{what}, of each class against the rest. Areas: {', '.join(shown)}."
    return f"{what}; the area below it is {next(iter(areas.values())):.3f}."


def _curves(subject: Subject) -> tuple[dict[str, Any], dict[str, Any]]:
    if subject.task is Task.ONE_CLASS:
        if subject.y is None or subject.margins is None or len(np.unique(subject.y)) < 2:
            return {}, {}
        return {"outliers": subject.y < 0}, {"outliers": -subject.margins}
    scores, k = subject.scores, len(subject.classes)
    if scores is None or scores.shape[1] != (1 if k == 2 else k):
        return {}, {}
    codes = [1] if k == 2 else range(k)
    there = [c for c in codes if 0 < (subject.codes == c).sum() < subject.n][:CURVES]
    names = {code: plain(subject.classes[code]) for code in there}
    return (
        {names[c]: subject.codes == c for c in there},
        {names[c]: scores[:, 0 if k == 2 else c] for c in there},
    )


def reliability_of(subject: Subject) -> ReliabilityDisplay | None:
    """Return whether probabilities are what they say, where there are some.

    Parameters
    ----------
    subject : Subject
        The model and the rows.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = [[-1.0], [1.0], [5.0]], [0, 1, 1]
    >>> reliability_of(Subject.of(SVC().fit(X, y), X, y)) is None
    True
    """
    if subject.task is not Task.CLASSES or subject.probabilities is None:
        return None
    n_bins = int(np.clip(subject.n // ROWS_PER_BIN, 1, 15))
    assert subject.y is not None
    return ReliabilityDisplay.from_probabilities(
        subject.probabilities, subject.y, subject.classes, n_bins=n_bins
    )


def reliability_pictures(subject: Subject) -> Iterator[Picture]:
    """Yield the calibration curve, where there are probabilities.

    Parameters
    ----------
    subject : Subject
        The model and the rows.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = [[-1.0], [1.0], [5.0]], [0, 1, 1]
    >>> list(reliability_pictures(Subject.of(SVC().fit(X, y), X, y)))
    []
    """
    display = reliability_of(subject)
    if display is None:
        return
    frame = display.frame()
    of = f"of {subject.classes[1]}" if len(subject.classes) == 2 else "of the predicted class"
    yield Picture(
        display,
        "Calibration",
        f"Above: how often the class comes true where its probability ({of}) is p, in "
        f"{counted(len(frame['rows']), 'bin')} of equally many rows with Wilson's 95 % intervals; "
        f"on the line they agree. The mean distance is {frame['error']:.3f}. Below: how many rows "
        "have which probability.",
        4.6,
    )


def margin_pictures(subject: Subject) -> Iterator[Picture]:
    """Yield the histogram of margins, where there are some.

    Parameters
    ----------
    subject : Subject
        The model and the rows.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = [[-1.0], [1.0], [5.0]], [0, 1, 1]
    >>> subject = Subject.of(SVC().fit(X, y), X, y)
    >>> [picture.title for picture in margin_pictures(subject)]
    ['Margins and slacks']
    """
    if subject.margins is None:
        return
    if subject.task is Task.ONE_CLASS:
        display = MarginDisplay(
            subject.margins, False, ("outliers", "inliers"), "decision value f(x)"
        )
        frame = display.frame()
        caption = (
            f"How far rows lie inside the boundary, which is at 0: {frame['wrong']:,} of "
            f"{subject.n:,} are outside, {frame['beyond']:,} inside."
        )
        yield Picture(display, "Decision values", caption)
        return
    two = len(subject.classes) == 2
    label = "margin y f(x)" if two else "lead of a row's own class"
    display = MarginDisplay(subject.margins, subject.has_slack, label=label)
    frame = display.frame()
    what = "y f(x)" if two else "the lead of a row's own class over the nearest other"
    if not subject.has_slack:
        caption = (
            f"Histogram of {what}: {frame['wrong']:,} of {subject.n:,} rows are on the wrong side."
        )
        yield Picture(display, "Margins", caption)
        return
    caption = (
        f"Histogram of {what}: {frame['wrong']:,} of {subject.n:,} rows are on the wrong side, "
        f"{frame['inside']:,} inside the margin and {frame['beyond']:,} beyond it. The grey line "
        f"is the slack of a row at that place, max(0, 1 - margin); all slacks add up to "
        f"{frame['slack']:.4g}."
    )
    yield Picture(display, "Margins and slacks", caption)


def regression_pictures(subject: Subject) -> Iterator[Picture]:
    """Yield targets against predictions, and the residuals.

    Parameters
    ----------
    subject : Subject
        A regression and rows.

    Examples
    --------
    >>> from maxmargin import SVR
    >>> X, y = [[-1.0], [1.0], [5.0]], [0.0, 1.0, 1.0]
    >>> subject = Subject.of(SVR().fit(X, y), X, y)
    >>> [picture.title for picture in regression_pictures(subject)]
    ['True against predicted', 'Residuals']
    """
    assert subject.y is not None
    y, predicted, some = subject.y, subject.predicted, _some(subject.n)
    name, tube = plain(subject.target), subject.epsilon
    curve = Curve("", predicted[some], (predicted - y)[some], tube)
    few = f" {len(some):,} of {subject.n:,} rows are drawn." if len(some) < subject.n else ""
    outside = np.abs(predicted - y) > (np.inf if tube is None else tube * (1 + 1e-6) + 1e-12)
    where = (
        ""
        if tube is None
        else f" The band is the tube, ±{tube:.4g}, inside which errors cost nothing; "
        f"{outside.sum():,} of {subject.n:,} rows are outside it."
    )
    yield Picture(
        PredictionDisplay("", name, y[some], curve),
        "True against predicted",
        f"Each row at what was predicted and what is true; on the line they agree.{where}{few}",
        3.6,
    )
    residuals = y - predicted
    yield Picture(
        ResidualDisplay(y[some], predicted[some], tube, name),
        "Residuals",
        "Above: residuals over predictions; a trend or a funnel is something the model has missed. "
        f"Below: their histogram. Their mean is {residuals.mean():.3g}, their median "
        f"{np.median(residuals):.3g}.{few}",
        4.6,
    )


def search_pictures(search: Any) -> Iterator[Picture]:
    """Yield the map of a search of two parameters, or the curve of one.

    Parameters
    ----------
    search : estimator
        Fitted, with `cv_results_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.selection import LinearSVCCV
    >>> search = LinearSVCCV().fit(*load_iris(return_X_y=True))
    >>> [picture.title for picture in search_pictures(search)]
    ['Score along C']
    """
    try:
        display = SearchDisplay.from_search(search)
    except ValueError:  # not two parameters that are numbers
        yield from _along(search)
        return
    columns = {"score": display.columns["score"]}
    x, y = display.names
    yield Picture(
        replace(display, columns=columns),
        f"Scores over {x} and {y}",
        f"Mean score of held-out rows of {counted(len(display.x), 'candidate')}, each place in the "
        "colour of the nearest; the star is the best. The worse half has one colour.",
        3.4,
    )


def _along(search: Any) -> Iterator[Picture]:
    for key in search.cv_results_:
        if not str(key).startswith("param_"):
            continue
        name = str(key).removeprefix("param_")
        try:
            display = ValidationDisplay.from_search(search, name)
        except (ValueError, IndexError):
            continue
        if len(display.values) > 1:
            yield Picture(
                display,
                f"Score along {display.name}",
                "Mean score of held-out rows with one standard error to each side; the upright "
                "line is the best.",
            )
            return


def _some(n: int) -> NDArray[np.int64]:
    return np.sort(np.random.default_rng(0).permutation(n)[:DRAWN])
