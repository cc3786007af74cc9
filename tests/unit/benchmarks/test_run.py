import json
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from scipy import sparse

from benchmarks import runner
from benchmarks.__main__ import main
from benchmarks.bars import bars
from benchmarks.contestants import TIGHT
from benchmarks.judge import Verdict
from benchmarks.limits import PARTS, explain, limit, shares
from benchmarks.ratios import BETTER_ONEDAL, Ratio, mean, ratio, summary
from benchmarks.runner import Result, RowResult, Settings, run
from benchmarks.suite import BUNDLED, SUITE, TOL, Row


def test_a_row_from_end_to_end(tmp_path, capsys):
    arguments = ["quick", "--rows", "iris", "--contestants", "maxmargin,scikit-learn"]
    assert main([*arguments, "--repeats", "1", "--output", str(tmp_path)]) == 0
    (row,) = json.loads((tmp_path / "quick.json").read_text())["rows"]
    assert (row["n"], row["features"], row["classes"]) == (150, 4, 3)
    ours, theirs = row["results"]["maxmargin"], row["results"]["scikit-learn"]
    for result in (ours, theirs):
        assert result["status"] == "ok"
        assert 0 < result["fit"] < 10
        assert result["fits"] == [result["fit"]]
        assert 0 < result["predict_one"] <= result["predict"] + 1
        assert result["score"] > 0.9
        assert result["verdict"]["violation"] <= 1.01 * TOL
    assert theirs["verdict"]["dual"] <= ours["verdict"]["dual"] * (1 + 1e-9)
    assert "| iris |" in (tmp_path / "quick.md").read_text()
    assert (tmp_path / "quick.png").stat().st_size > 1000
    assert "geometric mean" in capsys.readouterr().out


def test_time_outs_and_missing_packages_are_results():
    python = {True: sys.executable, False: sys.executable}
    names = ("maxmargin", "LIBSVM")
    settings = Settings(names, python, repeats=2, patience=1.0, limit=1e-6, cores=1)
    (row,) = run([BUNDLED[0]], settings)
    results = row.results
    assert (results["maxmargin"].status, results["maxmargin"].fit) == ("time-out", 1e-6)
    assert results["maxmargin"].fits == [1e-6]
    if find_spec("libsvm") is None:
        assert results["LIBSVM"].status == "missing"


@pytest.mark.parametrize("machine", ["SVR", "OneClassSVM"])
def test_the_other_machines_run_too(machine, tmp_path, monkeypatch):
    monkeypatch.setenv("MAXMARGIN_DATA", str(tmp_path))
    X = np.linspace(0, 1, 60)[:, None]
    np.savez(tmp_path / "line.npz", X=X, y=np.where(X[:, 0] < 0.9, 1.0, 9.0))
    python = {True: sys.executable, False: sys.executable}
    names = (TIGHT, "scikit-learn")
    settings = Settings(names, python, repeats=1, patience=1.0, limit=10.0, cores=1)
    row = Row("line", "line", gamma=50.0, machine=machine, epsilon=0.1, nu=0.1)
    shown = []
    assert run([row], settings, shown.append) == shown
    results = shown[0].results
    assert [result.status for result in results.values()] == ["ok", "ok"]
    assert results[TIGHT].verdict.violation <= 1e-8
    assert results["scikit-learn"].verdict.violation <= 1.01 * TOL
    assert results[TIGHT].predict is None
    assert 0.5 < results["scikit-learn"].score <= 1.0


def test_nothing_starts_after_the_deadline():
    settings = Settings(("maxmargin",), {}, 2, 1.0, 10.0, 1, deadline=0.0)
    (row,) = run([BUNDLED[0]], settings)
    assert (row.note, row.results) == ("not reached in time", {})


def test_repeats_begin_with_the_quickest_row(monkeypatch):
    seconds = {"iris": 3.0, "moons": 1.0, "digits": 2.0, "clouds": 9.0}
    order = []

    def trial(name, place, settings, turn, reserve=0.0):
        order.append((turn, place.name))
        return {"status": "ok", "fit": seconds[place.name]}

    monkeypatch.setattr(runner, "_trial", trial)
    monkeypatch.setattr(runner, "_judge", lambda *_: None)
    settings = Settings(("maxmargin",), {}, repeats=2, patience=5.0, limit=10.0, cores=1)
    rows = run([row for row in BUNDLED if row.name in seconds], settings)
    assert [name for turn, name in order if turn == 1] == ["moons", "digits", "iris"]
    assert [len(row.results["maxmargin"].fits) for row in rows] == [2, 2, 2, 1]


def _row(of, **times):
    times = {"maxmargin": 1.0, **times}
    return RowResult(
        of,
        megabytes=10.0,
        results={
            name.replace("_", " "): Result(status="ok", fit=time, memory=155.0, cache=200.0)
            for name, time in times.items()
        },
    )


def test_bars_are_met_missed_or_open():
    fast = _row(SUITE[0], **{"scikit-learn": 20.0, "oneDAL float32": 1.0, TIGHT: 1.5})
    slow = _row(SUITE[8], **{"scikit-learn": 8.0, "oneDAL float64": 9.0, TIGHT: 3.0})
    slow.results["maxmargin"].verdict = Verdict(1.0, 1.0, 0.0, 2e-3, 0.0, 5)
    reached = {r.work: r for r in bars([fast, slow])}
    line = reached["fit, against scikit-learn"]
    assert (line.cells[2:], line.met) == (["13", "8.00 (shuttle)", "yes"], "yes")
    assert reached["fit, worst row, against either"].met == "no"
    assert reached["fit at C >= 100, against scikit-learn"].met == "no"
    # The first row loses to oneDAL, so that its tight tolerance says nothing.
    assert reached["fit, tol 1e-8 against 1e-3"].cells[2:] == ["3.00", "3.00 (shuttle)", "no"]
    assert reached["memory of a fit / what is allowed"].worst == Ratio(0.5)
    assert reached["violation at tol 1e-3 / tol"].met == "no"
    assert reached["predict, against scikit-learn"].cells[2:] == ["-", "-", "-"]
    late = {row.row.name: row.results["scikit-learn"] for row in (fast, slow)}
    late["shuttle"].status = "time-out"
    reached = {r.work: r.met for r in bars([fast, slow])}
    assert reached["fit, against scikit-learn"] == "yes"
    assert reached["fit at C >= 100, against scikit-learn"] == "unknown"


def test_the_best_of_the_trials_counts_and_a_late_failure_does_not():
    result = Result()
    result.add({"status": "ok", "fit": 2.0, "memory": None, "iterations": 5})
    result.add({"status": "ok", "fit": 1.0, "memory": 7.0, "iterations": 6})
    result.add({"status": "time-out", "fit": 60.0})
    assert (result.status, result.fit, result.fits) == ("ok", 1.0, [2.0, 1.0])
    assert (result.memory, result.iterations) == (7.0, 6)
    assert result.note == "a later trial ended as time-out"


def test_ratios_bounds_and_means():
    late = Result(status="time-out", fit=60.0)
    row = RowResult(
        SUITE[0],
        results={
            "maxmargin": Result(status="ok", fit=2.0),
            "scikit-learn": late,
            "oneDAL float32": Result(status="ok", fit=1.0),
            "oneDAL float64": Result(status="ok", fit=8.0),
            "LIBSVM": Result(status="missing"),
        },
    )
    assert str(ratio(row, "scikit-learn", "fit")) == ">30"
    assert str(ratio(row, BETTER_ONEDAL, "fit")) == "0.50 lost"
    assert ratio(row, "LIBSVM", "fit") is None
    assert summary([row], "oneDAL float64", "fit")["worst row"] == Ratio(4.0)
    row.results["maxmargin"] = late
    assert ratio(row, "scikit-learn", "fit") is None
    assert ratio(row, "oneDAL float32", "fit").sign == "<"
    assert mean([Ratio(4.0), Ratio(9.0, ">")]) == Ratio(pytest.approx(6.0), ">")
    assert mean([Ratio(4.0, "<"), Ratio(9.0, ">")]).sign == "~"
    assert mean([]) is None


def test_readers_of_files_are_compared(monkeypatch, capsys):
    rows = sparse.csr_array(np.eye(5))
    monkeypatch.setattr("benchmarks.files.shapes", lambda: {"five ones": rows})
    assert main(["files", "--repeats", "1"]) == 0
    assert "five ones" in capsys.readouterr().out


def test_the_largest_part_of_the_time_is_the_limit():
    report = dict.fromkeys(PARTS, 0.1) | {
        "kernel_seconds": 1.0,
        "problem_seconds": 1.5,
        "roofline": 0.25,
    }
    assert limit(report, fit=2.0) == "kernel entries 50%"
    assert shares(report, fit=2.0)["overhead"] == pytest.approx(0.3)
    assert explain(report, 2.0).endswith("certificate 5%; 25% of the roofline")
    assert limit(report, fit=5.0) == "overhead 72%"
    assert sum(shares(report, fit=0.1).values()) == pytest.approx(1.0)
