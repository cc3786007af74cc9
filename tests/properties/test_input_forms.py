"""The same data in another form gives the same model."""

import copy
import tracemalloc

import numpy as np
import pytest
import scipy.sparse

from instances import blobs
from maxmargin import SVC
from maxmargin.kernels import RBF, Cosine, Laplacian


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def _strided(X):
    wide = np.full((2 * len(X), 3 * X.shape[1]), np.nan, X.dtype)
    wide[::2, 1::3] = X
    return wide[::2, 1::3]


def _unsorted(X):
    rows = scipy.sparse.csr_array(X)
    order = [
        k for i in range(len(X)) for k in range(rows.indptr[i + 1] - 1, rows.indptr[i] - 1, -1)
    ]
    return scipy.sparse.csr_array((rows.data[order], rows.indices[order], rows.indptr), X.shape)


def _duplicated(X):
    # Each entry stored as two halves, which is exact.
    rows = scipy.sparse.csr_array(X)
    return scipy.sparse.csr_array(
        (np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), 2 * rows.indptr), X.shape
    )


def _explicit_zeros(X):
    index = np.tile(np.arange(X.shape[1]), len(X))
    return scipy.sparse.csr_array(
        (X.ravel(), index, np.arange(len(X) + 1) * X.shape[1]), shape=X.shape
    )


DENSE = {
    "list": lambda X: X.tolist(),
    "fortran": np.asfortranarray,
    "read-only": _read_only,
    "strided": _strided,
    "reversed": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "big-endian": lambda X: X.astype(X.dtype.newbyteorder(">")),
}
SPARSE = {
    "csr-matrix": scipy.sparse.csr_matrix,
    "csc": scipy.sparse.csc_array,
    "coo": scipy.sparse.coo_array,
    "unsorted": _unsorted,
    "duplicated": _duplicated,
    "explicit-zeros": _explicit_zeros,
}


def _data(dtype):
    X, y = blobs(70, 5, 3, dtype=dtype)
    X[np.abs(X) < 0.5] = 0
    return X, y


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("form", DENSE.values(), ids=DENSE.keys())
def test_dense(form, kernel):
    X, y = _data(np.float64)
    one, other = SVC(kernel=kernel).fit(X, y), SVC(kernel=kernel).fit(form(X), y)
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(form(X)))
    np.testing.assert_array_equal(one.model_.dual_coef, other.model_.dual_coef)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("form", SPARSE.values(), ids=SPARSE.keys())
def test_sparse(form, kernel, dtype):
    X, y = _data(dtype)
    one, other = SVC(kernel=kernel).fit(X, y), SVC(kernel=kernel).fit(form(X), y)
    np.testing.assert_allclose(
        one.decision_function(X), other.decision_function(form(X)), atol=1e-8
    )


@pytest.mark.parametrize("form", SPARSE.values(), ids=SPARSE.keys())
def test_sparse_input_is_left_alone(form):
    X, y = _data(np.float64)
    rows = form(X)
    before = copy.deepcopy(rows)
    SVC().fit(rows, y).predict(rows)
    for name in ("data", "indices", "indptr", "row", "col"):
        if hasattr(rows, name):
            np.testing.assert_array_equal(getattr(rows, name), getattr(before, name))


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float16, bool], ids=lambda t: t.__name__)
def test_other_number_types_become_float64(dtype):
    X, y = blobs(60, 5)
    X = (4 * np.abs(X)).astype(dtype)
    one, other = SVC().fit(X, y), SVC().fit(X.astype(float), y)
    np.testing.assert_array_equal(one.model_.dual_coef, other.model_.dual_coef)
    assert one.support_vectors_.dtype == np.float64


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_rows_and_weights_are_left_alone(kernel):
    X, y = blobs(60)
    weight = np.ones(60)
    copies = X.copy(), y.copy(), weight.copy()
    SVC(kernel=kernel).fit(X, y, sample_weight=weight).predict(X)
    for one, other in zip((X, y, weight), copies, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "labels",
    [["a", "b"], [-1, 1], [7, 3], [True, False], [0.0, 1.0], np.array(["x", "y"], object)],
    ids=str,
)
def test_labels(labels):
    X, codes = blobs(60)
    y = np.asarray(labels)[codes]
    model = SVC().fit(X, y)
    assert set(model.predict(X)) <= set(labels)
    assert model.classes_.tolist() == sorted(labels)
    assert model.score(X, y) > 0.5
    positive = model.decision_function(X) > 0
    assert (model.predict(X)[positive] == model.classes_[1]).all()


def test_zero_features_of_a_sparse_row():
    X, y = blobs(40, 3)
    X[::5] = 0
    rows = scipy.sparse.csr_array(X)
    np.testing.assert_allclose(
        SVC().fit(rows, y).decision_function(rows), SVC().fit(X, y).decision_function(X), atol=1e-9
    )


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("n", [200, 1200])
def test_sparse_data_are_not_made_dense(kernel, n):
    # Dense these rows would take more than 8 GB.
    columns = 10**9 // n
    X, y = blobs(n, 6)
    places = np.sort(np.random.default_rng(0).choice(columns, 6, replace=False))
    wide = scipy.sparse.csr_array(
        (X.ravel(), np.tile(places, n), 6 * np.arange(n + 1)), shape=(n, columns)
    )
    tracemalloc.start()
    model = SVC(kernel=kernel, gamma=0.2).fit(wide, y)
    found = model.decision_function(wide)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**30
    expected = SVC(kernel=kernel, gamma=0.2).fit(X, y).decision_function(X)
    np.testing.assert_allclose(found, expected, atol=1e-2 if n > 1024 else 1e-8)


def _words(n, rng):
    """Rows like texts: few words are in most of them, most words in few, some rows are repeated."""
    share = 1 / np.arange(1, 1500)
    X = rng.random((n, share.size)) < share
    X = X * rng.random(X.shape)
    X[n - 20 :] = X[:20]
    y = (X[:, :40] @ rng.standard_normal(40) > 0).astype(int)
    return scipy.sparse.csr_array(X / np.linalg.norm(X, axis=1, keepdims=True)), y


@pytest.mark.parametrize("kernel", ["rbf", Laplacian(1.0), Cosine()], ids=str)
def test_full_and_rare_columns(kernel):
    X, y = _words(1300, np.random.default_rng(3))
    one = SVC(kernel=kernel, C=10, n_jobs=1).fit(X, y)
    many = SVC(kernel=kernel, C=10, n_jobs=3).fit(X, y)
    np.testing.assert_array_equal(one.model_.dual_coef, many.model_.dual_coef)
    dense = SVC(kernel=kernel, C=10).fit(X.toarray(), y)
    found = one.decision_function(X)
    np.testing.assert_allclose(found, dense.decision_function(X.toarray()), atol=5e-3)
    alone = [one.decision_function(X[[i]])[0] for i in range(0, 1300, 130)]
    np.testing.assert_array_equal(alone, found[::130])


def test_dense_rows_of_mostly_zeros_are_fitted_as_sparse_ones():
    X, y = _words(1300, np.random.default_rng(4))
    thin, sparse = SVC(C=10).fit(X.toarray(), y), SVC(C=10).fit(X, y)
    np.testing.assert_array_equal(thin.model_.dual_coef, sparse.model_.dual_coef)
    assert isinstance(thin.support_vectors_, np.ndarray)


def test_a_kernel_of_some_columns_is_not_changed_by_the_others():
    X, y = blobs(1300, 2)
    wide = np.zeros((1300, 200))
    wide[:, [3, 50]] = X
    one = SVC(kernel=RBF(0.5).on([3, 50])).fit(wide, y)
    other = SVC(kernel=RBF(0.5)).fit(X, y)
    np.testing.assert_array_equal(one.model_.dual_coef, other.model_.dual_coef)
