"""Sphinx reads a lecture: it runs, and what it printed and drew becomes the page.

What a run has given is kept in build/lectures as long as the lecture and the package are the same.
"""

import hashlib
import shutil
from pathlib import Path
from typing import Any

import jupytext
from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx

import maxmargin
from docs.site import cells, execution
from docs.site.page import LAB, LECTURES, LINK, Page, sources

ROOT = LECTURES.parents[1]
KEPT = ROOT / "build" / "lectures"


class LectureParser(MystParser):
    """Programs in the py:percent format, by way of MyST Markdown."""

    supported = ("lecture",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Run the program, unless its results are kept, and parse what came of it."""
        path = Path(document["source"])
        page = run(path)
        folder = KEPT / path.stem
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for number, figure in enumerate(page.figures, 1):
            (folder / f"{number}.svg").write_text(figure.svg, encoding="utf-8")
        super().parse(page.markdown(f"../../build/lectures/{path.stem}"), document)


def run(path: Path) -> Page:
    """Return a lecture with its results: kept ones, if nothing has changed since."""
    KEPT.mkdir(parents=True, exist_ok=True)
    store = KEPT / f"{path.stem}-{_digest(path)}.json"
    if store.exists():
        return Page.stored(path, store)
    page = Page.of(path)
    for older in KEPT.glob(f"{path.stem}-*.json"):
        older.unlink()
    page.store(store)
    return page


def _digest(path: Path) -> str:
    """What a page depends on: the lecture, the package, the compiled core and what runs them."""
    digest = hashlib.sha256()
    home = Path(maxmargin.__file__).parent
    ours = [Path(maxmargin._core.__file__), *sorted(home.rglob("*.py"))]
    for file in [path, Path(cells.__file__), Path(execution.__file__), *ours]:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _write_notebooks(app: Sphinx, error: Exception | None) -> None:
    """Put each lecture beside its page, as a notebook and as it is."""
    if error is not None:
        return
    for path in sources():
        notebook = jupytext.read(path, fmt="py:percent")
        notebook.metadata["kernelspec"] = {
            "display_name": "Python 3",
            "language": "python",
            "name": "python3",
        }
        for number, cell in enumerate(notebook.cells):
            words = LAB.sub(r"**In the lab** (`maxmargin lab`, then add `#\1`): \2", cell.source)
            cell.source = LINK.sub(r"](\1.ipynb", words)
            cell.id = f"cell-{number}"  # the same file for the same source
        target = Path(app.outdir) / "lectures" / path.name
        jupytext.write(notebook, target.with_suffix(".ipynb"))
        shutil.copyfile(path, target)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the parser."""
    app.add_source_parser(LectureParser)
    app.connect("build-finished", _write_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
