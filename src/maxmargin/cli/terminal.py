"""Text for people and for pipes: frames and colour where someone is looking, else plain text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

BOLD, DIM, GREEN = "1", "2", "32"


def counted(n: int, noun: str) -> str:
    """Say how many there are of something.

    Parameters
    ----------
    n : int
        How many.
    noun : str
        Of what, when there is one of it.

    Examples
    --------
    >>> counted(1, "class"), counted(2000, "class"), counted(3, "row")
    ('1 class', '2,000 classes', '3 rows')
    """
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else plural}"


@dataclass(frozen=True)
class Terminal:
    """A stream, and how much it can show.

    Parameters
    ----------
    stream : text stream
        Where to write.
    color : bool
        Whether to mark text by colour and weight.
    frames : bool
        Whether to draw lines around tables.

    Examples
    --------
    >>> import sys
    >>> Terminal(sys.stdout).table(["", "a"], [["one", "1"], ["eleven", "11"]])
             a
    one      1
    eleven  11
    """

    stream: TextIO
    color: bool = False
    frames: bool = False

    @classmethod
    def of(cls, stream: TextIO) -> Terminal:
        """Find out what a stream can show; the variable NO_COLOR takes colour away.

        Parameters
        ----------
        stream : text stream
            Where to write.
        """
        seen = stream.isatty() and os.environ.get("TERM") != "dumb"
        unicode = (stream.encoding or "").lower().startswith("utf")
        return cls(stream, color=seen and not os.environ.get("NO_COLOR"), frames=seen and unicode)

    def line(self, text: str = "") -> None:
        """Write a line at once, so that the reader sees it before the next step is done.

        Parameters
        ----------
        text : str
            The line.
        """
        print(text, file=self.stream, flush=True)

    def marked(self, text: str, code: str) -> str:
        """Put text into a colour or weight.

        Parameters
        ----------
        text : str
            The text.
        code : str
            One of `BOLD`, `DIM`, `GREEN`.
        """
        return f"\x1b[{code}m{text}\x1b[0m" if self.color else text

    def heading(self, text: str, note: str = "") -> None:
        """Write a heading.

        Parameters
        ----------
        text, note : str
            What comes next, and a quieter word on it.
        """
        self.line()
        self.line(self.marked(text, BOLD))
        if note:
            self.line(self.marked(note, DIM))

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write a table: names to the left, numbers to the right.

        Parameters
        ----------
        header : sequence of str
            One word per column.
        rows : sequence of sequences of str
            Cells.
        """
        widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
        if self.frames:
            self._framed(header, rows, widths)
            return
        for row in (header, *rows):
            self.line("  ".join(_aligned(row, widths)).rstrip())

    def _framed(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[int]
    ) -> None:
        bars = ["─" * (width + 2) for width in widths]
        self.line(f"╭{'┬'.join(bars)}╮")
        titles = [self.marked(cell, BOLD) for cell in _aligned(header, widths)]
        self.line(f"│ {' │ '.join(titles)} │")
        self.line(f"├{'┼'.join(bars)}┤")
        for row in rows:
            self.line(f"│ {' │ '.join(_aligned(row, widths))} │")
        self.line(f"╰{'┴'.join(bars)}╯")


def _aligned(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    name, *cells = row
    return [
        name.ljust(widths[0]),
        *(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)),
    ]
