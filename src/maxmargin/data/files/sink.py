"""Where output goes: standard output for "-", else a file that is written all or not."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import IO, Any, BinaryIO

from maxmargin.data.files.replace import replacing

_COMPRESSORS: dict[str, Callable[[IO[bytes]], Any]] = {
    # Without the time, so that the same data give the same bytes.
    ".gz": lambda stream: gzip.GzipFile("", "wb", fileobj=stream, mtime=0),
    ".bz2": lambda stream: bz2.BZ2File(stream, "wb"),
    ".xz": lambda stream: lzma.LZMAFile(stream, "wb"),  # noqa: SIM115
}


@contextmanager
def open_sink(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write, as `replacing` does, or standard output for "-".

    Parameters
    ----------
    path : path-like
        Where to; names that end in .gz, .bz2 or .xz are compressed.

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
        compress = _COMPRESSORS.get(PurePath(path).suffix.lower())
        with replacing(path) as stream:
            if compress is None:
                yield stream
            else:
                with compress(stream) as compressed:
                    yield compressed
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
