"""How many times as long a peer takes as maxmargin, and what follows from that for all rows."""

import math
from dataclasses import dataclass

from benchmarks.contestants import CONTESTANTS, ONEDAL, OURS
from benchmarks.runner import Result, RowResult

BETTER_ONEDAL = "oneDAL, better"
SUMMARY = ("geometric mean", "geometric mean, C >= 100", "worst row")


@dataclass(frozen=True)
class Ratio:
    value: float
    sign: str = ""  # ">" or "<" where a time-out makes it a bound, "~" for a mean of both kinds

    @property
    def lost(self) -> bool:
        return self.value < 1 and self.sign != ">"

    @property
    def digits(self) -> str:
        return f"{self.sign}{self.value:.2f}" if self.value < 10 else f"{self.sign}{self.value:.0f}"

    def __str__(self) -> str:
        return f"{self.digits}{' lost' if self.lost else ''}"


def ratio(row: RowResult, peer: str, what: str) -> Ratio | None:
    """Of `what` (fit, predict, predict_one), or None where there is nothing to compare."""
    if peer == BETTER_ONEDAL:
        both = [r for name in ONEDAL if (r := ratio(row, name, what))]
        return min(both, key=lambda r: r.value, default=None)
    ours, theirs = row.results.get(OURS, Result()), row.results.get(peer, Result())
    mine, other = getattr(ours, what), getattr(theirs, what)
    late = {name for name, r in (("<", ours), (">", theirs)) if r.status == "time-out"}
    if mine is None or other is None or len(late) == 2:
        return None
    return Ratio(other / mine, late.pop() if late else "")


def mean(ratios: list[Ratio]) -> Ratio | None:
    """The geometric mean; a bound where one of them is."""
    if not ratios:
        return None
    signs = {r.sign for r in ratios} - {""}
    sign = signs.pop() if len(signs) == 1 else "~" if signs else ""
    return Ratio(math.exp(sum(math.log(r.value) for r in ratios) / len(ratios)), sign)


def peers(rows: list[RowResult]) -> list[str]:
    """Who was compared, oneDAL at its better precision last."""
    every = dict.fromkeys(name for row in rows for name in row.results)
    names = [name for name in every if CONTESTANTS[name].peer]
    return [*names, BETTER_ONEDAL] if set(ONEDAL) <= set(names) else names


def summary(rows: list[RowResult], peer: str, what: str) -> dict[str, Ratio | None]:
    """Geometric means and the worst row against one peer; extra rows count at C >= 100 only."""
    found = [(row.row, r) for row in rows if (r := ratio(row, peer, what))]
    suite = [r for row, r in found if not row.extra]
    values = (
        mean(suite),
        mean([r for row, r in found if row.C >= 100]),
        min(suite, key=lambda r: r.value, default=None),
    )
    return dict(zip(SUMMARY, values, strict=True))
