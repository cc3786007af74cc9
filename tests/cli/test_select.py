"""The verb `select`: lines in a pipe, a grid in a terminal, budgets."""

import os
import pty
import re
import subprocess

import numpy as np
import pytest

from instances import blobs
from maxmargin.cli import select as module
from maxmargin.selection import SVCCV
from shell import COMMAND, read_until


@pytest.fixture
def rows(run):
    """Data in the folder that commands run in."""
    X, y = blobs(90, d=3, classes=3, spread=2.0)
    np.savez("rows.npz", X=X, y=y)
    return X, y


def test_lines_end_with_the_best(ok, rows):
    out = ok("select", "rows.npz", "--folds", "3").out.splitlines()
    lines = [line for line in out if re.match(r"C \S+, gamma \S+: accuracy", line)]
    assert len(lines) == 110 + 24
    best = max(float(line.split()[-1]) for line in lines)
    assert out[-3].startswith("best: C ")
    assert f"{best:.4f} ±" in out[-3]
    assert out[-2].startswith("simplest within one error: C ")
    assert re.fullmatch(r"for train: -C \S+ -g \S+", out[-1])
    ok("train", "rows.npz", *out[-1].removeprefix("for train: ").split(), "-o", "m")


def test_the_grid_is_that_of_the_estimator(ok, rows):
    out = ok("select", "rows.npz", "--folds", "3").out
    model = SVCCV(cv=3, refine=False).fit(*rows)
    for C in model.Cs_:
        assert f"C {C:.4g}, gamma {model.gammas_[0]:.4g}: accuracy" in out


@pytest.mark.parametrize(
    ("options", "n_lines"),
    [
        (["-C", "2"], 10 + 4),
        (["-g", "0.5"], 11 + 4),
        (["-k", "linear"], 11 + 4),
        (["--linear"], 11 + 4),
        (["--task", "regression"], 110 + 24),
        (["--scoring", "f1_macro", "--standardize"], 110 + 24),
    ],
)
def test_what_is_fixed_and_what_is_searched(ok, rows, options, n_lines):
    out = ok("select", "rows.npz", "--folds", "2", *options).out.splitlines()
    assert sum(": " in line and line.startswith(("C ", "gamma ")) for line in out) == n_lines


def test_quiet_says_the_result_only(ok, rows):
    out = ok("select", "rows.npz", "--folds", "2", "--quiet").out.splitlines()
    assert [line.split(":")[0] for line in out][-3:] == [
        "best",
        "simplest within one error",
        "for train",
    ]
    assert not any("accuracy 0" in line for line in out)


def test_a_terminal_shows_a_grid(rows):
    master, screen = pty.openpty()
    command = subprocess.Popen(
        [*COMMAND, "select", "rows.npz", "--folds", "2"],
        stdout=screen,
        stderr=screen,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "40"},
    )
    os.close(screen)
    seen = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", read_until(master, None).decode())
    assert command.wait(timeout=60) == 0
    os.close(master)
    assert "mean accuracy; gamma to the right" in seen
    assert "268 of 268 fits" in seen
    assert "…" not in seen, "all columns are within 80 letters"
    assert "best: C" in seen


def test_a_time_limit_keeps_the_best_so_far(run, rows, monkeypatch):
    result = run("select", "rows.npz", "--time-limit", "1e-9")
    assert result.status == 6
    assert "before any candidate" in result.out
    real = module.LiveGrid.__call__
    seen = []

    def stop(self, progress):
        real(self, progress)
        seen.append(progress)
        return len(seen) > 1

    monkeypatch.setattr(module.LiveGrid, "__call__", stop)
    result = run("select", "rows.npz")
    assert result.status == 6
    assert "the search was stopped: there may be better models" in result.out
    assert "best: C" in result.out


def test_a_picture(ok, fails, rows):
    ok("select", "rows.npz", "--folds", "2", "--plot", "grid.png")
    assert os.path.getsize("grid.png") > 10_000
    assert "rows.npz" in fails(2, "select", "rows.npz", "--plot", "rows.npz")


def test_what_it_refuses(fails, rows):
    assert "needs a target" in fails(2, "select", "rows.npz", "--task", "one-class")
    assert "scoring" in fails(3, "select", "rows.npz", "--scoring", "praise")
