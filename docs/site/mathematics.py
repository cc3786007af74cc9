"""Formulas as drawings, so that a page needs neither a network nor fonts to show them.

A glyph is drawn once per page and used by its name; sizes are in em, so that formulas follow the
text around them.
"""

import html
import re
from dataclasses import dataclass, field

from ziamath.zmath import Latex

SIZE = 20.0  # units to an em
#: Where the drawing of a formula falls short of a book's, and what is drawn instead.
MENDED = (
    # A minus or plus after one of these is a sign: it stands close to its number.
    (re.compile(r"([=,(\[{<>&]\s*)([-+])"), r"\1{\2}"),
    # Greek variables are italic, all of them.
    (re.compile(r"\\(epsilon|phi)(?![a-z])"), r"\\mathit{\\\1}"),
    (re.compile(r"\\mathbb\{1\}"), "𝟙"),
)
#: In a line of text an index stands beside its operator, and would touch what follows.
CLOSE = re.compile(r"(\\(?:min|max|sum|arg\s*min)_(?:\{[^{}]*\}|\w|\\alpha))(?!\\[,;])")
OPENING = re.compile(r'<svg[^>]*viewBox="(?P<box>[^"]+)"[^>]*>')
SYMBOL = re.compile(r'<symbol id="([^"]+)"[^>]*(?:/>|(?<!/)>.*?</symbol>)', re.DOTALL)


@dataclass
class Glyphs:
    """The formulas of a page, and the glyphs that they have used so far."""

    symbols: dict[str, str] = field(default_factory=dict)

    def formula(self, latex: str, *, display: bool) -> str:
        """Return a formula as an SVG element."""
        source = latex if display else CLOSE.sub(r"\1\\,", latex)
        for pattern, mended in MENDED:
            source = pattern.sub(mended, source)
        svg = Latex(source, size=SIZE, inline=not display, color="currentColor").svg()
        self.symbols |= {match[1]: match[0] for match in SYMBOL.finditer(svg)}
        body = SYMBOL.sub("", svg)
        opening = OPENING.match(body)
        assert opening is not None
        top, width, height = (float(number) for number in opening["box"].split()[1:])
        look = f"width:{width / SIZE:.3f}em;height:{height / SIZE:.3f}em"
        if not display:
            # The baseline is at 0; below it reaches top + height.
            look += f";vertical-align:{-(top + height) / SIZE:.3f}em"
        label = html.escape(latex.strip(), quote=True)
        box = f'viewBox="{opening["box"]}"'
        return f'<svg role="img" aria-label="{label}" style="{look}" {box}>{body[opening.end() :]}'

    def definitions(self) -> str:
        """Return the glyphs used, to stand anywhere in the page."""
        return f'<svg class="glyphs" aria-hidden="true">{"".join(self.symbols.values())}</svg>'
