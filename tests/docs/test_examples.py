"""Examples of the gallery say what they are about and end in a check; `make docs` runs them."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(ROOT.glob("*/*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    title, line, *_ = ast.get_docstring(tree).splitlines()
    assert path.name.startswith("plot_")
    assert set(line) == {"="}
    assert len(line) == len(title)
    assert any(isinstance(node, ast.Assert) for node in ast.walk(tree)), "claims nothing"
    alts = re.findall(r"^# Alt: (.*(?:\n# .*)*)", text, re.MULTILINE)
    assert alts, "draws nothing, or does not say what"
    assert all(len(alt.split()) >= 8 for alt in alts)


def test_every_group_has_a_title():
    groups = {path.parent for path in EXAMPLES}
    assert groups == {path.parent for path in ROOT.glob("*/README.rst")}
