"""A lecture as one HTML file that needs nothing beside it."""

import base64
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path
from string import Template
from typing import Any

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from docs.site.cells import read
from docs.site.execution import Figure, Result, execute
from docs.site.listing import parted
from docs.site.mathematics import Glyphs
from docs.site.notebook import notebook

HERE = Path(__file__).parent
SCALE = 1.3  # how much larger than in print a figure is projected
LEAST = 0.5  # of that: below it, labels are too small to read, and the figure scrolls
CODE = HtmlFormatter(nowrap=True)
SOURCE = re.compile(r"^(#+ .*?) \| (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Heading:
    """A heading: its level, its words in HTML, and the name to link to."""

    level: int
    words: str
    name: str


@dataclass(frozen=True)
class Page:
    """What a source became: its title, headings and body, and how many claims it checks."""

    name: str
    title: str
    headings: tuple[Heading, ...]
    body: str
    notebook: str
    n_claims: int
    n_figures: int
    answers: tuple[float, ...]

    @classmethod
    def of(cls, path: Path) -> "Page":
        """Read, run and write out a source."""
        cells = read(path)
        results = execute(path, cells)
        writer = Writer()
        blocks = []
        for is_solution, group in groupby(results, lambda result: result.cell.is_solution):
            part = list(group)
            block = "\n".join(map(writer.block, part))
            blocks.append(_solution(block, _answers(part)) if is_solution else block)
        title, *rest = writer.headings
        return cls(
            name=path.stem,
            title=title.words,
            headings=tuple(rest),
            body="\n".join([writer.glyphs.definitions(), *blocks]),
            notebook=notebook(cells),
            n_claims=sum(result.n_claims for result in results),
            n_figures=writer.n_figures,
            answers=_answers(results),
        )

    def html(self, pages: Sequence["Page"]) -> str:
        """Return the whole file, with links to the other pages."""
        links = [
            f'<a href="{page.name}.html"{here}>{_short(page.title)}</a>'
            for page in pages
            for here in [' aria-current="page"' if page is self else ""]
        ]
        contents = [
            f'<a href="#{heading.name}">{heading.words}</a>'
            for heading in self.headings
            if heading.level == 2
        ]
        template = Template((HERE / "page.html").read_text(encoding="utf-8"))
        return template.substitute(
            title=_plain(self.title),
            style=(HERE / "style.css").read_text(encoding="utf-8"),
            script=(HERE / "page.js").read_text(encoding="utf-8"),
            links="".join(links),
            contents="".join(contents),
            body=self.body,
            turns=_turns(self, pages),
            claims=f"{self.n_claims} claims checked by this page's own code",
            name=self.name,
        )


def name_of(heading: str) -> str:
    """Return what a heading is linked to by.

    >>> name_of("The perceptron's rule")
    'the-perceptron-s-rule'
    """
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def _plain(words: str) -> str:
    return re.sub("<[^>]*>", "", words)


def _short(title: str) -> str:
    return title.split(":")[0]


def _turns(page: Page, pages: Sequence[Page]) -> str:
    """Links to the page before and the page after."""
    at = next(number for number, other in enumerate(pages) if other is page)
    before = [f'<a rel="prev" href="{other.name}.html">← {other.title}</a>' for other in pages[:at]]
    after = [
        f'<a rel="next" href="{other.name}.html">{other.title} →</a>' for other in pages[at + 1 :]
    ]
    return "".join([*before[-1:], *after[:1]])


@dataclass
class Writer:
    """Results in HTML, one after the other: it counts figures and remembers headings and glyphs."""

    glyphs: Glyphs = field(default_factory=Glyphs)
    headings: list[Heading] = field(default_factory=list)
    n_figures: int = 0

    def __post_init__(self) -> None:
        def formula(latex: str, options: dict[str, Any]) -> str:
            return self.glyphs.formula(latex, display=options["display_mode"])

        markdown = MarkdownIt("commonmark", {"typographer": True}).enable(["table", "smartquotes"])
        self.markdown = markdown.use(dollarmath_plugin, renderer=formula, double_inline=True)

    def block(self, result: Result) -> str:
        """Return a cell with what it printed and drew."""
        return self._prose(result.cell.text) if result.cell.is_prose else self._code(result)

    def _prose(self, text: str) -> str:
        """Prose in HTML. What follows a bar in a heading says where the course has it."""
        tokens = self.markdown.parse(SOURCE.sub(r'\1\n\n<p class="source">\2</p>\n', text))
        for opening, inline in pairwise(tokens):
            if opening.type == "heading_open":
                heading = Heading(
                    level=int(opening.tag[1]),
                    words=self.markdown.renderInline(inline.content),
                    name=name_of(inline.content),
                )
                if any(heading.name == other.name for other in self.headings):
                    raise ValueError(
                        f"two headings are called {inline.content!r}; rename one of them."
                    )
                opening.attrSet("id", heading.name)
                self.headings.append(heading)
        words = str(self.markdown.renderer.render(tokens, self.markdown.options, {}))
        # What is wider than a phone scrolls by itself, with the keyboard too.
        words = words.replace("<table>", '<div class="wide" tabindex="0"><table>')
        words = words.replace("</table>", "</table></div>")
        return words.replace('<div class="math', '<div tabindex="0" class="math')

    def _code(self, result: Result) -> str:
        shown, checks = parted(result.cell.text)
        parts = [_folded("code", "Show code", _listing(shown))] if shown else []
        if result.printed:
            parts.append(f'<pre class="printed" tabindex="0">{html.escape(result.printed)}</pre>')
        parts += [self._figure(figure) for figure in result.figures]
        if result.n_claims:
            one = result.n_claims == 1
            claims = "1 claim holds" if one else f"{result.n_claims} claims hold"
            if checks:
                words = f"{claims}: show the {'check' if one else 'checks'}"
                parts.append(_folded("checks", words, _listing(checks)))
            else:
                parts.append(f'<p class="claims">{claims}</p>')
        return f'<div class="cell">{"".join(parts)}</div>'

    def _figure(self, figure: Figure) -> str:
        self.n_figures += 1
        data = base64.b64encode(figure.svg.encode()).decode()
        width = SCALE * figure.width
        look = f"width:{width:.2f}in;min-width:{LEAST * width:.2f}in"
        alt = html.escape(figure.caption.alt, quote=True)
        caption = self.markdown.renderInline(figure.caption.words)
        return (
            f'<figure id="figure-{self.n_figures}"><div class="wide" tabindex="0">'
            f'<img src="data:image/svg+xml;base64,{data}" style="{look}" alt="{alt}"></div>'
            f"<figcaption><b>Figure {self.n_figures}.</b> {caption}</figcaption></figure>"
        )


def _listing(code: str) -> str:
    return f'<pre class="code" tabindex="0">{highlight(code, PythonLexer(), CODE)}</pre>'


def _folded(kind: str, words: str, block: str) -> str:
    return f'<details class="{kind}"><summary>{words}</summary>{block}</details>'


def _answers(results: Sequence[Result]) -> tuple[float, ...]:
    return tuple(result.answer for result in results if result.answer is not None)


def _solution(block: str, answers: Sequence[float]) -> str:
    """A solution, folded, below a place to type its number: whole ones exactly, others to 1 %."""
    forms = [
        f'<form class="answer" data-answer="{float(answer)!r}"'
        f' data-within="{0 if isinstance(answer, int) else 0.01}" hidden>'
        "<label>Your prediction <input autocomplete=off spellcheck=false></label>"
        "<button>Check</button><output></output></form>"
        for answer in answers
    ]
    return "".join(forms) + _folded("solution", "Solution", block)
