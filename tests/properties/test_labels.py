"""Labels are those of the float64 outputs, whatever decided them."""

import numpy as np
import pytest
from scipy import sparse

from instances import blobs
from maxmargin import SVC, NuSVC, OneClassSVM
from maxmargin.models import KernelModel


def near_boundary(model, X, output=0, seed=0):
    """Rows where one output is about +-1e-12 ... +-1e-3, by halving lines between two signs."""
    rng = np.random.default_rng(seed)
    values = model.model_.decide(X)[:, output]
    count = 200
    low = X[rng.choice(np.flatnonzero(values < 0), count)]
    high = X[rng.choice(np.flatnonzero(values > 0), count)]
    for _ in range(45):
        middle = (low + high) / 2
        above = (model.model_.decide(middle)[:, output] > 0)[:, None]
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    step = X[rng.choice(len(X), count)] - low
    return (
        low
        + step * 10.0 ** rng.uniform(-12, -3, size=(count, 1)) * rng.choice([-1, 1], count)[:, None]
    )


def expected(model, X):
    outputs = model.model_.decide(X)
    k = len(model.classes_)
    if k == 2:
        return model.classes_[(outputs[:, 0] >= 0).astype(int)]
    if model.multi_class == "ovr":
        return model.classes_[outputs.argmax(axis=1)]
    votes = np.zeros((len(outputs), k), int)
    rows = np.arange(len(outputs))
    for output, (first, second) in zip(
        outputs.T, zip(*np.triu_indices(k, 1), strict=True), strict=True
    ):
        votes[rows, np.where(output > 0, first, second)] += 1
    return model.classes_[votes.argmax(axis=1)]


@pytest.fixture
def exact_rows(monkeypatch):
    """Numbers of rows that float64 outputs were computed for."""
    counts = []
    plain = KernelModel.decide

    def counted(self, Z, *given):
        counts.append(Z.shape[0])
        return plain(self, Z, *given)

    monkeypatch.setattr(KernelModel, "decide", counted)
    return counts


@pytest.mark.parametrize("d", [3, 20, 140])
@pytest.mark.parametrize("C", [1.0, 1e3, 1e7])
def test_two_classes_near_the_boundary(d, C):
    X, y = blobs(200, d, 2)
    model = SVC(C=C, gamma=1 / d).fit(X, y)
    Z = near_boundary(model, X)
    assert np.abs(model.decision_function(Z)).min() < 1e-8
    np.testing.assert_array_equal(model.predict(Z), expected(model, Z))
    mixed = np.vstack([X, Z, X])
    np.testing.assert_array_equal(model.predict(mixed), expected(model, mixed))


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("output", [0, 2])
def test_many_classes_near_the_boundary(multi_class, output):
    X, y = blobs(400, 6, 4)
    model = SVC(C=10, gamma=0.2, multi_class=multi_class).fit(X, np.array(list("dbca"))[y])
    Z = np.vstack([near_boundary(model, X, output), X])
    np.testing.assert_array_equal(model.predict(Z), expected(model, Z))


def test_ties_are_broken_by_float64_scores():
    X, y = blobs(300, 4, 4)
    model = SVC(gamma=0.3, break_ties=True).fit(X, y)
    Z = near_boundary(model, X, 1)
    np.testing.assert_array_equal(model.predict(Z), model.decision_function(Z).argmax(axis=1))


def test_nu_svc_near_the_boundary():
    X, y = blobs(300, 5, 2)
    model = NuSVC(nu=0.3, gamma=0.2).fit(X, y)
    Z = near_boundary(model, X)
    np.testing.assert_array_equal(model.predict(Z), expected(model, Z))


def test_novelty_near_the_boundary():
    X, _ = blobs(400, 3, 1)
    model = OneClassSVM(nu=0.2, gamma=0.3).fit(X)
    # Free support vectors lie on the boundary and count as inside.
    Z = np.vstack([near_boundary(model, X), X])
    np.testing.assert_array_equal(
        model.predict(Z), np.where(model.decision_function(Z) >= 0, 1, -1)
    )


@pytest.mark.parametrize("form", [sparse.csr_matrix, np.float32, np.asfortranarray])
def test_forms_of_rows(form):
    X, y = blobs(400, 30, 2)
    X[np.random.default_rng(0).random(X.shape) < 0.9] = 0
    X = X.astype(np.float32) if form is np.float32 else form(X)
    model = SVC(gamma=0.1, C=100).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), expected(model, X))


@pytest.mark.parametrize("scale", [1e-30, 1e18, 1e25, 1e100])
def test_rows_outside_of_float32(scale):
    X, y = blobs(300, 4, 2)
    model = SVC(gamma=0.5 / scale**2).fit(X * scale, y)
    Z = np.vstack([X, 3 * X, np.zeros_like(X)]) * scale
    np.testing.assert_array_equal(model.predict(Z), expected(model, Z))
    one_far = np.vstack([X * scale, np.full((1, 4), 1e150)])
    np.testing.assert_array_equal(model.predict(one_far), expected(model, one_far))


def test_float32_decides_most_rows(exact_rows):
    X, y = blobs(2000, 10, 3)
    model = SVC(C=1, gamma=0.1).fit(X, y)
    labels = model.predict(X)
    assert sum(exact_rows) < 20
    np.testing.assert_array_equal(labels, expected(model, X))


def test_float64_decides_where_float32_cannot(exact_rows):
    X, y = blobs(600, 3, 2)
    model = SVC(C=1, gamma=0.5).fit(X, y)
    Z = near_boundary(model, X)
    row = Z[np.abs(model.decision_function(Z)).argmin()]
    del exact_rows[:]
    model.predict(np.tile(row, (1600, 1)))
    assert exact_rows == [1600]


@pytest.mark.parametrize("kernel", ["linear", "poly", "laplacian"])
def test_other_kernels_are_computed_in_float64(kernel, exact_rows):
    X, y = blobs(300, 3, 2)
    SVC(kernel=kernel).fit(X, y).predict(X)
    assert exact_rows == [300]


def test_labels_do_not_depend_on_threads(n_threads):
    X, y = blobs(500, 8, 3)
    model = SVC(C=100, gamma=0.1).fit(X, y)
    one = model.set_params(n_jobs=1).predict(X)
    np.testing.assert_array_equal(model.set_params(n_jobs=n_threads).predict(X), one)
