"""The page of a report: one file, with its style and its pictures inside."""

from __future__ import annotations

from importlib.resources import files
from itertools import count

from maxmargin.report.markup import Markup, tag
from maxmargin.report.origin import Origin
from maxmargin.report.report import Report
from maxmargin.report.sections import Section, sections, shown
from maxmargin.report.summary import interval

#: Of the rows, beside the first score: what is said and how it looks.
BADGES = {
    Origin.TRAINING: ("on the rows of the fit: optimistic", "warn"),
    Origin.SOME_TRAINING: ("partly on rows of the fit: optimistic", "warn"),
    Origin.NEW: ("on new rows", "fine"),
    Origin.UNKNOWN: ("on rows of unknown origin", None),
}


def page(report: Report) -> str:
    """Return a report as HTML.

    Parameters
    ----------
    report : Report
        The report.

    Examples
    --------
    >>> from maxmargin import SVC, report_of
    >>> X, y = [[-1.0], [1.0], [5.0]], ["<b>", "</script>", "</script>"]
    >>> text = page(report_of(SVC().fit(X, y), X, y))
    >>> text.startswith("<!DOCTYPE html>"), "<b>" in text, "</script>" in text
    (True, False, False)
    """
    style = files("maxmargin.report").joinpath("page.css").read_text(encoding="utf-8")
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        # No network, no script: the page is what it is.
        Markup(
            '<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">"
        ),
        tag("title", report.title),
        tag("style", Markup(style)),
    )
    parts, numbers = list(sections(report)), count(1)
    body = tag(
        "body",
        tag("header", tag("h1", report.title), tag("p", _meta(report), class_="meta")),
        tag(
            "main",
            _summary(report),
            _contents(parts),
            [_section(part, numbers) for part in parts],
        ),
        tag("footer", tag("p", _foot())),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _meta(report: Report) -> str:
    subject = report.subject
    source = [report.source] if report.source else []
    size = f"{subject.n:,} rows, {subject.columns.d:,} columns"
    return " · ".join([*source, size, report.created.strftime("%d %B %Y, %H:%M")])


def _summary(report: Report) -> Markup:
    sentences = tag("div", [tag("p", sentence) for sentence in report.summary])
    return tag("div", sentences, _headline(report), class_="summary")


def _headline(report: Report) -> Markup:
    """Show the first score, large, with its interval and where the rows come from."""
    score = report.scores[0]
    text, kind = BADGES[report.subject.provenance.origin]
    return tag(
        "div",
        tag("span", score.name, class_="what"),
        tag("span", shown(score), class_="value"),
        _range(report) if score.percent else None,
        tag(
            "span", f"95 % interval {interval(score.estimate, shares=score.percent)}", class_="what"
        ),
        tag("span", text, class_=f"badge {kind}" if kind else "badge"),
        class_="headline",
    )


def _range(report: Report) -> Markup:
    """Draw a line from 0 to 1 with the interval and the value on it."""
    score = report.scores[0].estimate
    low, high, value = (200 * end for end in (score.low, score.high, score.value))
    return Markup(
        '<svg class="range" viewBox="-4 0 208 20" preserveAspectRatio="none" aria-hidden="true">'
        '<line x1="0" x2="200" y1="10" y2="10" stroke="var(--line)" stroke-width="2"/>'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="10" y2="10" stroke="var(--c0)" '
        'stroke-width="8" opacity="0.45"/>'
        f'<line x1="{value:.1f}" x2="{value:.1f}" y1="3" y2="17" stroke="var(--c0)" '
        'stroke-width="3"/></svg>'
    )


def _contents(parts: list[Section]) -> Markup:
    links = [tag("li", tag("a", part.title, href=f"#{part.key}")) for part in parts]
    return tag("nav", tag("ul", links), aria_label="Contents")


def _section(part: Section, numbers: count[int]) -> Markup:
    heading = tag("h2", part.title, id=f"{part.key}-title")
    content = [
        entry
        if isinstance(entry, Markup)
        else tag("div", [picture.html(next(numbers)) for picture in entry], class_="pictures")
        for entry in part.content
    ]
    return tag("section", heading, content, id=part.key, aria_labelledby=f"{part.key}-title")


def _foot() -> str:
    from maxmargin import __version__

    return (
        f"Made by maxmargin {__version__}. Intervals hold 95 % of the time for rows drawn "
        "independently from one population; bootstrap and shuffles have a fixed seed. This page is "
        "one file and loads nothing."
    )
