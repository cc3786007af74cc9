"""Ctrl-C, and what is shown while a fit runs."""

import os
import pty
import signal
import subprocess
import time

import numpy as np
import pytest

from instances import blobs
from maxmargin import SVC, LinearSVC, load
from maxmargin.cli.bar import FitBar
from maxmargin.data.files import write_libsvm
from shell import COMMAND, read_until

SLOW = ["-C", "1e6", "-g", "0.02"]


@pytest.fixture
def slow(tmp_path):
    X, y = blobs(12000, d=8, spread=3.0)
    write_libsvm(tmp_path / "slow", X, y)
    return tmp_path


def interrupted(folder, *options):
    """Train in a process of its own, and interrupt it when the fit or the search is under way."""
    command = subprocess.Popen(
        [*COMMAND, "train", "slow", *options],
        cwd=folder,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    for _ in range(2):
        command.stdout.readline()
    time.sleep(1.5)
    command.send_signal(signal.SIGINT)
    out, errors = command.communicate(timeout=120)
    return command.returncode, out, errors


@pytest.mark.usefixtures("interruptible")
def test_the_model_so_far_is_kept_if_asked(slow):
    status, out, _ = interrupted(slow, *SLOW, "--on-interrupt", "keep")
    assert status == 6
    assert out.splitlines()[-1].startswith("the fit was stopped by Ctrl-C")
    model = load(slow / "slow.maxmargin")
    assert model.status_.name == "INTERRUPTED"
    assert model.on_interrupt == "raise"
    assert model.callback is None


@pytest.mark.usefixtures("interruptible")
def test_nothing_is_kept_where_nobody_can_be_asked(slow):
    status, _, errors = interrupted(slow, *SLOW)
    assert (status, errors) == (130, "maxmargin: interrupted\n")
    assert not (slow / "slow.maxmargin").exists()


@pytest.mark.parametrize(("choice", "status"), [("keep", 6), ("discard", 130)])
def test_a_search_ends_with_the_best_so_far(run, sparse_file, monkeypatch, choice, status):
    fit, calls = FitBar.fit, []

    def interrupted_once(self, *arguments):
        calls.append(1)
        if len(calls) == 8:
            raise KeyboardInterrupt
        return fit(self, *arguments)

    monkeypatch.setattr(FitBar, "fit", interrupted_once)
    options = ["--auto", "--linear", "--on-interrupt", choice, "-o", "m"]
    result = run("train", sparse_file, *options)
    assert result.status == status
    if choice == "keep":
        assert "stopped by Ctrl-C after 1 of 6 models" in result.out.splitlines()[-1]
        assert load("m").C > 0
    else:
        assert not os.path.exists("m")


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(("answer", "status"), [("y", 6), ("n", 130)])
def test_a_terminal_is_asked(slow, answer, status):
    master, screen = pty.openpty()
    command = subprocess.Popen(
        [*COMMAND, "train", "slow", *SLOW],
        cwd=slow,
        stdin=screen,
        stdout=subprocess.DEVNULL,
        stderr=screen,
    )
    os.close(screen)
    seen = read_until(master, b"fitting")
    time.sleep(1.0)
    command.send_signal(signal.SIGINT)
    seen += read_until(master, b"Keep the model so far")
    os.write(master, f"{answer}\n".encode())
    read_until(master, None)
    assert command.wait(timeout=60) == status
    os.close(master)
    assert (slow / "slow.maxmargin").exists() == (answer == "y")
    assert b"gap" in seen


def test_bars_of_searches_and_folds_are_shown_and_end(sparse_file, tmp_path):
    master, screen = pty.openpty()
    options = ["--auto", "--folds", "2", "--linear", "-o", "m"]
    command = subprocess.Popen(
        [*COMMAND, "train", str(sparse_file), *options],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=screen,
    )
    os.close(screen)
    seen = read_until(master, None).decode()
    assert command.wait(timeout=60) == 0
    os.close(master)
    assert "searching" in seen
    assert "12 of 12 fits" in seen
    assert "scoring" in seen
    assert "26 of 26 fits" in seen


@pytest.mark.parametrize("machine", [SVC(C=100.0, gamma=0.1), LinearSVC(tol=1e-8)])
def test_a_bar_never_goes_back_and_ends_at_its_end(machine):
    X, y = blobs(1500, d=6, classes=4, spread=3.0)
    shares = []
    with FitBar("fitting", 2, show=False) as bar:
        move = bar.move

        def noted(share, note=""):
            move(share, note)
            shares.append(bar.done)

        bar.move = noted
        for _ in range(2):
            bar.fit(machine, X, y)
            assert machine.callback is None
    assert (np.diff([0.0, *shares]) >= 0).all()
    assert shares[-1] == 1.0
    assert 0.5 in shares


def test_a_bar_moves_with_the_time_limit():
    X, y = blobs(8000, d=10, spread=3.0)
    with FitBar("fitting", show=False) as bar:
        shares = []
        move = bar.move
        bar.move = lambda share, note="": (move(share, note), shares.append(bar.done))
        with pytest.warns(UserWarning, match="ended early"):
            bar.fit(SVC(C=1e6, gamma=0.01, time_limit=0.3), X, y)
    assert len(set(shares)) > 2
