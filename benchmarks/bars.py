"""What the kernel engine has to reach, and what it has reached in this run.

Ratios are a peer's time over ours and have to be at least the bar; those of a tight tolerance to
the usual one, and of memory to what is allowed, at most. A time-out makes a ratio a bound: the bar
is met where the bound alone meets it, and "unknown" where the bound says nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.contestants import ONEDAL, OURS, SKLEARN, TIGHT
from benchmarks.ratios import BETTER_ONEDAL, Ratio, mean, ratio
from benchmarks.runner import RowResult
from benchmarks.suite import TOL

#: MB that a fit may take beyond a float32 copy of the rows and the cache.
ALLOWANCE = 100.0


@dataclass(frozen=True)
class Reached:
    """A line of the table."""

    work: str
    bar: str
    mean: Ratio | None
    worst: Ratio | None
    worst_row: str
    met: str  # yes, no, unknown, or - where nothing was measured

    @property
    def cells(self) -> list[str]:
        middle = "-" if self.mean is None else self.mean.digits
        worst = "-" if self.worst is None else f"{self.worst.digits} ({self.worst_row})"
        return [self.work, self.bar, middle, worst, self.met]


def bars(rows: list[RowResult]) -> list[Reached]:
    """All lines of the table, those without a measurement included."""
    suite = [row for row in rows if not row.row.extra]
    hundred = [row for row in rows if row.row.n == 100]
    large_C = [row for row in rows if row.row.C >= 100]
    either = _ratios(suite, SKLEARN, "fit") + _ratios(suite, BETTER_ONEDAL, "fit")
    return [
        _at_least("fit, against scikit-learn", 12, _ratios(suite, SKLEARN, "fit")),
        _at_least("fit, against oneDAL, better", 4, _ratios(suite, BETTER_ONEDAL, "fit")),
        _at_least("fit, worst row, against either", 1.5, either, every=True),
        _at_least("fit at C >= 100, against scikit-learn", 10, _ratios(large_C, SKLEARN, "fit")),
        _at_most("fit, tol 1e-8 against 1e-3", 2, _tightened(suite)),
        _at_least("predict, against scikit-learn", 15, _ratios(suite, SKLEARN, "predict")),
        _at_least("predict, against oneDAL, better", 2, _ratios(suite, BETTER_ONEDAL, "predict")),
        _at_least("fit at n = 100, against scikit-learn", 1, _ratios(hundred, SKLEARN, "fit")),
        _at_least(
            "predict one row, against scikit-learn",
            1,
            _ratios(hundred + suite, SKLEARN, "predict_one"),
            every=True,
        ),
        _at_most("memory of a fit / what is allowed", 1, _memory(suite)),
        _at_most("violation at tol 1e-3 / tol", 1, _violations(rows, OURS, TOL)),
        _at_most("violation at tol 1e-8 / tol", 1, _violations(rows, TIGHT, 1e-8)),
    ]


def _ratios(rows: list[RowResult], peer: str, what: str) -> list[tuple[str, Ratio]]:
    return [(row.row.name, r) for row in rows if (r := ratio(row, peer, what))]


def _tightened(rows: list[RowResult]) -> list[tuple[str, Ratio]]:
    """Of rows on which the usual tolerance is itself no slower than the bar of the worst row."""
    good = [
        row
        for row in rows
        if all(r.value >= 1.5 for peer in (SKLEARN, *ONEDAL) if (r := ratio(row, peer, "fit")))
    ]
    return _ratios(good, TIGHT, "fit")


def _memory(rows: list[RowResult]) -> list[tuple[str, Ratio]]:
    found = []
    for row in rows:
        ours = row.results.get(OURS)
        if ours is not None and ours.memory is not None and ours.cache is not None:
            allowed = row.megabytes + ours.cache + ALLOWANCE
            found.append((row.row.name, Ratio(max(ours.memory, 0.0) / allowed)))
    return found


def _violations(rows: list[RowResult], who: str, tol: float) -> list[tuple[str, Ratio]]:
    verdicts = [(row.row.name, row.results[who].verdict) for row in rows if who in row.results]
    return [(name, Ratio(v.violation / tol)) for name, v in verdicts if v is not None]


def _at_least(
    work: str, bar: float, found: list[tuple[str, Ratio]], every: bool = False
) -> Reached:
    """The mean has to reach the bar, or `every` row."""
    name, worst = min(found, key=lambda pair: pair[1].value, default=("", None))
    middle = mean([r for _, r in found])
    counted = [r for _, r in found] if every else [middle] if middle else []
    good = (r.value >= bar and r.sign not in ("<", "~") for r in counted)
    open_ = (r.value < bar and r.sign == ">" for r in counted)
    return Reached(work, f">= {bar:g}", middle, worst, name, _verdict(good, open_, counted))


def _at_most(work: str, bar: float, found: list[tuple[str, Ratio]]) -> Reached:
    """Every row has to stay below the bar."""
    name, worst = max(found, key=lambda pair: pair[1].value, default=("", None))
    values = [r for _, r in found]
    good = (r.value <= bar and r.sign not in (">", "~") for r in values)
    open_ = (r.value > bar and r.sign == "<" for r in values)
    positive = [r for r in values if r.value > 0]
    return Reached(work, f"<= {bar:g}", mean(positive), worst, name, _verdict(good, open_, values))


def _verdict(good: Iterable[bool], open_: Iterable[bool], counted: list[Ratio]) -> str:
    """`good` and `open_` say of each counted ratio whether it meets the bar, or still might."""
    if not counted:
        return "-"
    pairs = list(zip(good, open_, strict=True))
    if all(met for met, _ in pairs):
        return "yes"
    return "unknown" if all(met or may for met, may in pairs) else "no"
