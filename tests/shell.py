"""The command in a process of its own, and what a terminal shows of it."""

import os
import sys

COMMAND = [
    sys.executable,
    "-u",
    "-c",
    "import sys; from maxmargin.cli import main; sys.exit(main())",
]


def read_until(master, words):
    """Read what is shown, until some words or the end."""
    seen = b""
    while words is None or words not in seen:
        try:
            part = os.read(master, 4096)
        except OSError:  # the other end is closed
            part = b""
        if not part:
            assert words is None, seen
            break
        seen += part
    return seen
