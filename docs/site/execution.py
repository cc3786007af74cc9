"""Running a lecture: each cell's words, pictures and number of claims that held."""

import ast
import contextlib
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot

from docs.site.cells import Cell
from maxmargin.plots.style import style


@dataclass(frozen=True)
class Figure:
    """A picture as an SVG file, its width in inches once cropped, and its titles in words."""

    svg: str
    width: float
    titles: str


@dataclass(frozen=True)
class Result:
    """A cell, with what running it printed and drew, and how many asserts it passed."""

    cell: Cell
    printed: str = ""
    figures: tuple[Figure, ...] = ()
    n_claims: int = 0


def execute(path: Path, cells: list[Cell]) -> list[Result]:
    """Run the code of a lecture from top to bottom in one namespace; a failed assert raises."""
    mpl.use("Agg")
    namespace: dict[str, Any] = {"__name__": path.stem}
    return [Result(cell) if cell.is_prose else _run(path, cell, namespace) for cell in cells]


def _run(path: Path, cell: Cell, namespace: dict[str, Any]) -> Result:
    tree = ast.parse(cell.text, str(path))
    ast.increment_lineno(tree, cell.line)
    printed = io.StringIO()
    with style(), contextlib.redirect_stdout(printed):
        exec(compile(tree, str(path), "exec"), namespace)
        figures = tuple(_drawn(pyplot.figure(number)) for number in pyplot.get_fignums())
    pyplot.close("all")
    n_claims = sum(isinstance(node, ast.Assert) for node in ast.walk(tree))
    return Result(cell, printed.getvalue(), figures, n_claims)


def _drawn(figure: Any) -> Figure:
    file = io.StringIO()
    # Without a date and with names of its own making, the same lecture makes the same file.
    with mpl.rc_context({"svg.hashsalt": "maxmargin"}):
        figure.savefig(file, format="svg", bbox_inches="tight", metadata={"Date": None})
    width = re.search(r'width="([\d.]+)pt"', file.getvalue())
    assert width is not None
    titles = [axes.get_title(loc="left") or axes.get_title() for axes in figure.axes]
    words = "; ".join(title for title in titles if title)
    return Figure(file.getvalue(), float(width[1]) / 72, words)
