"""Certificates say what an independent judge finds, for every kernel, class count and weight."""

import numpy as np
import pytest

from instances import KERNELS, blobs, laplacian, rings, unscaled
from judge import confirm, gram
from maxmargin import SVC


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
def test_every_kernel(kernel, classes, dtype, layout, seed):
    X, y = blobs(100, 4, classes, seed, dtype=dtype)
    model = SVC(C=2.0, **kernel).fit(layout(X), y)
    confirm(model, X, y)


@pytest.mark.parametrize("classes", [2, 4])
def test_kernel_matrix(classes, seed):
    X, y = blobs(80, 3, classes, seed)
    K = laplacian(X, X)
    confirm(SVC(kernel="precomputed", C=3.0).fit(K, y), K, y)


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 0.3, 2: 5.0}], ids=str)
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
def test_weights(kernel, class_weight, seed):
    X, y = blobs(90, 4, 3, seed)
    weight = np.random.default_rng(seed).choice([0.0, 0.1, 1.0, 7.5], len(y))
    model = SVC(class_weight=class_weight, **kernel).fit(X, y, sample_weight=weight)
    confirm(model, X, y, weight)
    assert (weight[model.support_] > 0).all()


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("make", [rings, unscaled])
def test_penalties(make, C):
    X, y = make()
    confirm(SVC(C=C).fit(X, y), X, y)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
def test_large_path(kernel, dtype, layout):
    # More rows than are solved with the whole matrix at hand.
    X, y = blobs(1300, 5, 2, dtype=dtype)
    model = SVC(**kernel).fit(layout(X), y)
    (verdict,) = confirm(model, X, y)
    assert verdict.violation <= model.tol


@pytest.mark.parametrize("tol", [1e-1, 1e-5])
def test_optimal_means_within_tol(tol):
    X, y = blobs(1200, 6, spread=1.5)
    model = SVC(tol=tol, C=5.0).fit(X, y)
    (verdict,) = confirm(model, X, y)
    assert model.status_.name == "OPTIMAL"
    assert verdict.violation <= tol


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
def test_certify_repeats_it(kernel, classes, seed):
    X, y = blobs(70, 4, classes, seed)
    weight = np.random.default_rng(seed).choice([0.0, 1.0, 2.0], len(y))
    model = SVC(**kernel).fit(X, y, sample_weight=weight)
    again = model.certify(X, y, sample_weight=weight)
    for new, old in zip(again.parts, model.certificate_.parts, strict=True):
        assert abs(new.violation - old.violation) <= new.bound + old.bound
        assert new.primal == pytest.approx(old.primal, rel=1e-12)
        assert new.dual == pytest.approx(old.dual, rel=1e-12)


def test_certify_sees_other_data():
    X, y = blobs(80)
    model = SVC().fit(X, y)
    assert model.certify(X + 0.1 * np.sin(X), y).violation > 1e-3


def test_worst_and_totals():
    X, y = blobs(90, 4, 4)
    certificate = SVC().fit(X, y).certificate_
    parts = certificate.parts
    assert len(parts) == 6
    assert certificate.worst in parts
    assert certificate.worst.violation + certificate.worst.bound == max(
        part.violation + part.bound for part in parts
    )
    assert certificate.primal == pytest.approx(sum(part.primal for part in parts))
    assert certificate.dual == pytest.approx(sum(part.dual for part in parts))
    assert certificate.gap == max(part.gap for part in parts)


def test_judge_has_the_kernels_formulas():
    # The judge itself, held against scikit-learn's functions.
    from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel, sigmoid_kernel

    X, _ = blobs(30)
    args = {"gamma": 0.3, "degree": 3, "coef0": 0.7}
    for name, values in {
        "rbf": rbf_kernel(X, gamma=0.3) - 1,
        "poly": polynomial_kernel(X, degree=3, gamma=0.3, coef0=0.7),
        "sigmoid": sigmoid_kernel(X, gamma=0.3, coef0=0.7),
        "linear": X @ X.T,
    }.items():
        np.testing.assert_allclose(gram(X, kernel=name, **args).astype(float), values, atol=1e-12)
