"""predict, scale, convert, info and plot."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread
from sklearn.preprocessing import MinMaxScaler

from instances import blobs
from maxmargin import SVC, load
from maxmargin.data.files import DataFile, libsvm, read_libsvm, table, write_libsvm
from maxmargin.storage import read_libsvm_model

COMMAND = [sys.executable, "-c", "import sys; from maxmargin.cli import main; sys.exit(main())"]


def test_blocks_give_the_same_predictions_as_the_whole(ok, shop, sparse_file, monkeypatch):
    for data in (shop, sparse_file):
        ok("train", data, "-o", "model", "-q")
        whole = ok("predict", "model", data)
        with monkeypatch.context() as patched:
            patched.setattr(
                libsvm.libsvm_blocks, "__kwdefaults__", {**_DEFAULTS, "chunk_bytes": 50}
            )
            patched.setattr("maxmargin.data.files.datafile.CHUNK_ROWS", 7)
            parts = ok("predict", "model", data)
        assert parts.out == whole.out
        assert parts.err == whole.err


_DEFAULTS = dict(libsvm.libsvm_blocks.__kwdefaults__)


def test_scores_as_a_table(ok, shop, sparse_file):
    ok("train", shop, "-o", "model")
    ok("predict", "model", shop, "--scores", "-o", "out.csv")
    assert list(pd.read_csv("out.csv").columns) == ["prediction", "score"]
    ok("train", sparse_file, "-o", "model")
    ok("predict", "model", sparse_file, "--scores", "-o", "out.csv")
    columns = list(pd.read_csv("out.csv").columns)
    assert columns == ["prediction", "score 0", "score 1", "score 2"]


def test_rows_with_more_and_with_fewer_features(ok, sparse_file, tmp_path):
    ok("train", sparse_file, "-o", "model")
    (tmp_path / "few").write_text("1 1:1\n")
    (tmp_path / "many").write_text("1 1:1 99:5\n")
    few, many = ok("predict", "model", "few"), ok("predict", "model", "many")
    assert few.out == many.out
    assert "features above 5 are left out" in many.err
    assert "features above" not in few.err


def test_a_missing_column_is_named(ok, fails, shop):
    ok("train", shop, "-o", "model")
    pd.read_csv(shop).drop(columns="age").to_csv("less.csv", index=False)
    assert "needs the column 'age'" in fails(3, "predict", "model", "less.csv")
    pd.read_csv(shop).drop(columns="buys").to_csv("new.csv", index=False)
    assert "no target to score by" in ok("predict", "model", "new.csv").err


def test_text_in_a_column_of_numbers_is_shown(ok, fails, shop, tmp_path):
    ok("train", shop, "-o", "model")
    lines = shop.read_text().splitlines()
    lines[3] = "old," + lines[3].partition(",")[2]
    (tmp_path / "new.csv").write_text("\n".join(lines))
    error = fails(3, "predict", "model", "new.csv")
    assert "new.csv: column 'age' has 'old' in row 3, where the model takes a number" in error


def test_rows_without_names_do_not_pass_for_a_wider_table(ok, fails, shop, sparse_file):
    ok("train", shop, "-t", "age", "--drop", "city,member,buys", "-o", "model")
    assert "5 features but the model 1" in fails(3, "predict", "model", sparse_file)


def test_a_full_disk_leaves_no_half_file(fails, ok, shop):
    ok("train", shop, "-o", "model")
    assert "/dev/full: No space left" in fails(4, "predict", "model", shop, "-o", "/dev/full")


@pytest.mark.parametrize(
    "name", ["a.libsvm", "a.csv", "a.tsv.gz", "a.parquet", "a.npz", "a.csv.xz"]
)
def test_data_goes_from_format_to_format_and_back(ok, tmp_path, name):
    X, y = blobs(30, d=4)
    X[X < 0] = 0
    write_libsvm(tmp_path / "data.libsvm", X, y)
    ok("convert", "data.libsvm", name)
    ok("convert", name, "back.libsvm")
    assert (tmp_path / "back.libsvm").read_text() == (tmp_path / "data.libsvm").read_text()


def test_tables_keep_names_and_texts(ok, shop):
    for name in ("a.tsv", "a.parquet", "a.csv.bz2"):
        ok("convert", shop, name)
        block, again = DataFile(shop, target="-1").read(), DataFile(name, target="-1").read()
        pd.testing.assert_frame_equal(block.X, again.X)
        np.testing.assert_array_equal(block.y, again.y)
        assert again.target == "buys"


def test_conversions_that_cannot_be(fails, ok, shop):
    assert "column 'city' is text" in fails(3, "convert", shop, "a.libsvm", "-t", "age")
    assert "the target is text" in fails(3, "convert", shop, "a.libsvm", "--drop", "city,member")
    assert "give --to" in fails(2, "convert", shop, "-")
    assert "the name does not tell the format" in fails(3, "convert", shop, "out")
    assert "not a model file" in fails(3, "convert", shop, "out", "--to", "libsvm-model")
    ok("train", shop, "-o", "model")
    assert "IN is a model" in fails(2, "convert", "model", "out")
    assert "a format of data" in fails(2, "convert", "model", "out", "--to", "csv")
    error = fails(3, "convert", "model", "out", "--to", "libsvm-model")
    assert "encodes columns (ColumnTransformer), for which LIBSVM and LIBLINEAR have no" in error


def test_models_go_from_format_to_format(ok, sparse_file):
    ok("train", sparse_file, "-o", "model.maxmargin", "-k", "linear")
    ok("convert", "model.maxmargin", "model.txt", "--to", "libsvm-model")
    ok("convert", "model.txt", "again.maxmargin")
    X = read_libsvm(sparse_file).X
    np.testing.assert_array_equal(
        load("again.maxmargin").predict(X), load("model.maxmargin").predict(X)
    )
    first = ok("predict", "model.maxmargin", sparse_file)
    assert ok("predict", "model.txt", sparse_file).out == first.out
    assert "libsvm-model" in ok("info", "model.txt").out


def test_linear_models_go_to_liblinears_text_and_back(ok, sparse_file):
    ok("train", sparse_file, "-o", "model.maxmargin", "--linear")
    ok("convert", "model.maxmargin", "model.txt", "--to", "liblinear-model")
    ok("convert", "model.txt", "again.maxmargin")
    model, again = load("model.maxmargin"), load("again.maxmargin")
    np.testing.assert_array_equal(again.coef_, model.coef_)
    assert again.loss == model.loss
    first = ok("predict", "model.maxmargin", sparse_file)
    assert ok("predict", "model.txt", sparse_file).out == first.out
    out = ok("info", "model.txt").out
    assert "LinearSVC" in out
    assert "support vectors" not in out


def test_scaling_is_learnt_saved_and_used_again(ok, sparse_file):
    ok("scale", sparse_file, "-o", "a.libsvm", "--save", "ranges", "-q")
    X = read_libsvm(sparse_file).X.toarray()
    expected = MinMaxScaler((-1, 1)).fit_transform(X)
    np.testing.assert_allclose(read_libsvm("a.libsvm").X.toarray(), expected, atol=1e-15)
    result = ok("scale", sparse_file, "--restore", "ranges")
    assert result.out == Path("a.libsvm").read_text()
    ok("scale", sparse_file, "--standard", "-o", "b.libsvm")
    np.testing.assert_allclose(read_libsvm("b.libsvm").X.toarray().std(axis=0), 1.0)


def test_scaling_that_cannot_be(fails, ok, shop, sparse_file):
    assert "column 'city' is text" in fails(3, "scale", shop, "-o", "a.csv")
    assert "cannot be read twice" in fails(2, "scale", "-")
    assert "LOW must be below HIGH" in fails(2, "scale", sparse_file, "--range", "1", "1")
    ok("train", sparse_file, "-o", "model")
    assert "not a scaling" in fails(3, "scale", sparse_file, "--restore", "model")


def test_info_tells_what_is_there(ok, fails, shop):
    ok("train", shop, "-o", "model")
    out = ok("info", "model").out
    for word in ("SVC", "ColumnTransformer", "RBF", "OPTIMAL", "buys", "no, yes"):
        assert word in out
    header = json.loads(ok("info", "model", "--json").out)
    assert header["notes"]["rows"] == 120
    content = bytearray(Path("model").read_bytes())
    content[-100] ^= 1
    Path("damaged").write_bytes(content)
    assert "damaged: the model file is damaged" in fails(3, "info", "damaged")


def test_pictures(ok, fails, shop, tmp_path):
    X, y = blobs(60, d=2)
    pd.DataFrame(X, columns=["a", "b"]).assign(kind=y).to_csv("flat.csv", index=False)
    ok("train", "flat.csv", "-o", "model")
    assert ok("plot", "model", "flat.csv", "-o", "flat.png").out.strip() == "flat.png"
    assert imread("flat.png").std() > 0.05
    pd.DataFrame({"x": X[:, 0], "y": X[:, 0] ** 2}).to_csv("curve.csv", index=False)
    ok("train", "curve.csv", "-o", "model")
    assert ok("plot", "model", "curve.csv").out.strip() == "model.png"
    ok("train", shop)
    for features in ([], ["--features", "age,code"], ["--features", "1,4"]):
        assert ok("plot", "shop.maxmargin", shop, *features, "-o", "shop.png").err == ""
        assert imread("shop.png").std() > 0.05
    assert "'city', a column of texts" in fails(
        3, "plot", "shop.maxmargin", shop, "--features", "age,city"
    )
    ok("train", shop, "-t", "age", "--drop", "city,member,buys", "--task", "one-class")
    assert ok("plot", "shop.maxmargin", shop).err == ""


def test_pictures_of_regressions_keep_names_and_say_nothing(ok, fails, shop, tmp_path):
    t = np.linspace(0, 6, 50)
    pd.DataFrame({"time (s)": t, "signal": np.sin(t)}).to_csv("signal.csv", index=False)
    ok("train", "signal.csv")
    assert ok("plot", "signal.maxmargin", "signal.csv", "-o", "signal.svg").err == ""
    text = Path("signal.svg").read_text(encoding="utf-8")
    assert "<!-- time (s) -->" in text
    assert "<!-- signal -->" in text
    ok("train", shop, "-t", "age")
    for features, names in (
        ([], ["age", "predicted age"]),
        (["--features", "code"], ["code", "age"]),
    ):
        assert ok("plot", "shop.maxmargin", shop, *features, "-o", "age.svg").err == ""
        text = Path("age.svg").read_text(encoding="utf-8")
        assert all(f"<!-- {name} -->" in text for name in names)
    assert "drawn along one column" in fails(
        3, "plot", "shop.maxmargin", shop, "--features", "code,city"
    )


def test_a_closed_pipe_ends_in_silence(tmp_path, ok):
    X, y = blobs(200, d=2)
    write_libsvm(tmp_path / "data", X, y)
    ok("train", "data", "-o", "model", "--linear")
    write_libsvm(tmp_path / "data", np.tile(X, (200, 1)), np.tile(y, 200))
    command = subprocess.Popen(
        [*COMMAND, "predict", "model", "data", "--scores"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    command.stdout.read(10)
    command.stdout.close()
    errors = command.stderr.read()
    command.stderr.close()
    assert command.wait() == 141
    assert errors == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
def test_a_full_standard_output_is_told(tmp_path, ok, shop):
    ok("train", shop, "-o", "model")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "predict", "model", str(shop)],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            check=False,
        )
    assert done.returncode == 4
    assert b"standard output: No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


def test_without_the_extra_it_says_what_to_install(monkeypatch, capsys):
    from maxmargin.cli import main

    monkeypatch.setitem(sys.modules, "click", None)
    assert main(["--help"]) == 5
    assert "pip install 'maxmargin[cli]'" in capsys.readouterr().err


def test_small_tables_without_names(ok, tmp_path):
    (tmp_path / "plain.csv").write_text("1,2,0\n3,4,1\n5,6,0\n7,8,1\n")
    assert "target 3: classification" in ok("train", "plain.csv", "-o", "model").out
    assert ok("predict", "model", "plain.csv").err.startswith("4 rows predicted; accuracy")


def test_table_needs_pandas_and_says_so(fails, shop, monkeypatch):
    monkeypatch.setattr(table, "_open_parquet", _without_arrow)
    shop.with_suffix(".parquet").write_bytes(b"PAR1")
    error = fails(3, "train", shop.with_suffix(".parquet"))
    assert "tables need pyarrow: pip install maxmargin[cli]" in error


def _without_arrow(*_):
    raise ImportError("no", name="pyarrow")


def test_the_written_model_is_one_for_libsvm(ok, sparse_file):
    X, y = read_libsvm(sparse_file).X, read_libsvm(sparse_file).y
    ok("svm-train", "-c", "3", "-g", "0.2", "-q", sparse_file, "model")
    ours = SVC(C=3.0, gamma=0.2).fit(X, y)
    np.testing.assert_allclose(
        read_libsvm_model("model").decision_function(X), ours.decision_function(X), atol=1e-9
    )
