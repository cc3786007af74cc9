"""A lecture's source as cells, in the py:percent format that editors and Jupyter know.

A line '# %% [markdown]' begins a cell of prose, one comment a line, and a line '# %%' one of code.
With ' tags=["solution"]' at its end a cell is (part of) a solution, which a page folds away.
Comments at the head of a cell that draws say what is seen, once for each figure:

    # Figure: the caption, in Markdown; it may go on
    # in the next line.
    # Alt: the same for those who do not see it.
"""

import re
from dataclasses import dataclass
from pathlib import Path

MARKER = re.compile(r'# %%(?P<prose> \[markdown\])?(?P<solution> tags=\["solution"\])?')
LEGEND = re.compile(r"# (Figure|Alt): ")


@dataclass(frozen=True)
class Caption:
    """What stands under a figure, in Markdown, and what is said to those who do not see it."""

    words: str
    alt: str


@dataclass(frozen=True)
class Cell:
    """Prose in Markdown, or code; `line` is where it begins in its file, from 0."""

    text: str
    line: int
    is_prose: bool
    is_solution: bool
    captions: tuple[Caption, ...] = ()


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
    is_solution = marker["solution"] is not None
    if is_prose:
        body = [_uncommented(path, start + 2 + offset, line) for offset, line in enumerate(body)]
        return Cell("\n".join(body).rstrip(), start + 1, True, is_solution)
    n_legends = _n_legends(body)
    captions = _captions(path, start + 2, body[:n_legends])
    code = "\n".join(body[n_legends:]).rstrip()
    return Cell(code, start + 1 + n_legends, False, is_solution, captions)


def _n_legends(body: list[str]) -> int:
    """How many lines at the head are captions."""
    if not body or not LEGEND.match(body[0]):
        return 0
    return next((n for n, line in enumerate(body) if not line.startswith("#")), len(body))


def _captions(path: Path, number: int, lines: list[str]) -> tuple[Caption, ...]:
    parts: list[tuple[str, list[str]]] = []
    for line in lines:
        if match := LEGEND.match(line):
            parts.append((match[1], [line[match.end() :]]))
        else:
            parts[-1][1].append(line.removeprefix("#").strip())
    kinds, texts = [kind for kind, _ in parts], [" ".join(words) for _, words in parts]
    if kinds != ["Figure", "Alt"] * (len(kinds) // 2):
        raise ValueError(f"{path}:{number}: each '# Figure:' must be followed by one '# Alt:'.")
    return tuple(Caption(*pair) for pair in zip(texts[::2], texts[1::2], strict=True))


def _uncommented(path: Path, number: int, line: str) -> str:
    if line and not line.startswith("#"):
        raise ValueError(
            f"{path}:{number} is code in a cell of prose: {line!r}; begin it with '#'."
        )
    return line.removeprefix("#").removeprefix(" ")
