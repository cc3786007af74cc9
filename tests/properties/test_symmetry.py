"""What must not change a solution, or change it in a known way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instances import CONVEX, KERNELS, blobs, rings
from judge import confirm
from maxmargin import SVC

seeds = st.integers(0, 2**16)
kernels = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())


def agree(one, other, X, atol=1e-8):
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=atol)
    np.testing.assert_allclose(
        [part.dual for part in one.certificate_.parts],
        [part.dual for part in other.certificate_.parts],
        rtol=1e-9,
    )


@kernels
@given(seed=seeds, classes=st.integers(2, 4))
def test_row_order(kernel, seed, classes):
    X, y = blobs(60, 3, classes, seed)
    order = np.random.default_rng(seed).permutation(len(y))
    agree(SVC(**kernel).fit(X, y), SVC(**kernel).fit(X[order], y[order]), X)


@kernels
@given(seed=seeds)
def test_label_flip(kernel, seed):
    X, y = blobs(60, 3, seed=seed)
    one, other = SVC(**kernel).fit(X, y), SVC(**kernel).fit(X, 1 - y)
    np.testing.assert_allclose(one.decision_function(X), -other.decision_function(X), atol=1e-8)
    assert one.certificate_.dual == pytest.approx(other.certificate_.dual, rel=1e-9)


def weighted_and_copied(kernel, seed, classes, class_weight):
    X, y = blobs(50, 3, classes, seed)
    times = np.random.default_rng(seed).integers(0, 4, len(y))
    times[:classes] = 1
    y[:classes] = range(classes)
    model = SVC(class_weight=class_weight, **kernel)
    weighted = model.fit(X, y, sample_weight=times)
    copies = SVC(**model.get_params(deep=False)).fit(
        np.repeat(X, times, axis=0), np.repeat(y, times)
    )
    assert set(weighted.support_) <= set(np.flatnonzero(times))
    return X, y, times, weighted, copies


weights = given(
    seed=seeds, classes=st.integers(2, 4), class_weight=st.sampled_from([None, "balanced"])
)


@pytest.mark.parametrize("kernel", CONVEX.values(), ids=CONVEX.keys())
@weights
def test_weight_is_copies(kernel, seed, classes, class_weight):
    X, _, _, weighted, copies = weighted_and_copied(kernel, seed, classes, class_weight)
    agree(weighted, copies, X)


@weights
def test_weight_is_copies_where_there_are_several_optima(seed, classes, class_weight):
    # The two need not be the same one: both are optima.
    X, y, times, weighted, copies = weighted_and_copied(
        KERNELS["sigmoid"], seed, classes, class_weight
    )
    confirm(weighted, X, y, times)
    confirm(copies, np.repeat(X, times, axis=0), np.repeat(y, times))


@kernels
@given(seed=seeds, factor=st.sampled_from([1e-3, 0.5, 20.0]))
def test_weight_is_penalty(kernel, seed, factor):
    X, y = blobs(60, 3, 3, seed)
    weighted = SVC(**kernel).fit(X, y, sample_weight=np.full(len(y), factor))
    agree(weighted, SVC(C=factor, **kernel).fit(X, y), X)


@kernels
def test_class_weight_is_sample_weight(kernel):
    X, y = blobs(80, 3, 3)
    factors = {0: 0.2, 1: 3.0, 2: 1.0}
    by_class = SVC(gamma=kernel.get("gamma", 0.3), class_weight=factors, **_rest(kernel)).fit(X, y)
    by_sample = SVC(gamma=kernel.get("gamma", 0.3), **_rest(kernel)).fit(
        X, y, sample_weight=np.vectorize(factors.get)(y)
    )
    agree(by_class, by_sample, X)


def _rest(kernel):
    return {name: value for name, value in kernel.items() if name != "gamma"}


@kernels
def test_absent_class_of_weight_zero(kernel):
    X, y = blobs(80, 3, 3)
    model = SVC(**kernel).fit(X, y, sample_weight=(y != 1).astype(float))
    assert model.classes_.tolist() == [0, 2]
    agree(model, SVC(**kernel).fit(X[y != 1], y[y != 1]), X)


@kernels
@given(seed=seeds)
def test_duplicated_rows(kernel, seed):
    X, y = blobs(25, 3, seed=seed)
    X, y = np.repeat(X, 3, axis=0), np.repeat(y, 3)
    model = SVC(C=10.0, **kernel).fit(X, y)
    assert max(v.violation for v in confirm(model, X, y)) < 1e-9


@kernels
def test_all_rows_equal(kernel):
    X, y = np.ones((20, 3)), np.arange(20) % 2
    model = SVC(**kernel).fit(X, y)
    confirm(model, X, y)
    np.testing.assert_allclose(model.decision_function(X), model.decision_function(X)[0])


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_constant_columns(kernel, layout):
    # A column of zeros changes no kernel value; any other constant no distance.
    X, y = blobs(80, 3)
    wide = np.c_[X, np.zeros(len(X)), np.full(len(X), 0.0 if kernel == "linear" else 7.0)]
    one = SVC(kernel=kernel, gamma=0.5).fit(layout(X), y)
    other = SVC(kernel=kernel, gamma=0.5).fit(layout(wide), y)
    np.testing.assert_allclose(
        one.decision_function(layout(X)), other.decision_function(layout(wide)), atol=1e-9
    )


@kernels
@pytest.mark.parametrize("classes", [2, 3, 10])
def test_one_sample_per_class(kernel, classes):
    X, y = blobs(classes, 4, classes)
    model = SVC(C=100.0, **kernel).fit(X, y)
    confirm(model, X, y)
    if kernel["kernel"] != "sigmoid":
        assert (model.predict(X) == y).all()


def test_two_points():
    # By hand: w = 1, b = -1 ends on the margins 0 and 2.
    model = SVC(kernel="linear", C=10.0).fit([[0.0], [2.0]], [0, 1])
    np.testing.assert_allclose(model.dual_coef_, [[-0.5, 0.5]], rtol=1e-15)
    np.testing.assert_allclose(model.coef_, [[1.0]])
    np.testing.assert_allclose(model.intercept_, [-1.0])
    assert model.certificate_.dual == pytest.approx(0.5)


@kernels
@pytest.mark.parametrize("classes", [2, 4])
def test_number_types(kernel, classes, seed):
    # float32 data means exactly its values: the same data in float64 gives the same model.
    X, y = blobs(90, 4, classes, seed, dtype=np.float32)
    kernel = {"gamma": 0.3, **kernel}
    agree(SVC(**kernel).fit(X, y), SVC(**kernel).fit(X.astype(float), y), X, 1e-7)


@kernels
def test_storage(kernel, layout, dtype):
    X, y = blobs(90, 6, 3, dtype=dtype)
    X[np.abs(X) < 0.8] = 0
    dense, stored = SVC(**kernel).fit(X, y), SVC(**kernel).fit(layout(X), y)
    agree(dense, stored, X, 1e-8)
    for rows in (X, layout(X)):
        np.testing.assert_allclose(
            stored.decision_function(rows), dense.decision_function(X), atol=1e-8
        )


@kernels
def test_precomputed_and_callable_are_the_kernel(kernel):
    X, y = blobs(80, 3, 3)
    if callable(kernel["kernel"]):
        function = kernel["kernel"]
    else:
        from sklearn.metrics.pairwise import pairwise_kernels

        name = kernel["kernel"]
        gamma = SVC(**kernel).fit(X, y).model_.kernel.gamma if name != "linear" else None
        args = {"gamma": gamma, "degree": kernel.get("degree"), "coef0": kernel.get("coef0", 0.0)}

        def function(A, B):
            return pairwise_kernels(A, B, metric=name, filter_params=True, **args)

    own = SVC(**kernel).fit(X, y)
    agree(own, SVC(kernel=function).fit(X, y), X)
    K = function(X, X)
    given = SVC(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(own.decision_function(X), given.decision_function(K), atol=1e-8)


@given(seed=seeds, shift=st.floats(-50, 50))
def test_translation(seed, shift):
    # Distances, hence the Gaussian kernel, do not see where the origin is.
    X, y = rings(60, seed)
    one, other = SVC(gamma=0.7).fit(X, y), SVC(gamma=0.7).fit(X + shift, y)
    np.testing.assert_allclose(
        one.decision_function(X), other.decision_function(X + shift), atol=1e-8
    )
