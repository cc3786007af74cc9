"""Nothing is lost: outputs are checked before any work, and written as their names say."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from instances import blobs
from maxmargin import load
from maxmargin.storage import inspect

WRITERS = {
    "train": ["train", "DATA", "-o", "OUT"],
    "predict": ["predict", "MODEL", "DATA", "-o", "OUT"],
    "scale": ["scale", "DATA", "-o", "OUT", "--drop", "city,member"],
    "scale --save": ["scale", "DATA", "-o", "a.csv", "--save", "OUT", "--drop", "city,member"],
    "convert": ["convert", "DATA", "OUT", "--to", "csv"],
    "convert a model": ["convert", "MODEL", "OUT", "--to", "maxmargin"],
    "plot": ["plot", "MODEL", "DATA", "-o", "OUT"],
    "report": ["report", "MODEL", "DATA", "-o", "OUT"],
}


@pytest.fixture
def place(ok, shop):
    """Put the files of a test in the place of their names."""
    ok("train", shop, "-o", "model.maxmargin", "-q")

    def put(arguments, out):
        names = {"DATA": shop, "MODEL": "model.maxmargin", "OUT": out}
        return [names.get(word, word) for word in arguments]

    return put


@pytest.fixture
def work(monkeypatch):
    """Fail as soon as anything is read: what follows must be refused before."""

    def read(*_, **__):
        raise AssertionError("a file was read before the output was checked")

    monkeypatch.setattr("maxmargin.data.files.datafile.DataFile.read", read)
    monkeypatch.setattr("maxmargin.data.files.datafile.DataFile.blocks", read)


@pytest.mark.parametrize("arguments", WRITERS.values(), ids=WRITERS)
def test_a_folder_that_is_not_there_is_noticed_before_work(fails, place, work, arguments):
    assert "No such file" in fails(4, *place(arguments, "nowhere/out"))


@pytest.mark.parametrize("arguments", WRITERS.values(), ids=WRITERS)
def test_no_input_is_overwritten(fails, place, shop, work, arguments):
    os.symlink(shop, "link.csv")
    before = shop.read_bytes()
    for out in (shop, "link.csv", "./shop.csv"):
        if "DATA" in arguments:
            assert "both read and written" in fails(2, *place(arguments, out))
    if "MODEL" in arguments:
        assert "both read and written" in fails(2, *place(arguments, "model.maxmargin"))
    assert shop.read_bytes() == before


@pytest.mark.parametrize("arguments", WRITERS.values(), ids=WRITERS)
def test_what_is_of_another_kind_is_replaced_by_force_only(fails, place, work, arguments):
    Path("precious").write_bytes(b"\x00\x01 neither a model nor data nor a picture")
    error = fails(4, *place(arguments, "precious"))
    assert "precious: this is there and is not" in error
    assert "--force replaces it" in error


def test_force_replaces_what_is_there(ok, place):
    Path("precious").write_bytes(b"\x00\x01 neither a model nor data nor a picture")
    ok(*place(WRITERS["train"], "precious"), "--force")
    assert load("precious").n_features_in_ == 4


def test_data_survive_predictions_and_pictures(fails, place, shop):
    Path("other.csv").write_bytes(shop.read_bytes())
    fails(4, *place(WRITERS["predict"], "other.csv"))
    fails(4, *place(WRITERS["plot"], "other.csv"))
    fails(4, *place(WRITERS["train"], "other.csv"))
    assert Path("other.csv").read_bytes() == shop.read_bytes()


@pytest.mark.parametrize("name", ["out", "out.csv", "out.tsv", "out.parquet", "out.csv.gz"])
def test_the_same_command_can_be_given_again(ok, place, name):
    for _ in range(2):
        ok(*place(WRITERS["predict"], name))
    for _ in range(2):
        ok(*place(WRITERS["train"], "again"))
        ok(*place(WRITERS["scale"], "scaled.csv"), "--save", "ranges")


def test_an_empty_file_is_nothing_to_lose(ok, place):
    Path("empty").touch()
    ok(*place(WRITERS["train"], "empty"))


def test_the_scaling_beside_a_model_is_not_lost_either(ok, fails, numbers):
    ok("train", numbers, "-o", "model.maxmargin")
    Path("model.txt.range").write_text("my notes")
    error = fails(4, "convert", "model.maxmargin", "model.txt", "--to", "libsvm-model")
    assert "model.txt.range: this is there and is not a scaling" in error


@pytest.fixture
def numbers(tmp_path):
    X, y = blobs(80, d=3, classes=3)
    path = tmp_path / "numbers.csv"
    frame = pd.DataFrame(X * [1, 100, 0.01] + [0, 7, 0], columns=["a", "b", "c"])
    frame.assign(kind=np.array(["low", "mid", "top"])[y]).to_csv(path, index=False)
    return path


def test_a_model_goes_to_standard_output(shop, capfdbinary, monkeypatch, tmp_path):
    from maxmargin.cli import main

    monkeypatch.chdir(tmp_path)
    calls = (["train", "shop.csv"], ["convert", "copy", "--to", "maxmargin"])
    for verb, data, *options in calls:
        name = ["-"] if verb == "convert" else ["-o", "-"]
        assert main([verb, data, *name, *options]) == 0
        out = capfdbinary.readouterr()
        Path("copy").write_bytes(out.out)
        assert inspect("copy")["notes"]["target"] == "buys"
        assert load("copy").predict(pd.read_csv("shop.csv").astype({"member": str})).shape == (120,)
    assert not Path("-").exists()


def test_a_picture_goes_to_standard_output(capfdbinary, tmp_path, monkeypatch):
    from maxmargin.cli import main

    monkeypatch.chdir(tmp_path)
    X, y = blobs(40, d=2)
    pd.DataFrame(X, columns=["a", "b"]).assign(kind=y).to_csv("flat.csv", index=False)
    assert main(["train", "flat.csv", "-q", "-o", "model"]) == 0
    capfdbinary.readouterr()
    assert main(["plot", "model", "flat.csv", "-o", "-"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"\x89PNG")
    assert not Path("-").exists()


def test_scores_are_quoted(ok, tmp_path):
    X, y = blobs(60, d=2, classes=3)
    names = np.array(["Ирис, виргинский", 'a "b"', "c\nd"])
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(kind=names[y])
    frame.to_csv("data.csv", index=False)
    ok("train", "data.csv", "-o", "model")
    ok("predict", "model", "data.csv", "--scores", "-o", "out")
    table = pd.read_csv("out")
    assert sorted(table.columns) == sorted(["prediction", *(f"score {name}" for name in names)])
    assert list(table["prediction"]) == list(load("model").predict(frame[["a", "b"]]))


@pytest.mark.parametrize("name", ["out.csv", "out.tsv.gz", "out.parquet"])
def test_predictions_with_ids_in_the_format_of_the_name(ok, shop, name):
    frame = pd.read_csv(shop).assign(serial=[f"00{k}" for k in range(120)])
    frame.to_csv("named.csv", index=False)
    ok("train", "named.csv", "--id", "serial", "-t", "buys", "-o", "model")
    assert "serial" not in load("model").feature_names_in_
    ok("predict", "model", "named.csv", "-o", name)
    read = pd.read_parquet if name.endswith("parquet") else pd.read_csv
    options = {} if name.endswith("parquet") else {"sep": "\t" if "tsv" in name else ","}
    if options:
        options["dtype"] = str
    table = read(name, **options)
    assert list(table["serial"]) == list(frame["serial"])
    assert list(table.columns) == ["serial", "prediction"]
    # A file without the column is predicted without it, and one can name another.
    assert len(ok("predict", "model", shop).out.splitlines()) == 120
    frame.rename(columns={"serial": "number"}).to_csv("other.csv", index=False)
    out = ok("predict", "model", "other.csv", "--id", "number").out
    assert out.splitlines()[:2] == ["number,prediction", f"000,{table['prediction'][0]}"]


def test_predictions_have_no_other_format(fails, place):
    error = fails(2, *place(WRITERS["predict"], "out.npz"))
    assert "predictions are lines, CSV, TSV or Parquet, not npz" in error


def test_a_scaled_model_for_libsvm_is_the_same_model(ok, fails, numbers):
    """The range beside it is what svm-scale reads: [low, high] becomes [-1, 1]."""
    for kind, options in (("libsvm-model", []), ("liblinear-model", ["--linear"])):
        ok("train", numbers, "-o", "model.maxmargin", *options)
        said = ok("convert", "model.maxmargin", "model.txt", "--to", kind, "--force").err
        assert "class 0 is low" in said
        assert "svm-scale -r model.txt.range" in said
        head, bounds, *lines = Path("model.txt.range").read_text().splitlines()
        assert (head, bounds) == ("x", "-1 1")
        ranges = np.array([line.split() for line in lines], float)
        X = pd.read_csv(numbers)[["a", "b", "c"]].to_numpy()
        low, high = ranges[:, 1], ranges[:, 2]
        scaled = -1 + 2 * (X - low) / (high - low)
        pd.DataFrame(scaled, columns=["a", "b", "c"]).to_csv("scaled.csv", index=False)
        out = ok("predict", "model.txt", "scaled.csv", "--no-target").out
        names = np.array(["low", "mid", "top"])
        expected = load("model.maxmargin").predict(pd.read_csv(numbers)[["a", "b", "c"]])
        np.testing.assert_array_equal(names[np.array(out.split(), int)], expected)
    error = fails(2, "convert", "model.maxmargin", "-", "--to", "liblinear-model")
    assert "give OUT a name" in error
