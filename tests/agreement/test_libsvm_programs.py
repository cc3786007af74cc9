"""svm-train and svm-predict beside LIBSVM's own code: the same lines, models and predictions."""

import ctypes
import os
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.preprocessing import scale

from maxmargin.cli import main
from maxmargin.storage import load, read_libsvm_model, save, write_libsvm_model

os.environ.setdefault("OMP_NUM_THREADS", "1")  # LIBSVM's threads wait by spinning
svm = pytest.importorskip("libsvm.svm")
svmutil = pytest.importorskip("libsvm.svmutil")
libc = ctypes.CDLL(None)

FOLDER = os.environ.get("MAXMARGIN_DATA", "")


def shuffled(X, y, n=None):
    order = np.random.default_rng(0).permutation(len(y))[:n]
    return X[order], y[order]


def iris(labels=(0, 1, 2)):
    X, y = load_iris(return_X_y=True)
    return shuffled(X, np.array(labels)[y])


def wine():
    X, y = load_wine(return_X_y=True)
    return shuffled(scale(X), y)


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return shuffled(scale(X), y, 250)


def diabetes():
    return shuffled(*load_diabetes(return_X_y=True), 200)


def two(labels):
    X, y = iris()
    chosen = y > 0
    return X[chosen], np.array(labels)[y[chosen] - 1]


def beginning_with(label, X, y):
    order = np.argsort(y != label, kind="stable")
    order = np.concatenate([order[:1], np.sort(order[1:])])
    return X[order], y[order]


def zero_based():
    """Feature 0 is there, as scikit-learn's dump_svmlight_file has it, and some rows lack it."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 6)) * (rng.random((80, 6)) < 0.6)
    return X, np.where(X[:, 0] + X[:, 2] + 0.3 * rng.normal(size=80) > 0, 4, 2)


def gram():
    X, y = iris((5, 9, 7))
    return np.column_stack([np.arange(1, len(y) + 1), X @ X.T]), y


def heart():
    path = Path(FOLDER) / "heart_scale.npz"
    if not FOLDER or not path.exists():
        pytest.skip("MAXMARGIN_DATA has no heart_scale")
    with np.load(path) as file:
        return file["X"], file["y"]


#: Rows, labels, the index of the first column, and options of svm-train.
FILES = {
    "minus-first": (lambda: beginning_with(-1, *two((-1, 1))), 1, "-c 2 -g 0.3"),
    "plus-first": (lambda: beginning_with(1, *two((-1, 1))), 1, "-c 10"),
    "two-before-one": (lambda: beginning_with(2, *two((1, 2))), 1, "-c 1 -w1 3 -w7 2"),
    "nu": (lambda: two((7, 3)), 1, "-s 1 -n 0.3"),
    "three": (lambda: iris((3, -2, 8)), 1, "-t 1 -g 0.2 -r 1 -d 2"),
    "wine": (wine, 1, "-t 0"),
    "digits": (lambda: shuffled(*load_digits(return_X_y=True), 300), 1, "-g 0.0005 -c 0.5"),
    "nu-three": (iris, 1, "-s 1 -n 0.2"),
    "cancer": (cancer, 1, "-w0 2"),
    "zero-based": (zero_based, 0, ""),
    "gram": (gram, 0, "-t 4"),
    "one-class": (lambda: beginning_with(1, *two((-1, 1))), 1, "-s 2 -n 0.2"),
    "diabetes": (diabetes, 1, "-s 3 -c 100 -p 5 -g 2"),
    "nu-svr": (diabetes, 1, "-s 4 -c 100 -g 2"),
    "heart": (heart, 1, ""),
}


class Case:
    """A file, its options, and what LIBSVM makes of it."""

    def __init__(self, name, folder):
        make, first, options = FILES[name]
        X, self.y = make()
        self.options = f"{options} -e 1e-6".split()
        self.given = "-t 4" in options
        self.rows = [{first + j: v for j, v in enumerate(x) if v != 0} for x in X.tolist()]
        self.path = folder / "data"
        self.path.write_text(
            "".join(
                f"{label:.17g} {' '.join(f'{j}:{v!r}' for j, v in row.items())}\n"
                for label, row in zip(self.y.tolist(), self.rows, strict=True)
            )
        )

    def train(self, *options):
        given = self.y.tolist(), self.rows
        problem = svm.svm_problem(*given, isKernel=self.given)
        trained = svmutil.svm_train(problem, " ".join([*self.options, *options]))
        libc.fflush(None)
        return trained


@pytest.fixture(params=FILES)
def case(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Case(request.param, tmp_path)


def predicted(model, case):
    """Labels and values, not by svmutil: it keeps room for one value of a nu-SVC."""
    k = model.get_nr_class()
    values = np.zeros((len(case.rows), k * (k - 1) // 2))
    labels = np.zeros(len(case.rows))
    for i, row in enumerate(case.rows):
        nodes, _ = svm.gen_svm_nodearray(row, isKernel=case.given)
        place = values[i].ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        labels[i] = svm.libsvm.svm_predict_values(model, nodes, place)
    return labels, values


def numbers(text):
    return [float(word) for word in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)]


def head(path):
    lines = Path(path).read_text().partition("SV\n")[0].splitlines()
    return {line.split()[0]: line.split()[1:] for line in lines}


def test_svm_train_says_what_libsvm_says(case, capfd):
    case.train()
    theirs = capfd.readouterr().out.splitlines()
    assert main(["svm-train", *case.options, "data", "model"]) == 0
    ours = capfd.readouterr().out.splitlines()
    for their, our in zip(theirs, ours, strict=True):
        if set(their) <= set(".*"):  # LIBSVM's marks of progress
            assert our == "*"
            continue
        assert re.sub(r"-?[\d.]+", "#", our) == re.sub(r"-?[\d.]+", "#", their)
        tolerance = {"obj": (1e-4, 1e-3), "nSV": (0.05, 3), "opt": (np.inf, 0)}
        relative, absolute = tolerance.get(our[:3], (0.05, 3e-3))
        if not np.isinf(relative):
            np.testing.assert_allclose(numbers(our), numbers(their), relative, absolute)


def test_models_are_libsvms(case, capfd):
    svmutil.svm_save_model("theirs", case.train("-q"))
    assert main(["svm-train", "-q", *case.options, "data", "ours"]) == 0
    assert capfd.readouterr().out == ""
    theirs, ours = head("theirs"), head("ours")
    assert list(ours) == list(theirs)
    for name in theirs:
        if name in ("rho", "gamma", "coef0"):
            np.testing.assert_allclose(
                np.array(ours[name], float), np.array(theirs[name], float), 1e-3, 2e-3
            )
        elif name not in ("nr_sv", "total_sv"):
            assert ours[name] == theirs[name]
    # The decision values that LIBSVM computes from either have the same signs and sizes.
    values = [predicted(svmutil.svm_load_model(name), case)[1] for name in ("theirs", "ours")]
    np.testing.assert_allclose(values[1], values[0], rtol=1e-3, atol=3e-3 * np.abs(values).max())
    # Support vectors are in the order of the classes, and of the data within a class.
    order = [case.rows.index(row) for row in support_vectors("ours")]
    labels = [int(word) for word in ours.get("label", ())]
    place = [labels.index(case.y[i]) if labels else 0 for i in order]
    # Equal rows are told apart by nothing.
    if len({str(row) for row in case.rows}) == len(case.rows):
        assert sorted(zip(place, order, strict=True)) == list(zip(place, order, strict=True))
    counts = np.bincount(place, minlength=max(1, len(labels)))
    assert ours.get("nr_sv", [str(len(order))]) == [str(count) for count in counts]


def support_vectors(path):
    kernel = head(path)["kernel_type"] == ["precomputed"]
    for line in Path(path).read_text().partition("SV\n")[2].splitlines():
        row = {int(j): float(v) for j, v in re.findall(r"(\d+):(\S+)", line)}
        if kernel:
            X, _ = gram()
            row = {j: v for j, v in enumerate(X[int(row[0]) - 1].tolist()) if v != 0}
        yield row


def test_predictions_are_libsvms(case, capfd):
    svmutil.svm_save_model("theirs", case.train("-q"))
    capfd.readouterr()
    labels, values = predicted(svmutil.svm_load_model("theirs"), case)
    assert main(["svm-predict", "data", "theirs", "out"]) == 0
    ours = capfd.readouterr().out
    written = Path("out").read_text().split()
    if case.options[:2] in (["-s", "3"], ["-s", "4"]):
        np.testing.assert_allclose(np.array(written, float), labels, rtol=1e-9)
    elif case.options[:2] == ["-s", "2"]:  # free support vectors lie on the boundary
        sure = np.abs(values[:, 0]) > 1e-9
        assert [written[i] for i in np.flatnonzero(sure)] == [f"{v:g}" for v in labels[sure]]
        return
    else:
        assert written == [f"{label:.17g}" for label in labels]
    accuracy, error, correlation = svmutil.evaluations(case.y.tolist(), labels.tolist())
    if case.options[:2] in (["-s", "3"], ["-s", "4"]):
        lines = [f"Mean squared error = {error:g} (regression)"]
        lines += [f"Squared correlation coefficient = {correlation:g} (regression)"]
    else:
        counts = f"({np.sum(labels == case.y)}/{len(labels)})"
        lines = [f"Accuracy = {accuracy:g}% {counts} (classification)"]
    assert ours.splitlines() == lines


def test_cross_validation_is_libsvms(case, capfd):
    libc.srand(1)  # which is how a program begins
    case.train("-v 4 -q")
    theirs = capfd.readouterr().out
    assert main(["svm-train", *case.options, "-v", "4", "-q", "data"]) == 0
    ours = capfd.readouterr().out
    assert re.sub(r"[\d.]+", "#", ours) == re.sub(r"[\d.]+", "#", theirs)
    # A row on the boundary may fall to either side.
    relative = 0.02 if case.options[:2] == ["-s", "2"] else 1e-3
    np.testing.assert_allclose(numbers(ours), numbers(theirs), relative)


@pytest.mark.parametrize("folds", [2, 7, 100, 200])
def test_leaving_out_each_row_and_other_folds(folds, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    case = Case("minus-first", tmp_path)
    libc.srand(1)
    case.train(f"-v {folds} -q")
    theirs = capfd.readouterr().out
    assert main(["svm-train", *case.options, "-v", str(folds), "-q", "data"]) == 0
    said = capfd.readouterr()
    assert said.out == theirs
    assert ("each row is a fold" in said.err) == (folds > 100)


def test_order_and_ties_survive_reading_and_writing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = Case("digits", tmp_path)
    svmutil.svm_save_model("theirs", case.train("-q"))
    model = read_libsvm_model("theirs")
    # Pictures of nothing, of which some have as many votes for one class as for another.
    X = np.random.default_rng(0).uniform(0, 16, (300, model.n_features_in_))
    case.rows = [{j: v for j, v in enumerate(x, 1) if v != 0} for x in X.tolist()]
    labels, values = predicted(svmutil.svm_load_model("theirs"), case)
    np.testing.assert_array_equal(model.predict(X), labels)
    # Sorted classes would decide otherwise.
    plain = type(model.model_.classes)(model.classes_)
    assert (plain.predict(model.model_.decide(X)) != labels).any()
    save(model, "stored")
    np.testing.assert_array_equal(load("stored").predict(X), labels)
    write_libsvm_model(load("stored"), "again")
    again, kept = predicted(svmutil.svm_load_model("again"), case)
    np.testing.assert_array_equal(again, labels)
    np.testing.assert_allclose(kept, values, atol=1e-6)
