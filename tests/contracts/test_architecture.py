"""docs/architecture.md tells what is there, and the walks that calls really take."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from benchmarks.walk import HOME, Walk, actions, place
from maxmargin.cli import main

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "architecture.md").read_text()
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text())
SECTIONS = {
    "SVC.fit": "`SVC().fit(X, y)`, three classes",
    "LinearSVC.fit": "`LinearSVC().fit(X, y)`, three classes",
    "SVC.predict": "`SVC.predict(X)`",
    "GridSearchCV.fit": "`GridSearchCV(SVC(), grid).fit(X, y)`",
    "train": "`maxmargin train data.csv`",
}


def told(heading):
    """The functions of a walk as the page has them: file and name."""
    section = TEXT.split(f"### {heading}\n")[1].split("\n### ")[0]
    return [
        (file, name)
        for name, file in re.findall(r"^ {4,}([\w.]+) +(\S+\.py)", section, re.MULTILINE)
    ]


@pytest.fixture
def action(request, tmp_path, monkeypatch):
    if request.param != "train":
        return actions()[request.param]
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text("a,b,kind\n" + "1,2,x\n3,1,y\n2,2,x\n4,0,y\n" * 5)
    return lambda: main(["train", "data.csv"])


@pytest.mark.parametrize(
    ("action", "heading"), SECTIONS.items(), ids=SECTIONS.keys(), indirect=["action"]
)
def test_a_walk_goes_where_the_page_says(action, heading, capsys):
    taken = [(place(code), code.co_qualname) for code, _ in Walk(action).calls]
    steps = told(heading)
    assert len(steps) > 5
    missing = [step for step in steps if step not in taken]
    assert not missing, missing
    remaining = iter(taken)
    assert all(step in remaining for step in steps), "the walk has another order"


def test_the_numbers_are_those_of_the_command():
    result = subprocess.run(
        [sys.executable, "-m", "benchmarks.walk"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    # What scikit-learn does on the way differs between versions, and with it a few of our calls.
    for line in result.stdout.splitlines():
        name, *numbers = line.split()
        shown = re.search(rf"^ +{re.escape(name)} +(.*)$", TEXT, re.MULTILINE)[1]
        found = [int(number) for number in re.findall(r"\d+", " ".join(numbers))]
        for stated, counted in zip(map(int, re.findall(r"\d+", shown)), found, strict=True):
            assert stated == pytest.approx(counted, rel=0.05, abs=2), line


def test_the_layers_are_those_that_are_checked():
    [layers] = [
        contract["layers"]
        for contract in CONFIG["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    ]
    section = TEXT.split("## The layers\n")[1].split("\n## ")[0]
    shown = [line.strip() for line in section.splitlines() if line.startswith("    ")]
    assert shown == [re.sub(r"[()]", "", layer) for layer in layers]


def test_the_tree_has_every_folder():
    section = TEXT.split("## The tree\n")[1].split("\n## ")[0]
    python, core = section.split("    cpp/")
    named = set(re.findall(r"^ {6}(\w+)/", python, re.MULTILINE))
    folders = {path.name for path in HOME.iterdir() if (path / "__init__.py").exists()}
    assert named == folders
    rooms = set(re.findall(r"^ {6}(\w+)/", core, re.MULTILINE))
    assert rooms == {path.name for path in (ROOT / "cpp").iterdir()} - {"bench", "fuzz", "tests"}


def test_the_lines_run():
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(compile(code, "architecture.md", "exec"), {})
