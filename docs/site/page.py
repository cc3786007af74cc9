"""A lecture as one HTML file that needs nothing beside it."""

import base64
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
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
from docs.site.mathematics import Glyphs

HERE = Path(__file__).parent
SCALE = 1.3  # how much larger than in print a figure is projected
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
    n_claims: int

    @classmethod
    def of(cls, path: Path) -> "Page":
        """Read, run and write out a source."""
        results = execute(path, read(path))
        glyphs, headings = Glyphs(), list[Heading]()
        markdown = _markdown(glyphs)
        blocks = []
        for is_solution, group in groupby(results, lambda result: result.cell.is_solution):
            block = "\n".join(_block(markdown, headings, result) for result in group)
            blocks.append(_folded(block) if is_solution else block)
        title, *rest = headings
        return cls(
            name=path.stem,
            title=title.words,
            headings=tuple(rest),
            body="\n".join([glyphs.definitions(), *blocks]),
            n_claims=sum(result.n_claims for result in results),
        )

    def html(self, pages: Sequence["Page"]) -> str:
        """Return the whole file, with links to the other pages."""
        links = [
            f'<a href="{page.name}.html"{" class=here" if page is self else ""}>'
            f"{_short(page.title)}</a>"
            for page in pages
        ]
        contents = [
            f'<a href="#{heading.name}">{heading.words}</a>'
            for heading in self.headings
            if heading.level == 2
        ]
        template = Template((HERE / "page.html").read_text(encoding="utf-8"))
        return template.substitute(
            title=re.sub("<[^>]*>", "", self.title),
            style=(HERE / "style.css").read_text(encoding="utf-8"),
            links="".join(links),
            contents="".join(contents),
            body=self.body,
            claims=f"{self.n_claims} claims checked by this page's own code",
        )


def _short(title: str) -> str:
    return title.split(":")[0]


def _markdown(glyphs: Glyphs) -> MarkdownIt:
    def formula(latex: str, options: dict[str, Any]) -> str:
        return glyphs.formula(latex, display=options["display_mode"])

    markdown = MarkdownIt("commonmark", {"typographer": True}).enable(["table", "smartquotes"])
    return markdown.use(dollarmath_plugin, renderer=formula, double_inline=True)


def _block(markdown: MarkdownIt, headings: list[Heading], result: Result) -> str:
    return _prose(markdown, headings, result.cell.text) if result.cell.is_prose else _code(result)


def _prose(markdown: MarkdownIt, headings: list[Heading], text: str) -> str:
    """Prose in HTML. What follows a bar in a heading says where the course has it."""
    tokens = markdown.parse(SOURCE.sub(r'\1\n\n<p class="source">\2</p>\n', text))
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            heading = Heading(
                level=int(opening.tag[1]),
                words=markdown.renderInline(inline.content),
                name=re.sub(r"[^a-z0-9]+", "-", inline.content.lower()).strip("-"),
            )
            if any(heading.name == other.name for other in headings):
                raise ValueError(f"two headings are called {inline.content!r}; rename one of them.")
            opening.attrSet("id", heading.name)
            headings.append(heading)
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def _code(result: Result) -> str:
    parts = [f'<pre class="code">{highlight(result.cell.text, PythonLexer(), CODE)}</pre>']
    if result.printed:
        parts.append(f'<pre class="printed">{html.escape(result.printed)}</pre>')
    parts += [_figure(figure) for figure in result.figures]
    if result.n_claims:
        claims = "1 claim holds" if result.n_claims == 1 else f"{result.n_claims} claims hold"
        parts.append(f'<p class="claims">{claims}</p>')
    return f'<div class="cell">{"".join(parts)}</div>'


def _figure(figure: Figure) -> str:
    data = base64.b64encode(figure.svg.encode()).decode()
    width = f"{SCALE * figure.width:.2f}in"
    alt = html.escape(figure.titles, quote=True)
    return f'<img src="data:image/svg+xml;base64,{data}" style="width:{width}" alt="{alt}">'


def _folded(block: str) -> str:
    return f"<details><summary>Solution</summary>{block}</details>"
