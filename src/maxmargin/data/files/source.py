"""Bytes of a file or of standard input, decompressed where they are gzip, bzip2 or xz."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable
from typing import IO, Any

from maxmargin.data.files.error import FileError

#: How compressed data begin, and what decompresses them.
_COMPRESSED: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
COMPRESSED = tuple(_COMPRESSED)
SUFFIXES = (".gz", ".bz2", ".xz")
_BUFFER_BYTES = 1 << 20
#: Data may always become this large when they are decompressed, and beyond it by this factor.
LARGE, FACTOR = 1 << 30, 500
#: A line of text may be this long.
LINE_BYTES = 1 << 28


def display_name(path: str | os.PathLike[str]) -> str:
    """Return what to call a source in messages.

    Examples
    --------
    >>> display_name("-")
    'standard input'
    """
    return "standard input" if os.fspath(path) == "-" else os.fspath(path)


def check_expansion(compressed: int, size: int, name: str) -> None:
    """Refuse data that would fill the memory although their file is small.

    Parameters
    ----------
    compressed, size : int
        Bytes that the file has for them, and bytes that they become.
    name : str
        The file, for the error.

    Examples
    --------
    >>> check_expansion(1000, 10**6, "data.gz")
    >>> check_expansion(10**6, 10**12, "data.gz")
    Traceback (most recent call last):
    maxmargin.data.files.error.FileError: data.gz: the data become more than 500 times as large...
    """
    if size > LARGE and size > FACTOR * compressed:
        raise FileError(
            f"the data become more than {FACTOR} times as large as their file, and more than "
            f"{LARGE / 2**30:g} GB; if that is right, decompress them first",
            name,
        )


def open_source(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a file to read, or standard input for "-".

    Parameters
    ----------
    path : path-like
        A file, or an address that fsspec knows, compressed or not; what it is shows in its first
        bytes, not in its name.

    Returns
    -------
    buffered binary stream
        Its decompressed bytes. Damage in compressed data raises `FileError`.

    Examples
    --------
    >>> import gzip, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "numbers"
    >>> _ = path.write_bytes(gzip.compress(b"1 2 3"))
    >>> with open_source(path) as stream:
    ...     stream.read()
    b'1 2 3'
    """
    raw = open_raw(path)
    start = raw.peek(8)
    openers = [opener for magic, opener in _COMPRESSED.items() if start.startswith(magic)]
    if not openers:
        return raw
    unpacked = _Decompressed(openers[0](raw), raw, display_name(path))
    return io.BufferedReader(unpacked, _BUFFER_BYTES)


def open_raw(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a file, standard input for "-", or an address that fsspec knows, as it is.

    Parameters
    ----------
    path : path-like
        Such as "data.csv" or "s3://bucket/data.csv".

    Examples
    --------
    >>> with open_raw(os.devnull) as stream:
    ...     stream.read()
    b''
    """
    name = os.fspath(path)
    if name == "-":
        return io.BufferedReader(_StandardInput(), _BUFFER_BYTES)
    if "://" in name:
        import fsspec

        return io.BufferedReader(fsspec.open(name, "rb").open(), _BUFFER_BYTES)
    return io.BufferedReader(io.FileIO(name), _BUFFER_BYTES)


class Lines(io.RawIOBase):
    r"""Text whose lines have an end: one that is too long for a row of data is refused.

    Parameters
    ----------
    stream : binary stream
        The text.
    name : str
        Its file, for the error.

    Examples
    --------
    >>> Lines(io.BytesIO(b"1 2\n3 4"), "here").read()
    b'1 2\n3 4'
    """

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream, self._name = stream, name
        self._length = 0  # of the last line so far

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes."""
        block = self._stream.read(len(buffer))
        end = block.rfind(b"\n") + 1
        self._length = len(block) - end + (0 if end else self._length)
        if self._length > LINE_BYTES:
            raise FileError(
                f"a line is longer than {LINE_BYTES >> 20} MB: this is no text of rows", self._name
            )
        buffer[: len(block)] = block
        return len(block)


class _StandardInput(io.RawIOBase):
    """Standard input that stays open when its reader is closed."""

    def __init__(self) -> None:
        self._count = 0

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._count

    def readinto(self, buffer: Any) -> int:
        read = int(sys.stdin.buffer.readinto1(buffer))  # type: ignore[union-attr]
        self._count += read
        return read


class _Decompressed(io.RawIOBase):
    """Decompressed bytes, whose damage is one kind of error whatever the compression."""

    def __init__(self, stream: IO[bytes], raw: IO[bytes], name: str) -> None:
        self._stream, self._raw, self._name = stream, raw, name
        self._size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            block = self._stream.read(len(buffer))
        except (EOFError, zlib.error, lzma.LZMAError) as error:
            raise FileError("the compressed data are damaged or cut off", self._name) from error
        except OSError as error:
            # gzip and bz2 speak of damage as of an error of the system, but without its number.
            if error.errno is not None:
                raise
            raise FileError("the compressed data are damaged", self._name) from error
        self._size += len(block)
        check_expansion(self._raw.tell(), self._size, self._name)
        buffer[: len(block)] = block
        return len(block)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
            self._raw.close()
        super().close()
