"""The directive `decision-tree`: which machine to begin with, as a picture with links."""

import html
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from docs.site.literals import full_name

WIDTH, HEIGHT = 128, 34  # of a box
STEP, SLOT = 276, 46  # from box to box, across and down


@dataclass(frozen=True)
class Question:
    """A question, and where each answer leads: to another one, or to machines."""

    words: str
    answers: dict[str, "Question | str"]


TREE = Question(
    "What is y?",
    {
        "classes": Question(
            "How many rows?",
            {
                "up to about 100,000": Question(
                    "What columns?",
                    {
                        "few, dense": "SVC",
                        "many, sparse (text)": "LinearSVC",
                        "cannot be wrong": "HardMarginSVC",
                    },
                ),
                "more": Question(
                    "What boundary?",
                    {"straight": "LinearSVC", "curved": "Nystroem + LinearSVC"},
                ),
                "a stream": "SGDSVC",
            },
        ),
        "numbers": Question(
            "How many rows?",
            {
                "up to about 100,000": "SVR",
                "more, or sparse": "LinearSVR",
                "a stream": "SGDSVR",
            },
        ),
        "there is none": Question("What is asked?", {"what is unusual": "OneClassSVM"}),
    },
)


def drawing(tree: Question, prefix: str) -> str:
    """Return the tree as an SVG element; `prefix` leads to the folder of the API's pages."""
    artist = Artist(prefix)
    artist.place(tree, 0)
    width, height = 3 * STEP + WIDTH + 40, SLOT * artist.n_leaves
    words = html.escape("; ".join(routes(tree)))
    return (
        f'<svg class="decision-tree" viewBox="-2 0 {width} {height}" role="group" '
        f'aria-label="Decision tree. {words}">{"".join(artist.parts)}</svg>'
    )


def routes(tree: Question, before: str = "") -> Iterator[str]:
    """Say each way through the tree in words.

    >>> list(routes(Question("What?", {"this": "SVC", "that": "SVR"})))
    ['What? this: SVC', 'What? that: SVR']
    """
    for answer, then in tree.answers.items():
        way = f"{before}{tree.words} {answer}"
        if isinstance(then, Question):
            yield from routes(then, f"{way}, ")
        else:
            yield f"{way}: {then}"


class Artist:
    """Draws boxes and edges; leaves take one line each, from the top."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.n_leaves = 0
        self.parts: list[str] = []

    def place(self, node: Question | str, depth: int) -> float:
        """Draw a node and what is below it; return where it stands."""
        x = depth * STEP
        if isinstance(node, str):
            y = SLOT * (self.n_leaves + 0.5)
            self.n_leaves += 1
            self._box(x, y, self._linked(node), "leaf", WIDTH + 34)
            return y
        ends = {answer: self.place(then, depth + 1) for answer, then in node.answers.items()}
        y = sum(ends.values()) / len(ends)
        for answer, end in ends.items():
            self._edge(x + WIDTH, y, x + STEP, end, answer)
        self._box(x, y, html.escape(node.words), "question", WIDTH)
        return y

    def _linked(self, machines: str) -> str:
        return " + ".join(
            f'<a href="{self.prefix}{full_name(name)}.html">{name}</a>'
            for name in machines.split(" + ")
        )

    def _box(self, x: float, y: float, words: str, kind: str, width: float) -> None:
        self.parts.append(
            f'<g class="{kind}"><rect x="{x}" y="{y - HEIGHT / 2}" width="{width}" '
            f'height="{HEIGHT}" rx="6"></rect>'
            f'<text x="{x + width / 2}" y="{y + 5}">{words}</text></g>'
        )

    def _edge(self, x: float, y: float, to_x: float, to_y: float, words: str) -> None:
        bend = x + 12
        self.parts.append(
            f'<g class="edge"><path d="M{x} {y} C{bend} {y} {x} {to_y} {x + 24} {to_y} H{to_x}">'
            f'</path><text x="{x + 28}" y="{to_y - 5}">{html.escape(words)}</text></g>'
        )


class DecisionTree(SphinxDirective):
    """The tree above, in the page."""

    def run(self) -> list[nodes.Node]:
        """Return the picture."""
        prefix = "../" * self.env.docname.count("/") + "api/generated/"
        svg = drawing(TREE, prefix)
        return [nodes.raw("", f'<div class="drawing" tabindex="0">{svg}</div>', format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("decision-tree", DecisionTree)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
