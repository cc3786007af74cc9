"""What the README shows must run."""

import re
from pathlib import Path

import matplotlib

README = Path(__file__).parents[2] / "README.md"


def test_the_ten_lines_run(capsys):
    matplotlib.use("Agg")
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    exec(compile(code, str(README), "exec"), {})
    assert capsys.readouterr().out.startswith("OPTIMAL")


def test_every_link_leads_somewhere():
    targets = re.findall(r"\]\(([^)#]+)\)", README.read_text())
    assert "docs/notation.md" in targets
    assert [target for target in targets if not (README.parent / target).exists()] == []
