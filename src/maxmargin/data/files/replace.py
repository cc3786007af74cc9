"""Write a file all or not: whoever reads it sees the old content or the new, never a half."""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # where there are no such locks, a file that is open cannot be removed
    fcntl = None  # type: ignore[assignment]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write that takes its place only when all of it is on the disk.

    The bytes go to a temporary file beside it, which is synchronised and then renamed. An error, a
    full disk or an interrupt leaves the old file as it was. What a process leaves behind that was
    killed is removed when the same file is written the next time. A device or a pipe is written
    directly.

    Parameters
    ----------
    path : path-like
        The file to write or to replace.

    Yields
    ------
    binary stream
        Where to write.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "numbers"
    >>> with replacing(path) as stream:
    ...     _ = stream.write(b"1 2 3")
    >>> path.read_bytes()
    b'1 2 3'
    """
    target = Path(os.path.realpath(path))
    with _naming(path):
        if target.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path))
        if target.is_dir():
            raise IsADirectoryError(21, "Is a directory", os.fspath(path))
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                yield stream
        else:
            with _beside(target) as stream:
                yield stream


@contextmanager
def _beside(target: Path) -> Iterator[BinaryIO]:
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666
    _remove_abandoned(target)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            _lock(stream.fileno())
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _synchronise(target.parent)


def _lock(handle: int) -> bool:
    """Hold a file for as long as it is open, whatever ends the process; False if another does."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_abandoned(target: Path) -> None:
    """Remove temporary files of a target that nobody writes any more."""
    pattern = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.part")
    with suppress(OSError):
        names = [entry.name for entry in os.scandir(target.parent) if pattern.fullmatch(entry.name)]
        for path in map(target.with_name, names):
            with path.open("rb") as stream:
                if _lock(stream.fileno()):
                    path.unlink()


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let an error of the system speak of the file that was asked for, not of the temporary one."""
    try:
        yield
    except OSError as error:
        if error.filename is None or os.fspath(error.filename).endswith(".part"):
            raise type(error)(error.errno, error.strerror, os.fspath(path)) from error
        raise


def _synchronise(folder: Path) -> None:
    """Have the rename itself on the disk; some file systems know no such thing for folders."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
