"""Running a lecture: each cell's words, pictures and number of claims that held."""

import ast
import contextlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot

from docs.site.cells import Caption, Cell
from maxmargin.plots.style import style


@dataclass(frozen=True)
class Figure:
    """A picture as an SVG file, its width in inches once cropped, and its caption."""

    svg: str
    width: float
    caption: Caption


@dataclass(frozen=True)
class Result:
    """A cell, with what running it printed and drew, and how many asserts it passed.

    `answer` is the number that the cell of a solution has called so, for readers to guess.
    """

    cell: Cell
    printed: str = ""
    figures: tuple[Figure, ...] = ()
    n_claims: int = 0
    answer: float | None = None


def execute(path: Path, cells: list[Cell]) -> list[Result]:
    """Run the code of a lecture from top to bottom in one namespace; a failed assert raises."""
    mpl.use("Agg")
    pyplot.close("all")  # figures that others have left open are none of the lecture's
    namespace: dict[str, Any] = {"__name__": path.stem}
    return [Result(cell) if cell.is_prose else _run(path, cell, namespace) for cell in cells]


def _run(path: Path, cell: Cell, namespace: dict[str, Any]) -> Result:
    tree = ast.parse(cell.text, str(path))
    ast.increment_lineno(tree, cell.line)
    printed = io.StringIO()
    with style(), contextlib.redirect_stdout(printed), _closing_figures():
        exec(compile(tree, str(path), "exec"), namespace)
        drawn = [pyplot.figure(number) for number in pyplot.get_fignums()]
        if len(drawn) != len(cell.captions):
            raise ValueError(
                f"{path}:{cell.line}: {len(drawn)} figures and {len(cell.captions)} captions; "
                "begin the cell with '# Figure: ...' and '# Alt: ...' for each."
            )
        figures = tuple(map(_drawn, drawn, cell.captions))
    n_claims = sum(isinstance(node, ast.Assert) for node in ast.walk(tree))
    answer = namespace.pop("answer", None) if cell.is_solution else None
    return Result(cell, printed.getvalue(), figures, n_claims, answer)


@contextlib.contextmanager
def _closing_figures() -> Iterator[None]:
    try:
        yield
    finally:
        pyplot.close("all")


def _drawn(figure: Any, caption: Caption) -> Figure:
    file = io.StringIO()
    # Without a date and with names of its own making, the same lecture makes the same file.
    with mpl.rc_context({"svg.hashsalt": "maxmargin"}):
        figure.savefig(file, format="svg", bbox_inches="tight", metadata={"Date": None})
    width = re.search(r'width="([\d.]+)pt"', file.getvalue())
    assert width is not None
    return Figure(file.getvalue(), float(width[1]) / 72, caption)
