"""The verb export, and convert to the same formats."""

import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from maxmargin import load
from maxmargin.storage import read_libsvm_model


@pytest.fixture
def iris(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    path = tmp_path / "iris.csv"
    X.assign(species=np.array(["setosa", "versicolor", "virginica"])[y]).to_csv(path, index=False)
    return path


@pytest.fixture
def model(ok, iris):
    ok("train", iris, "-o", "iris.maxmargin", "-q")
    return "iris.maxmargin"


@pytest.mark.parametrize("verb", ["export", "convert"])
def test_onnx_by_its_name(verb, ok, model, iris):
    runtime = pytest.importorskip("onnxruntime", reason="pip install onnx onnxruntime")
    said = ok(verb, model, "iris.onnx").err
    assert "iris.onnx: " in said
    assert " vectors" in said
    X = pd.read_csv(iris).drop(columns="species")
    [label, _] = runtime.InferenceSession("iris.onnx").run(None, {"X": X.to_numpy(np.float32)})
    np.testing.assert_array_equal(label, load(model).predict(X))
    ok(verb, model, "iris.onnx", "-q")  # over the old one


def test_a_table_with_texts(ok, shop):
    runtime = pytest.importorskip("onnxruntime", reason="pip install onnx onnxruntime")
    ok("train", shop, "-o", "shop.maxmargin", "-q")
    ok("export", "shop.maxmargin", "shop.onnx", "--dtype", "float64")
    inputs = {info.name: info.type for info in runtime.InferenceSession("shop.onnx").get_inputs()}
    assert set(inputs.values()) == {"tensor(string)", "tensor(double)"}
    assert set(inputs) == set(load("shop.maxmargin").feature_names_in_)


@pytest.mark.parametrize("verb", ["export", "convert"])
def test_c_is_two_files_that_compile(verb, ok, model):
    said = ok(verb, model, "my iris.c").err
    assert "my iris.c, my iris.h: " in said
    assert "of tables" in said
    assert "on the stack" in said
    command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "my iris.c"]
    subprocess.run(command, check=True)
    assert "int my_iris_predict(" in Path("my iris.h").read_text()


def test_a_smaller_set_of_vectors(ok, model, iris):
    said = ok("export", model, "iris.c", "--compress", 10, "--data", iris, "--name", "few").err
    assert "10 vectors in the place of " in said
    assert "no output moves by more than" in said
    assert "keep their label, accuracy 0.9" in said
    assert "few_predict" in Path("iris.h").read_text()


def test_texts_of_libsvm_and_liblinear_by_their_names(ok, model, iris):
    for name in ("a.libsvm", "a.model", "a.txt"):
        ok("export", model, name, "-q")
        assert len(read_libsvm_model(name).classes_) == 3
        assert Path(f"{name}.range").exists()
    ok("train", iris, "--linear", "-o", "linear.maxmargin", "-q")
    for name in ("b.liblinear", "b.model"):
        ok("convert", "linear.maxmargin", name, "-q")
        assert Path(name).read_text().startswith("solver_type")


def test_what_cannot_be(fails, model, shop, ok):
    assert "tells no format; give --to" in fails(2, "export", model, "iris.xyz")
    assert "tells no format of models" in fails(2, "convert", model, "iris.xyz")
    assert "C is two files" in fails(2, "export", model, "-", "--to", "c")
    assert "goes to a file" in fails(2, "export", model, "-", "--to", "onnx")
    assert "--name has no use for onnx" in fails(2, "export", model, "a.onnx", "--name", "a")
    assert "--data is for --compress" in fails(2, "export", model, "a.c", "--data", "iris.csv")
    assert "no folder for it" in fails(4, "export", model, "nowhere/a.c")
    assert "both read and written" in fails(2, "export", model, model, "--to", "onnx")
    Path("mine.h").write_text("#define MINE 1\n")
    assert "is not C of maxmargin" in fails(4, "export", model, "mine.c")
    assert Path("mine.h").read_text() == "#define MINE 1\n"
    assert not Path("mine.c").exists()
    ok("export", model, "mine.c", "--force")
    ok("train", shop, "-o", "shop.maxmargin", "-q")
    assert "'columns' is a ColumnTransformer" in fails(3, "export", "shop.maxmargin", "shop.c")
    assert not Path("shop.c").exists()
