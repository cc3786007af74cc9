import bz2
import gzip
import lzma
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from instances import blobs
from maxmargin.data.files import FileError, libsvm_blocks, read_libsvm, write_libsvm
from maxmargin.data.files.libsvm import libsvm_text


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data.txt"


def random_rows(n=500, d=40, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.csr_array(rng.random((n, d)) * (rng.random((n, d)) < 0.2))
    X.data = rng.normal(size=X.nnz) * 10.0 ** rng.integers(-30, 30, X.nnz)
    return X, rng.integers(-1, 3, n).astype(float)


@pytest.mark.parametrize("zero_based", [True, False])
def test_agrees_with_scikit_learn(path, zero_based):
    X, y = random_rows()
    queries = y.astype(np.int64) + 1
    dump_svmlight_file(
        X.astype(float), y, str(path), zero_based=zero_based, comment="note", query_id=queries
    )
    block = read_libsvm(path)
    theirs, labels, queries = load_svmlight_file(str(path), query_id=True)
    assert (theirs != block.X).nnz == 0
    np.testing.assert_array_equal(block.y, labels)
    np.testing.assert_array_equal(block.queries, queries)


def test_what_is_written_is_read_back(path, layout, dtype):
    X, y = blobs(50, dtype=dtype)
    X[X < 0] = 0
    write_libsvm(path, layout(X), y, queries=y)
    block = read_libsvm(path, n_features=X.shape[1])
    np.testing.assert_array_equal(block.X.toarray(), X)
    np.testing.assert_array_equal(block.y, y)
    np.testing.assert_array_equal(block.queries, y)
    assert block.X.indices.dtype == block.X.indptr.dtype == np.int32


@pytest.mark.parametrize("chunk_bytes", [1, 7, 100, 5000, 10**7])
def test_pieces_of_any_size_hold_the_same_rows(path, chunk_bytes):
    X, y = random_rows(100)
    write_libsvm(path, X, y)
    blocks = list(libsvm_blocks(path, n_features=X.shape[1], chunk_bytes=chunk_bytes))
    assert [block.first for block in blocks] == list(
        np.cumsum([1] + [block.n_rows for block in blocks[:-1]])
    )
    assert (sparse.vstack([block.X for block in blocks]) != X).nnz == 0
    np.testing.assert_array_equal(np.concatenate([block.y for block in blocks]), y)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files(path, compress):
    path.write_bytes(compress(b"1 1:2\n-1 2:3\n"))
    np.testing.assert_array_equal(read_libsvm(path).X.toarray(), [[2, 0], [0, 3]])
    path.write_bytes(compress(b"1 1:2\n-1 2:3\n" * 1000)[:-20])
    with pytest.raises(FileError, match=r"data\.txt: the compressed data are damaged"):
        read_libsvm(path)
    damaged = bytearray(compress(bytes(np.random.default_rng(0).integers(32, 99, 5000, np.uint8))))
    damaged[len(damaged) // 2] ^= 255
    path.write_bytes(damaged)
    with pytest.raises(FileError, match=r"data\.txt"):
        read_libsvm(path)


def test_a_byte_order_mark_is_left_out(path):
    path.write_bytes(b"\xef\xbb\xbf1 1:2\n")
    assert read_libsvm(path).y == [1.0]


def test_features_that_no_row_has(path):
    path.write_text("1\n2\n")
    assert read_libsvm(path).X.shape == (2, 0)
    assert read_libsvm(path, n_features=3).X.shape == (2, 3)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "there are no rows"),
        ("\n# nothing\n", {}, "there are no rows"),
        ("1 1:1\n2 1:x\n", {}, "data.txt:2:5: a value is missing: 'x'"),
        ("1,3 1:1\n", {}, "data.txt:1:1: several labels in one row"),
        ("1 0:1\n", {"zero_based": False}, "index 0 occurs but"),
        ("1 1:1\n1 5:1\n", {"n_features": 3}, "row 2 has feature 5 but there are 3"),
    ],
)
def test_errors_tell_the_place(path, text, options, message):
    path.write_text(text)
    with pytest.raises(FileError, match=message) as error:
        read_libsvm(path, **options)
    again = pickle.loads(pickle.dumps(error.value))
    assert (str(again), again.line) == (str(error.value), error.value.line)


def test_errors_in_later_pieces_count_lines_from_the_start(path):
    path.write_text("1 1:1\n" * 999 + "1 1:1 1:2\n")
    with pytest.raises(FileError, match=r"data\.txt:1000:7: index 1 comes after 1"):
        list(libsvm_blocks(path, chunk_bytes=100))
    path.write_text("1 1:1\n" * 99 + "1 0:1 1:2\n")
    with pytest.raises(FileError, match="say that they begin at 0"):
        list(libsvm_blocks(path, chunk_bytes=100))
    path.write_text("1 1:1\n" * 99 + "1 qid:2 1:2\n")
    with pytest.raises(FileError, match="either all rows have a qid or none"):
        list(libsvm_blocks(path, chunk_bytes=100))


TOKENS = st.sampled_from(
    ["1", "-1", " ", " ", "\n", "\r\n", ":", "1:2", "3:4.5e-3", "qid:1", "#", "+", ",", "nan"]
)


@given(st.one_of(st.binary(max_size=60), st.lists(TOKENS, max_size=20).map("".join)))
def test_any_bytes_are_rows_or_an_error(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    try:
        block = read_libsvm(path)
    except FileError:
        return
    assert np.isfinite(block.X.data).all()
    path.write_bytes(b"".join(libsvm_text(block.X, block.y, block.queries)))
    again = read_libsvm(path, n_features=block.X.shape[1], zero_based=False)
    assert abs(again.X - block.X).sum() == 0
    np.testing.assert_array_equal(again.y, block.y)
