"""Every lecture runs, keeps its claims, and says in words what its figures show."""

import re
from itertools import pairwise

import pytest

from docs.site.cells import read
from docs.site.page import LAB, LINK, SOURCE, Page, name_of, sources

SOURCES = sources()
LECTURES = [path for path in SOURCES if path.stem[0].isdigit()]
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LESSONS = LECTURES[0].parents[2] / "lab" / "src" / "classroom" / "lessons.ts"
LESSON = re.compile(r'^    id: "([\w-]+)",$', re.MULTILINE)
INTERNAL = re.compile(r"\]\((?:(\w+)\.html)?(?:#([\w-]+))?\)")
#: What can be linked to on each page.
NAMES = {
    path.stem: [
        name_of(words)
        for cell in read(path)
        if cell.is_prose
        for words in HEADING.findall(SOURCE.sub(r"\1", cell.text))
    ]
    for path in SOURCES
}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_it_runs_and_becomes_a_page(path):
    page = Page.of(path)  # runs every cell: a claim that does not hold raises
    text = page.markdown("figures")
    assert text.count("{figure} figures/") == len(page.figures)
    assert all(len(figure.caption.alt.split()) >= 8 for figure in page.figures)
    assert f"{page.n_claims} claims checked" in text
    assert not LINK.search(text)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_its_links_lead_to_headings(path):
    assert len(set(NAMES[path.stem])) == len(NAMES[path.stem]), "two headings have one name"
    for cell in read(path):
        for stem, name in INTERNAL.findall(cell.text if cell.is_prose else ""):
            assert not stem or stem in NAMES, stem
            assert not name or name in NAMES[stem or path.stem], (stem, name)


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


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
def test_the_lab_is_alive_in_it_at_lessons_that_are_its_own(path):
    prose = "\n".join(cell.text for cell in read(path) if cell.is_prose)
    found = LAB.findall(prose)
    assert len(found) == prose.count("{lab}") >= 3
    assert all(words.strip() for _, words in found)
    known = LESSON.findall(LESSONS.read_text(encoding="utf-8"))
    lessons = [state.removeprefix("lesson=") for state, _ in found]
    assert lessons == [name for name in dict.fromkeys(lessons) if name in known]
    assert {name[0] for name in lessons} == {path.stem[0]}


def test_there_are_five():
    assert [path.stem[0] for path in LECTURES] == list("12345")


def test_every_source_is_rendered():
    assert sorted(SOURCES) == sorted(SOURCES[0].parent.glob("*.py"))
