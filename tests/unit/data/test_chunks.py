"""Sources of chunks: every kind of file gives the rows of its array, again and again."""

import numpy as np
import pytest
import scipy.sparse

from instances import blobs, sparse_rows
from maxmargin import LinearSVC, LinearSVR, Status
from maxmargin.data import Chunk, ChunkedMatrix, Chunks


def whole(chunks):
    parts = list(chunks)
    stack = scipy.sparse.vstack if scipy.sparse.issparse(parts[0].X) else np.concatenate
    X = stack([part.X for part in parts])
    return (X.toarray() if scipy.sparse.issparse(X) else X), np.concatenate([p.y for p in parts])


def data():
    X, y = blobs(100, 5, dtype=np.float32)
    X[np.abs(X) < 0.5] = 0
    return X, y


def _npy(folder, X, y):
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)
    return Chunks.from_npy(folder / "X.npy", folder / "y.npy", chunk_rows=33)


def _npz(folder, X, y):
    np.savez(folder / "data.npz", X=X, y=y)
    return Chunks.from_npz(folder / "data.npz", chunk_rows=33)


def _csr_npz(folder, X, y):
    rows = scipy.sparse.csr_array(X)
    np.savez(
        folder / "data.npz",
        data=rows.data,
        indices=rows.indices,
        indptr=rows.indptr,
        shape=rows.shape,
        y=y,
    )
    return Chunks.from_npz(folder / "data.npz", chunk_rows=33)


def _libsvm(folder, X, y):
    lines = [
        f"{label} " + " ".join(f"{k + 1}:{v!r}" for k, v in enumerate(row.tolist()) if v)
        for row, label in zip(X, y, strict=True)
    ]
    (folder / "data.txt").write_text("\n".join(lines) + "\n")
    return Chunks.from_file(folder / "data.txt", n_features=5)


def _csv(folder, X, y):
    lines = [",".join(map(repr, [*row, int(label)])) for row, label in zip(X.tolist(), y)]  # noqa: B905
    (folder / "data.csv").write_text("\n".join(["a,b,c,d,e,kind", *lines]) + "\n")
    return Chunks.from_file(folder / "data.csv", target="kind")


def _parquet(folder, X, y):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {name: X[:, k] for k, name in enumerate("abcde")}
    parquet.write_table(
        pyarrow.table({**columns, "kind": y}), folder / "data.parquet", row_group_size=33
    )
    return Chunks.from_file(folder / "data.parquet", target="kind")


SOURCES = {
    "arrays": lambda folder, X, y: Chunks.from_arrays(X, y, chunk_rows=33),
    "csr": lambda folder, X, y: Chunks.from_arrays(scipy.sparse.csr_array(X), y, chunk_rows=33),
    "npy": _npy,
    "npz": _npz,
    "csr npz": _csr_npz,
    "libsvm": _libsvm,
    "csv": _csv,
    "parquet": _parquet,
}
sources = pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES.keys())


@sources
def test_a_source_is_its_array_each_time(make, tmp_path):
    X, y = data()
    chunks = make(tmp_path, X, y)
    for _ in range(2):
        rows, labels = whole(chunks)
        np.testing.assert_allclose(rows, X, rtol=1e-7)
        np.testing.assert_array_equal(labels.astype(int), y)


@sources
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_an_exact_fit_is_that_of_the_array(make, loss, tmp_path):
    X, y = data()
    one, other = LinearSVC(loss=loss).fit(X, y), LinearSVC(loss=loss).fit(make(tmp_path, X, y))
    np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-5, atol=1e-6)
    assert other.status_ is Status.OPTIMAL
    assert other.certificate_.gap <= 1e-4
    passes = other.history_["passes"]
    assert (np.diff(passes) >= 0).all()
    # A source of one chunk is read once more; of several, at every pass.
    assert passes[-1] == 2 if len(list(make(tmp_path, X, y))) == 1 else passes[-1] > 3


def test_regression_and_weights():
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(300, 4)), rng.integers(0, 3, 300).astype(float)
    y = X @ [1.0, -2.0, 0.5, 0.0] + 0.2 * rng.normal(size=300)
    for loss in ("epsilon_insensitive", "squared_epsilon_insensitive", "huber"):
        one = LinearSVR(loss=loss, epsilon=0.1).fit(X, y, weight)
        other = LinearSVR(loss=loss, epsilon=0.1).fit(Chunks.from_arrays(X, y, weight, 70))
        np.testing.assert_allclose(other.coef_, one.coef_, atol=1e-9)


def test_classes_are_those_of_all_chunks():
    X, y = blobs(120, 4, 3)
    order = np.argsort(y, kind="stable")
    names = np.array(["a", "b", "c"])[y]
    one = LinearSVC().fit(X[order], names[order])
    other = LinearSVC().fit(Chunks.from_arrays(X[order], names[order], chunk_rows=50))
    np.testing.assert_array_equal(other.classes_, one.classes_)
    np.testing.assert_allclose(other.coef_, one.coef_, atol=1e-9)


def test_many_features_do_without_the_matrix():
    rng = np.random.default_rng(0)
    X = sparse_rows((200, 3000), 0.02, rng)
    y = rng.integers(0, 2, 200)
    model = LinearSVC(tol=1e-6).fit(Chunks.from_arrays(X, y, chunk_rows=60))
    exact = LinearSVC(tol=1e-6).fit(X, y)
    assert model.solver_ == "newton-cg"
    np.testing.assert_allclose(model.certificate_.primal, exact.certificate_.primal, rtol=1e-5)


def test_memory_mapped_arrays_are_not_copied(tmp_path):
    X, y = blobs(4000, 50)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    np.testing.assert_array_equal(LinearSVC().fit(mapped, y).coef_, LinearSVC().fit(X, y).coef_)


def test_a_shape_is_known_after_one_pass():
    matrix = ChunkedMatrix.scan(Chunks.from_arrays(np.eye(5), np.arange(5), chunk_rows=2))
    assert matrix.shape == (5, 5)
    assert matrix.starts.tolist() == [0, 2, 4, 5]
    assert not matrix.sparse


def _parts(*parts):
    return Chunks(lambda: iter(parts))


E2, Y2 = np.eye(2), np.array([0, 1])
BAD = {
    "NaN": (_parts(Chunk(E2, Y2), Chunk(E2 * np.nan, Y2)), "from row 2 on.*not finite"),
    "widths": (_parts(Chunk(E2, Y2), Chunk(np.eye(3), np.arange(3))), "kind or width"),
    "kinds": (_parts(Chunk(E2, Y2), Chunk(scipy.sparse.csr_array(E2), Y2)), "kind or width"),
    "targets": (_parts(Chunk(E2, np.arange(3))), "2 rows but 3 targets"),
    "weights": (_parts(Chunk(E2, Y2), Chunk(E2, Y2, np.ones(2))), "some chunks have weights"),
    "negative": (_parts(Chunk(E2, Y2, np.array([1.0, -1.0]))), "not be negative"),
    "nothing": (_parts(), "no chunks"),
}


@pytest.mark.parametrize(("chunks", "message"), BAD.values(), ids=BAD.keys())
def test_bad_chunks(chunks, message):
    with pytest.raises(ValueError, match=message):
        LinearSVC().fit(chunks)


def test_a_source_that_cannot_be_read_again():
    X, y = data()
    once = iter(Chunks.from_arrays(X, y, chunk_rows=40))
    with pytest.raises(ValueError, match="the source ended before chunk 0"):
        LinearSVC().fit(Chunks(lambda: once))


def test_a_source_that_fails_later():
    X, y = data()
    calls = []

    def read():
        calls.append(None)
        if len(calls) > 3:
            raise OSError("the disk is gone")
        yield from Chunks.from_arrays(X, y, chunk_rows=40)

    model = LinearSVC()
    with pytest.raises(OSError, match="the disk is gone"):
        model.fit(Chunks(read))
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize("kept", [None, 0.5, 0.0])
def test_a_file_that_vanishes_or_shrinks_between_two_passes(tmp_path, kept):
    path, (X, y) = tmp_path / "data.csv", data()
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", header="a,b,c,d,e,y", comments="")
    content, source, passes = path.read_bytes(), Chunks.from_file(path, target="y"), []

    def read():
        passes.append(None)
        if len(passes) == 3 and kept is None:
            path.unlink()
        elif len(passes) == 3:
            path.write_bytes(content[: int(kept * len(content))])
        for chunk in source:
            for k in range(0, len(chunk.y), 40):  # more than one is not kept in memory
                yield Chunk(chunk.X[k : k + 40], chunk.y[k : k + 40])

    model = LinearSVC().fit(X[:20], y[:20])
    before = vars(model).copy()
    with pytest.raises((OSError, ValueError)):
        model.fit(Chunks(read))
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is before[name] for name in before)


def test_targets_are_the_source_s_own():
    X, y = data()
    with pytest.raises(ValueError, match="y and sample_weight must be None"):
        LinearSVC().fit(Chunks.from_arrays(X, y), y)
    with pytest.raises(ValueError, match='penalty is "l1"'):
        LinearSVC(penalty="l1").fit(Chunks.from_arrays(X, y))
    with pytest.raises(ValueError, match="solver is 'descent'"):
        LinearSVC(solver="descent").fit(Chunks.from_arrays(X, y))


def test_files_that_cannot_be_mapped(tmp_path):
    X, y = data()
    np.savez_compressed(tmp_path / "packed.npz", X=X, y=y)
    with pytest.raises(ValueError, match=r"compressed.*numpy\.savez"):
        Chunks.from_npz(tmp_path / "packed.npz")
    np.save(tmp_path / "columns.npy", np.asfortranarray(X))
    np.save(tmp_path / "y.npy", y)
    with pytest.raises(ValueError, match="column by column"):
        Chunks.from_npy(tmp_path / "columns.npy", tmp_path / "y.npy")
    np.save(tmp_path / "objects.npy", np.array([{}, {}], object), allow_pickle=True)
    with pytest.raises(ValueError, match="never loaded"):
        Chunks.from_npy(tmp_path / "objects.npy", tmp_path / "y.npy")
    np.savez(tmp_path / "other.npz", A=X)
    with pytest.raises(ValueError, match=r"has \['A'\]; it must have \['X', 'y'\]"):
        Chunks.from_npz(tmp_path / "other.npz")
    with pytest.raises(ValueError, match="chunk_rows is 0"):
        Chunks.from_arrays(X, y, chunk_rows=0)
    with pytest.raises(ValueError, match="different numbers of rows"):
        Chunks.from_arrays(X, y[1:])
