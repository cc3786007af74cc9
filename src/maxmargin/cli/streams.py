"""Standard streams as verbs can rely on: there, and able to write any text."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress


def complete_streams() -> None:
    """Open streams that the caller has closed, so that no file of ours takes their place.

    Reading and writing these is an error of the system, but nothing is said where errors cannot
    be. What an encoding does not have, as the bytes of a name that are not UTF-8, is written by its
    number.

    Examples
    --------
    >>> complete_streams()
    """
    with suppress(OSError):
        # The lowest number that is free is taken: one of the closed ones, until there is none.
        while (handle := os.open(os.devnull, os.O_RDONLY)) <= 2:
            pass
        os.close(handle)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(_Closed())
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(_Closed(), write_through=True)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class _Closed(io.BufferedIOBase):
    """A stream that the caller has closed."""

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto1(self, _: object) -> int:
        raise OSError(9, os.strerror(9), "standard input")

    def write(self, _: object) -> int:
        raise OSError(9, os.strerror(9), "standard output")
