"""svm-train and svm-predict: LIBSVM's options, files and lines."""

import re
from pathlib import Path

import numpy as np
import pytest

from instances import blobs
from maxmargin.cli.svm_train import parse
from maxmargin.data.files import libsvm, read_libsvm, write_libsvm
from maxmargin.storage import read_libsvm_model


@pytest.fixture
def data(tmp_path):
    X, y = blobs(80, d=5)
    write_libsvm(tmp_path / "data", X, 2 * y - 1)
    return tmp_path / "data"


def test_all_options_are_understood():
    text = "-s 3 -t 1 -d 2 -g 0.5 -r 1 -c 2 -n 0.3 -p 0.2 -m 50 -e 0.01 -h 0 -w1 2 -w-1 3 -v 4 -q"
    options, files = parse([*text.split(), "data", "model"])
    assert (options.machine, options.kernel, options.degree) == ("SVR", "poly", 2)
    assert (options.gamma, options.coef0, options.C, options.nu) == (0.5, 1.0, 2.0, 0.3)
    assert (options.epsilon, options.cache, options.tol) == (0.2, 50.0, 0.01)
    assert (options.shrinking, options.weights) == (False, {1: 2.0, -1: 3.0})
    assert (options.folds, options.quiet, files) == (4, True, ["data", "model"])


@pytest.mark.parametrize(
    ("machine", "kind"),
    [(0, "c_svc"), (1, "nu_svc"), (2, "one_class"), (3, "epsilon_svr"), (4, "nu_svr")],
)
@pytest.mark.parametrize("kernel", [0, 1, 2, 3])
def test_machines_and_kernels(ok, data, machine, kind, kernel):
    ok("svm-train", "-s", machine, "-t", kernel, "-g", "0.1", "-q", data)
    text = Path("data.model").read_text()
    assert text.startswith(f"svm_type {kind}\n")
    result = ok("svm-predict", data, "data.model", "out")
    pattern = r"Mean squared error = \S+ \(regression\)\nSquared correlation coefficient = \S+ "
    pattern += r"\(regression\)\n" if machine > 2 else ""
    if machine < 3:
        pattern = r"Accuracy = \S+% \(\d+/80\) \(classification\)\n"
    assert re.fullmatch(pattern, result.out)
    assert len(Path("out").read_text().split()) == 80


def test_the_default_gamma_is_libsvms(ok, data):
    ok("svm-train", data, "model")
    assert read_libsvm_model("model").gamma == 0.2


def test_cross_validation_prints_libsvms_lines(ok, data):
    out = ok("svm-train", "-v", "4", "-q", data).out
    assert re.fullmatch(r"Cross Validation Accuracy = [\d.]+%\n", out)
    said = ok("svm-train", "-v", "4", data).out
    assert said.count("Total nSV = ") == 4
    assert said.endswith(f"\n{out}")
    out = ok("svm-train", "-s", "3", "-v", "4", "-q", data).out
    assert re.fullmatch(
        r"Cross Validation Mean squared error = [\d.]+\n"
        r"Cross Validation Squared correlation coefficient = [\d.e-]+\n",
        out,
    )


def test_features_that_the_model_has_not_seen_count_as_in_libsvm(ok, data, tmp_path):
    ok("svm-train", "-g", "1", data, "model")
    (tmp_path / "far").write_text("1 1:1 9:100\n-1 1:1\n")
    ok("svm-predict", "far", "model", "out")
    model = read_libsvm_model("model")
    # Infinitely far away only the intercept is left.
    expected = model.classes_[int(model.intercept_[0] >= 0)]
    assert int(Path("out").read_text().split()[0]) == expected


@pytest.mark.parametrize("kernel", ["0", "2"])
def test_later_blocks_may_have_more_features(kernel, ok, data, tmp_path, monkeypatch):
    ok("svm-train", "-t", kernel, data, "model")
    lines = "".join(f"1 1:1 {k}:0.5\n" for k in range(2, 40))
    (tmp_path / "wider").write_text(lines)
    ok("svm-predict", "wider", "model", "whole")
    defaults = {**libsvm.libsvm_blocks.__kwdefaults__, "chunk_bytes": 50}
    monkeypatch.setattr(libsvm.libsvm_blocks, "__kwdefaults__", defaults)
    ok("svm-predict", "wider", "model", "parts")
    assert Path("parts").read_text() == Path("whole").read_text()


def test_a_precomputed_kernel(ok, fails, data, tmp_path):
    rows = read_libsvm(data)
    X = rows.X.toarray()
    numbered = np.column_stack([np.arange(1, 81), X @ X.T])
    lines = [
        f"{y:g} " + " ".join(f"{k}:{v!r}" for k, v in enumerate(row.tolist()))
        for y, row in zip(rows.y, numbered, strict=True)
    ]
    (tmp_path / "gram").write_text("\n".join(lines))
    ok("svm-train", "-t", "4", "gram", "model")
    ok("svm-train", "-t", "0", data, "linear")
    ok("svm-predict", "gram", "model", "a")
    ok("svm-predict", data, "linear", "b")
    assert Path("a").read_text() == Path("b").read_text()
    assert "in order" in fails(3, "svm-train", "-t", "4", data, "model")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-b", "1", "-s", "3", "DATA"], "no other probabilities"),
        (["-b", "2", "DATA"], "-b 2"),
        (["-t", "7", "DATA"], "-t 7"),
        (["-c", "much", "DATA"], "-c much"),
        (["-v", "1", "DATA"], "at least 2 folds"),
        (["-z", "1", "DATA"], "no option -z"),
        (["-c"], "-c needs a value"),
        ([], "one data file is needed"),
    ],
)
def test_misuse(fails, data, arguments, message):
    words = [data if word == "DATA" else word for word in arguments]
    assert message in fails(2, "svm-train", *words)


def test_misuse_of_predict(fails, data):
    assert "three files" in fails(2, "svm-predict", data)
    assert "-b 1 alone" in fails(2, "svm-predict", "-b", "2", data, data, "out")
    assert "does not begin with 'svm_type'" in fails(3, "svm-predict", data, data, "out")
