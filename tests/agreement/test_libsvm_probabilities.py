"""Probabilities in LIBSVM's text: LIBSVM reads ours, and we read LIBSVM's."""

import numpy as np
import pytest
from libsvm import svmutil

from instances import blobs
from maxmargin import SVC, NuSVC
from maxmargin.cli import main
from maxmargin.data.files import write_libsvm
from maxmargin.storage import read_libsvm_model, write_libsvm_model

#: LIBSVM ends its coupling where probabilities move by less than this.
COUPLED = 0.01


def rows_of(X):
    return [{j + 1: value for j, value in enumerate(row)} for row in X.tolist()]


def agreeing(model, X):
    """Rows whose probabilities were not moved onto the prediction."""
    raw = model.model_.calibration.probabilities(model.model_.decide(X), len(model.classes_))
    return np.abs(raw - model.predict_proba(X)).max(axis=1) < 1e-12


@pytest.mark.parametrize("machine", [SVC(C=3.0), NuSVC(nu=0.3)], ids=["c", "nu"])
@pytest.mark.parametrize("labels", [(-1, 1), (7, 3), (4, 1, 2), (0, 5, 3, 9)], ids=str)
def test_libsvm_reads_ours(machine, labels, tmp_path):
    X, y = blobs(120, 3, len(labels))
    y = np.array(labels)[y]
    model = machine.set_params(probability=True, gamma=0.3).fit(X, y)
    path = tmp_path / "model.txt"
    write_libsvm_model(model, path)
    peer = svmutil.svm_load_model(str(path))
    _, _, values = svmutil.svm_predict([], rows_of(X), peer, "-b 1 -q")
    order = np.searchsorted(model.classes_, peer.get_labels())
    expected, kept = model.predict_proba(X)[:, order], agreeing(model, X)
    assert kept.mean() > 0.7
    tolerance = 1e-6 if len(labels) == 2 else COUPLED
    np.testing.assert_allclose(np.array(values)[kept], expected[kept], atol=tolerance)
    same = read_libsvm_model(path)
    np.testing.assert_allclose(same.predict_proba(X), model.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("labels", [(-1, 1), (4, 1, 2)], ids=str)
def test_we_read_libsvms(labels, tmp_path):
    X, y = blobs(120, 3, len(labels))
    y = np.array(labels)[y]
    path = tmp_path / "model.txt"
    peer = svmutil.svm_train(y.tolist(), rows_of(X), "-b 1 -g 0.3 -q")
    svmutil.svm_save_model(str(path), peer)
    model = read_libsvm_model(path)
    _, _, values = svmutil.svm_predict([], rows_of(X), peer, "-b 1 -q")
    order = np.searchsorted(model.classes_, peer.get_labels())
    kept = agreeing(model, X)
    assert kept.mean() > 0.7
    found = model.predict_proba(X)[:, order]
    np.testing.assert_allclose(found[kept], np.array(values)[kept], atol=COUPLED)


def test_commands(tmp_path, capsys):
    X, y = blobs(80, 3, 3)
    data = tmp_path / "data.txt"
    rows = [" ".join(f"{j}:{v}" for j, v in row.items()) for row in rows_of(X)]
    lines = [f"{label} {row}" for label, row in zip(y, rows, strict=True)]
    data.write_text("\n".join(lines) + "\n")
    model, out = tmp_path / "model.txt", tmp_path / "out.txt"
    assert main(["svm-train", "-q", "-b", "1", str(data), str(model)]) == 0
    assert main(["svm-predict", "-b", "1", str(data), str(model), str(out)]) == 0
    head, *rows = out.read_text().splitlines()
    order = [int(word) for word in head.split()[1:]]
    assert head.startswith("labels ")
    for line in rows:
        label, *shares = map(float, line.split())
        assert sum(shares) == pytest.approx(1, abs=1e-4)
        assert order[int(np.argmax(shares))] == label
    assert "Accuracy = " in capsys.readouterr().out
    assert main(["svm-predict", str(data), str(model), str(out)]) == 0
    assert "disabled in prediction" in capsys.readouterr().out


@pytest.mark.parametrize("labels", [(1, 0), (4, 1, 2)], ids=str)
def test_the_label_is_that_of_the_largest_probability(labels, tmp_path, monkeypatch, capsys):
    # Sigmoids need not be 1/2 on the boundary, and couplings need not agree with votes.
    monkeypatch.chdir(tmp_path)
    X, y = blobs(300, 2, len(labels), seed=3)
    X += np.random.default_rng(0).normal(scale=2.0, size=X.shape)
    y = np.array(labels)[y]
    peer = svmutil.svm_train(y.tolist(), rows_of(X), "-b 1 -g 0.3 -q")
    svmutil.svm_save_model("model", peer)
    write_libsvm("data", X, y)
    theirs, _, values = svmutil.svm_predict([], rows_of(X), peer, "-b 1 -q")
    plain, _, _ = svmutil.svm_predict([], rows_of(X), peer, "-q")
    assert np.mean(np.array(theirs) != plain) > 0.01
    assert main(["svm-predict", "-b", "1", "data", "model", "out"]) == 0
    head, *lines = (tmp_path / "out").read_text().splitlines()
    assert head == f"labels {' '.join(map(str, peer.get_labels()))}"
    found = np.array([[float(word) for word in line.split()] for line in lines])
    tolerance = 1e-5 if len(labels) == 2 else COUPLED
    np.testing.assert_allclose(found[:, 1:], values, atol=tolerance)
    first, second = np.sort(values, axis=1)[:, :-3:-1].T
    sure = first - second > 2 * tolerance
    np.testing.assert_array_equal(found[sure, 0], np.array(theirs)[sure])
    assert np.mean(np.array(theirs)[sure] != np.array(plain)[sure]) > 0
