"""docs/notation.md says what the code does."""

import re
from collections import Counter
from pathlib import Path

import pytest

from maxmargin import problems
from maxmargin.problems import CONVENTIONS, HALF_SUM, convert

TEXT = (Path(__file__).parents[2] / "docs" / "notation.md").read_text().replace(r"\|", "¦")


def rows(heading):
    """The cells of the table under a heading, without its two head lines."""
    section = TEXT.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


TABLE = {name.strip("`"): cells for name, *cells in rows("Conventions")}


@pytest.mark.parametrize("name", TABLE)
def test_each_row_of_the_table_is_the_convention_of_that_name(name):
    formula, *columns, _where = TABLE[name]
    convention = getattr(problems, name)
    value, n = 0.3, 7
    a, c = convention.weights(value, n)
    expected = [a, c, c / a, convert(value, n, convention, HALF_SUM)]
    letters = {"C": value, "lam": value, "n": n}
    assert convention.formula == formula.replace("¦", "|")
    assert [eval(column, letters) for column in columns] == pytest.approx(expected)


def test_the_table_is_complete():
    assert [getattr(problems, name) for name in TABLE] == list(CONVENTIONS)


def test_each_letter_has_one_meaning():
    headings = ("Data", "Models", "Losses", "Problems", "Iterations")
    letters = [
        letter
        for heading in headings
        for cells in rows(heading)
        for letter in re.split(r", ", cells[0])
    ]
    assert [letter for letter, count in Counter(letters).items() if count > 1] == []
