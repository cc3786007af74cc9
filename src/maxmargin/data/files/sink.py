"""Where output goes: standard output for "-", else a file that is written all or not."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from maxmargin.data.files.replace import replacing


@contextmanager
def open_sink(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write, as `replacing` does, or standard output for "-".

    Parameters
    ----------
    path : path-like
        Where to.

    Yields
    ------
    binary stream
        Where to write.

    Examples
    --------
    >>> import os
    >>> with open_sink(os.devnull) as stream:
    ...     stream.write(b"1 2 3")
    5
    """
    if os.fspath(path) != "-":
        with replacing(path) as stream:
            yield stream
        return
    # With PYTHONUNBUFFERED standard output may take a part of a write only, and say no more.
    buffered = io.BufferedWriter(_StandardOutput())
    yield buffered
    buffered.flush()
    sys.stdout.flush()


class _StandardOutput(io.RawIOBase):
    """Standard output that stays open when its writer is closed."""

    def writable(self) -> bool:
        return True

    def write(self, block: Any) -> int:
        return sys.stdout.buffer.write(block)
