"""docs/notation.md explains each word once, and nobody uses another for the same thing."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "design").glob("*.md")),
]
NOTATION = (ROOT / "docs" / "notation.md").read_text()
WORDS = re.findall(
    r"^\| ([^|]+?) \|", NOTATION.split("## Words\n")[1].split("\n## ")[0], re.MULTILINE
)[2:]
#: What once stood for a word of the field, or for "per".
NOT_OURS = {
    "interior point": r"from the inside",
    "expensive": r"\bdear\b",
    "subsample": r"\bthinned\b",
    "compressed files": r"\b(un)?packed (file|data|or not)|packed by gzip",
    "diverge": r"\bastray\b",
    "full": r"\bcrowded\b",
    "as in": r"\b[Aa]s of `",
    "one per row": r"\b(one|an? (row|score|output|value|column|number|variable)|rows|numbers) an? "
    r"(row|class|pair|problem|output|sample|pass|step|feature|chunk|loss|model|label)\b",
}


def test_each_word_is_explained_once():
    assert len(WORDS) > 30
    assert len(set(WORDS)) == len(WORDS)


@pytest.mark.parametrize("word", WORDS)
def test_each_word_is_used(word):
    pattern = re.compile(re.escape(word.split(" and ")[0]).replace(r"\ ", r"[\s_]+"), re.IGNORECASE)
    elsewhere = [page for page in PAGES if page.name != "notation.md"]
    assert any(pattern.search(path.read_text()) for path in [*SOURCES, *elsewhere])


@pytest.mark.parametrize("word", NOT_OURS)
def test_there_is_one_word_for_it(word):
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in [*SOURCES, *PAGES]
        for match in re.finditer(NOT_OURS[word], path.read_text())
    ]
    assert not found, "\n".join(found)


def test_readers_of_files_know_no_options():
    folder = ROOT / "src" / "maxmargin" / "data"
    found = [path.name for path in folder.rglob("*.py") if re.search(r"\s--\w", path.read_text())]
    assert found == []
