"""Data files on workers: what one machine reads, in as many pieces as there are."""

import bz2
import gzip
import subprocess
import sys

import fsspec
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from maxmargin import LinearSVC as OneMachineLinearSVC
from maxmargin.data.files import DataFile, FileError, write_libsvm
from maxmargin.distributed import LinearSVC, LinearSVR, read
from maxmargin.distributed.files import Files

pytestmark = pytest.mark.timeout(90)
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": RNG.normal(40, 10, 90).round(1),
        "rooms": RNG.integers(1, 9, 90),
        "city": RNG.choice(["Rom", "Oslo"], 90),
        "weight": RNG.random(90).round(3),
    }
).assign(buys=lambda frame: np.where(frame.age > 40, "yes", "no"))


def parts(folder, ending, write):
    """Three files of unequal length, and one that is empty but for its header."""
    for k, (a, b) in enumerate([(0, 40), (40, 60), (60, 90), (90, 90)]):
        write(FRAME[a:b], folder / f"part-{k}{ending}")
    return str(folder / f"part-*{ending}")


WRITERS = {
    ".csv": lambda frame, path: frame.to_csv(path, index=False),
    ".tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    ".csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    ".parquet": lambda frame, path: frame.to_parquet(path, index=False),
}


@pytest.mark.parametrize("ending", WRITERS)
def test_tables_are_those_of_one_machine(tmp_path, ending):
    pattern = parts(tmp_path, ending, WRITERS[ending])
    X, y, weight = read(pattern, target="buys", sample_weight="weight", drop=["city"])
    assert X.npartitions == 3  # the empty one is left out
    rows = X.compute()
    assert list(rows.columns) == ["age", "rooms"]
    assert np.array_equal(rows.to_numpy(), FRAME[["age", "rooms"]].to_numpy(float))
    assert y.compute().tolist() == FRAME.buys.tolist()
    assert weight.compute().tolist() == FRAME.weight.tolist()


def test_large_files_are_cut_at_lines_and_row_groups(tmp_path):
    FRAME.to_csv(tmp_path / "all.csv", index=False)
    FRAME[["age", "rooms"]].to_csv(tmp_path / "bare.csv", index=False, header=False)
    FRAME.to_parquet(tmp_path / "all.parquet", row_group_size=20)
    for name, least in (("all.csv", 4), ("bare.csv", 2), ("all.parquet", 3)):
        files = Files(str(tmp_path / name), target="-1", chunk_bytes=300)
        assert len(files.pieces) >= least
        whole = DataFile(tmp_path / name, target="-1").read()
        blocks = [block.compute() for block in files.blocks()]
        pd.testing.assert_frame_equal(
            pd.concat([block.X for block in blocks], ignore_index=True), whole.X
        )
        assert np.concatenate([block.y for block in blocks]).tolist() == whole.y.tolist()


def test_a_column_is_text_in_all_pieces_if_it_is_in_one(tmp_path):
    (tmp_path / "part-0.csv").write_text("a,kind\n01,1\n2,2\n")
    (tmp_path / "part-1.csv").write_text("kind,a\nx,3\n2,b\n")
    X, y, _ = read(str(tmp_path), target="kind")
    assert X["a"].compute().tolist() == ["01", "2", "3", "b"]
    assert y.compute().tolist() == ["1", "2", "x", "2"]


def test_numbers_of_a_target_are_of_one_kind(tmp_path):
    (tmp_path / "part-0.csv").write_text("a,y\n1,1\n2,2\n")
    (tmp_path / "part-1.csv").write_text("a,y\n1,1.5\n2,2\n")
    assert read(str(tmp_path), target="y")[1].compute().tolist() == [1.0, 2.0, 1.5, 2.0]


def test_libsvm_text_agrees_on_the_columns(tmp_path):
    (tmp_path / "part-2.libsvm").write_text("1 0:1 2:2\n-1 1:1\n")
    (tmp_path / "part-10.libsvm").write_text("1 5:3\n")
    (tmp_path / "part-11.libsvm").write_bytes(b"")
    (tmp_path / "_SUCCESS").write_text("")
    X, y, weight = read(str(tmp_path))
    assert X.shape == (3, 6)
    assert X.chunks[0] == (2, 1)
    blocks = [block.compute() for block in X.to_delayed().ravel()]
    assert all(sparse.issparse(block) for block in blocks)
    rows = sparse.vstack(blocks).toarray()
    assert rows.tolist() == [[1, 0, 2, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 3]]
    assert y.compute().tolist() == [1.0, -1.0, 1.0]
    assert weight is None
    assert read(str(tmp_path), n_features=9)[0].shape == (3, 9)


def test_libsvm_text_in_ranges_of_bytes_is_the_whole(tmp_path):
    X = sparse.random_array((70, 9), density=0.3, rng=np.random.default_rng(1), format="csr")
    path = tmp_path / "rows.libsvm"
    write_libsvm(path, X, np.arange(70) % 3)
    found, y, _ = read(str(path), chunk_bytes=400)
    blocks = [block.compute() for block in found.to_delayed().ravel()]
    assert len(blocks) > 3
    assert np.array_equal(sparse.vstack(blocks).toarray(), X.toarray())
    assert y.compute().tolist() == (np.arange(70) % 3).tolist()
    for squeeze, ending in ((gzip.compress, ".gz"), (bz2.compress, ".bz2")):
        squeezed = tmp_path / f"rows.libsvm{ending}"
        squeezed.write_bytes(squeeze(path.read_bytes()))
        assert read(str(squeezed), chunk_bytes=100)[0].npartitions == 1


def test_what_fsspec_knows_can_be_read():
    memory = fsspec.filesystem("memory")
    for k in range(2):
        with memory.open(f"/maxmargin/part-{k}.csv", "w") as file:
            FRAME[45 * k : 45 * (k + 1)].to_csv(file, index=False)
    try:
        X, y, _ = read("memory://maxmargin/part-*.csv", target="buys")
        assert X["age"].compute().tolist() == FRAME.age.tolist()
        assert y.npartitions == 2
        assert read("memory://maxmargin", target="buys")[0].npartitions == 2
    finally:
        memory.rm("/maxmargin", recursive=True)


def test_archives_of_arrays(tmp_path):
    for k in range(2):
        np.savez(tmp_path / f"part-{k}.npz", X=np.full((k + 1, 3), k), y=np.arange(k + 1))
    X, y, _ = read(str(tmp_path / "*.npz"))
    assert X.compute().tolist() == [[0.0] * 3, [1.0] * 3, [1.0] * 3]
    assert y.compute().tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("name", "text", "options", "message"),
    [
        ("bad.csv", "a,kind\n1,x,3,4\n", {}, r"bad\.csv:2: .*cells"),
        ("bad.csv", "b,kind\n1,x\n", {}, r"bad\.csv: the columns are not those of the first file"),
        ("bad.csv", "a,b\n1,x\n", {}, r"bad\.csv: target is 'kind', but there is no such column"),
        ("bad.parquet", "no", {"format": "parquet"}, r"(a\.csv|bad\.parquet): "),
    ],
)
def test_errors_name_the_file(tmp_path, name, text, options, message):
    (tmp_path / "a.csv").write_text("a,kind\n1,x\n")
    (tmp_path / name).write_text(text)
    with pytest.raises(FileError, match=message):
        read(str(tmp_path), target="kind", **options)[0].compute()


def test_a_damaged_parquet_is_named(tmp_path):
    pattern = parts(tmp_path, ".parquet", WRITERS[".parquet"])
    bad = tmp_path / "part-1.parquet"
    bad.write_bytes(bad.read_bytes()[:-20])
    with pytest.raises(FileError, match=r"part-1\.parquet: "):
        read(pattern)


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        read(str(tmp_path / "part-*.csv"))
    (tmp_path / "rows.libsvm").write_text("1 1:1\n")
    with pytest.raises(FileError, match="target is 'kind', a column of a table"):
        read(str(tmp_path), target="kind")
    (tmp_path / "a.csv").write_text("a,kind\n")
    with pytest.raises(FileError, match="no rows in any file"):
        read(str(tmp_path / "a.csv"))
    (tmp_path / "a.csv").write_text("a,kind\n1,2\n")
    for option in ("sample_weight", "drop"):
        with pytest.raises(FileError, match=f"{option} names 'b', but there is no such column"):
            read(str(tmp_path / "a.csv"), **{option: "b"})


def test_machines_fit_files(client, tmp_path):
    pattern = parts(tmp_path, ".parquet", WRITERS[".parquet"])
    X, y, weight = read(pattern, target="buys", sample_weight="weight", drop=["city"])
    model = LinearSVC(tol=1e-8).fit(X, y, weight)
    names = ["age", "rooms"]
    alone = OneMachineLinearSVC(tol=1e-8).fit(FRAME[names].astype(float), FRAME.buys, FRAME.weight)
    assert model.feature_names_in_.tolist() == names
    assert np.allclose(model.coef_, alone.coef_, rtol=1e-6)
    assert model.predict(X).compute().tolist() == alone.predict(FRAME[names]).tolist()
    (tmp_path / "part-1.parquet").write_bytes(b"PAR1")
    with pytest.raises(ValueError, match=r"partition 1 cannot be read: .*part-1\.parquet"):
        LinearSVR().fit(*read_lazily(pattern))


def read_lazily(pattern):
    """Rows of files that were good when they were looked at."""
    good = (path := pattern.replace("*", "1")) and FRAME[40:60]
    good.to_parquet(path, index=False)
    X, y, _ = read(pattern, target="age", drop=["city", "buys"])
    with open(path, "wb") as file:
        file.write(b"PAR1")
    return X, y


@pytest.mark.parametrize("missing", ["dask", "distributed", "dask.dataframe"])
def test_without_dask_the_error_says_what_to_install(missing):
    code = f"""
import sys
sys.modules[{missing!r}] = None
import maxmargin
for name in ("LinearSVC", "read", "GridSearchCV"):
    try:
        getattr(__import__("maxmargin.distributed").distributed, name)
    except ImportError as error:
        assert "pip install 'maxmargin[dask]'" in str(error), error
        assert {missing!r}.partition(".")[0] in str(error), error
    else:
        raise AssertionError(name)
from maxmargin.cli import main
print(main(["train", "--cluster", "local:1", "--linear", "nothing.csv"]))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "5"
    assert run.stderr.startswith("maxmargin: maxmargin.distributed needs ")
    assert run.stderr.rstrip().endswith("pip install 'maxmargin[dask]'")
