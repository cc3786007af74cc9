import json
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from scipy import sparse

from benchmarks.__main__ import main
from benchmarks.ratios import BETTER_ONEDAL, Ratio, mean, ratio, summary
from benchmarks.runner import Result, RowResult, Settings, run
from benchmarks.suite import BUNDLED, SUITE, TOL


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
        assert result["accuracy"] > 0.9
        assert result["verdict"]["violation"] <= 1.01 * TOL
    assert theirs["verdict"]["dual"] <= ours["verdict"]["dual"] * (1 + 1e-9)
    assert "| iris |" in (tmp_path / "quick.md").read_text()
    assert (tmp_path / "quick.png").stat().st_size > 1000
    assert "geometric mean" in capsys.readouterr().out


def test_time_outs_missing_packages_and_machines_are_results():
    python = {True: sys.executable, False: sys.executable}
    names = ("maxmargin", "LIBSVM")
    settings = Settings(names, python, repeats=2, patience=1.0, limit=1e-6, cores=1)
    results = run(BUNDLED[0], settings).results
    assert (results["maxmargin"].status, results["maxmargin"].fit) == ("time-out", 1e-6)
    assert results["maxmargin"].fits == [1e-6]
    if find_spec("libsvm") is None:
        assert results["LIBSVM"].status == "missing"
    regression = next(row for row in SUITE if row.machine == "SVR")
    assert run(regression, settings).note == "not yet: SVR"


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
