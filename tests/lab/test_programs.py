"""The programs that the lab's page copies run with the package and find the page's numbers.

`lab/src/data/python.test.ts` holds the files to what the page copies.
"""

import runpy
from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parents[2] / "lab/tests/programs").glob("*.py"))


def test_there_are_programs():
    assert len(PROGRAMS) >= 16


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_finds_the_numbers_of_the_page(path, capsys):
    assert "assert" in path.read_text(encoding="utf-8")
    runpy.run_path(str(path))
    assert "certificate" in capsys.readouterr().out
