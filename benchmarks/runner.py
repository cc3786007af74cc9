"""Run the contestants, in turns, each trial in a process of its own, and judge their models.

The first turn goes over all rows; the other ones repeat the short fits while there is time, the
shortest rows first, because they are the noisiest. So trials of a contestant lie minutes apart, and
a deadline takes repeats away rather than rows.
"""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from benchmarks.contestants import CONTESTANTS
from benchmarks.judge import Verdict, judge
from benchmarks.model import Model
from benchmarks.problem import Problem
from benchmarks.suite import Row, load

ROOT = Path(__file__).parents[1]
#: Seconds to load a contestant and its data; no trial starts with less time left.
START = 5.0
#: Seconds that are kept for each row that is still to come: where time gets short, time-outs do.
RESERVE = 20.0


@dataclass(frozen=True)
class Settings:
    contestants: tuple[str, ...]
    python: dict[bool, str]  # the interpreter of the peers (True), and of maxmargin (False)
    repeats: int
    patience: float  # a fit of more seconds than this is not repeated
    limit: float  # seconds for a fit, and for a prediction
    cores: int
    limits: dict[str, float] = field(default_factory=dict)  # of contestants that have another one
    deadline: float = float("inf")  # on the clock of time.monotonic

    def limit_of(self, name: str) -> float:
        return self.limits.get(name, self.limit)

    @property
    def seconds_left(self) -> float:
        return self.deadline - monotonic()


@dataclass
class Result:
    """A contestant on a row: the best of its trials."""

    status: str = ""  # ok, time-out, missing, not offered, not reached, failed
    note: str = ""
    version: str = ""
    fit: float | None = None  # seconds; at a time-out, the limit
    fits: list[float] = field(default_factory=list)  # of every trial
    predict: float | None = None  # seconds for `predicted` rows
    predicted: int | None = None
    predict_one: float | None = None  # seconds for one row
    score: float | None = None  # on the predicted rows: share of right answers, or R^2
    iterations: int | None = None
    memory: float | None = None  # peak of the fit beyond what was there before, in MB
    cache: float | None = None  # of that, what the contestant was allowed for kernel rows
    report: dict[str, Any] | None = None  # maxmargin's fit_report_
    verdict: Verdict | None = None

    def add(self, said: dict[str, Any]) -> None:
        """Take a trial in: of times and memory the least, of all else the last word.

        Our report is that of the fastest fit.
        """
        if self.status == "ok" and said["status"] != "ok":
            self.note = f"a later trial ended as {said['status']}"
            return
        if "fit" in said:
            self.fits.append(said["fit"])
            if self.report is not None and said["fit"] > min(self.fits):
                said = {k: v for k, v in said.items() if k != "report"}
        for name, value in said.items():
            known = getattr(self, name)
            least = name in ("fit", "predict", "predict_one", "memory") and None not in (
                known,
                value,
            )
            setattr(self, name, min(known, value) if least else value)


@dataclass
class RowResult:
    row: Row
    note: str = ""  # why there are no results
    n: int = 0
    features: int = 0
    classes: int = 0
    megabytes: float = 0.0  # of one float32 copy of the training rows
    results: dict[str, Result] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """What a turn of all fits takes."""
        return sum(result.fit or 0.0 for result in self.results.values())


def run(
    rows: list[Row], settings: Settings, show: Callable[[RowResult], object] = lambda row: None
) -> list[RowResult]:
    """Run all turns; each row is shown after its first one."""
    with TemporaryDirectory() as folder:
        results = []
        for k, row in enumerate(rows):
            reserve = RESERVE * (len(rows) - k - 1)
            results.append(_first_turn(row, Path(folder), settings, reserve))
            show(results[-1])
        for turn in range(1, settings.repeats):
            for result in sorted(results, key=lambda row: row.seconds):
                _further_turn(result, Path(folder), settings, turn)
    return results


def _first_turn(row: Row, folder: Path, settings: Settings, reserve: float) -> RowResult:
    if settings.seconds_left < START:
        return RowResult(row, note="not reached in time")
    try:
        problem = load(row)
    except (FileNotFoundError, KeyError) as error:
        return RowResult(row, note=f"no data: {error}")
    place = folder / row.name
    place.mkdir()
    problem.save(place / "problem.npz")
    results = {name: Result() for name in settings.contestants}
    for name, result in results.items():
        result.add(_trial(name, place, settings, turn=0, reserve=reserve))
    _judge(problem, place, results)
    return RowResult(row, "", *problem.X.shape, problem.n_classes, problem.megabytes, results)


def _further_turn(row: RowResult, folder: Path, settings: Settings, turn: int) -> None:
    for name, result in row.results.items():
        short = result.status == "ok" and result.fit is not None and result.fit <= settings.patience
        if short and settings.seconds_left > START + settings.patience:
            result.add(_trial(name, folder / row.row.name, settings, turn))


def _trial(
    name: str, place: Path, settings: Settings, turn: int, reserve: float = 0.0
) -> dict[str, Any]:
    left = settings.seconds_left
    if left < START:
        return {"status": "not reached"}
    limit = min(settings.limit_of(name), max(START, left - reserve))
    command = [settings.python[CONTESTANTS[name].peer], "-m", "benchmarks.trial", name]
    paths = [str(place / "problem.npz"), str(place / f"{name}.npz")]
    done = subprocess.run(
        [*command, *paths, str(limit), str(settings.cores), str(turn)],
        cwd=ROOT,
        env=os.environ | _threads(settings.cores),
        capture_output=True,
        text=True,
        check=False,
    )
    said: dict[str, Any] = {}
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            said |= json.loads(line)
    return said | _ending(done, said, limit)


def _ending(done, said: dict[str, Any], limit: float) -> dict[str, Any]:
    """What a trial could not say itself, because it was ended."""
    if done.returncode == 0:
        return {}
    over = done.returncode == -signal.SIGALRM
    if over and "fit" in said:
        return {"note": f"prediction took more than {limit:.4g} s"}
    if over:
        return {"status": "time-out", "fit": limit}
    last = (done.stderr.splitlines() or ["no message"])[-1]
    return {"status": "failed", "note": f"exit status {done.returncode}: {last}"}


def _threads(cores: int) -> dict[str, str]:
    """As many threads as cores, also for libraries that would not ask how many they may use."""
    names = ("OMP", "OPENBLAS", "MKL", "MAXMARGIN")
    return {f"{name}_NUM_THREADS": str(cores) for name in names}


def _judge(problem: Problem, place: Path, results: dict[str, Result]) -> None:
    fitted = [name for name, result in results.items() if result.status == "ok"]
    models = [Model.load(place / f"{name}.npz") for name in fitted]
    for name, verdict in zip(fitted, judge(problem, models) if models else [], strict=True):
        results[name].verdict = verdict
