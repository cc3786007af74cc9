"""Every lecture runs, keeps its claims, and becomes a page that needs nothing beside it."""

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from docs.site.cells import read
from docs.site.page import Page

SOURCES = sorted((Path(__file__).parents[2] / "docs" / "lectures").glob("*.py"))
LECTURES = [path for path in SOURCES if path.stem[0].isdigit()]
STEMS = {path.stem for path in SOURCES}


class Parts(HTMLParser):
    """What a page links to and what it shows."""

    def __init__(self, page):
        super().__init__()
        self.links, self.resources, self.names = [], [], set()
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.names.add(attributes.get("id"))
        if tag == "a":
            self.links.append(attributes["href"])
        if tag in ("script", "link", "img", "iframe", "use"):
            self.resources += [attributes[key] for key in ("src", "href") if key in attributes]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_it_runs_and_its_page_is_whole(path):
    page = Page.of(path)  # runs every cell: a claim that does not hold raises
    html = page.html([page])
    parts = Parts(html)
    for resource in parts.resources:
        assert resource.startswith("data:") or resource.removeprefix("#") in parts.names
    for link in parts.links:
        file, _, name = link.partition("#")
        assert file.removesuffix(".html") in STEMS if file else name in parts.names
    assert not re.search(r"url\((?!data:)", html)
    assert "$" not in re.sub(r"<(pre|script).*?</\1>", "", html, flags=re.DOTALL)


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
def test_it_closes_with_its_card_and_exercises(path):
    cells = read(path)
    prose = "\n".join(cell.text for cell in cells if cell.is_prose)
    assert "\n## Algorithm card" in "\n" + prose
    exercises = [i for i, cell in enumerate(cells) if "### Exercise" in cell.text]
    assert len(exercises) >= 3
    for begin, end in pairwise([*exercises, len(cells)]):
        solution = cells[begin + 1 : end]
        assert all(cell.is_solution for cell in solution)
        assert "assert " in solution[-1].text


def test_there_are_five():
    assert [path.stem[0] for path in LECTURES] == list("12345")
