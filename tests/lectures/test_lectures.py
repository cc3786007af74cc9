"""Every lecture runs, keeps its claims, and becomes a page that needs nothing beside it."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from docs.site.__main__ import sources
from docs.site.cells import read
from docs.site.page import SOURCE, Page, name_of

SOURCES = sources()
LECTURES = [path for path in SOURCES if path.stem[0].isdigit()]
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
#: What can be linked to on each page.
NAMES = {
    path.stem: {
        name_of(words)
        for cell in read(path)
        if cell.is_prose
        for words in HEADING.findall(SOURCE.sub(r"\1", cell.text))
    }
    for path in SOURCES
}


class Parts(HTMLParser):
    """What a page links to and what it shows."""

    def __init__(self, page):
        super().__init__()
        self.links, self.resources, self.names, self.alts = [], [], set(), []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.names.add(attributes.get("id"))
        if tag == "a":
            self.links.append(attributes["href"])
        if tag == "img":
            self.alts.append(attributes["alt"])
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
        stem, _, ending = file.partition(".")
        assert ending in ("html", "ipynb") if file else name in parts.names, link
        assert not name or name in NAMES.get(stem, parts.names), link
        assert not file or stem in NAMES, link
    assert not re.search(r"url\((?!data:)", html)
    assert "$" not in re.sub(r"<(pre|script).*?</\1>", "", html, flags=re.DOTALL)
    assert len(parts.alts) == page.n_figures
    assert all(len(alt.split()) >= 8 for alt in parts.alts)  # says what is seen
    cells = json.loads(page.notebook)["cells"]
    assert [cell["source"] for cell in cells] == [cell.text for cell in read(path)]


def exercises(path):
    """The cells of each exercise: the question, then its solution."""
    cells = read(path)
    asked = [i for i, cell in enumerate(cells) if "### Exercise" in cell.text]
    return [cells[begin:end] for begin, end in pairwise([*asked, len(cells)])]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_every_exercise_has_a_number_a_sentence_and_a_check(path):
    for question, *solution in exercises(path):
        assert all(cell.is_solution for cell in solution), question.text
        assert solution[0].is_prose, question.text
        code = [cell.text for cell in solution if not cell.is_prose]
        assert sum(text.count("\nanswer = ") + text.startswith("answer = ") for text in code) == 1
        assert "assert " in code[-1]


def test_there_are_forty_exercises():
    assert sum(len(exercises(path)) for path in SOURCES) >= 40


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
def test_it_closes_with_its_card_and_exercises(path):
    prose = "\n".join(cell.text for cell in read(path) if cell.is_prose)
    assert "\n## Algorithm card" in "\n" + prose
    assert len(exercises(path)) >= 5


def test_there_are_five():
    assert [path.stem[0] for path in LECTURES] == list("12345")


def test_every_source_is_rendered():
    assert sorted(SOURCES) == sorted(SOURCES[0].parent.glob("*.py"))
