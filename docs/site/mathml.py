"""Formulas as MathML, which browsers draw by themselves: a page needs no script and no network."""

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

#: Where the conversion falls short of a book, and what is converted instead.
MENDED = ((re.compile(r"\\mathbb\{1\}"), "𝟙"),)


def mathml(latex: str, *, display: bool) -> str:
    """Return a formula as an element `math`.

    >>> mathml("x^2", display=False)[:46]
    '<math xmlns="http://www.w3.org/1998/Math/MathM'
    """
    for pattern, mended in MENDED:
        latex = pattern.sub(mended, latex)
    return str(convert(latex.strip(), display="block" if display else "inline"))


def _inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(mathml(node.astext(), display=False))
    raise nodes.SkipNode


def _block(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(f'<div class="math" tabindex="0">{mathml(node.astext(), display=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer, to be named in `html_math_renderer`."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
