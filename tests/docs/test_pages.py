"""Sessions on the pages of the guide run, and print what the pages say."""

import doctest
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib import pyplot

from maxmargin.cli.app import run

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(
    path
    for folder in ("guide", "start")
    for path in (DOCS / folder).glob("*.md")
    if path.stem not in ("README", "index")
)
SESSION = re.compile(r"^```(pycon|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Commands of ours, and what they print; those of others are not run.
COMMAND = re.compile(r"^\$ maxmargin (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
MACHINE = re.compile(
    r"[\d.]+ s$|[\d,]+ bytes|(?<=bytes ) +[\d,]+|#iter = \d+|\d\.\de-1\d|(?<=\.\d{9})\d+",
    re.MULTILINE,
)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def shell(arguments):
    """Run the command here, where its packages are loaded already, and print what it says."""
    said = TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True)
    with redirect_stdout(said), redirect_stderr(said):
        run(shlex.split(arguments))
    print(steady(said.buffer.getvalue().decode()), end="")


def steady(text):
    """Leave out what is another number on another machine: times, bytes and rounding errors."""
    return MACHINE.sub("#", text)


def examples(kind, text):
    """What a session does, line by line, and what it is to print."""
    if kind == "pycon":
        return doctest.DocTestParser().get_examples(text)
    return [
        doctest.Example(f"shell({found[1]!r})\n", steady(found[2]))
        for found in COMMAND.finditer(text)
    ]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_its_sessions_run(path, tmp_path, monkeypatch):
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)  # what a page writes is gone with the test
    monkeypatch.setenv("COLUMNS", "100")
    text = path.read_text(encoding="utf-8")
    namespace = {"__name__": path.stem, "shell": shell}
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    failures = []
    for match in SESSION.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        session = doctest.DocTest(
            examples(*match.groups()), namespace, path.name, str(path), line, match[2]
        )
        runner.run(session, out=failures.append, clear_globs=False)
        namespace |= session.globs
    pyplot.close("all")
    assert runner.failures == 0, "".join(failures)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_it_has_a_title_and_a_line_in_the_index(path):
    assert path.read_text(encoding="utf-8").startswith("# ")
    index = (path.parent / "index.md").read_text(encoding="utf-8")
    assert re.search(rf"^{path.stem}$|\({path.stem}\.md", index, re.MULTILINE), "not in index.md"
