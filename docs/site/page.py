"""A lecture that has run, as a page in MyST Markdown, which Sphinx reads."""

import html
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

from docs.site.cells import Caption, Cell, read
from docs.site.execution import Figure, Result, execute
from docs.site.listing import parted

LECTURES = Path(__file__).parents[1] / "lectures"
#: In the order of reading; the numbered ones stand between.
FIRST, LAST = ("path",), ("dual", "practice", "errata")
SOURCE = re.compile(r"^(#+ .*?) \| (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\((\w+)\.html")
#: A live figure: what the lab is set to, and the words below it.
LAB = re.compile(r"^```\{lab\} (\S+)\n(?::.*\n)*\n((?:(?!```).*\n)*)```$", re.MULTILINE)
SCALE = 1.3  # how much larger than in print a figure is shown
WIDE = 7.0  # inches: what is wider scrolls on a phone, where its labels would be too small


def sources() -> list[Path]:
    """Return the sources, in the order of reading."""
    numbered = sorted(path.stem for path in LECTURES.glob("[0-9]*.py"))
    return [LECTURES / f"{stem}.py" for stem in ("index", *FIRST, *numbered, *LAST)]


def name_of(heading: str) -> str:
    """Return what a heading is linked to by.

    >>> name_of("The perceptron's rule")
    'the-perceptron-s-rule'
    """
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


@dataclass(frozen=True)
class Page:
    """What a lecture printed, drew and proved."""

    path: Path
    results: tuple[Result, ...]

    @classmethod
    def of(cls, path: Path) -> "Page":
        """Read and run a source."""
        return cls(path, tuple(execute(path, read(path))))

    @classmethod
    def stored(cls, path: Path, store: Path) -> "Page":
        """Return what `store` has kept of a run."""
        return cls(path, tuple(map(_result, json.loads(store.read_text(encoding="utf-8")))))

    def store(self, path: Path) -> None:
        """Keep the results of a run in a file."""
        path.write_text(
            json.dumps([asdict(result) for result in self.results], default=float), encoding="utf-8"
        )

    @property
    def figures(self) -> list[Figure]:
        """The figures of all cells, in order."""
        return [figure for result in self.results for figure in result.figures]

    @property
    def n_claims(self) -> int:
        """How many asserts have held."""
        return sum(result.n_claims for result in self.results)

    def markdown(self, folder: str) -> str:
        """Return the page; its figures are `folder`/1.svg, 2.svg and so on."""
        writer = Writer(folder)
        blocks = []
        for is_solution, group in groupby(self.results, lambda result: result.cell.is_solution):
            part = list(group)
            block = "\n\n".join(map(writer.block, part))
            blocks.append(_solution(block, part) if is_solution else block)
        stem = self.path.stem
        foot = (
            f'<p class="claims">{self.n_claims} claims checked by this page\'s own code. '
            f'To run and change it: <a href="{stem}.ipynb" download>this page as a notebook</a>, '
            f'<a href="{stem}.py" download>as a program</a>.</p>'
        )
        return "\n\n".join([*blocks, foot, *([_contents()] if stem == "index" else [])]) + "\n"


@dataclass
class Writer:
    """Results in Markdown, one after the other: it counts figures."""

    folder: str
    n_figures: int = 0

    def block(self, result: Result) -> str:
        """Return a cell with what it printed and drew."""
        return prose(result.cell.text) if result.cell.is_prose else self._code(result)

    def _code(self, result: Result) -> str:
        shown, checks = parted(result.cell.text)
        parts = [_folded("code", "Show code", _listing(shown))] if shown else []
        if result.printed:
            parts.append(_fenced("{code-block} text\n:class: printed", result.printed))
        parts += [self._figure(figure) for figure in result.figures]
        if result.n_claims:
            one = result.n_claims == 1
            claims = "1 claim holds" if one else f"{result.n_claims} claims hold"
            if checks:
                words = f"{claims}: show the {'check' if one else 'checks'}"
                parts.append(_folded("checks", words, _listing(checks)))
            else:
                parts.append(f'<p class="claims">{claims}</p>')
        return "\n\n".join(parts)

    def _figure(self, figure: Figure) -> str:
        self.n_figures += 1
        width = SCALE * figure.width
        look = "wide" if width > WIDE else "narrow"
        return _fenced(
            f"{{figure}} {self.folder}/{self.n_figures}.svg\n:alt: {figure.caption.alt}\n"
            f":width: {96 * width:.0f}px\n:figclass: {look}",
            f"**Figure {self.n_figures}.** {figure.caption.words}",
        )


def prose(text: str) -> str:
    """Prose, with links to sources. What follows a bar in a heading says where a course has it."""
    return LINK.sub(r"](\1.py", SOURCE.sub(r"\1\n\n{.source}\n\2\n", text))


def _result(kept: dict) -> Result:  # type: ignore[type-arg]
    cell, figures = kept.pop("cell"), kept.pop("figures")
    captions = tuple(Caption(**caption) for caption in cell.pop("captions"))
    drawn = tuple(Figure(f["svg"], f["width"], Caption(**f["caption"])) for f in figures)
    return Result(cell=Cell(**cell, captions=captions), figures=drawn, **kept)


def _fenced(opening: str, body: str) -> str:
    return (
        f"````{opening}\n\n{body.rstrip()}\n````"
        if opening.startswith("{")
        else (f"````{opening}\n{body.rstrip()}\n````")
    )


def _listing(code: str) -> str:
    return _fenced("python", code)


def _folded(kind: str, words: str, block: str) -> str:
    opening = f'<details class="{kind}"><summary>{words}</summary>'
    return f"{opening}\n\n{block}\n\n</details>"


def _solution(block: str, results: Sequence[Result]) -> str:
    """A solution, folded, below a place to type its number: whole ones exactly, others to 1 %."""
    forms = [
        f'<form class="answer" data-answer="{float(result.answer)!r}"'
        f' data-within="{0 if isinstance(result.answer, int) else 0.01}" hidden>'
        '<label>Your prediction <input autocomplete="off" spellcheck="false"></label>'
        "<button>Check</button><output></output></form>\n\n"
        for result in results
        if result.answer is not None
    ]
    return "".join(forms) + _folded("solution", "Solution", block)


def _contents() -> str:
    names = "\n".join(path.stem for path in sources()[1:])
    return f"```{{toctree}}\n:hidden:\n\n{html.escape(names)}\n```"
