"""No option is ignored: what has no use is refused, before the data are read."""

import numpy as np
import pandas as pd
import pytest

from instances import blobs
from maxmargin.data.files import write_libsvm

USELESS = {
    "--linear -k poly": (["--linear", "-k", "poly"], "--linear has no kernel"),
    "--linear -g": (["--linear", "-g", "1"], "--gamma is for the kernel poly or rbf or sigmoid"),
    "-k linear -g": (["-k", "linear", "-g", "1"], "this one is linear"),
    "--degree": (["--degree", "2"], "--degree is for the kernel poly; this one is rbf"),
    "--coef0": (["--coef0", "1"], "--coef0 is for the kernel poly or sigmoid"),
    "--epsilon": (["--task", "classification", "--epsilon", "1"], "--epsilon is for regression"),
    "--nu": (["--nu", "0.5"], "--nu is for one-class"),
    "-C of one-class": (["--task", "one-class", "-C", "1"], "-C is for classification and"),
    "-w of numbers": (["--task", "regression", "-w", "1=2"], "--weight is for classification"),
    "--auto of one-class": (["--task", "one-class", "--auto"], "--auto needs a target"),
    "--folds of one-class": (["--task", "one-class", "--folds", "3"], "--folds needs a target"),
    "--test of one-class": (["--task", "one-class", "--test", "x"], "--test needs a target"),
    "--report alone": (["--report"], "--report is for --folds and --test"),
    "--no-target": (["--no-target"], "--no-target is for --task one-class"),
    "both targets": (["-t", "1", "--no-target"], "exclude each other"),
    "balanced and more": (["-w", "balanced", "-w", "1=2"], "stands alone"),
    "bad C": (["-C", "-1"], "-1 must be above 0"),
    "C of nan": (["-C", "nan"], "nan must be above 0"),
    "no threads": (["-j", "0"], "0 is not in the range x>=1"),
    "no tolerance": (["--tol", "0"], "0 must be above 0"),
    "no time": (["--time-limit", "0"], "0 must be above 0"),
    "bad epsilon": (["--task", "regression", "--epsilon", "-1"], "-1 must be at least 0"),
    "bad nu": (["--task", "one-class", "--nu", "2"], "2 must be above 0 and at most 1"),
    "bad gamma": (["-g", "wide"], "--gamma: 'wide' is not a number"),
    "bad weight": (["-w", "1=x"], "--weight 1=x: 'x' is not a number"),
    "long mark": (["--delimiter", "::"], "'::' is not one character"),
    "same marks": (["--decimal", ",", "--thousands", ","], "must differ"),
    "--target": (["-t", "1"], "--target is for tables"),
    "--drop": (["--drop", "a"], "--drop is for tables"),
    "--categorical": (["--categorical", "a"], "--categorical is for tables"),
    "--id": (["--id", "a"], "--id is for tables"),
    "--na": (["--na", "x"], "--na is for tables"),
    "--no-header": (["--no-header"], "--header, --delimiter"),
}


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """A file of sparse rows that must not be read."""
    X, y = blobs(30, d=3)
    write_libsvm(tmp_path / "rows.libsvm", X, y)

    def read(*_, **__):
        raise AssertionError("the file was read")

    monkeypatch.setattr("maxmargin.data.files.datafile.DataFile.read", read)
    monkeypatch.setattr("maxmargin.data.files.datafile.DataFile.blocks", read)
    return tmp_path / "rows.libsvm"


@pytest.mark.parametrize(("options", "message"), USELESS.values(), ids=USELESS)
def test_train_refuses_what_has_no_use(fails, rows, options, message):
    assert message in fails(2, "train", rows, *options)


def test_options_are_held_against_the_task_that_was_found(fails, shop, sparse_file):
    assert "--epsilon is for regression" in fails(2, "train", shop, "--epsilon", "1")
    assert "--weight is for" in fails(2, "train", shop, "-t", "age", "-w", "yes=2")
    assert "--missing is for tables" in fails(2, "train", sparse_file, "--missing", "drop")


def test_the_other_verbs_refuse_it_too(ok, fails, shop, sparse_file):
    ok("train", shop, "-t", "age", "-o", "numbers")
    error = fails(2, "predict", "numbers", shop, "--scores")
    assert "this model predicts numbers" in error
    assert "exclude" in fails(2, "predict", "numbers", shop, "-t", "age", "--no-target")
    assert "exclude" in fails(2, "scale", sparse_file, "--standard", "--range", "0", "1")
    assert "--restore has a scaling" in fails(2, "scale", sparse_file, "-r", "x", "--standard")
    assert "--target is for tables" in fails(2, "scale", sparse_file, "-t", "1")
    assert "IN is a model, and --drop is for data" in fails(
        2, "convert", "numbers", "b.maxmargin", "--drop", "a"
    )
    assert "--classes is for tables" in fails(2, "convert", sparse_file, "a.csv", "--classes", "a")
    pd.DataFrame({"a": [1.0], "b": [2.0]}).to_parquet("a.parquet")
    assert "is for text; a.parquet is parquet" in fails(
        2, "convert", "a.parquet", "a.csv", "--decimal", ","
    )


def test_an_infinite_penalty_is_one(ok, tmp_path):
    X = np.array([[0.0], [1.0], [3.0], [4.0]])
    write_libsvm(tmp_path / "apart", X, [0, 0, 1, 1])
    assert "C inf" in ok("train", "apart", "-C", "inf", "-k", "linear").out
