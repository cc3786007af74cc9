"""Probabilities: what holds for every classifier, any number of classes and any weights."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import log_loss

from instances import blobs, laplacian
from maxmargin import (
    SGDSVC,
    SVC,
    HardMarginSVC,
    LinearSVC,
    NuSVC,
    Perceptron,
    load,
    save,
)
from maxmargin.models import Classes, calibrate
from maxmargin.models.calibration import Sigmoids, towards

#: Each of them sees rows by what they hold.
EXACT = {
    "hinge": SVC(),
    "squared-hinge": SVC(loss="squared_hinge", kernel="linear"),
    "one-vs-rest": SVC(multi_class="ovr"),
    "break-ties": SVC(break_ties=True, C=0.01),
    "nu": NuSVC(nu=0.3),
    "linear": LinearSVC(),
    "linear-hinge": LinearSVC(loss="hinge"),
}
MACHINES = {
    **EXACT,
    "hard-margin": HardMarginSVC(gamma=3.0),
    "stochastic": SGDSVC(random_state=0, max_iter=5, tol=0.0),
    "perceptron": Perceptron(max_iter=5),
}
machines = pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES.keys())
exact = pytest.mark.parametrize("machine", EXACT.values(), ids=EXACT.keys())
two_or_more = pytest.mark.parametrize("classes", [2, 4])


def calibrated(machine, method="sigmoid"):
    return clone(machine).set_params(calibration=method)


def sound(model, Z):
    """What holds for probabilities of any rows."""
    P = model.predict_proba(Z)
    assert P.shape == (Z.shape[0], len(model.classes_))
    assert (P >= 0).all()
    assert (P <= 1).all()
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-14)
    np.testing.assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(Z))
    return P


@machines
@two_or_more
def test_they_agree_with_predictions(machine, classes):
    X, y = blobs(120, 4, classes, spread=0.6)
    Z = np.concatenate([X, 3 * X, blobs(400, 4, classes, spread=2.0, seed=3)[0]])
    model = calibrated(machine).fit(X, y)
    P = sound(model, Z)
    np.testing.assert_array_equal(model.predict_log_proba(Z), np.log(P))
    # They are learnt: better than the shares of the classes.
    assert log_loss(y, model.predict_proba(X)) < 0.8 * np.log(classes)


@machines
def test_they_rise_with_the_decision_value(machine):
    X, y = blobs(150, 3, 2)
    for method in ("sigmoid", "venn-abers"):
        model = calibrated(machine, method).fit(X, y)
        order = np.argsort(model.decision_function(X))
        assert (np.diff(model.predict_proba(X)[order, 1]) >= 0).all()


@exact
@two_or_more
def test_neither_order_nor_copies_nor_threads_change_a_bit(machine, classes):
    X, y = blobs(150, 4, classes)
    Z = blobs(60, 4, classes, seed=7)[0]
    counts = np.random.default_rng(0).integers(0, 4, len(y))
    model = calibrated(machine).fit(X, y, counts)
    order = np.random.default_rng(1).permutation(counts.sum())
    copies, labels = np.repeat(X, counts, axis=0)[order], np.repeat(y, counts)[order]
    for n_jobs in (1, 2):
        other = calibrated(machine).set_params(n_jobs=n_jobs).fit(copies, labels)
        np.testing.assert_array_equal(other.predict_proba(Z), model.predict_proba(Z))
        np.testing.assert_array_equal(other.decision_function(Z), model.decision_function(Z))


def test_support_vectors_are_rows_of_the_data():
    X, y = blobs(100, 4, 3)
    X[50:60], y[50:60] = X[:10], y[:10]
    plain, model = SVC(C=3.0).fit(X, y), SVC(C=3.0, probability=True).fit(X, y)
    np.testing.assert_array_equal(X[model.support_], model.support_vectors_)
    np.testing.assert_array_equal(y[model.support_], np.repeat(model.classes_, model.n_support_))
    assert model.shape_fit_ == X.shape
    np.testing.assert_allclose(
        model.decision_function(X), plain.decision_function(X), rtol=1e-6, atol=1e-6
    )
    assert model.certificate_.primal == pytest.approx(plain.certificate_.primal, rel=1e-6)
    again = model.certify(X, y)
    assert again.gap == pytest.approx(model.certificate_.gap, abs=1e-12)


@pytest.mark.parametrize("kernel", ["precomputed", laplacian], ids=["precomputed", "callable"])
@two_or_more
def test_kernels_without_rows(kernel, classes):
    X, y = blobs(80, 3, classes)
    K = laplacian(X, X)
    rows = K if kernel == "precomputed" else X
    model = SVC(kernel=kernel, probability=True).fit(rows, y)
    P = sound(model, rows)
    other = "precomputed" if callable(kernel) else laplacian
    same = SVC(kernel=other, probability=True).fit(K if other == "precomputed" else X, y)
    np.testing.assert_allclose(same.predict_proba(K if other == "precomputed" else X), P, atol=1e-9)


@two_or_more
def test_sparse_rows_have_the_same(classes):
    X, y = blobs(120, 6, classes)
    X[np.abs(X) < 0.7] = 0
    dense, thin = (SVC(probability=True).fit(f(X), y) for f in (np.asarray, sparse.csr_array))
    np.testing.assert_allclose(thin.predict_proba(X), dense.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("machine", [SVC(), NuSVC(nu=0.7)], ids=["hinge", "nu"])
def test_held_out_values_are_those_of_fits_without_the_rows(machine):
    # The sigmoid is that of scikit-learn's own method on the same folds.
    X, y = blobs(200, 3, 2)
    model = calibrated(machine).set_params(tol=1e-8, gamma=0.3).fit(X, y)
    from maxmargin.estimators.calibrated_classifier import by_content, deal
    from maxmargin.estimators.classes import classification_data

    data = by_content(classification_data(X, y, None, None))
    folds = deal(np.arange(len(data.y)), data.y)
    outputs = np.zeros((len(folds), 1))
    for fold in range(4):
        held = folds == fold
        part = clone(machine).set_params(tol=1e-8, gamma=0.3)
        part.fit(X[data.rows[~held]], data.y[~held])
        outputs[held, 0] = part.decision_function(X[data.rows[held]])
    found = calibrate("sigmoid", Classes(np.array([0, 1])), outputs, data.y, np.ones(len(folds)))
    np.testing.assert_allclose(model.probA_, found.slopes, rtol=0.02)
    np.testing.assert_allclose(model.probB_, -found.offsets, atol=0.02)


def test_intervals_hold_the_probability():
    X, y = blobs(200, 3, 2)
    model = SVC(calibration="venn-abers").fit(X, y)
    low, high = model.predict_proba_interval(X).T
    assert (low <= high).all()
    p = model.predict_proba(X)[:, 1]
    inside = (low <= p + 1e-15) & (p <= high + 1e-15)
    at_half = np.isclose(p, 0.5)  # moved onto the prediction
    assert (inside | at_half).all()
    assert inside.mean() > 0.8
    with pytest.raises(ValueError, match="two classes"):
        SVC(calibration="venn-abers").fit(X, np.arange(200) % 3)


@two_or_more
def test_single_rows_of_a_class_and_tiny_data(classes):
    X, y = np.eye(2 * classes), np.repeat(np.arange(classes), 2)
    sound(SVC(probability=True).fit(X, y), X)
    sound(SVC(probability=True).fit(X[1:], y[1:]), X)
    sound(LinearSVC(calibration="sigmoid").fit(X[1:], y[1:]), X)
    sound(SVC(probability=True).fit(X[::2], y[::2]), X)


def test_weights_change_them_as_they_change_the_population():
    X, y = blobs(300, 2, 2, spread=1.5)
    plain = SVC(probability=True).fit(X, y).predict_proba(X)[:, 1].mean()
    heavy = SVC(probability=True, class_weight={1: 10.0}).fit(X, y).predict_proba(X)[:, 1].mean()
    assert heavy > plain + 0.1


def test_what_is_there_before_and_after_a_fit():
    X, y = blobs(60, 3, 2)
    plain, asked = SVC(), SVC(probability=True)
    for model in (plain, clone(plain).fit(X, y)):
        assert not hasattr(model, "predict_proba")
        assert not hasattr(model, "predict_proba_interval")
    for model in (asked, clone(asked).fit(X, y)):
        assert hasattr(model, "predict_proba")
        assert hasattr(model, "predict_log_proba")
    assert not hasattr(asked, "probA_")
    assert len(plain.fit(X, y).probA_) == len(plain.probB_) == 0
    with pytest.raises(NotFittedError, match="predict_proba is not available when fitted with"):
        plain.set_params(probability=True).predict_proba(X)
    with pytest.raises(NotFittedError):
        asked.predict_proba(X)
    with pytest.raises(AttributeError) as caught:
        SVC().fit(X, y).predict_proba(X)
    assert "predict_proba is not available when probability=False" in str(caught.value.__cause__)
    assert SVC(probability="deprecated").fit(X, y).probA_.size == 0


def test_a_stream_has_none():
    X, y = blobs(60, 3, 2)
    model = SGDSVC(calibration="sigmoid", random_state=0).fit(X, y)
    assert model.predict_proba(X).shape == (60, 2)
    with pytest.raises(NotFittedError, match="stream"):
        model.partial_fit(X, y).predict_proba(X)


def test_time_runs_out():
    X, y = blobs(10000, 10, 2, spread=3.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model = SVC(probability=True, C=1e5, gamma=0.01, time_limit=0.1).fit(X, y)
    assert any("calibration ended early" in str(warning.message) for warning in caught)
    sound(model, X[:100])


@machines
@two_or_more
def test_model_files_keep_them(machine, classes, tmp_path):
    X, y = blobs(100, 4, classes, spread=0.6)
    for method in ("sigmoid", "venn-abers")[: 3 - classes // 2]:
        model = calibrated(machine, method).fit(X, y)
        save(model, tmp_path / "model")
        same = load(tmp_path / "model")
        np.testing.assert_array_equal(same.predict_proba(X), model.predict_proba(X))
        assert same.fit_report_["calibration"] == model.fit_report_["calibration"]


def test_log_loss_beside_others():
    # Rows that overlap: calibrated on votes, four classes are worse than on pairs.
    rows, labels = blobs(2000, 4, 4, spread=1.2)
    X, y, Z, z = rows[:600], labels[:600], rows[600:], labels[600:]
    ours = log_loss(z, SVC(probability=True).fit(X, y).predict_proba(Z))
    theirs = CalibratedClassifierCV(SVC(), ensemble=False).fit(X, y).predict_proba(Z)
    assert ours < log_loss(z, theirs)


@pytest.mark.parametrize("offset", [-0.4, 0.0, 0.3])
def test_probabilities_never_fall_with_the_decision_value(offset):
    # Not by a bit: also not where the prediction has moved them to one half.
    f = np.linspace(-2.0, 2.0, 4001)[:, None]
    plain = Sigmoids(np.array([-1.7]), np.array([offset])).probabilities(f, 2)
    moved = towards(plain, (f[:, 0] > 0).astype(np.int64))[:, 1]
    assert offset == 0 or (np.abs(moved - 0.5) < 1e-14).sum() > 100
    assert (np.diff(moved) >= 0).all()


def test_a_lead_that_logarithms_lose_is_made_larger():
    close = np.array([[0.5 - 1e-16, 0.5 + 1e-16], [0.5, 0.5], [0.5 - 1e-3, 0.5 + 1e-3]])
    found = towards(close, np.array([1, 1, 1]))
    assert (np.diff(np.log(found)) > 0).all()
    assert (np.diff(found[:, 1]) >= 0).all()
    np.testing.assert_array_equal(found[2], close[2])


def test_towards_is_the_nearest_with_the_class_on_top():
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(5), 200)
    codes = rng.integers(0, 5, 200)
    moved = towards(P, codes)
    np.testing.assert_array_equal(moved.argmax(axis=1), codes)
    np.testing.assert_allclose(moved.sum(axis=1), 1, atol=1e-14)
    # Nearer than any mixture with other rows that have it on top.
    for other in (np.eye(5)[codes], np.full((200, 5), 0.2)):
        for share in (0.01, 0.1, 1.0):
            mixed = (1 - share) * moved + share * other
            assert (((moved - P) ** 2).sum(1) <= ((mixed - P) ** 2).sum(1) + 1e-12).all()
