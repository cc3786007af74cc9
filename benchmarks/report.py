"""Show what was measured: tables for the terminal, JSON for machines, bars for people."""

import json
from dataclasses import asdict
from pathlib import Path

from benchmarks.bars import bars
from benchmarks.contestants import CONTESTANTS, OURS
from benchmarks.limits import explain, limit
from benchmarks.ratios import BETTER_ONEDAL, SUMMARY, peers, ratio, summary
from benchmarks.results import Table
from benchmarks.runner import Result, RowResult
from benchmarks.suite import TOL
from maxmargin.cli.terminal import Terminal

WORK = {"fit": "Fit", "predict": "Predict", "predict_one": "Predict one row"}

BARS = ["work", "bar", "mean", "worst row", "met"]


def show_row(terminal: Terminal, row: RowResult) -> None:
    """All numbers of a row, as soon as it is done."""
    r = row.row
    own = {
        "SVC": f"{row.classes} classes, C {r.C:g}",
        "SVR": f"C {r.C:g}, epsilon {r.epsilon:g}",
        "OneClassSVM": f"nu {r.nu:g}",
    }[r.machine]
    size = f"{r.machine}, {row.n:,} x {row.features:,}, {own}, gamma {r.gamma:.4g}"
    terminal.heading(r.name, row.note or size)
    if not row.results:
        return
    header = "", "fit s", "ratio", "violation", "dual objective", "gap", "iterations", "MB"
    lines = [_line(row, name, result) for name, result in row.results.items()]
    terminal.table([*header, "predict s", "ratio", "one row s", "ratio"], lines)
    ours = row.results.get(OURS)
    if ours is not None and ours.report is not None and ours.fit is not None:
        terminal.line(f"{OURS}: {explain(ours.report, ours.fit)}")
    for name, result in row.results.items():
        if result.note:
            terminal.line(f"{name}: {result.note}")


def _line(row: RowResult, name: str, result: Result) -> list[str]:
    if result.fit is None:
        return [name, result.status, *[""] * 10]
    compared = {what: _compared(row, name, what) for what in WORK}
    v = result.verdict
    judged = (
        ["", "", ""]
        if v is None
        else [
            _violation(v.violation, CONTESTANTS[name].tol or TOL),
            f"{v.dual:.9g}",
            f"{v.gap:.0e}",
        ]
    )
    return [
        name,
        f"> {result.fit:.4g}" if result.status == "time-out" else f"{result.fit:.4g}",
        compared["fit"],
        *judged,
        "" if result.iterations is None else f"{result.iterations:,}",
        "" if result.memory is None else f"{result.memory:.0f}",
        _seconds(result.predict),
        compared["predict"],
        _seconds(result.predict_one),
        compared["predict_one"],
    ]


def _compared(row: RowResult, name: str, what: str) -> str:
    value = ratio(row, name, what)
    if name == OURS or value is None:
        return ""
    return str(value) if CONTESTANTS[name].peer else value.digits


def _violation(violation: float, tol: float) -> str:
    shown = f"{violation:.1e}"
    return f"{shown} over tol" if float(shown) > tol else shown


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _text(value: object) -> str:
    return "-" if value is None else str(value)


def show_summary(terminal: Terminal, rows: list[RowResult]) -> None:
    """Rows x peers: how many times as long as maxmargin each peer takes."""
    for table in tables(rows):
        terminal.heading(table.title, table.note)
        terminal.table(table.header, table.rows)


def tables(rows: list[RowResult]) -> list[Table]:
    """Return the ratios of each kind of work, and the bars."""
    note = "how many times as long as maxmargin; > and < where a time-out makes it a bound"
    ratios = [
        Table(f"{WORK[what]}: ratios to maxmargin", note, *_matrix(rows, what)) for what in WORK
    ]
    note = "what has to be reached, and what was reached in this run"
    return [*ratios, Table("Bars", note, BARS, [reached.cells for reached in bars(rows)])]


def write_markdown(path: Path, rows: list[RowResult]) -> None:
    """The fit's ratios and the bars, to be pasted where people read."""
    tables = _matrix(rows, "fit"), (BARS, [reached.cells for reached in bars(rows)])
    path.write_text("\n".join(_markdown(header, lines) for header, lines in tables))


def _markdown(header: list[str], lines: list[list[str]]) -> str:
    table = [header, ["---"] * len(header), *lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in table)


def _matrix(rows: list[RowResult], what: str) -> tuple[list[str], list[list[str]]]:
    names = peers(rows)
    summaries = [summary(rows, name, what) for name in names]
    lines = [_ratios(row, names, what) for row in rows]
    lines += [[key, *(_text(s[key]) for s in summaries)] for key in SUMMARY]
    header = ["", *names]
    if what == "fit":
        header.append("what limits ours")
        lines = [
            [*line, text]
            for line, text in zip(lines, [*map(_limit, rows), *[""] * len(SUMMARY)], strict=True)
        ]
    return header, lines


def _limit(row: RowResult) -> str:
    ours = row.results.get(OURS, Result())
    return "" if ours.report is None or ours.fit is None else limit(ours.report, ours.fit)


def _ratios(row: RowResult, names: list[str], what: str) -> list[str]:
    if not row.results:
        return [f"{row.row.name} ({row.note})", *["-"] * len(names)]
    cells = []
    for name in names:
        result = row.results.get(name, Result(status="ok"))
        value = ratio(row, name, what)
        cells.append(result.status if value is None and result.status != "ok" else _text(value))
    return [row.row.name, *cells]


def write_json(path: Path, about: dict, rows: list[RowResult]) -> None:
    """Everything, with the summaries recomputed from it."""
    names = peers(rows)
    ratios = {
        what: {
            name: {
                "rows": {row.row.name: _plain(ratio(row, name, what)) for row in rows},
                **{key: _plain(value) for key, value in summary(rows, name, what).items()},
            }
            for name in names
        }
        for what in WORK
    }
    content = {
        **about,
        "rows": [asdict(row) for row in rows],
        "ratios": ratios,
        "bars": [asdict(reached) for reached in bars(rows)],
    }
    path.write_text(json.dumps(content, indent=1) + "\n")


def _plain(value):
    return None if value is None else {"value": value.value, "sign": value.sign, "lost": value.lost}


def draw(path: Path, rows: list[RowResult]) -> None:
    """Bars of the fit's ratios on a log axis; hatched where a time-out makes them a bound."""
    from matplotlib.figure import Figure

    from maxmargin.plots.style import COLORS, GREY, style

    rows = [row for row in rows if row.results]
    shown = [name for name in peers(rows) if name != BETTER_ONEDAL]
    names = [name for name in shown if any(ratio(row, name, "fit") for row in rows)]
    with style():
        figure = Figure(
            figsize=(8.0, 1.2 + 0.16 * len(rows) * (len(names) + 1)), layout="constrained"
        )
        axes = figure.add_subplot()
        for k, name in enumerate(names):
            _bars(axes, rows, name, (k + 0.5) / len(names) * 0.8 - 0.4, 0.8 / len(names), COLORS[k])
        axes.axvline(1.0, color=GREY, linewidth=1.0)
        axes.set(
            xscale="log", xlabel="times as long as maxmargin (right of 1: maxmargin is faster)"
        )
        axes.margins(x=0.12)
        axes.set_yticks(range(len(rows)), [row.row.name for row in rows])
        axes.invert_yaxis()
        axes.set_title("Time to fit, ratio to maxmargin (hatched: at least, a time-out)")
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        figure.savefig(path, dpi=150)


def _bars(axes, rows: list[RowResult], name: str, offset: float, height: float, color: str) -> None:
    label = name
    for place, row in enumerate(rows):
        value = ratio(row, name, "fit")
        if value is None:
            continue
        hatch = "////" if value.sign else None
        # From 1, so that the side of the bar tells who is faster.
        axes.barh(
            place + offset, value.value - 1, height, left=1.0, color=color, hatch=hatch, label=label
        )
        axes.annotate(
            f" {value} ",
            (value.value, place + offset),
            fontsize=6,
            va="center",
            ha="right" if value.lost else "left",
        )
        label = None
