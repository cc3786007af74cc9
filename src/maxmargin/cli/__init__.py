"""The command `maxmargin`: one file per verb. Needs the extra `cli`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

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
    try:
        import click  # noqa: F401
        import pandas  # noqa: F401
        import rich  # noqa: F401
    except ImportError as error:
        print(
            f"maxmargin: the command line needs {error.name}: pip install 'maxmargin[cli]'",
            file=sys.stderr,
        )
        return 5
    from maxmargin.cli.app import run

    return run(sys.argv[1:] if arguments is None else list(arguments))
