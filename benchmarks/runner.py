"""Run the contestants of a row, in turns, each trial in a process of its own; then judge them."""

import json
import os
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.contestants import CONTESTANTS
from benchmarks.judge import Verdict, judge
from benchmarks.model import Model
from benchmarks.problem import Problem
from benchmarks.suite import MACHINES, Row, load

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Settings:
    contestants: tuple[str, ...]
    python: dict[bool, str]  # the interpreter of the peers (True), and of maxmargin (False)
    repeats: int
    patience: float  # a fit of more seconds than this is not repeated
    limit: float  # seconds for a fit, and for a prediction
    cores: int


@dataclass
class Result:
    """A contestant on a row: the best of its trials."""

    status: str = ""  # ok, time-out, missing, failed
    note: str = ""
    version: str = ""
    fit: float | None = None  # seconds; at a time-out, the limit
    fits: list[float] = field(default_factory=list)  # of every trial
    predict: float | None = None  # seconds for `predicted` rows
    predicted: int | None = None
    predict_one: float | None = None  # seconds for one row
    accuracy: float | None = None  # on the predicted rows
    iterations: int | None = None
    memory: float | None = None  # peak of the fit beyond what was there before, in MB
    verdict: Verdict | None = None

    def add(self, said: dict[str, Any]) -> None:
        """Take a trial in: of times and memory the least, of all else the last word."""
        if self.status == "ok" and said["status"] != "ok":
            self.note = f"a later trial ended as {said['status']}"
            return
        if "fit" in said:
            self.fits.append(said["fit"])
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
    results: dict[str, Result] = field(default_factory=dict)


def run(row: Row, settings: Settings) -> RowResult:
    if row.machine not in MACHINES:
        return RowResult(row, note=f"not yet: {row.machine}")
    try:
        problem = load(row)
    except (FileNotFoundError, KeyError) as error:
        return RowResult(row, note=f"no data: {error}")
    with TemporaryDirectory() as folder:
        problem.save(Path(folder, "problem.npz"))
        results = _trials(Path(folder), settings)
        _judge(problem, Path(folder), results)
    return RowResult(row, "", *problem.X.shape, problem.n_classes, results)


def _trials(folder: Path, settings: Settings) -> dict[str, Result]:
    results = {name: Result() for name in settings.contestants}
    for turn in range(settings.repeats):
        for name, result in results.items():
            again = result.status == "ok" and result.fit <= settings.patience
            if not result.status or again:
                result.add(_trial(name, folder, settings, turn))
    return results


def _trial(name: str, folder: Path, settings: Settings, turn: int) -> dict[str, Any]:
    command = [settings.python[CONTESTANTS[name].peer], "-m", "benchmarks.trial", name]
    paths = [str(folder / "problem.npz"), str(folder / f"{name}.npz")]
    done = subprocess.run(
        [*command, *paths, str(settings.limit), str(settings.cores), str(turn)],
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
    return said | _ending(done, said, settings)


def _ending(done, said: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """What a trial could not say itself, because it was ended."""
    if done.returncode == 0:
        return {}
    over = done.returncode == -signal.SIGALRM
    if over and "fit" in said:
        return {"note": f"prediction took more than {settings.limit:g} s"}
    if over:
        return {"status": "time-out", "fit": settings.limit}
    last = (done.stderr.splitlines() or ["no message"])[-1]
    return {"status": "failed", "note": f"exit status {done.returncode}: {last}"}


def _threads(cores: int) -> dict[str, str]:
    """As many threads as cores, also for libraries that would not ask how many they may use."""
    names = ("OMP", "OPENBLAS", "MKL", "MAXMARGIN")
    return {f"{name}_NUM_THREADS": str(cores) for name in names}


def _judge(problem: Problem, folder: Path, results: dict[str, Result]) -> None:
    fitted = [name for name, result in results.items() if result.status == "ok"]
    models = [Model.load(folder / f"{name}.npz") for name in fitted]
    for name, verdict in zip(fitted, judge(problem, models) if models else [], strict=True):
        results[name].verdict = verdict
