"""The same fit gives the same bits: on any number of threads, with any cache, on every run."""

import numpy as np
import pytest
from sklearn.base import clone

from instances import KERNELS, blobs
from maxmargin import SVC, NuSVC

kernels = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())


def same(one, other, X):
    for name in ("support_", "intercept_", "n_iter_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(one.model_.weights, other.model_.weights)
    assert one.certificate_ == other.certificate_
    assert one.status_ is other.status_
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


@kernels
def test_repeated(kernel, dtype):
    X, y = blobs(150, 5, 3, dtype=dtype)
    same(SVC(**kernel).fit(X, y), SVC(**kernel).fit(X, y), X)


@kernels
def test_refitted(kernel):
    # Nothing of an earlier fit is left in a later one.
    X, y = blobs(100, 5, 3)
    Z, z = blobs(80, 2, 2, seed=5)
    model = SVC(**kernel).fit(Z, z)
    same(model.fit(X, y), SVC(**kernel).fit(X, y), X)


@kernels
def test_threads_on_small_problems(kernel, n_threads):
    X, y = blobs(300, 5, 3)
    same(SVC(n_jobs=1, **kernel).fit(X, y), SVC(n_jobs=n_threads, **kernel).fit(X, y), X)


@kernels
def test_threads_on_large_problems(kernel, n_threads, layout):
    X, y = blobs(1500, 5, 2)
    X = layout(X)
    same(SVC(n_jobs=1, **kernel).fit(X, y), SVC(n_jobs=n_threads, **kernel).fit(X, y), X)


def test_threads_on_rows_that_are_swept_over(n_threads):
    # Many rows and a narrow kernel: the fit begins with sets of rows that are near one another.
    X = np.random.default_rng(0).uniform(-1, 1, (12500, 2))
    y = np.sin(3 * X[:, 0]) > X[:, 1]
    one, other = (SVC(gamma=20.0, tol=0.5, n_jobs=n).fit(X, y) for n in (1, n_threads))
    same(one, other, X[:200])


@pytest.mark.parametrize("machine", [SVC(), SVC(multi_class="ovr"), NuSVC(nu=0.1)])
def test_threads_on_many_classes(machine, n_threads, layout):
    # A few classes are large beside the others.
    X, y = blobs(600, 4, 14, spread=0.5)
    y[:300] %= 3
    one, other = clone(machine).set_params(n_jobs=1), clone(machine).set_params(n_jobs=n_threads)
    same(one.fit(layout(X), y), other.fit(layout(X), y), layout(X))


@pytest.mark.parametrize("cache_size", [1e-3, 0.1, 2.0, 1000.0, "auto"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_cache_size(kernel, cache_size, layout):
    X, y = blobs(2600, 6, 2, spread=1.5)
    X = layout(X)
    params = {"kernel": kernel, "C": 4.0}
    same(SVC(**params).fit(X, y), SVC(cache_size=cache_size, **params).fit(X, y), X[:200])


@pytest.mark.parametrize("kernel", ["poly", "rbf", "sigmoid", "laplacian", "cosine", "matern"])
def test_rows_one_by_one(kernel, layout):
    # A few rows are evaluated another way than many.
    X, y = blobs(700, 5, 5)
    model = SVC(kernel=kernel, decision_function_shape="ovo").fit(layout(X), y)
    together = model.decision_function(layout(X[:40]))
    for count in (1, 4):
        parts = [model.decision_function(layout(X[i : i + count])) for i in range(0, 40, count)]
        np.testing.assert_array_equal(np.concatenate(parts), together)


def test_what_watches_changes_nothing():
    X, y = blobs(1500, 5, 2, spread=1.5)
    watched = SVC(C=10.0, time_limit=1000.0, callback=lambda row: False)
    same(SVC(C=10.0).fit(X, y), watched.fit(X, y), X)
