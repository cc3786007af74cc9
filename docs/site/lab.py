"""The directive `lab`: a figure of the lab, alive in the page where the lab was built.

```{lab} lesson=1-widest
:height: 640

What is to be tried, in words, which also stand where the lab is not there.
```
"""

import html
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

LAB = Path(__file__).parents[2] / "build" / "lab" / "index.html"


class Lab(SphinxDirective):
    """A frame with the lab at one of its views, above a caption; without a lab, a note."""

    required_arguments = 1
    has_content = True
    option_spec = {"height": directives.positive_int, "title": directives.unchanged}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """Return the figure or the note."""
        self.env.note_dependency(str(LAB))
        state = self.arguments[0].lstrip("#")
        words = self.parse_content_to_nodes()
        if not LAB.exists():
            return [nodes.note("", *words, self._missing(), classes=["lab-missing"])]
        up = "../" * self.env.docname.count("/")
        address = html.escape(f"{up}lab/index.html#{state}", quote=True)
        title = html.escape(self.options.get("title", f"The lab: {state}"), quote=True)
        frame = (
            f'<iframe class="lab" loading="lazy" title="{title}" src="{address}&amp;embed=1"'
            f' height="{self.options.get("height", 760)}"></iframe>'
            f'<p class="lab"><a href="{address}">Open it in the lab</a></p>'
        )
        return [nodes.raw("", frame, format="html"), *words]

    def _missing(self) -> nodes.paragraph:
        """Say how the figure comes alive, and where to read on."""
        guide = addnodes.pending_xref(
            "",
            nodes.inline(text="the lab"),
            refdomain="std",
            reftype="doc",
            reftarget="/guide/lab",
            refexplicit=True,
            refdoc=self.env.docname,
        )
        how = nodes.Text(", alive where that was built: make lab, then make docs.")
        return nodes.paragraph("", "", nodes.Text("This is a figure of "), guide, how)


def _copy(app: Sphinx, error: Exception | None) -> None:
    if error is None and LAB.exists():
        shutil.copytree(LAB.parent, Path(app.outdir) / "lab", dirs_exist_ok=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("lab", Lab)
    app.connect("build-finished", _copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
