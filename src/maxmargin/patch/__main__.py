"""Run a program with `sklearn.svm` patched: `python -m maxmargin.patch script.py [arguments]`."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from maxmargin.patch.switch import patch_sklearn


def main() -> None:
    """Patch, then run the script or module as Python would."""
    parser = argparse.ArgumentParser(
        prog="python -m maxmargin.patch",
        usage="%(prog)s [-h] [-q] [-n NAME] (script | -m module) [arguments ...]",
        description="Run a Python program with maxmargin in the place of sklearn.svm.",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="do not say what is patched")
    parser.add_argument(
        "-n", "--name", action="append", help="patch this name of sklearn.svm only; repeatable"
    )
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, help="run a module")
    parser.add_argument("script", nargs=argparse.REMAINDER, help="run a file")
    given = parser.parse_args()
    program = given.module or given.script
    if not program:
        parser.error("a script, or -m and a module, is needed")
    try:
        patch_sklearn(given.name, verbose=not given.quiet)
    except ValueError as error:
        parser.error(str(error))
    sys.argv = program
    if given.module:
        sys.path[0] = str(Path.cwd())
        runpy.run_module(program[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = str(Path(program[0]).resolve().parent)
        runpy.run_path(program[0], run_name="__main__")


if __name__ == "__main__":
    main()
