import io
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from instances import blobs
from maxmargin import LinearSVC, LinearSVR, load
from maxmargin.cli.scores import NumberScore
from maxmargin.data.files import write_libsvm
from maxmargin.storage import inspect

COMMAND = [
    sys.executable,
    "-u",
    "-c",
    "import sys; from maxmargin.cli import main; sys.exit(main())",
]


def test_a_table_with_all_kinds_of_columns(ok, shop):
    out = ok("train", shop).out
    assert "columns: 2 of numbers, 2 of text" in out
    assert "target buys: classification, as the target is text" in out
    assert "OPTIMAL" in out
    assert "shop.maxmargin" in out
    model = load("shop.maxmargin")
    frame = pd.read_csv(shop)
    frame["member"] = frame["member"].astype(str)
    assert model.score(frame, frame["buys"]) > 0.9
    assert inspect("shop.maxmargin")["notes"]["target"] == "buys"


def test_predictions_are_those_of_the_model(ok, shop):
    ok("train", shop, "-o", "model", "-q")
    result = ok("predict", "model", shop)
    frame = pd.read_csv(shop)
    frame["member"] = frame["member"].astype(str)
    assert result.out.split() == list(load("model").predict(frame))
    assert "120 rows predicted; accuracy 0." in result.err


def test_quiet_is_quiet(ok, shop):
    result = ok("train", shop, "-q", "-o", "model")
    assert (result.out, result.err) == ("", "")
    result = ok("predict", "model", shop, "-q", "-o", "out")
    assert (result.out, result.err) == ("", "")


def test_quiet_training_predicts_nothing(ok, shop, monkeypatch):
    def predict(*_, **__):
        raise AssertionError("a score was computed that nobody sees")

    monkeypatch.setattr("maxmargin.SVC.predict", predict)
    ok("train", shop, "-q", "-o", "model", "--folds", "3")


@pytest.mark.parametrize("target", ["age", "1", "-5"])
def test_the_target_by_name_and_by_place(ok, shop, target):
    out = ok("train", shop, "--target", target).out
    assert "target age: regression, as the target has fractions" in out


def test_columns_can_be_dropped_and_made_categories(ok, shop):
    out = ok("train", shop, "--drop", "age,member", "--categorical", "code").out
    assert "columns: 0 of numbers, 2 of text" in out
    result = ok("predict", "shop.maxmargin", shop, "-o", "out")
    assert "accuracy" in result.err


def test_missing_values_are_refused_filled_or_dropped(ok, fails, shop):
    frame = pd.read_csv(shop)
    frame.loc[[2, 4], "age"] = np.nan
    frame.loc[7, "city"] = None
    frame.to_csv(shop, index=False)
    error = fails(3, "train", shop)
    assert "column 'age' lacks a value in 2 rows (3, 5)" in error
    assert "--missing fill" in error
    assert "117 rows" in ok("train", shop, "--missing", "drop").out
    assert "column 'age' lacks a value in 2 rows" in fails(3, "predict", "shop.maxmargin", shop)
    assert "120 rows" in ok("train", shop, "--missing", "fill").out
    ok("predict", "shop.maxmargin", shop)


def test_scaling_is_on_for_tables_and_off_for_sparse_rows(ok, shop, sparse_file):
    ok("train", shop, "-t", "age", "--drop", "city,member,buys", "-o", "a")
    assert "scale" in load("a").named_steps
    ok("train", shop, "-t", "age", "--drop", "city,member,buys", "--no-standardize", "-o", "a")
    assert not hasattr(load("a"), "steps")
    ok("train", sparse_file, "-o", "b")
    assert not hasattr(load("b"), "steps")
    ok("train", sparse_file, "--standardize", "-o", "b")
    assert load("b").named_steps["scale"].with_mean is False


@pytest.mark.parametrize(
    ("options", "attribute", "value"),
    [
        (["-C", "7"], "C", 7.0),
        (["-g", "0.25"], "gamma", 0.25),
        (["-k", "linear"], "kernel", "linear"),
        (["--linear", "-C", "7"], "C", 7.0),
        (["--linear", "--tol", "1e-6"], "tol", 1e-6),
        (["--linear", "-w", "balanced"], "class_weight", "balanced"),
        (["-k", "poly", "--degree", "2"], "degree", 2),
        (["-w", "1=3", "-w", "0=2"], "class_weight", {1: 3.0, 0: 2.0}),
        (["-w", "balanced"], "class_weight", "balanced"),
        (["--tol", "0.1"], "tol", 0.1),
    ],
)
def test_options_reach_the_machine(ok, sparse_file, options, attribute, value):
    ok("train", sparse_file, *options, "-o", "model")
    assert getattr(load("model"), attribute) == value


def test_regression_and_one_class(ok, tmp_path):
    X, y = blobs(60, d=3)
    data = tmp_path / "numbers.libsvm"
    write_libsvm(data, X, y + X[:, 0])
    out = ok("train", data, "--folds", "3").out
    assert "regression, as the target has fractions" in out
    assert "3-fold cross-validation: R2 0." in out
    assert "R2" in ok("predict", "numbers.maxmargin", data).err
    assert "one-class" in ok("train", data, "--task", "one-class").out
    assert "outliers" in ok("predict", "numbers.maxmargin", data).err


def test_linear_machines(ok, sparse_file, tmp_path):
    out = ok("train", sparse_file, "--linear", "--auto", "--folds", "3", "-o", "model").out
    assert "LinearSVC, C" in out
    assert "accuracy on the training rows" in out
    assert "loss hinge" in out
    assert isinstance(load("model"), LinearSVC)
    for word in ("LinearSVC", "hinge", "support vectors", "relative gap", "OPTIMAL"):
        assert word in ok("info", "model").out

    X, y = blobs(60, d=3)
    write_libsvm(tmp_path / "numbers.libsvm", X, y + X[:, 0])
    ok("train", "numbers.libsvm", "--linear", "-o", "model")
    assert isinstance(load("model"), LinearSVR)
    assert "R2" in ok("predict", "model", "numbers.libsvm").err
    ok("train", "numbers.libsvm", "--linear", "--task", "one-class", "-o", "model")
    assert load("model").kernel == "linear"


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_linear_machines_solve_the_linear_kernels_problem(ok, tmp_path, task):
    X, y = blobs(60, d=3)
    write_libsvm(tmp_path / "data", X, y)
    ok("train", "data", "--task", task, "--linear", "--tol", "1e-8", "-o", "linear")
    ok("train", "data", "--task", task, "-k", "linear", "--tol", "1e-8", "-o", "kernel")
    linear, kernel = load("linear"), load("kernel")
    np.testing.assert_allclose(np.atleast_2d(linear.coef_), kernel.coef_.toarray(), atol=1e-5)


def test_the_search_shows_its_grid_and_takes_the_best(ok, sparse_file):
    out = ok("train", sparse_file, "--auto", "--folds", "3").out
    assert out.count("*") == 2  # the legend, and the best
    chosen = [line for line in out.splitlines() if line.startswith("chosen: C ")]
    assert f"{load('rows.maxmargin').C:.4g}" in chosen[0]
    assert "3-fold cross-validation: accuracy" in out
    assert "95% interval" in out


def test_a_time_limit_ends_with_a_warning_and_a_model(run, tmp_path):
    X, y = blobs(10000, d=10, spread=3.0)
    write_libsvm(tmp_path / "slow", X, y)
    result = run("train", tmp_path / "slow", "-C", "1e6", "--time-limit", "0.05")
    assert result.status == 6
    assert result.out.splitlines()[-1].startswith("the fit was stopped by the time limit")
    assert result.err.startswith("maxmargin: warning: The fit ended early: time_limit=0.05")
    assert len(result.err.splitlines()) == 1
    assert "TIME_LIMIT" in result.out
    assert load("slow.maxmargin").status_.name == "TIME_LIMIT"


def start(folder, *arguments):
    """Start the command in a process of its own, and wait until it has read the data."""
    command = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert "rows" in command.stdout.readline()
    return command


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_with_its_status_and_no_model(tmp_path):
    X, y = blobs(6000, d=8, spread=3.0)
    write_libsvm(tmp_path / "slow", X, y)
    with start(tmp_path, "train", "slow", "-C", "1e5", "-g", "0.02") as command:
        command.send_signal(signal.SIGINT)
        _, errors = command.communicate()
    assert command.returncode == 130
    assert errors == "maxmargin: interrupted\n"
    assert not (tmp_path / "slow.maxmargin").exists()


@pytest.mark.usefixtures("interruptible")
def test_an_ignored_interrupt_stays_ignored(tmp_path):
    X, y = blobs(3000, d=5, spread=3.0)
    write_libsvm(tmp_path / "data", X, y)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # children start with it
    with start(tmp_path, "train", "data", "-C", "10") as command:
        while command.poll() is None:
            command.send_signal(signal.SIGINT)
            time.sleep(0.01)
        out, errors = command.communicate()
    assert (command.returncode, errors) == (0, "")
    assert "OPTIMAL" in out
    assert load(tmp_path / "data.maxmargin").score(X, y) > 0.5


def test_standard_input(ok, sparse_file, monkeypatch):
    import io
    import sys

    content = sparse_file.read_bytes()
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(content)))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert "standard input: 80 rows" in ok("train", "-").out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
    assert len(ok("predict", "model.maxmargin", "-").out.split()) == 80


FAILURES = {
    "no file": (4, ["train", "nothing.csv"], "nothing.csv: No such file"),
    "a folder": (4, ["train", "."], "Is a directory"),
    "no argument": (2, ["train"], "Missing argument 'DATA'"),
    "no verb": (2, ["trian"], "No such command 'trian'"),
    "no option": (2, ["train", "x", "--nix"], "--nix"),
    "no number": (2, ["train", "SHOP", "-g", "wide"], "'wide' is not a number"),
    "bad C": (2, ["train", "SHOP", "-C", "-1"], "-1 must be above 0"),
    "no target": (3, ["train", "SHOP", "-t", "nix"], "member, code, buys (option --target)"),
    "no column": (3, ["train", "SHOP", "--drop", "nix"], "no column 'nix'"),
    "no class": (2, ["train", "SHOP", "-w", "maybe=2"], "--weight maybe=2 names no class"),
    "no format": (3, ["train", "WORDS"], "give the format (option --format)"),
    "no folder": (4, ["train", "SHOP", "-o", "no/where"], "no/where: No such file"),
    "full disk": (4, ["train", "SHOP", "-o", "/dev/full"], "/dev/full: No space left"),
    "no model": (3, ["predict", "SHOP", "SHOP"], "this is not a model file"),
    "text target": (3, ["train", "SHOP", "--task", "regression"], "the target is text"),
    "too many words": (3, ["train", "NAMES"], "column 'name' has 40 different texts"),
    "bad line": (3, ["train", "RAGGED"], "ragged.csv:4: the line has 3 cells where 2 are"),
    "bad bytes": (3, ["train", "LATIN"], "the text is not UTF-8"),
    "one class": (3, ["train", "ONE"], "at least two classes"),
}


@pytest.mark.parametrize(("status", "arguments", "message"), FAILURES.values(), ids=FAILURES.keys())
def test_errors_are_one_line_and_a_status(fails, shop, tmp_path, status, arguments, message):
    files = {
        "SHOP": shop,
        "WORDS": tmp_path / "words",
        "NAMES": tmp_path / "names.csv",
        "RAGGED": tmp_path / "ragged.csv",
        "LATIN": tmp_path / "latin.csv",
        "ONE": tmp_path / "one.csv",
    }
    files["WORDS"].write_text("some words without a shape\n")
    files["NAMES"].write_text("name,y\n" + "".join(f"p{k},{k % 2}\n" for k in range(40)))
    files["RAGGED"].write_text("a,b\n1,2\n3,4\n5,6,7\n")
    files["LATIN"].write_bytes("a,b\n1,ü\n".encode("latin-1"))
    files["ONE"].write_text("a,b\n1,x\n2,x\n")
    assert message in fails(status, *[files.get(word, word) for word in arguments])


def test_an_old_model_survives_a_failed_training(ok, fails, shop):
    ok("train", shop, "-o", "model")
    before = load("model").get_params()
    fails(3, "train", shop, "-o", "model", "--task", "regression")
    assert str(load("model").get_params()) == str(before)


def test_scores_in_passing_are_those_of_all_rows_at_once():
    rng = np.random.default_rng(0)
    y = 1e6 + rng.normal(size=500)
    predicted = y + rng.normal(0.5, 1.0, size=500)
    score = NumberScore()
    for part in np.array_split(np.arange(500), 7):
        score.add(y[part], predicted[part])
    assert score.squared_correlation == pytest.approx(np.corrcoef(y, predicted)[0, 1] ** 2)
    assert score.r2 == pytest.approx(1 - np.mean((y - predicted) ** 2) / np.var(y))
    assert score.mean_squared_error == pytest.approx(np.mean((y - predicted) ** 2))


def test_probabilities(ok, fails, tmp_path):
    frame = pd.DataFrame({"x": np.r_[np.arange(40.0), np.arange(30.0, 70.0)]})
    frame["kind"] = ["low"] * 40 + ["high, up"] * 40
    frame.to_csv("rows.csv", index=False)
    ok("train", "rows.csv", "--probability", "-o", "rows.maxmargin")
    table = ok("predict", "rows.maxmargin", "rows.csv", "--probability").out
    found = pd.read_csv(io.StringIO(table))
    shares = found[["probability high, up", "probability low"]].to_numpy()
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(
        np.array(["high, up", "low"])[shares.argmax(axis=1)], found["prediction"]
    )
    ok("train", "rows.csv", "-o", "plain.maxmargin")
    message = fails(2, "predict", "plain.maxmargin", "rows.csv", "--probability")
    assert "train it with --probability" in message
    assert "--probability is for classification" in fails(
        2, "train", "rows.csv", "--probability", "--task", "regression"
    )
