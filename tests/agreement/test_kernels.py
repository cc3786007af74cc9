"""Kernel values as scikit-learn has them, and fits as from their matrix."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern as ReferenceMatern
from sklearn.metrics import pairwise

from instances import blobs
from judge import values
from maxmargin import SVC, SVR, OneClassSVM
from maxmargin.kernels import RBF, Chi2, Cosine, Laplacian, Linear, Matern, Polynomial, Sigmoid

PAIRS = [
    (Linear(), pairwise.linear_kernel),
    (Polynomial(3, 0.4, 1.0), lambda X, Z: pairwise.polynomial_kernel(X, Z, 3, 0.4, 1.0)),
    (RBF(0.4), lambda X, Z: pairwise.rbf_kernel(X, Z, 0.4)),
    (Sigmoid(0.1, 0.5), lambda X, Z: pairwise.sigmoid_kernel(X, Z, 0.1, 0.5)),
    (Laplacian(0.4), lambda X, Z: pairwise.laplacian_kernel(X, Z, 0.4)),
    (Chi2(0.4), lambda X, Z: pairwise.chi2_kernel(X, Z, 0.4)),
    (Cosine(), pairwise.cosine_similarity),
    *((Matern(0.7, nu), ReferenceMatern(0.7, nu=nu)) for nu in (0.5, 1.5, 2.5, np.inf)),
]
COMPOSED = [
    RBF(0.4) + Linear(),
    RBF(0.4) * Polynomial(2, 0.4, 1.0),
    3 * Chi2(0.5).on([0, 2]) + Cosine() * Matern(0.5, nu=0.5).on([1, 3]),
]


def rows(n, seed=0):
    X, y = blobs(n, 6, seed=seed)
    return np.maximum(0, X), y


@pytest.mark.parametrize(("kernel", "reference"), PAIRS, ids=[repr(kernel) for kernel, _ in PAIRS])
def test_values(kernel, reference, layout):
    (X, _), (Z, _) = rows(60), rows(25, seed=1)
    expected = reference(Z, X)
    np.testing.assert_allclose(kernel(Z, X), expected, rtol=1e-12, atol=1e-14)
    found = kernel.expand(layout(Z), layout(X), np.eye(60))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    "kernel", [kernel for kernel, _ in PAIRS if kernel != Sigmoid(0.1, 0.5)] + COMPOSED, ids=repr
)
def test_fit_is_that_of_the_matrix(kernel, layout):
    X, y = rows(90)
    K = values(kernel, X).astype(float)
    model = SVC(kernel=kernel, tol=1e-9).fit(layout(X), y)
    matrix = SVC(kernel="precomputed", tol=1e-9).fit(K, y)
    np.testing.assert_allclose(
        model.decision_function(layout(X)), matrix.decision_function(K), atol=1e-8
    )
    assert model.certificate_.worst.within(1e-9)
    assert model.certificate_.dual == pytest.approx(matrix.certificate_.dual, rel=1e-10)


@pytest.mark.parametrize("kernel", [Laplacian(0.4), Matern(0.7, nu=0.5), COMPOSED[2]], ids=repr)
def test_fit_by_float32_rows(kernel, layout):
    X, y = rows(1100)
    model = SVC(kernel=kernel).fit(layout(X), y)
    matrix = SVC(kernel="precomputed").fit(kernel(X, X), y)
    assert model.certificate_.worst.within(1e-3)
    found, expected = model.decision_function(layout(X)), matrix.decision_function(kernel(X, X))
    assert np.abs(found - expected).max() <= 1e-2
    assert model.certificate_.dual == pytest.approx(matrix.certificate_.dual, rel=1e-3)


@pytest.mark.parametrize("machine", [SVR(epsilon=0.2), OneClassSVM(nu=0.3)], ids=repr)
@pytest.mark.parametrize("kernel", [Chi2(0.4), Matern(0.7), *COMPOSED], ids=repr)
def test_other_machines(machine, kernel, layout):
    X, _ = rows(80)
    target = X[:, 0] - X[:, 1] ** 2
    K = kernel(X, X)
    model = machine.set_params(kernel=kernel, tol=1e-9).fit(layout(X), target)
    found = model.decision_function if hasattr(model, "decision_function") else model.predict
    scores = found(layout(X))
    matrix = machine.set_params(kernel="precomputed").fit(K, target)
    found = matrix.decision_function if hasattr(matrix, "decision_function") else matrix.predict
    np.testing.assert_allclose(scores, found(K), atol=1e-8)
