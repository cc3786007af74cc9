"""The directive `lab`: a figure of the lab, alive in the page where the lab was built.

```{lab} view=plane&preset=soft-margin
:height: 480

What is to be tried, in words, which also stand where the lab is not there.
```
"""

import html
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
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
            missing = nodes.paragraph(
                text="This figure is alive where the lab was built: make lab, then make docs."
            )
            return [nodes.note("", *words, missing, classes=["lab-missing"])]
        up = "../" * self.env.docname.count("/")
        address = html.escape(f"{up}lab/index.html#{state}", quote=True)
        title = html.escape(self.options.get("title", f"The lab: {state}"), quote=True)
        frame = (
            f'<iframe class="lab" loading="lazy" title="{title}" src="{address}&amp;embed=1"'
            f' height="{self.options.get("height", 480)}"></iframe>'
            f'<p class="lab"><a href="{address}">Open it in the lab</a></p>'
        )
        return [nodes.raw("", frame, format="html"), *words]


def _copy(app: Sphinx, error: Exception | None) -> None:
    if error is None and LAB.exists():
        shutil.copytree(LAB.parent, Path(app.outdir) / "lab", dirs_exist_ok=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("lab", Lab)
    app.connect("build-finished", _copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
