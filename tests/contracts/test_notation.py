"""docs/notation.md says what the code does."""

import ast
import importlib
import inspect
import re
from pathlib import Path
from string import ascii_letters

import pytest
from numpydoc.docscrape import NumpyDocString

import maxmargin
from maxmargin import problems
from maxmargin.problems import CONVENTIONS, HALF_SUM, convert

SOURCE = Path(maxmargin.__file__).parent
ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "notation.md").read_text().replace(r"\|", "¦")


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


LETTERED = ("Data", "Models", "Losses", "Problems", "Iterations")


def letters():
    """What each table of letters says of each."""
    table = [cells for heading in LETTERED for cells in rows(heading)]
    return [(letter, meaning) for names, meaning, _ in table for letter in names.split(", ")]


MEANINGS = {"lam" if letter == "lambda" else letter: meaning for letter, meaning in letters()}


def test_names_in_the_tables_are_those_of_the_api():
    cells = [cells[2] for heading in LETTERED for cells in rows(heading)]
    named = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    assert len(named) > 40
    wrong = [name for name in named if not _is_public(name)]
    assert not wrong


def _is_public(name):
    """Whether a name is exported somewhere, and what follows its dot is a part of it."""
    owner, _, member = name.partition(".")
    homes = [importlib.import_module(f"maxmargin.{home}") for home in maxmargin._PACKAGES]
    found = [getattr(home, owner) for home in homes if owner in getattr(home, "__all__", [])]
    return any(not member or member in _members(value) for value in found)


def _members(value):
    text = NumpyDocString(inspect.getdoc(value) or "")
    listed = [entry.name for part in ("Parameters", "Attributes") for entry in text[part]]
    return {*dir(value), *(name.strip() for entry in listed for name in entry.split(","))}


#: Names that are letters, and so need a place in the tables.
GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lam mu nu xi omicron pi rho sigma "
    "tau upsilon phi chi psi omega"
)
LETTERS = {*ascii_letters, *re.findall(r"\w+", GREEK)}
#: Words of which one stands wherever a docstring, or the table, says what a letter is.
WORDS = {
    "n": "number of samples",
    "X": "samples|rows",
    "Z": "evaluate",
    "y": r"labels|targets|\+1",
    "w": "weights|hyperplane|primal point",
    "b": "intercept|bias|hyperplane|primal point",
    "z": "margin|touch",
    "K": "gram matrix",
    "g": "subgradient|subdifferential",
    "epsilon": "width of the tube|absolute values",
    "delta": "parabola",
    "a": "multiplied",
    "c": "multiplied|upper bound of alpha",
    "C": "penalty|factor|parameter",
    "lam": "penalty|factor|parameter|lambda",
    "alpha": "dual (variables|solution|point)",
    "beta": "dual (variables|solution|point)",
    "nu": "share",
    "A": "column of ones",
    "theta": "minimiser|unknowns",
    "t": "iteration|step",
}
NUMBER, ARRAY = r"float|int", r"Any|Array|ArrayLike|NDArray\[.*\]"
#: What a letter may be annotated as.
TYPES = {
    **dict.fromkeys(["n", "t"], "int"),
    **dict.fromkeys(["a", "b", "c", "delta", "epsilon", "lam", "nu", "rho", "tau"], NUMBER),
    **dict.fromkeys(["A", "K", "Q", "X", "Z", "alpha", "beta", "theta", "w", "xi", "y"], ARRAY),
}


def definitions():
    """Every class and function of the layers whose language the tables are, with its file."""
    for layer in ("losses", "problems", "solvers", "optimizers", "models"):
        for path in sorted((SOURCE / layer).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ClassDef | ast.FunctionDef):
                    yield f"{path.relative_to(SOURCE)}: {node.name}", node


def annotated():
    """Every parameter and every field that is named by a letter: where, letter, annotation."""
    for where, node in definitions():
        if isinstance(node, ast.FunctionDef):
            places = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            found = [(place.arg, place.annotation) for place in places]
        else:
            fields = [entry for entry in node.body if isinstance(entry, ast.AnnAssign)]
            found = [(field.target.id, field.annotation) for field in fields]
        for name, annotation in found:
            if name in LETTERS:
                yield where, name, ast.unparse(annotation).removesuffix(" | None")


def described():
    """Every letter that a docstring describes in words: where, letter, description."""
    for where, node in definitions():
        text = NumpyDocString((ast.get_docstring(node) or "").replace("\\\n", ""))
        for entry in [*text["Parameters"], *text["Attributes"], *text["Returns"]]:
            words = " ".join(entry.desc)
            for name in entry.name.split(", "):
                if name in LETTERS and words and not words.startswith("As in "):
                    yield where, name, words


ANNOTATED, DESCRIBED = list(annotated()), list(described())


def test_no_letter_is_explained_twice():
    assert len(letters()) == len(MEANINGS)


def test_each_letter_of_the_code_is_in_the_tables():
    wrong = [f"{where}: {name}" for where, name, _ in ANNOTATED if name not in MEANINGS]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("letter", sorted({name for _, name, _ in DESCRIBED}))
def test_docstrings_give_a_letter_the_meaning_it_has_in_the_tables(letter):
    words = re.compile(WORDS[letter], re.IGNORECASE)
    assert words.search(MEANINGS[letter])
    found = [(where, text) for where, name, text in DESCRIBED if name == letter]
    wrong = [f"{where}: {letter} is {text}" for where, text in found if not words.search(text)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("letter", TYPES)
def test_a_letter_has_the_type_of_its_meaning(letter):
    found = [(where, kind) for where, name, kind in ANNOTATED if name == letter]
    expected = re.compile(TYPES[letter])
    wrong = [
        f"{where}: {letter} is {kind}" for where, kind in found if not expected.fullmatch(kind)
    ]
    assert not wrong, "\n".join(wrong)


#: The letter that stands for the intercept in a formula.
INTERCEPT = re.compile(
    r"(?:w'x(?:_i)? \+|<w, x(?:_i)?> \+|over w,) ([a-zA-Z])\b|\(w, ([a-zA-Z])(?=[),])"
)
#: One that stands for dual variables, or for other weights of the samples.
COMBINATION = re.compile(r"(?:X'|K |Q )(b)\b|\b(b)(?:_i\b|'[KQX])")
FILES = sorted(
    path
    for folder, ends in (
        ("src", "py"),
        ("cpp", "h"),
        ("cpp", "cpp"),
        ("docs", "md"),
        ("docs", "py"),
    )
    for path in (ROOT / folder).rglob(f"*.{ends}")
)


def test_b_is_the_intercept_in_every_formula():
    found = [(path, match) for path in FILES for match in INTERCEPT.finditer(path.read_text())]
    assert len(found) > 50
    wrong = [_place(path, match) for path, match in found if "b" not in match.groups()]
    assert not wrong, "\n".join(wrong)


def test_b_is_nothing_that_every_sample_has_one_of():
    matches = [(path, match) for path in FILES for match in COMBINATION.finditer(path.read_text())]
    assert not matches, "\n".join(_place(path, match) for path, match in matches)


def _place(path, match):
    line = match.string.count("\n", 0, match.start()) + 1
    return f"{path.relative_to(ROOT)}:{line}: {match[0]}"
