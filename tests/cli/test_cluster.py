"""`train` and `predict` on a cluster: the same files, words and exit statuses as on one machine."""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from distributed import Client

from instances import blobs
from maxmargin import load
from maxmargin.cli import cluster_prediction, cluster_training
from maxmargin.data.files import write_libsvm
from maxmargin.storage import inspect
from shell import COMMAND

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def threads():
    """A cluster of threads of this process, which is there at once."""
    with Client(processes=False, n_workers=2, dashboard_address=":0") as client:
        yield client


@pytest.fixture
def near(threads, monkeypatch):
    """Have every address be that of the cluster of threads."""

    @contextlib.contextmanager
    def connected(address):
        yield threads.as_current()

    monkeypatch.setattr(cluster_training, "connected", connected)
    monkeypatch.setattr(cluster_prediction, "connected", connected)


@pytest.fixture
def shops(shop, tmp_path):
    """The table of `shop` in three files."""
    frame = pd.read_csv(shop)
    for k in range(3):
        frame[40 * k : 40 * (k + 1)].to_csv(tmp_path / f"part-{k}.csv", index=False)
    return "part-*.csv"


ON = ("--cluster", "somewhere")


def same_model(one, other, frame):
    """Whether two files hold the same model but for rounding."""
    one, other = load(one), load(other)
    values = [model.decision_function(frame) for model in (one, other)]
    return np.allclose(*values, rtol=1e-2, atol=1e-2)


@pytest.mark.usefixtures("near")
def test_the_model_and_the_words_are_those_of_one_machine(ok, shop, shops):
    here = ok("train", shop, "--linear", "-o", "one").out.splitlines()
    there = ok("train", *ON, shops, "--linear", "--tol", "1e-8", "-o", "many").out.splitlines()
    assert there[0] == "part-*.csv, 3 pieces: 120 rows; columns: 2 of numbers, 2 of text"
    assert there[1] == here[1]
    assert "LinearSVC, C 1, loss hinge: OPTIMAL, relative gap" in there[2]
    assert there[3] == here[3]
    frame = pd.read_csv(shop)
    frame["member"] = frame["member"].astype(str)
    assert same_model("one", "many", frame)
    notes = inspect("many")["notes"]
    assert (notes["rows"], notes["target"], notes["task"]) == (120, "buys", "classification")
    assert ok("predict", "many", shop).out == ok("predict", "one", shop).out


@pytest.mark.usefixtures("near")
def test_predictions_are_those_of_one_machine(ok, shop, shops, tmp_path):
    ok("train", shop, "--linear", "-o", "model", "-q")
    here = ok("predict", "model", shop, "--scores")
    there = ok("predict", *ON, "model", shops, "--scores")
    assert (there.out, there.err) == (here.out, here.err)
    ok("predict", *ON, "model", shops, "-o", "folder/")
    names = sorted(os.listdir("folder"))
    assert names == ["part-0.csv", "part-1.csv", "part-2.csv"]
    found = pd.concat([pd.read_csv(tmp_path / "folder" / name) for name in names])
    assert found["prediction"].tolist() == pd.read_csv(tmp_path / "part-0.csv").pipe(
        lambda _: ok("predict", "model", shop).out.split()
    )
    result = ok("predict", *ON, "model", shops, "-q", "-o", "all.parquet")
    assert (result.out, result.err) == ("", "")
    assert len(pd.read_parquet("all.parquet")) == 120


@pytest.mark.usefixtures("near")
def test_probabilities(ok, shop, shops):
    ok("train", *ON, shops, "--linear", "--tol", "0.1", "--probability", "-o", "model", "-q")
    there = ok("predict", *ON, "model", shops, "--probability", "-q").out
    assert there == ok("predict", "model", shop, "--probability", "-q").out
    assert there.startswith("prediction,probability ")


@pytest.mark.usefixtures("near")
def test_sparse_rows(ok, tmp_path):
    X, y = blobs(40, d=3)
    write_libsvm(tmp_path / "all.libsvm", X, y)
    write_libsvm(tmp_path / "part-0.libsvm", X[:25], y[:25])
    write_libsvm(tmp_path / "part-1.libsvm", X[25:], y[25:])
    options = ["--linear", "--standardize"]
    ok("train", "all.libsvm", *options, "-o", "one")
    ok("train", *ON, "part-*.libsvm", *options, "-o", "many")
    one, many = load("one"), load("many")
    assert np.allclose(one[0].scale_, many[0].scale_, rtol=1e-12)
    assert one[-1].certificate_.primal == pytest.approx(many[-1].certificate_.primal, rel=1e-4)
    assert (
        ok("predict", *ON, "many", "part-*.libsvm").out == ok("predict", "many", "all.libsvm").out
    )


@pytest.mark.usefixtures("near")
def test_rows_that_lack_a_value_are_refused_or_dropped(ok, fails, shops, tmp_path):
    frame = pd.read_csv(tmp_path / "part-1.csv")
    frame.loc[[2, 4], "age"] = np.nan
    frame.to_csv(tmp_path / "part-1.csv", index=False)
    error = fails(3, "train", *ON, shops, "--linear")
    assert "part-1.csv: column 'age' lacks a value in 2 rows (3, 5)" in error
    out = ok("train", *ON, shops, "--linear", "--tol", "0.1", "--missing", "drop").out
    assert "118 rows" in out
    frame["age"] = frame["age"].fillna(30).astype(object)
    frame.loc[7, "age"] = "?!"
    frame.to_csv(tmp_path / "part-1.csv", index=False)
    error = fails(3, "train", *ON, shops, "--linear", "--missing", "drop")
    assert "part-1.csv: column 'age' has numbers, but '?!' in row 8" in error


@pytest.mark.usefixtures("near")
def test_an_index_without_a_name_is_left_out(run, shop, tmp_path):
    frame = pd.read_csv(shop)
    for k in range(2):
        frame[60 * k : 60 * (k + 1)].to_csv(tmp_path / f"part-{k}.csv")
    result = run("train", *ON, "part-*.csv", "--linear", "--tol", "0.1", "-o", "model")
    assert result.status == 0
    assert "the column without a name counts the rows and is left out" in result.err
    assert load("model").feature_names_in_.tolist() == ["age", "city", "member", "code"]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--auto"], "--auto searches on one machine"),
        (["--folds", "3"], "--folds is for one machine"),
        (["--missing", "fill"], "--missing fill needs the medians of all rows"),
        (["--test", "x", "--task", "one-class"], "--test needs a target"),
    ],
)
def test_what_has_no_use_on_a_cluster_is_refused(fails, options, text):
    assert text in fails(2, "train", *ON, "part-*.csv", "--linear", *options)


@pytest.mark.usefixtures("near")
def test_errors_and_their_exit_statuses(fails, ok, shops, tmp_path):
    assert "local:0" in fails(2, "train", "--cluster", "local:0", shops)
    assert "standard input" in fails(2, "train", *ON, "-")
    assert "no such file" in fails(4, "train", *ON, "nothing-*.csv", "--linear")
    assert "--drop names" not in fails(3, "train", *ON, shops, "--linear", "--drop", "nothing")
    ok("train", *ON, shops, "--linear", "--tol", "0.1", "-o", "model", "-q")
    assert "standard input" in fails(2, "predict", *ON, "model", "-")
    assert "both read and written" in fails(2, "predict", *ON, "model", shops, "-o", ".")
    write_libsvm(tmp_path / "rows.libsvm", np.eye(2), [0, 1])
    assert "--id is for tables" in fails(2, "predict", *ON, "model", "rows.libsvm", "--id", "a")


def test_an_address_where_nobody_answers(fails, shops, monkeypatch):
    def refuse(*_, **__):
        raise OSError("timed out")

    monkeypatch.setattr("distributed.Client", refuse)
    error = fails(2, "train", "--cluster", "tcp://127.0.0.1:9", shops, "--linear")
    assert "no scheduler answers there" in error


# ---- Processes of this machine -------------------------------------------------------------------


def alive(mark):
    """Processes that have a word in their environment."""
    found = []
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if entry.isdigit() and mark.encode() in Path(f"/proc/{entry}/environ").read_bytes():
                found.append(int(entry))
    return found


def test_local_processes_train_and_predict(ok, shops):
    out = ok("train", "--cluster", "local:2", shops, "--linear", "--tol", "0.1", "-o", "m").out
    assert "OPTIMAL" in out
    result = ok("predict", "--cluster", "local:1", "m", shops, "-o", "out.csv")
    assert "120 rows predicted; accuracy" in result.err
    assert len(pd.read_csv("out.csv")) == 120


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="processes are found in /proc")
def test_ctrl_c_ends_the_workers(tmp_path):
    X, y = blobs(20000, d=8, spread=3.0)
    write_libsvm(tmp_path / "rows.libsvm", X, y)
    mark = f"MAXMARGIN_TEST={os.getpid()}-{time.monotonic_ns()}"
    name, _, value = mark.partition("=")
    command = subprocess.Popen(
        [*COMMAND, "train", "--cluster", "local:2", "rows.libsvm", "--linear", "--tol", "1e-300"],
        cwd=tmp_path, env={**os.environ, name: value}, text=True, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    command.stdout.readline()
    os.killpg(command.pid, signal.SIGINT)  # as a terminal does
    _, errors = command.communicate(timeout=100)
    assert command.returncode == 130
    assert errors == "maxmargin: interrupted\n"
    assert not (tmp_path / "rows.maxmargin").exists()
    end = time.monotonic() + 10
    while alive(mark) and time.monotonic() < end:
        time.sleep(0.1)
    assert alive(mark) == []
