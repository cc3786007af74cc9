"""A lecture's source as cells, in the py:percent format that editors and Jupyter know.

A line '# %% [markdown]' begins a cell of prose, one comment a line, and a line '# %%' one of code.
With ' tags=["solution"]' at its end a cell is (part of) a solution, which a page folds away.
"""

import re
from dataclasses import dataclass
from pathlib import Path

MARKER = re.compile(r'# %%(?P<prose> \[markdown\])?(?P<solution> tags=\["solution"\])?')


@dataclass(frozen=True)
class Cell:
    """Prose in Markdown, or code; `line` is where it begins in its file, from 0."""

    text: str
    line: int
    is_prose: bool
    is_solution: bool


def read(path: Path) -> list[Cell]:
    """Return the cells of a source, in order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("# %%")]
    if not starts or starts[0] != 0:
        raise ValueError(f"{path} must begin with a cell, a line '# %%' or '# %% [markdown]'.")
    ends = [*starts[1:], len(lines)]
    return [_cell(path, lines, *span) for span in zip(starts, ends, strict=True)]


def _cell(path: Path, lines: list[str], start: int, end: int) -> Cell:
    marker = MARKER.fullmatch(lines[start])
    if marker is None:
        raise ValueError(
            f"{path}:{start + 1} is {lines[start]!r}; a cell begins with '# %%', then "
            "' [markdown]' for prose, then ' tags=[\"solution\"]' for a solution."
        )
    body, is_prose = lines[start + 1 : end], marker["prose"] is not None
    if is_prose:
        body = [_uncommented(path, start + 2 + offset, line) for offset, line in enumerate(body)]
    return Cell("\n".join(body).rstrip(), start + 1, is_prose, marker["solution"] is not None)


def _uncommented(path: Path, number: int, line: str) -> str:
    if line and not line.startswith("#"):
        raise ValueError(
            f"{path}:{number} is code in a cell of prose: {line!r}; begin it with '#'."
        )
    return line.removeprefix("#").removeprefix(" ")
