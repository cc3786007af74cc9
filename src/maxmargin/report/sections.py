"""The sections of a report's page, each a question that it answers."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from maxmargin.intervals import Estimate, resamples
from maxmargin.prompt import brief, rounded
from maxmargin.report.certificate import in_words
from maxmargin.report.figures import Picture
from maxmargin.report.findings import counted
from maxmargin.report.importances import REPEATS
from maxmargin.report.markup import Child, Markup, markup, table, tag
from maxmargin.report.origin import Origin
from maxmargin.report.pictures import (
    margin_pictures,
    ranking_pictures,
    regression_pictures,
    reliability_pictures,
    search_pictures,
)
from maxmargin.report.report import Report
from maxmargin.report.scores import Score, confusion
from maxmargin.report.subject import Task
from maxmargin.report.summary import interval, percent

#: As many are shown: classes of a confusion matrix, columns, importances, candidates of a search.
CLASSES, COLUMNS, BARS, CANDIDATES = 15, 40, 15, 10


LOOKED_FOR = (
    "Looked for: rows of the fit, rows that repeat or contradict others, columns that decide "
    "alone, that are constant, lack values or are not on one scale, rare classes, scores no "
    "better than a guess, probabilities that are not what they say, fits that were stopped, and "
    "too many support vectors."
)


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Parameters
    ----------
    key : str
        Where links lead to.
    title : str
        Its heading.
    content : list
        What it holds: HTML, and pictures.

    Examples
    --------
    >>> Section("data", "Data", []).title
    'Data'
    """

    key: str
    title: str
    content: list[Markup | list[Picture]]


def sections(report: Report) -> Iterator[Section]:
    """Yield the sections that a report has, in their order.

    Parameters
    ----------
    report : Report
        The report.

    Examples
    --------
    >>> from maxmargin import SVC, report_of
    >>> X, y = [[-1.0], [1.0], [5.0]], [0, 1, 1]
    >>> [section.key for section in sections(report_of(SVC().fit(X, y), X, y))][:3]
    ['findings', 'scores', 'mistakes']
    """
    makers: list[Callable[[Report], Section | None]] = [
        _findings, _scores, _mistakes, _curves, _regression, _worst, _importances,
        _support, _certificate, _data, _parameters, _search, _times,
    ]  # fmt: skip
    for make in makers:
        section = make(report)
        if section is not None:
            yield section


def shown(score: Score) -> str:
    """Return the value of a score as it is written.

    Parameters
    ----------
    score : Score
        The score.

    Examples
    --------
    >>> shown(Score("accuracy", Estimate(0.9, 0.8, 0.95, "Wilson"), "", True))
    '90.0 %'
    """
    value = score.estimate.value
    if np.isnan(value):
        return "not known"
    return percent(value) if score.percent else f"{value:.3g}"


def _findings(report: Report) -> Section:
    entries = [
        tag(
            "li",
            tag("span", "serious", class_="mark") if finding.serious else None,
            tag("strong", finding.title[:1].upper() + finding.title[1:]),
            tag("p", finding.text),
            class_="serious" if finding.serious else None,
        )
        for finding in report.findings
    ]
    body = tag("ul", entries, class_="findings") if entries else tag("p", "Nothing was found.")
    return Section("findings", "What to worry about", [body, _note(LOOKED_FOR)])


def _scores(report: Report) -> Section:
    rows = [
        [
            [score.name, tag("small", score.meaning)],
            shown(score),
            [interval(score.estimate, shares=score.percent), tag("small", score.estimate.method)],
        ]
        for score in report.scores
    ]
    header = ["score", "value", "95 % interval"]
    content: list[Any] = [
        table(header, rows, caption="Scores with 95 % intervals", class_="scores")
    ]
    if any(score.estimate.method == "bootstrap" for score in report.scores):
        rounds = resamples(report.subject.n)
        content.append(
            _note(f"Bootstrap: percentiles of {rounds:,} resamples of the rows, seed 0.")
        )
    if report.subject.provenance.optimistic:
        content.append(
            _note(
                "The model has seen rows of these in its fit: scores on new rows will be lower, "
                "and the intervals do not account for that."
            )
        )
    if any(not score.estimate.known for score in report.scores):
        content.append(
            _note(
                "An interval is not known where the rows show no mistake of that kind: DeLong's "
                "variance and the bootstrap are both zero then, which does not mean that the "
                "score is certain."
            )
        )
    return Section("scores", "How good it is", content)


def _mistakes(report: Report) -> Section | None:
    subject = report.subject
    if subject.y is None or subject.task is Task.NUMBERS:
        return None
    matrix = confusion(subject)
    one_class = subject.task is Task.ONE_CLASS
    names = ["outlier", "inlier"] if one_class else [str(name) for name in subject.classes]
    content: list[Any] = []
    if len(names) <= CLASSES:
        content.append(_matrix(matrix, names))
    else:
        content.append(_note(f"The confusion matrix of {len(names)} classes is left out."))
    pairs = [
        (int(matrix[i, j]), names[i], names[j])
        for i in range(len(names))
        for j in range(len(names))
        if i != j and matrix[i, j] > 0
    ]
    if pairs:
        n, true, found = max(pairs, key=lambda pair: pair[0])
        said = f"The most frequent mistake: {true} is taken for {found}, {counted(n, 'time')}."
    else:
        said = "No row is taken for another class."
    content.append(tag("p", said))
    if report.classes:
        content.append(_class_table(report, names))
    return Section("mistakes", "What is taken for what", content)


def _matrix(matrix: Any, names: list[str]) -> Markup:
    totals = np.maximum(matrix.sum(axis=1), 1)
    rows = []
    for i, name in enumerate(names):
        cells = []
        for j in range(len(names)):
            part = matrix[i, j] / totals[i]
            color = "var(--c0)" if i == j else "var(--c1)"
            # At most two fifths of the colour: text on it can be read in either scheme.
            look = f"background: color-mix(in srgb, {color} {40 * part:.0f}%, transparent)"
            text = [f"{matrix[i, j]:,}", tag("small", f"{part:.1%}")]
            cells.append(tag("td", text, class_="cell", style=look))
        rows.append(tag("tr", tag("th", name, scope="row"), cells))
    head = tag(
        "tr",
        tag("th", "true ↓ predicted →", scope="col"),
        [tag("th", name, scope="col", class_="number") for name in names],
    )
    caption = "Confusion matrix: rows of each true class by what they are taken for"
    grid = tag(
        "table", tag("caption", caption), tag("thead", head), tag("tbody", rows), class_="matrix"
    )
    return tag("div", grid, class_="scroll", role="region", aria_label=caption, tabindex=0)


def _class_table(report: Report, names: list[str]) -> Markup:
    several = len(names) > 2
    header = ["class", "rows", "recall", "95 %", "precision", "95 %", "F1"]
    header += ["area under ROC", "95 %"] if several else []
    rows = []
    for name, one in zip(names, report.classes, strict=True):
        row: list[Child] = [name, f"{one.rows:,}"]
        for estimate in (one.recall, one.precision):
            row += [_percent(estimate), interval(estimate, shares=True)]
        row.append("not known" if np.isnan(one.f1) else f"{one.f1:.3f}")
        if several:
            auc = one.auc
            row.append("not known" if np.isnan(auc.value) else f"{auc.value:.3f}")
            row.append(interval(auc, shares=False))
        rows.append(row)
    return table(header, rows, caption="Recall, precision and F1 of each class")


def _percent(estimate: Estimate) -> str:
    return "not known" if np.isnan(estimate.value) else percent(estimate.value)


def _regression(report: Report) -> Section | None:
    if report.subject.task is not Task.NUMBERS:
        return None
    return Section("errors", "Predictions and errors", [list(regression_pictures(report.subject))])


def _curves(report: Report) -> Section | None:
    subject = report.subject
    if subject.task is Task.NUMBERS:
        return None
    pictures = [
        *ranking_pictures(subject),
        *margin_pictures(subject),
        *reliability_pictures(subject),
    ]
    if not pictures:
        return None
    content: list[Any] = [pictures]
    nu = getattr(subject.machine, "nu", None)
    if subject.task is Task.ONE_CLASS and nu is not None:
        content.insert(0, tag("p", _nu_property(report, nu)))
    return Section("curves", "Where the rows lie", content)


def _nu_property(report: Report, nu: float) -> str:
    outside = report.scores[0].estimate
    said = f"The nu property: of the rows of the fit at most a share of nu = {nu:g} lies outside. "
    if report.subject.provenance.origin is Origin.TRAINING:
        holds = ", as it must be" if outside.value <= nu + 1e-9 else ""
        return f"{said}It is {percent(outside.value)} here{holds}."
    ends = interval(outside, shares=True)
    return (
        f"{said}Of these rows it is {percent(outside.value)} ({ends}); on many rows of the same "
        "kind it tends to nu."
    )


def _worst(report: Report) -> Section | None:
    worst, subject = report.worst, report.subject
    if worst is None:
        return None
    said = {
        Task.CLASSES: f"The {len(worst.rows)} rows with the lowest margins; "
        f"{worst.wrong if worst.wrong else 'none'} of them {'is' if worst.wrong == 1 else 'are'} "
        "classified wrong.",
        Task.NUMBERS: f"The {len(worst.rows)} rows with the largest errors.",
        Task.ONE_CLASS: f"The {len(worst.rows)} rows that the model finds most unusual.",
    }[subject.task]
    said += " Look at them: a wrong label, a wrong cell and a case that the columns do not tell "
    said += "apart all end up here."
    content: list[Any] = [
        tag("p", said),
        table(
            worst.header,
            worst.rows,
            caption="The worst rows with what the model says of them",
            texts={Task.CLASSES: 3, Task.NUMBERS: 1, Task.ONE_CLASS: 2}[subject.task],
        ),
    ]
    if worst.left_out:
        kept = "most important" if report.importances is not None else "first"
        content.append(_note(f"The {kept} columns are shown; {worst.left_out:,} more are not."))
    return Section("worst", "The worst rows", content)


def _importances(report: Report) -> Section | None:
    found = report.importances
    if found is None:
        return None
    top = max(float(found.means.max(initial=0.0)), 1e-300)
    entries = [
        (
            tag("span", name, class_="name"),
            tag(
                "span",
                tag("span", class_="bar", style=f"width: {100 * max(mean, 0.0) / top:.1f}%"),
                class_="track",
            ),
            tag("span", f"{mean:.4f} ± {deviation:.4f}", class_="amount"),
        )
        for name, mean, deviation in list(
            zip(found.names, found.means, found.deviations, strict=True)
        )[:BARS]
    ]
    said = (
        f"{found.measure} when the cells of one column are shuffled (mean and standard deviation "
        f"of {REPEATS} shuffles, {counted(found.n_rows, 'row')}). Columns that say the same stand "
        "in for each other, and then none of them seems to matter."
    )
    content: list[Any] = [tag("p", said), tag("div", entries, class_="bars")]
    if len(found.names) > BARS:
        content.append(_note(f"{len(found.names) - BARS:,} more columns cost less."))
    return Section("importances", "What it looks at", content)


def _support(report: Report) -> Section | None:
    support = report.support
    if support is None:
        return None
    title = f"Support vectors, and what they say about {support.name}"
    return Section("support", title, [tag("p", support.facts), tag("p", support.meaning)])


def _certificate(report: Report) -> Section:
    machine = report.subject.machine
    content: list[Any] = [tag("p", sentence) for sentence in in_words(machine)]
    if getattr(machine, "solutions_", ()):
        found = machine.certificate_
        content.append(
            _list(
                {
                    "primal objective": f"{found.primal:.10g}",
                    "dual objective": f"{found.dual:.10g}",
                    "relative gap": f"{found.gap:.2e}",
                    "KKT violation": f"{found.violation:.2e} (± {found.bound:.0e})"
                    if np.isfinite(found.violation)
                    else "not known after stochastic steps",
                    "problems": f"{len(found.parts):,}",
                }
            )
        )
    return Section("certificate", "How well it was solved", content)


def _data(report: Report) -> Section:
    subject = report.subject
    columns, values = subject.columns, subject.columns.values
    facts: dict[str, Any] = {"rows": f"{subject.n:,}", "columns": f"{columns.d:,}"}
    if subject.n_fit is not None:
        facts["rows of the fit"] = f"{subject.n_fit:,}"
    facts["these rows"] = (
        f"{_ORIGINS[subject.provenance.origin.value]}: {subject.provenance.reason}"
    )
    if subject.task is Task.CLASSES:
        counts = np.bincount(subject.codes, minlength=len(subject.classes))
        facts["classes"] = ", ".join(
            f"{name}: {n:,} ({n / subject.n:.1%})"
            for name, n in list(zip(subject.classes, counts, strict=True))[:CLASSES]
        )
    elif subject.task is Task.NUMBERS:
        assert subject.y is not None
        facts[subject.target] = (
            f"{subject.y.min():.4g} to {subject.y.max():.4g}, median {np.median(subject.y):.4g}, "
            f"standard deviation {subject.y.std():.4g}"
        )
    content: list[Any] = [_list(facts)]
    if values is not None:
        content.append(_column_table(columns, values))
        if columns.d > COLUMNS:
            content.append(_note(f"{columns.d - COLUMNS:,} more columns are not shown."))
    return Section("data", "The data", content)


_ORIGINS = {
    "training": "those of the fit",
    "some training": "some of them of the fit",
    "new": "new ones",
    "unknown": "not known",
}


def _column_table(columns: Any, values: Any) -> Markup:
    rows = []
    for j, name in enumerate(columns.names[:COLUMNS]):
        column = values[:, j]
        known = column[~np.isnan(column)]
        missing = f"{len(column) - len(known):,}"
        if j in columns.texts:
            words = columns.texts[j]
            often = words[int(np.bincount(known.astype(np.int64)).argmax())] if len(known) else "-"
            rows.append([name, f"text, mostly {often}", len(words), missing, "", "", "", ""])
            continue
        ends = [known.min(), np.median(known), known.max(), known.std()] if len(known) else []
        different = len(np.unique(known))
        numbers = [f"{value:.4g}" for value in ends] or ["not known"] * 4
        rows.append([name, "number", f"{different:,}", missing, *numbers])
    header = ["column", "kind", "different", "missing", "least", "median", "largest", "deviation"]
    return table(header, rows, caption="Columns of the data", texts=2)


def _parameters(report: Report) -> Section:
    subject = report.subject
    content: list[Any] = []
    steps = list(getattr(subject.model, "steps", [("", subject.model)]))
    for place, (_, step) in enumerate(steps):
        name = type(step).__name__
        if not hasattr(step, "get_params"):
            continue
        given = step.get_params(deep=False)
        defaults = _defaults(step)
        mine = {k: v for k, v in given.items() if not _same(v, defaults.get(k))}
        rest = {k: v for k, v in given.items() if k not in mine}
        heading = tag("h3", name if len(steps) == 1 else f"{place + 1}. {name}")
        content.append(heading)
        kernel = getattr(getattr(step, "model_", None), "kernel", None)
        if kernel is not None:
            mine = {**mine, "kernel of the fit": kernel}
        if mine:
            content.append(_list({k: tag("code", rounded(brief(v))) for k, v in mine.items()}))
        if rest:
            others = _list({k: tag("code", rounded(brief(v))) for k, v in rest.items()})
            word = counted(len(rest), "parameter")
            content.append(tag("details", tag("summary", f"{word} at the default"), others))
    return Section("parameters", "Parameters", content)


def _defaults(step: Any) -> dict[str, Any]:
    try:
        return dict(type(step)().get_params(deep=False))
    except TypeError:  # it has parameters without a default
        return {}


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and repr(one) == repr(other)


def _search(report: Report) -> Section | None:
    search = report.subject.search
    if search is None:
        return None
    results = search.cv_results_
    scores = [key for key in results if str(key).startswith("mean_test_")]
    content: list[Any] = [list(search_pictures(search))]
    if scores:
        key = "mean_test_score" if "mean_test_score" in scores else scores[0]
        mean, spread = np.asarray(results[key]), np.asarray(results[key.replace("mean", "std", 1)])
        order = np.argsort(-np.nan_to_num(mean, nan=-np.inf), kind="stable")[:CANDIDATES]
        folds = sum(
            str(k).startswith("split") and str(k).endswith(key.removeprefix("mean"))
            for k in results
        )
        names = list(results["params"][0])
        rows: list[list[Child]] = [
            [
                place + 1,
                *(_short(results["params"][i].get(name)) for name in names),
                f"{mean[i]:.4f}",
                f"{spread[i]:.4f}",
            ]
            for place, i in enumerate(order.tolist())
        ]
        content.append(
            tag(
                "p",
                f"{counted(len(mean), 'candidate')}, {counted(folds, 'fold')} each; the best "
                f"{len(rows)}. The best score of many is too good by itself: it was chosen for "
                "being high.",
            )
        )
        header = ["rank", *names, "mean score", "standard deviation"]
        content.append(table(header, rows, caption="The best candidates of the search"))
        edges = _at_edge(results, int(order[0]))
        if edges:
            content.append(
                tag(
                    "p",
                    f"The best {' and '.join(edges)} {'is' if len(edges) == 1 else 'are'} at the "
                    "edge of what was tried: a wider grid may have a better one.",
                )
            )
    return Section("search", "How the parameters were chosen", content)


def _at_edge(results: Any, best: int) -> list[str]:
    """Parameters whose best value is the least or largest of at least three that were tried."""
    found = []
    for name, value in results["params"][best].items():
        tried = {params.get(name) for params in results["params"]}
        if isinstance(value, int | float) and len(tried) > 2:
            numbers = [v for v in tried if isinstance(v, int | float)]
            if value in (min(numbers), max(numbers)):
                found.append(str(name))
    return found


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else brief(value)


def _times(report: Report) -> Section:
    subject = report.subject
    fit = getattr(subject.machine, "fit_report_", None) or {}
    facts: dict[str, Any] = {}
    if "seconds" in fit:
        facts["fit"] = f"{_seconds(fit['seconds'])}, method {fit['method']}"
    each = subject.seconds / subject.n
    facts["predictions"] = (
        f"{_seconds(subject.seconds)} for {counted(subject.n, 'row')}, {_seconds(each)} each"
    )
    facts["this report"] = _seconds(report.seconds)
    for name in ("maxmargin", "scikit-learn", "numpy", "scipy", "matplotlib"):
        try:
            facts[name] = version(name)
        except PackageNotFoundError:
            continue
    facts["Python"] = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return Section("times", "Times and versions", [_list(facts)])


def _seconds(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _list(facts: dict[str, Child]) -> Markup:
    return tag("dl", [markup([tag("dt", name), tag("dd", said)]) for name, said in facts.items()])


def _note(text: str) -> Markup:
    return tag("p", text, class_="note")
