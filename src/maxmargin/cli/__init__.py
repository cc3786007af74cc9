"""The command `maxmargin`: one file a verb."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from maxmargin import __version__
from maxmargin.cli import demo

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
        The exit status, 0 if all went well.

    Examples
    --------
    >>> main([])
    usage: maxmargin ...
    0
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.run is None:
        parser.print_help()
        return 0
    try:
        return int(options.run(options))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has left, as `head` does; what is still buffered must not be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        if error.filename is None:
            raise
        print(f"maxmargin: cannot write {error.filename}: {error.strerror}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="maxmargin",
        description="Support vector machines: exact, certified, fast and visible.",
        epilog="`maxmargin VERB --help` tells more about a verb.",
    )
    parser.add_argument("--version", action="version", version=f"maxmargin {__version__}")
    parser.set_defaults(run=None)
    verbs = parser.add_subparsers(title="verbs", metavar="VERB")
    demo.add_verb(verbs)
    return parser
