"""HTML that is made of nothing but tags and escaped text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TypeAlias


class Markup(str):
    """Text that is HTML already; any other text is escaped when it enters a tag.

    Examples
    --------
    >>> isinstance(Markup("<hr>"), str)
    True
    """

    __slots__ = ()


Child: TypeAlias = str | int | float | Iterable["Child"] | None


def markup(child: Child) -> Markup:
    """Return HTML of a text, of what is HTML already, of several of them, or of nothing.

    Parameters
    ----------
    child : str, number, iterable of them or None
        What to show.

    Examples
    --------
    >>> markup(["1 < 2", Markup("<hr>"), None])
    '1 &lt; 2<hr>'
    """
    if child is None:
        return Markup("")
    if isinstance(child, Markup):
        return child
    if isinstance(child, str | int | float):
        return Markup(escape(str(child)))
    return Markup("".join(map(markup, child)))


def tag(name: str, *children: Child, **attributes: str | int | float | bool | None) -> Markup:
    """Return an element.

    Parameters
    ----------
    name : str
        Of the element.
    *children : str, number, iterable of them or None
        What it holds; texts are escaped.
    **attributes : str, number, bool or None
        Of the element: `class_` is class, `aria_label` aria-label. None and False are left out.

    Examples
    --------
    >>> tag("p", "a < b", tag("b", 1), class_="note", hidden=None)
    '<p class="note">a &lt; b<b>1</b></p>'
    """
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Markup(f"<{name}{shown}>{markup(children)}</{name}>")


def table(
    header: Sequence[Child],
    rows: Iterable[Sequence[Child]],
    *,
    caption: str,
    texts: int = 1,
    class_: str | None = None,
) -> Markup:
    """Return a table that scrolls by itself where it is wider than the page.

    Parameters
    ----------
    header : sequence of texts
        One per column.
    rows : iterable of sequences
        Cells; the first of each names the row.
    caption : str
        What is shown, for those who cannot see it at a glance.
    texts : int
        As many columns at the left hold texts; numbers stand to the right.
    class_ : str, optional
        By which the style sheet knows the table.

    Examples
    --------
    >>> "<caption>Sizes</caption>" in table(["name", "size"], [["<b>", 1]], caption="Sizes")
    True
    """

    def kind(place: int) -> str | None:
        return None if place < texts else "number"

    head = tag(
        "tr", [tag("th", cell, scope="col", class_=kind(k)) for k, cell in enumerate(header)]
    )
    body = [
        tag(
            "tr",
            tag("th", first, scope="row"),
            [tag("td", cell, class_=kind(k)) for k, cell in enumerate(rest, 1)],
        )
        for first, *rest in rows
    ]
    grid = tag(
        "table", tag("caption", caption), tag("thead", head), tag("tbody", body), class_=class_
    )
    return tag("div", grid, class_="scroll", role="region", aria_label=caption, tabindex=0)
