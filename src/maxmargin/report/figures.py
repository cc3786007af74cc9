"""Displays as pictures inside a page: SVG whose texts are texts and whose colours are the page's.

They are drawn small, about as wide as a telephone, so that texts can be read there; on a
wider screen they grow. Colours become variables of the page's style sheet, which has a light and a
dark value for each. Identifiers get a number of their own, since a page has several pictures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from maxmargin.plots.style import COLORS, GREY, INK, tint
from maxmargin.report.markup import Markup, tag

#: Inches of a picture.
WIDTH = 4.2
#: How strongly the displays tint areas.
TINTS = (0.12, 0.2)


def _variables() -> dict[str, str]:
    """Return the colours of the displays, and what they are in the page."""
    known = {INK: "var(--ink)", GREY: "var(--quiet)", "#ffffff": "var(--paper)"}
    known["#000000"] = "var(--ink)"
    for place, color in enumerate(COLORS):
        known[color.lower()] = f"var(--c{place})"
        for strength in TINTS:
            mixed = f"color-mix(in srgb, var(--c{place}) {strength:.0%}, var(--paper))"
            known[_hex(tint(color, strength))] = mixed
    return known


def _hex(parts: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


@dataclass(frozen=True, eq=False)
class Picture:
    """A display with what is to be said of it.

    Parameters
    ----------
    display : Display
        The picture.
    title : str
        What it shows, in a few words.
    caption : str
        What is to be seen, with the numbers: it is read to those who cannot see the picture.
    height : float
        Inches.

    Examples
    --------
    >>> from maxmargin.plots import RocDisplay
    >>> roc = RocDisplay.from_scores({"yes": [1, 0]}, {"yes": [1.0, 0.0]})
    >>> Picture(roc, "ROC", "The area is 1.").title
    'ROC'
    """

    display: Any
    title: str
    caption: str
    height: float = 3.2

    def html(self, number: int) -> Markup:
        """Return the figure.

        Parameters
        ----------
        number : int
            Of the picture on its page.

        Returns
        -------
        Markup
        """
        head = tag("h3", self.title, id=f"figure-{number}")
        text = tag("figcaption", self.caption, id=f"caption-{number}")
        svg = self.display.svg(size=(WIDTH, self.height), title=False)
        return tag("figure", head, Markup(_for_page(svg, number)), text)


def _for_page(svg: str, number: int) -> str:
    # The page scales it: by its width alone.
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    label = f'role="img" aria-labelledby="figure-{number}" aria-describedby="caption-{number}"'
    svg = svg.replace("<svg ", f"<svg {label} ", 1)
    svg = re.sub(r'\bid="', f'id="p{number}-', svg)
    svg = re.sub(r'(url\(#|href="#)', rf"\g<1>p{number}-", svg)
    svg = re.sub(r"font: (?:\w+ )?([\d.]+px) [^;\"]*", r"font-size: \1", svg)
    known = _variables()
    return re.sub(r"#[0-9a-fA-F]{6}", lambda found: known.get(found[0].lower(), found[0]), svg)
