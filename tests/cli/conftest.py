"""Files to try the command line on, and the command itself."""

import webbrowser
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from instances import blobs
from maxmargin.cli import main
from maxmargin.lab import LabPage


@dataclass
class Result:
    status: int
    out: str
    err: str


@pytest.fixture
def lab_page(monkeypatch, tmp_path_factory):
    """A page in place of the built one, and a browser that only notes what it opens."""
    place = tmp_path_factory.mktemp("lab") / "lab.html"
    place.write_text("<!doctype html><html><body></body></html>")
    opened = []
    monkeypatch.setattr(LabPage, "built", staticmethod(lambda: place))
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    return opened


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run the command in a folder of its own; returns status, output and errors."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Result(status, captured.out, captured.err)

    return call


@pytest.fixture
def ok(run):
    def call(*arguments):
        result = run(*arguments)
        assert result.status == 0, result.err
        return result

    return call


@pytest.fixture
def fails(run):
    """Run a command that must end with this status and one line of error."""

    def call(status, *arguments):
        result = run(*arguments)
        assert result.status == status, result
        lines = result.err.splitlines()
        assert len(lines) == 1, result.err
        assert lines[0].startswith("maxmargin: ")
        return lines[0]

    return call


@pytest.fixture
def shop(tmp_path):
    """A table of numbers, texts and truth values, with the target in the last column."""
    rng = np.random.default_rng(0)
    n = 120
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n).round(1),
            "city": rng.choice(["Rom", "Oslo", "Bern"], n),
            "member": rng.random(n) < 0.3,
            "code": rng.integers(1, 4, n),
        }
    )
    frame["buys"] = np.where((frame.age > 40) ^ (frame.city == "Rom"), "yes", "no")
    path = tmp_path / "shop.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def sparse_file(tmp_path):
    X, y = blobs(80, d=5, classes=3)
    from maxmargin.data.files import write_libsvm

    path = tmp_path / "rows.libsvm"
    write_libsvm(path, X, y)
    return path
