"""Names of the API in running text become links: `SVC`, `losses.Hinge`, `SVC.certify`."""

from functools import cache
from importlib import import_module
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

import maxmargin

PACKAGES = sorted({*maxmargin._PACKAGES} - {"versions"})


@cache
def names() -> dict[str, str]:
    """Return the full name of every short one that means one thing.

    >>> names()["SVC"], names()["losses.Hinge"], names()["Hinge"]
    ('maxmargin.SVC', 'maxmargin.losses.Hinge', 'maxmargin.losses.Hinge')
    >>> "Constant" in names()  # a kernel and a step size
    False
    """
    found: dict[str, set[str]] = {}
    top = set(maxmargin.__all__)
    for name in top:
        found[name] = {f"maxmargin.{name}"}
    for package in PACKAGES:
        for name in getattr(import_module(f"maxmargin.{package}"), "__all__", []):
            full = f"maxmargin.{name}" if name in top and package in maxmargin._HOMES else None
            full = full or f"maxmargin.{package}.{name}"
            found.setdefault(f"{package}.{name}", set()).add(full)
            if name not in top:
                found.setdefault(name, set()).add(full)
    return {short: full.pop() for short, full in found.items() if len(full) == 1}


def full_name(text: str) -> str | None:
    """Return what a literal names, if it names something of the API."""
    text = text.removeprefix("maxmargin.").removesuffix("()")
    if text in names():
        return names()[text]
    owner, _, member = text.rpartition(".")
    if owner not in names() or not member.isidentifier():
        return None
    home, _, last = names()[owner].rpartition(".")
    method = callable(getattr(getattr(import_module(home), last), member, None))
    return f"{names()[owner]}.{member}" if method else names()[owner]  # attributes have no place


class LinkLiterals(SphinxTransform):
    """Each literal that is a name becomes a reference, resolved like one of Sphinx's own."""

    default_priority = 5

    def apply(self, **kwargs: Any) -> None:
        """Wrap the literals of a page."""
        for node in list(self.document.findall(nodes.literal)):
            name = full_name(node.astext())
            if name is None or isinstance(node.parent, nodes.reference | addnodes.pending_xref):
                continue
            reference = addnodes.pending_xref(
                "", refdomain="py", reftype="obj", reftarget=name, refexplicit=True,
                refwarn=False, refdoc=self.env.docname,
            )  # fmt: skip
            node.replace_self(reference)
            reference.append(node)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the transform."""
    app.add_transform(LinkLiterals)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
