"""Scores that can be believed: nested folds, hold-out files, confusion matrices."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from instances import blobs
from maxmargin import SVC
from maxmargin.cli.bar import FitBar
from maxmargin.cli.scores import ClassScore, mean_interval
from maxmargin.cli.search import Search, fold_scores
from maxmargin.cli.task import Task


def test_the_search_never_sees_the_rows_that_score_it(monkeypatch):
    X, y = blobs(45, d=2, classes=3)
    X[:, 0] = np.arange(45)
    seen, judged = [], []
    run, predict = Search.run, SVC.predict

    def recorded(self, model, rows, targets, bar):
        seen.append(set(rows[:, 0]))
        return run(self, model, rows, targets, bar)

    def noted(self, rows):
        judged.append(set(np.asarray(rows)[:, 0]))
        return predict(self, rows)

    monkeypatch.setattr(Search, "run", recorded)
    search = Search(Task.CLASSIFICATION, 3)
    with FitBar("scoring", show=False) as bar:
        monkeypatch.setattr(SVC, "predict", noted)
        monkeypatch.setattr(SVC, "score", lambda self, Z, t: float((predict(self, Z) == t).mean()))
        fold_scores(SVC(kernel="linear"), X, y, Task.CLASSIFICATION, 3, bar, search)
    assert len(seen) == len(judged) == 3
    assert all(not inside & outside for inside, outside in zip(seen, judged, strict=True))
    assert set().union(*judged) == set(range(45))


def test_noise_is_not_praised():
    """On the folds that chose it, the best of 30 models is right in over half the rows of noise."""
    nested, chosen = [], []
    search = Search(Task.CLASSIFICATION, 2)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(30, 3)), rng.permutation([0, 1] * 15)
        model = SVC(n_jobs=1)
        with FitBar("scoring", show=False) as bar:
            said, score = fold_scores(model, X, y, Task.CLASSIFICATION, 3, bar, search)
            found = search.run(model, X, y, bar)
        assert said.endswith("; the search was made anew in each fold")
        nested.append(score.correct / score.n)
        chosen.append(found.scores.max())
    assert np.mean(nested) < 0.55
    assert np.mean(chosen) > np.mean(nested) + 0.05


def test_auto_with_folds_says_that_they_are_nested(ok, sparse_file):
    out = ok("train", sparse_file, "--auto", "--folds", "2", "--linear", "-o", "m").out
    assert "2-fold cross-validation: accuracy" in out
    assert "the search was made anew in each fold" in out


def test_the_confusion_matrix_is_scikit_learns():
    rng = np.random.default_rng(0)
    names = np.array(["a", "b", "c"])
    y, predicted = names[rng.integers(0, 3, 200)], names[rng.integers(0, 2, 200)]
    score = ClassScore()
    for part in np.array_split(np.arange(200), 3):
        score.add(y[part], predicted[part])
    header, rows = score.table()
    assert header[1:] == ["a", "b", "c", "precision", "recall", "F1"]
    np.testing.assert_array_equal(
        np.array([row[1:4] for row in rows], int), confusion_matrix(y, predicted)
    )
    expected = np.array(precision_recall_fscore_support(y, predicted, zero_division=np.nan)[:3]).T
    found = [[np.nan if cell == "-" else float(cell) for cell in row[4:]] for row in rows]
    np.testing.assert_allclose(found, expected, atol=5e-5)


def test_small_matrices_are_shown_and_large_ones_on_request(ok, tmp_path):
    X, y = blobs(240, d=2, classes=12)
    pd.DataFrame(X, columns=["a", "b"]).assign(kind=y).to_csv("many.csv", index=False)
    assert "precision" not in ok("train", "many.csv", "--folds", "3", "-o", "m").out
    assert "precision" in ok("train", "many.csv", "--folds", "3", "--report", "-o", "m").out
    assert "precision" not in ok("predict", "m", "many.csv").err
    assert "precision" in ok("predict", "m", "many.csv", "--report").err
    few = pd.read_csv("many.csv").query("kind < 3")
    few.to_csv("few.csv", index=False)
    assert "precision" in ok("train", "few.csv", "--folds", "3", "-o", "m").out
    assert "precision" in ok("predict", "m", "few.csv").err
    assert "precision" not in ok("predict", "m", "few.csv", "-q").err


def test_a_hold_out_file(ok, fails, shop):
    frame = pd.read_csv(shop)
    frame.iloc[:80].to_csv("first.csv", index=False)
    frame.iloc[80:].to_csv("rest.csv", index=False)
    out = ok("train", "first.csv", "--test", "rest.csv", "-o", "m").out
    said = ok("predict", "m", "rest.csv").err.partition("; ")[2].splitlines()[0]
    assert f"on rest.csv, 40 rows: {said}" in out
    assert "recall" in out
    assert "nothing.csv: No such file" in fails(4, "train", "first.csv", "--test", "nothing.csv")
    frame.drop(columns="city").to_csv("less.csv", index=False)
    assert "the model needs the column 'city'" in fails(3, "train", shop, "--test", "less.csv")
    frame.drop(columns="buys").to_csv("less.csv", index=False)
    assert "there is no such column" in fails(3, "train", shop, "--test", "less.csv")
    assert "both read and written" in fails(
        2, "train", "first.csv", "--test", "rest.csv", "-o", "rest.csv"
    )


def test_intervals_of_folds_hold_what_they_promise():
    """Of R2 over folds that share their training rows: at least as often as they say."""
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(400):
        # A common part, as of shared rows: correlation 1 / K between the folds.
        values = rng.normal(size=5) * np.sqrt(0.8) + rng.normal() * np.sqrt(0.2)
        low, high = mean_interval(values, 0.25)
        held += low < 0 < high
    assert held / 400 > 0.92


@pytest.mark.parametrize("seconds", [0.3])
def test_a_time_limit_holds_for_search_and_fit_together(run, tmp_path, seconds):
    X, y = blobs(1500, d=8, classes=4, spread=3.0)
    np.savez("data.npz", X=X, y=y)
    result = run("train", "data.npz", "--auto", "--time-limit", seconds, "-o", "m")
    assert result.status == 6
    last = result.out.splitlines()[-1]
    assert "the search was stopped by the time limit after" in last
    assert "of 30 models" in last


def test_no_interval_of_r2_is_above_one(ok, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(np.arange(60) == 7, 300.0, 80 * X[:, 0])  # one fold is much worse
    rows = "".join(f"{a},{b},{c},{t}\n" for (a, b, c), t in zip(X, y, strict=True))
    (tmp_path / "t.csv").write_text("a,b,c,y\n" + rows)
    told = ok("train", "t.csv", "--folds", "5").out
    assert re.search(r"R2 -?0\.\d+, 95% interval \S+ to 1\n", told), told
