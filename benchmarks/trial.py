"""One contestant on one problem, in a process of its own: python -m benchmarks.trial ...

What was measured goes to standard output, a line of JSON after each phase, so that a fit is kept
when the prediction takes too long.
"""

import json
import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.contestants import CONTESTANTS, NotOfferedError
from benchmarks.problem import Problem


def main(name: str, problem_path: str, model_path: str, limit: str, cores: str, turn: str) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(cores)])
    contestant = CONTESTANTS[name]
    try:
        say(version=contestant.load(int(turn)))
    except ImportError as error:
        say(status="missing", note=f"{contestant.package}: {error}")
        return
    problem = Problem.load(Path(problem_path))
    try:
        warm_up(contestant, problem.machine)
        measure(contestant, problem, Path(model_path), float(limit))
    except NotOfferedError as error:
        say(status="not offered", note=str(error))
    except Exception as error:
        say(status="failed", note=f"{type(error).__name__}: {error}")


def measure(contestant, problem: Problem, model_path: Path, limit: float) -> None:
    data = contestant.prepare(problem.X, problem.y)
    before = reset_peak()
    seconds = best_of(lambda: contestant.fit(data, problem), limit)
    peak = peak_megabytes()
    memory = None if peak is None else peak - before
    say(status="ok", fit=seconds, memory=memory, **contestant.about_fit())
    contestant.model(problem.y).save(model_path)
    if contestant.tol is not None:
        return

    rows = contestant.prepare(problem.X_test, problem.y_test)
    predictions = []
    seconds = best_of(lambda: predictions.append(contestant.predict(rows)), limit)
    say(predict=seconds, predicted=len(problem.y_test), score=score(problem, predictions[-1]))
    row = contestant.prepare(problem.X_test[:1], problem.y_test[:1])
    say(predict_one=best_of(lambda: contestant.predict(row), limit))


def score(problem: Problem, predicted) -> float:
    """Of a regression R^2, of all else the share of right answers."""
    y = problem.y_test
    if problem.machine == "SVR":
        return float(1 - np.mean((y - predicted) ** 2) / np.var(y))
    return float(np.mean(predicted == y))


def warm_up(contestant, machine: str) -> None:
    """First calls load libraries and start threads; nobody's time should contain that."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(200, 4)).astype(np.float32), np.arange(200) % 2
    small = Problem(X, y, X, y, C=1.0, gamma=0.5, tol=1e-3, machine=machine)
    contestant.fit(contestant.prepare(X, y), small)
    contestant.predict(contestant.prepare(X, y))


def best_of(work: Callable[[], object], limit: float) -> float:
    """Best time of the work, repeated while it is short; over the limit, the process ends here.

    The alarm's default action is to end the process: a handler in Python would have to wait for the
    compiled code to return.
    """
    times = []
    signal.setitimer(signal.ITIMER_REAL, limit)
    while not times or (sum(times) < 0.4 and len(times) < 50):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return min(times)


def reset_peak() -> float | None:
    """Forget the peak memory so far (Linux); it is the memory in use from then on."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return None
    return peak_megabytes()


def peak_megabytes() -> float | None:
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


def say(**fields) -> None:
    print(json.dumps(fields), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
