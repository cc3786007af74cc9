"""What CONTRIBUTING.md shows must run, and what it names must be there."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "CONTRIBUTING.md"
PAGES = [GUIDE, ROOT / "docs" / "architecture.md"]


def recipes():
    """The blocks of Python, each with the line it begins in."""
    text = GUIDE.read_text()
    for match in re.finditer(r"```python\n(.*?)```", text, re.DOTALL):
        yield text.count("\n", 0, match.start(1)), match[1]


def test_the_recipes_run(capsys, monkeypatch):
    # In order, with the names of those before: the estimator is made of the loss. In a module, so
    # that what they define can be pickled.
    module = ModuleType("recipes")
    monkeypatch.setitem(sys.modules, "recipes", module)
    blocks = list(recipes())
    assert len(blocks) == 4
    for line, code in blocks:
        assert "assert" in code
        exec(compile("\n" * line + code, str(GUIDE), "exec"), vars(module))
    assert capsys.readouterr().out.strip() == "2"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    targets = re.findall(r"\]\(([^)#]+)\)", page.read_text())
    assert targets
    assert [target for target in targets if not (page.parent / target).exists()] == []
