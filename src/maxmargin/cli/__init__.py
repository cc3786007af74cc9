"""The command `maxmargin`: one file per verb. Needs the extra `cli`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec

from maxmargin.cli.streams import complete_streams

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the command's name; by default as it was called.

    Returns
    -------
    int
        The exit status; `maxmargin --help` lists them.

    Examples
    --------
    >>> main([])
    Usage: maxmargin ...
    0
    """
    complete_streams()
    lacking = [name for name in ("click", "pandas", "rich") if not _is_there(name)]
    if lacking:
        print(
            f"maxmargin: the command line needs {lacking[0]}: pip install 'maxmargin[cli]'",
            file=sys.stderr,
        )
        return 5
    from maxmargin.cli.app import run

    return run(sys.argv[1:] if arguments is None else list(arguments))


def _is_there(name: str) -> bool:
    """Whether a package can be imported, without the time that importing it takes."""
    try:
        return find_spec(name) is not None
    except ValueError:  # what a package is that was imported in an odd way
        return False
