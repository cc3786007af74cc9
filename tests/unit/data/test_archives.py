"""NPZ archives and tables that are not as they should be."""

import io
import zipfile
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from maxmargin.data.files import Block, DataFile, FileError, Format, write_data


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data.npz"


def test_dense_and_sparse_archives(path):
    np.savez(path, X=np.eye(3, dtype=np.float32), y=["a", "b", "c"])
    block = DataFile(path).read()
    assert block.X.dtype == np.float32
    assert list(block.y) == ["a", "b", "c"]
    sparse.save_npz(path, sparse.csr_matrix(np.eye(3, dtype=int)))
    block = DataFile(path).read()
    assert block.X.dtype == np.float64
    assert block.y is None


def forged(shape):
    """An archive whose array claims a shape that it does not have."""
    member = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        member, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("X.npy", member.getvalue() + bytes(80))
    return stream.getvalue()


@pytest.mark.parametrize("shape", [(10**15, 10**15), (10**9, 8), (100, 1)])
def test_a_claimed_shape_takes_no_memory(path, shape):
    path.write_bytes(forged(shape))
    with pytest.raises(FileError, match="claims the shape"):
        DataFile(path).read()


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"Z": np.eye(2)}, "no array 'data'"),
        ({"X": np.eye(2), "y": [1, 2, 3]}, r"y has the shape \(3,\) but X has 2 rows"),
        ({"X": np.zeros(3)}, "it needs rows"),
        ({"X": np.array([["a"]])}, "array of <U1"),
        ({"X": np.array([[None]])}, "holds objects"),
        (
            {"data": [1.0], "indices": [7], "indptr": [0, 1], "shape": [1, 2]},
            "the archive is not as it should be",
        ),
        ({"data": [1.0], "indices": [0.5], "indptr": [0, 1], "shape": [1, 2]}, "whole numbers"),
    ],
)
def test_archives_that_are_no_data(path, arrays, message):
    np.savez(path, **arrays)
    with pytest.raises(FileError, match=message):
        DataFile(path).read()


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz", ".parquet", ".npz", ".libsvm", ".csv.xz"])
def test_blocks_are_written_and_read_back(tmp_path, ending):
    X, y = np.arange(12.0).reshape(6, 2) / 7, np.array([0, 1, 0, 1, 1, 0])
    path = tmp_path / f"data{ending}"
    write_data(path, [Block(X[:4], y[:4]), Block(X[4:], y[4:])])
    block = DataFile(path, target="-1").read()
    found = block.X.toarray() if sparse.issparse(block.X) else np.asarray(block.X)
    np.testing.assert_array_equal(found, X)
    np.testing.assert_array_equal(block.y, y)


def test_missing_values_survive_a_table(tmp_path):
    frame = pd.DataFrame({"a": [1.5, np.nan], "b": pd.Series(["x", None], dtype=object)})
    for ending in (".csv", ".parquet"):
        write_data(tmp_path / f"data{ending}", [Block(frame, None)])
        again = DataFile(tmp_path / f"data{ending}").read().X
        assert again["a"].isna().tolist() == [False, True]
        assert again["b"].tolist() == ["x", None]


def test_times_are_refused(tmp_path):
    path = tmp_path / "data.parquet"
    pd.DataFrame({"t": pd.to_datetime(["2020-01-01"]), "y": [1]}).to_parquet(path)
    with pytest.raises(FileError, match="column 't' holds times"):
        DataFile(path).read()


def test_a_format_is_told_by_the_first_bytes(tmp_path):
    for content, expected in (
        (b"# note\n\n-1 3:1\n", Format.LIBSVM),
        (b"a\tb\n1\t2\n", Format.TSV),
        (b"a,b\n1,2\n", Format.CSV),
        (b"PAR1....", Format.PARQUET),
        (b"PK\x03\x04", Format.NPZ),
    ):
        (tmp_path / "data").write_bytes(content)
        assert DataFile(tmp_path / "data").detect() is expected


CELLS = st.sampled_from(["a", "1", "-2.5", "", '"', '""', ",", "\n", "\r\n", "é", "NA", "1e999"])


@given(st.one_of(st.binary(max_size=40), st.lists(CELLS, max_size=25).map("".join)))
def test_any_text_is_a_table_or_an_error(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with suppress(FileError):
        block = DataFile(path, target="-1").read()
        assert block.n_rows == len(block.y) > 0
        assert all(kind in (np.float64, object) for kind in block.X.dtypes)


@given(st.lists(st.tuples(st.integers(0, 10**4), st.integers(0, 255)), min_size=1, max_size=4))
def test_any_changed_archive_is_rows_or_an_error(tmp_path_factory, changes):
    stream = io.BytesIO()
    np.savez(stream, X=np.eye(3), y=[0, 1, 2])
    content = bytearray(stream.getvalue())
    for place, byte in changes:
        content[place % len(content)] = byte
    path = tmp_path_factory.getbasetemp() / "any.npz"
    path.write_bytes(content)
    with suppress(FileError):
        assert DataFile(path).read().n_rows > 0
