"""Sessions on the pages of the guide run, and print what the pages say."""

import doctest
import re
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib import pyplot

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(
    path
    for folder in ("guide", "start")
    for path in (DOCS / folder).glob("*.md")
    if path.stem not in ("README", "index")
)
SESSION = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_its_sessions_run(path, tmp_path, monkeypatch):
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)  # what a page writes is gone with the test
    text = path.read_text(encoding="utf-8")
    namespace = {"__name__": path.stem}
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    failures = []
    for match in SESSION.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        session = doctest.DocTestParser().get_doctest(
            match[1], namespace, path.name, str(path), line
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
