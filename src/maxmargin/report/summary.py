"""Three sentences for who reads no further: what the model is, how good, what to worry about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.pipeline import Pipeline

from maxmargin.intervals import Estimate
from maxmargin.report.findings import Finding, counted, listed
from maxmargin.report.origin import Origin
from maxmargin.report.scores import Score
from maxmargin.report.subject import Subject, Task

#: What is said of the rows in a sentence.
WHICH = {
    Origin.TRAINING: "that it was fitted to",
    Origin.SOME_TRAINING: "of which some are rows of its fit, or copies of them",
    Origin.NEW: "that it was not fitted to",
    Origin.UNKNOWN: "(whether it was fitted to them is not known)",
}


def percent(value: float) -> str:
    """Return a share in percent, with a digit more near its ends.

    Parameters
    ----------
    value : float
        From 0 to 1.

    Examples
    --------
    >>> percent(0.961), percent(0.99951), percent(1.0)
    ('96.1 %', '99.95 %', '100 %')
    """
    if min(abs(value), abs(1 - value)) < 5e-5:
        return f"{100 * value:.0f} %"
    digits = 2 if min(value, 1 - value) < 0.005 else 1
    return f"{100 * value:.{digits}f} %"


def interval(estimate: Estimate, *, shares: bool) -> str:
    """Return the ends of an interval, in percent if it is of a share.

    Parameters
    ----------
    estimate : Estimate
        The number.
    shares : bool
        Whether it is a share.

    Examples
    --------
    >>> interval(Estimate(0.9, 0.826, 0.945, "Wilson"), shares=True)
    '82.6 to 94.5 %'
    """
    if not estimate.known:
        return "not known"
    if shares:
        return f"{percent(estimate.low)[:-2]} to {percent(estimate.high)}"
    return f"{estimate.low:.3g} to {estimate.high:.3g}"


def summary_of(subject: Subject, scores: Sequence[Score], findings: Sequence[Finding]) -> list[str]:
    """Return the three sentences.

    Parameters
    ----------
    subject : Subject
        The model and the rows.
    scores : sequence of Score
        Its scores.
    findings : sequence of Finding
        What was found, the serious first.

    Examples
    --------
    >>> from maxmargin import SVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> subject = Subject.of(SVR(kernel="linear").fit(X, y), X, y)
    >>> summary_of(subject, [], [])[0]
    'The model is a support vector regression (linear kernel, C = 1) that predicts target by 1 \
column.'
    """
    return [_what(subject), _how_good(subject, scores), _worry(findings)]


def _what(subject: Subject) -> str:
    from maxmargin.plots.estimator import described

    kind, _, details = described(subject.machine).partition(", ")
    words = f"The model is a {kind}{f' ({details})' if details else ''} that "
    if subject.task is Task.CLASSES:
        names = [str(name) for name in subject.classes]
        words += (
            f"tells {names[0]} from {names[1]}"
            if len(names) == 2
            else (f"tells {len(names)} classes apart ({listed(names)})")
        )
    elif subject.task is Task.NUMBERS:
        words += f"predicts {subject.target}"
    else:
        words += "tells usual rows from outliers"
    words += f" by {counted(subject.columns.d, 'column')}"
    if isinstance(subject.model, Pipeline) and len(subject.model) > 1:
        words += f", after {listed([type(step).__name__ for step in subject.model[:-1]])}"
    if subject.search is not None:
        n = len(subject.search.cv_results_["params"])
        words += f", with parameters chosen among {counted(n, 'candidate')} by cross-validation"
    return f"{words}."


def _how_good(subject: Subject, scores: Sequence[Score]) -> str:
    rows = f"{counted(subject.n, 'row')} {WHICH[subject.provenance.origin]}"
    if not scores:
        return f"It was looked at on {rows}."
    first = scores[0].estimate
    ends = interval(first, shares=scores[0].percent)
    if subject.task is Task.CLASSES:
        always = np.bincount(subject.codes).max() / subject.n
        return (
            f"It is right for {percent(first.value)} of {rows} (95 % interval {ends}); giving "
            f"always the most frequent answer would be right for {percent(always)}."
        )
    if subject.task is Task.ONE_CLASS:
        nu = getattr(subject.machine, "nu", None)
        asked = "" if nu is None else f", where nu = {nu:g} was asked for"
        return f"It calls {percent(first.value)} of {rows} outliers (95 % interval {ends}){asked}."
    error = scores[1].estimate
    assert subject.y is not None
    return (
        f"On {rows} its errors are typically {error.value:.3g} (root mean square, 95 % interval "
        f"{interval(error, shares=False)}), where predicting always the mean "
        f"would have {subject.y.std():.3g}; R² is {first.value:.3f} ({ends})."
    )


def _worry(findings: Sequence[Finding]) -> str:
    serious = [finding for finding in findings if finding.serious]
    if not serious:
        more = counted(len(findings), "remark")
        return "Nothing serious was found in the data or in the fit" + (
            f"; there {'is' if len(findings) == 1 else 'are'} {more} below." if findings else "."
        )
    titles = [finding.title for finding in serious]
    more = f", and {len(titles) - 2:,} more below" if len(titles) > 2 else ""
    return f"To worry about: {'; '.join(titles[:2])}{more}."
