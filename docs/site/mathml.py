"""Formulas as MathML, which browsers draw by themselves: a page needs no script and no network."""

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

#: Where the conversion falls short of a book, and what is converted instead.
INDICATOR = re.compile(r"\\mathbb\{1\}")
#: After one of these a minus is a sign: it stands close to its number.
SIGN = re.compile(
    r"(<mo[^>]*>(?:[=,(\[{:|≤≥∈→±]|&[a-z#0-9x]+;)</mo>|<mtd>)<mo>(&#x0?2212;|[-+−±])</mo>",
    re.IGNORECASE,
)
#: Bars of a norm are as high as a letter, also where lVert does not say so.
NORM = re.compile(r"<mo>(&#x0?2016;|‖)</mo>", re.IGNORECASE)


def mathml(latex: str, *, display: bool) -> str:
    """Return a formula as an element `math`.

    >>> mathml("x^2", display=False)[:46]
    '<math xmlns="http://www.w3.org/1998/Math/MathM'
    """
    latex = INDICATOR.sub("𝟙", latex.strip())
    made = str(convert(latex, display="block" if display else "inline"))
    made = NORM.sub(r'<mo stretchy="false">\1</mo>', made)
    return SIGN.sub(r'\1<mo form="prefix">\2</mo>', made)


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
