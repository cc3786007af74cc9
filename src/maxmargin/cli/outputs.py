"""Where output goes, checked before any work, so that neither data nor a long fit are lost."""

from __future__ import annotations

import enum
import errno
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from maxmargin.cli.modelfile import model_format
from maxmargin.data.files import FileError
from maxmargin.data.files.format import Format, detect_format
from maxmargin.data.files.source import open_source
from maxmargin.data.files.table import Table

force_option = click.option(
    "--force", is_flag=True, help="Replace the output also where it holds something else."
)
#: How pictures begin: PNG, PDF and SVG.
_PICTURES = (b"\x89PNG", b"%PDF", b"<?xml", b"<svg")


class Content(enum.Enum):
    """What a verb writes, and what it may therefore replace.

    Examples
    --------
    >>> Content.MODEL.value
    'a model'
    """

    MODEL = "a model"
    DATA = "data"
    PREDICTIONS = "predictions"
    PICTURE = "a picture"
    RANGES = "a scaling"
    GRAPH = "a graph of ONNX"
    SOURCE = "C of maxmargin"
    PAGE = "a page"


def check_output(
    path: str, content: Content, inputs: Sequence[str | None], *, force: bool = False
) -> None:
    """Refuse a place that cannot be written, or where something would be lost.

    Parameters
    ----------
    path : str
        The file to write; "-" for standard output.
    content : Content
        What will be written.
    inputs : sequence of str or None
        What is read, or written besides; None and "-" count for nothing.
    force : bool
        Whether to replace something of another kind.

    Examples
    --------
    >>> check_output("-", Content.MODEL, ["-"])
    >>> check_output("nowhere/model", Content.MODEL, [])
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: no folder for it: 'nowhere/model'
    """
    place = Path(path)
    if path == "-" or (place.exists() and not place.is_file() and not place.is_dir()):
        return  # standard output, or a device
    for other in inputs:
        if other is not None and other != "-" and _same(place, Path(other)):
            also = "" if path == other else f", by the name {other}"
            raise click.UsageError(f"{path} would be both read and written{also}")
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, "Is a directory", path)
    folder = _real(place).parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "No such file or directory: no folder for it", path)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, "the folder cannot be written", path)
    if place.exists() and place.stat().st_size > 0 and not force and not _HOLDS[content](place):
        raise FileExistsError(
            errno.EEXIST, f"this is there and is not {content.value}; --force replaces it", path
        )


def _same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)
    return _real(one) == _real(other)


def _real(path: Path) -> Path:
    """Follow links; those that lead in a circle to where they begin."""
    return Path(os.path.realpath(path))


def _is_model(path: Path) -> bool:
    return model_format(path) is not None


def _is_picture(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(5).startswith(_PICTURES)


def _is_data(path: Path) -> bool:
    try:
        with open_source(path) as stream:
            detect_format(path, stream)
    except (FileError, OSError):
        return False
    return not _is_model(path) and not _is_picture(path)


def _is_predictions(path: Path) -> bool:
    """Whether it is a table with a column of predictions, or lines of one word each."""
    if _is_model(path) or _is_picture(path):
        return False
    try:
        with open_source(path) as stream:
            start = stream.peek(1 << 16)
            lines = start.decode("utf-8", "replace").splitlines()[:10]
            if not any(mark in line for line in lines for mark in ",;\t|") and lines:
                return b"\0" not in start
            found = detect_format(path, stream)
            return found in (Format.CSV, Format.TSV, Format.PARQUET) and (
                "prediction" in Table(path, stream, found).names
            )
    except (FileError, OSError):
        return False


def _is_ranges(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(2) in (b"x\n", b"y\n")


def _is_page(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(15).lower() == b"<!doctype html>"


def _is_graph(path: Path) -> bool:
    """Whether it begins as ONNX does: the version of the format, then who made it."""
    with path.open("rb") as stream:
        start = stream.read(3)
    return len(start) == 3 and start[0] == 0x08 and start[2] == 0x12


def _is_source(path: Path) -> bool:
    with path.open("rb") as stream:
        line = stream.readline(200)
    return line.startswith(b"/* ") and b" of maxmargin " in line


_HOLDS: dict[Content, Callable[[Path], Any]] = {
    Content.MODEL: _is_model,
    Content.DATA: _is_data,
    Content.PREDICTIONS: _is_predictions,
    Content.PICTURE: _is_picture,
    Content.RANGES: _is_ranges,
    Content.GRAPH: _is_graph,
    Content.SOURCE: _is_source,
    Content.PAGE: _is_page,
}
