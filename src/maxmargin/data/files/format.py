"""Which format a data file has, by its name or else by its first bytes."""

from __future__ import annotations

import enum
import io
import os
import re
from pathlib import PurePath

from maxmargin.data.files.error import FileError
from maxmargin.data.files.source import SUFFIXES, display_name


class Format(enum.Enum):
    """The formats of data.

    Examples
    --------
    >>> Format("csv")
    <Format.CSV: 'csv'>
    """

    LIBSVM = "libsvm"
    CSV = "csv"
    TSV = "tsv"
    PARQUET = "parquet"
    NPZ = "npz"


_BY_SUFFIX = {
    ".csv": Format.CSV,
    ".tsv": Format.TSV,
    ".tab": Format.TSV,
    ".parquet": Format.PARQUET,
    ".pq": Format.PARQUET,
    ".npz": Format.NPZ,
    ".libsvm": Format.LIBSVM,
    ".svm": Format.LIBSVM,
    ".svmlight": Format.LIBSVM,
}
_LIBSVM_LINE = re.compile(rb"\s*[-+.,0-9eE]+(\s+(qid:-?[0-9]+|[0-9]+:\S+))*\s*(#.*)?")


def format_of_name(path: str | os.PathLike[str]) -> Format | None:
    """Return the format that the name of a file tells, without the ending of its compression.

    Examples
    --------
    >>> format_of_name("data.csv.gz"), format_of_name("data")
    (<Format.CSV: 'csv'>, None)
    """
    name = PurePath(path)
    if name.suffix.lower() in SUFFIXES:
        name = name.with_suffix("")
    return _BY_SUFFIX.get(name.suffix.lower())


def detect_format(path: str | os.PathLike[str], stream: io.BufferedReader) -> Format:
    r"""Return the format of an open file.

    Parameters
    ----------
    path : path-like
        Its name.
    stream : buffered binary stream
        Its bytes, which stay unread.

    Examples
    --------
    >>> detect_format("data", io.BufferedReader(io.BytesIO(b"-1 3:1 11:1\n")))
    <Format.LIBSVM: 'libsvm'>
    >>> detect_format("data", io.BufferedReader(io.BytesIO(b"a,b\n1,2\n")))
    <Format.CSV: 'csv'>
    """
    known = format_of_name(path)
    if known is not None:
        return known
    start = stream.peek(1 << 16)[: 1 << 16]
    if start.startswith(b"PAR1"):
        return Format.PARQUET
    if start.startswith(b"PK\x03\x04"):
        return Format.NPZ
    lines = [line for line in start.splitlines() if line.strip() and not line.startswith(b"#")]
    if lines and _LIBSVM_LINE.fullmatch(lines[0]) and b":" in start:
        return Format.LIBSVM
    for mark, found in ((b"\t", Format.TSV), (b",", Format.CSV)):
        if lines and mark in lines[0]:
            return found
    raise FileError(
        "neither the name nor the first line tells the format; give the format",
        display_name(path),
        parameter="format",
    )
