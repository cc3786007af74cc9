"""Files that would fill the memory are refused before they do, with the bound that they break."""

import bz2
import gzip
import io
import lzma
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from maxmargin.data.files import DataFile, FileError, read_libsvm, source
from maxmargin.data.files.format import Format


@pytest.fixture
def small_limits(monkeypatch):
    """The bounds of files of megabytes, not of gigabytes."""
    monkeypatch.setattr(source, "LARGE", 1 << 17)
    monkeypatch.setattr(source, "LINE_BYTES", 1 << 20)


@pytest.mark.parametrize(
    "compress", [gzip.compress, partial(bz2.compress, compresslevel=1), lzma.compress]
)
@pytest.mark.parametrize("line", [b"1 1:1\n", b"a,b\n"])
def test_compressed_bombs(tmp_path, small_limits, compress, line):
    path = tmp_path / "data"
    path.write_bytes(compress(line * (1 << 17)))
    kind = Format.LIBSVM if b":" in line else Format.CSV
    with pytest.raises(FileError, match="more than 500 times as large as their file"):
        DataFile(path, kind).read()


def test_archives_that_are_bombs(tmp_path, small_limits):
    np.savez_compressed(tmp_path / "data.npz", X=np.zeros((1 << 16, 2)))
    with pytest.raises(FileError, match="more than 500 times as large as their file"):
        DataFile(tmp_path / "data.npz").read()


def test_tables_that_are_bombs(tmp_path, small_limits):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"a": np.zeros(1 << 18), "b": np.zeros(1 << 18)}).to_parquet(
        tmp_path / "a.parquet"
    )
    with pytest.raises(FileError, match="more than 500 times as large as their file"):
        DataFile(tmp_path / "a.parquet").read()


@pytest.mark.parametrize("rows", [1000, 100_000])
def test_what_compresses_as_data_do_is_read(tmp_path, small_limits, rows):
    path = tmp_path / "data.gz"
    numbers = np.random.default_rng(0).integers(0, 3, rows)
    path.write_bytes(gzip.compress("".join(f"1 1:{k} 2:{k}\n" for k in numbers).encode()))
    assert read_libsvm(path).n_rows == rows


@pytest.mark.parametrize("start", [b"", b"a,b\n1,2\n", b"1 1:1\n"])
@pytest.mark.parametrize("kind", [Format.LIBSVM, Format.CSV, Format.TSV, None])
def test_a_line_without_end(tmp_path, small_limits, start, kind):
    """The file is a hole of four gigabytes, of which a few megabytes are read."""
    path = tmp_path / "data"
    path.write_bytes(start)
    with path.open("r+b") as stream:
        stream.truncate(1 << 32)
    before = bytes_read()
    with pytest.raises(FileError):
        DataFile(path, kind).read()
    assert bytes_read() - before < 1 << 25


def bytes_read():
    """Return what this process has read so far, where the system counts it."""
    counts = Path("/proc/self/io")
    return int(counts.read_text().split()[1]) if counts.exists() else 0


def test_the_length_of_a_line_is_counted_over_blocks(small_limits):
    text = (b"x" * 700_000 + b"\n") * 3
    lines = io.BufferedReader(source.Lines(io.BytesIO(text), "here"), 4096)
    assert lines.read() == text
    lines = io.BufferedReader(source.Lines(io.BytesIO(text.replace(b"\n", b"")), "here"), 4096)
    with pytest.raises(FileError, match="here: a line is longer than 1 MB"):
        lines.read()
