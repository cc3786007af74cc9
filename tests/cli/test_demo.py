import os
import re
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.image import imread
from sklearn import svm

from maxmargin import __version__
from maxmargin.cli import demo, main
from maxmargin.cli.terminal import BOLD, Terminal


@pytest.fixture(scope="module")
def piped(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "new" / "pictures"
    command = [sys.executable, "-c", "import sys; from maxmargin.cli import main; sys.exit(main())"]
    done = subprocess.run(
        [*command, "demo", "--output", str(folder)], capture_output=True, check=False
    )
    return done, folder


def test_the_demo_ends_well_and_in_silence_on_the_error_stream(piped):
    done, _ = piped
    assert done.stderr == b""
    assert done.returncode == 0


def test_a_pipe_gets_plain_text(piped):
    text = piped[0].stdout.decode("ascii")
    assert "\x1b" not in text


@pytest.mark.parametrize("picture", ["boundary.png", "gap.png"])
def test_the_pictures_are_there_and_not_blank(piped, picture):
    done, folder = piped
    assert str(folder / picture) in done.stdout.decode()
    pixels = imread(folder / picture)[..., :3].reshape(-1, 3)
    assert len(np.unique(pixels, axis=0)) > 100
    assert 0.2 < (pixels == 1).all(axis=1).mean() < 0.95


def test_both_libraries_are_told_about(piped):
    text = piped[0].stdout.decode()
    assert "optimal to 6 digits" in text
    assert text.count("within tol = 0.001") + text.count("optimal to 6 digits") == 6
    for row in ("fit time", "accuracy", "support vectors", "relative gap", "KKT violation"):
        assert len(re.findall(rf"^{row} .*\S  +\S", text, flags=re.M)) == 3
    assert "model.plot(X, y)" in text


@pytest.mark.parametrize("example", [demo.iris(), demo.digits()], ids=lambda e: e.name)
def test_the_other_librarys_solution_is_judged_as_it_is(example):
    model = svm.SVC(**example.parameters).fit(example.X, example.y)
    certificate = demo.judge(model, example)
    K = example.kernel(example.X, example.X)
    coef = model.dual_coef_
    if len(model.classes_) == 2:
        b = np.zeros(len(example.X))
        b[model.support_] = coef[0]
        assert certificate.dual == pytest.approx(np.abs(b).sum() - b @ K @ b / 2, rel=1e-12)
    else:
        assert len(certificate.parts) == 45
    assert 0 <= certificate.violation <= 1.1e-3
    assert certificate.primal >= certificate.dual


def test_version_and_help(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"maxmargin {__version__}\n"
    assert main([]) == 0
    assert "demo" in capsys.readouterr().out


def test_a_file_in_the_place_of_the_folder(tmp_path, capsys):
    (tmp_path / "taken").write_text("")
    assert main(["demo", "--output", str(tmp_path / "taken")]) == 4
    assert "taken: File exists" in capsys.readouterr().err


def test_without_matplotlib_it_says_what_to_install(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for name in [name for name in sys.modules if name.startswith("maxmargin.plots")]:
        monkeypatch.delitem(sys.modules, name)
    demo._draw([], [], tmp_path, Terminal(sys.stdout))
    assert "pip install maxmargin[plot]" in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("variable", "color"), [("", True), ("1", False)])
def test_a_terminal_gets_frames_and_colour_unless_told_not_to(monkeypatch, variable, color):
    monkeypatch.setenv("NO_COLOR", variable)
    monkeypatch.setenv("TERM", "xterm")
    outer, inner = os.openpty()
    with os.fdopen(inner, "w", encoding="utf-8") as stream:
        terminal = Terminal.of(stream)
        terminal.table(["", terminal.marked("a", BOLD)], [["b", "1"]])
        stream.flush()
        content = b""
        while "╯".encode() not in content:  # a read may return a part
            content += os.read(outer, 4096)
        text = content.decode()
    os.close(outer)
    assert (terminal.frames, terminal.color) == (True, color)
    assert "╭" in text
    assert ("\x1b[" in text) == color
