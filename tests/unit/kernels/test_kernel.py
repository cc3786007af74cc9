import pickle

import numpy as np
import pytest

from instances import blobs, laplacian
from judge import gram
from maxmargin.kernels import RBF, Function, Linear, Polynomial, Precomputed, Sigmoid

KERNELS = {
    "linear": Linear(),
    "poly": Polynomial(degree=3, gamma=0.4, coef0=1.0),
    "poly0": Polynomial(degree=0, gamma=0.4),
    "poly1": Polynomial(degree=1, gamma=0.4, coef0=-2.0),
    "rbf": RBF(gamma=0.5),
    "rbf-tiny": RBF(gamma=1e-12),
    "rbf-huge": RBF(gamma=1e12),
    "sigmoid": Sigmoid(gamma=0.3, coef0=0.1),
}
kernels = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())


def formula(kernel, X):
    name = {Linear: "linear", Polynomial: "poly", RBF: "rbf", Sigmoid: "sigmoid"}[type(kernel)]
    args = {name: getattr(kernel, name, 0) for name in ("gamma", "degree", "coef0")}
    return (gram(X, kernel=name, **args) + (name == "rbf")).astype(float)


@kernels
def test_formula(kernel):
    X, _ = blobs(30)
    np.testing.assert_allclose(kernel(X, X), formula(kernel, X), rtol=1e-12, atol=1e-14)


@kernels
def test_expansion_by_the_core(kernel, dtype, n_threads):
    # The compiled core's values, one unit weight at a time, are the plain ones.
    X, _ = blobs(70, 7, dtype=dtype)
    Z, _ = blobs(33, 7, seed=1, dtype=dtype)
    found = kernel.expand(Z, X, np.eye(70), n_threads)
    np.testing.assert_allclose(found, kernel(Z, X), rtol=1e-11, atol=1e-12)


@kernels
@pytest.mark.parametrize("d", [1, 3, 8, 33])
def test_number_of_features(kernel, d):
    X, _ = blobs(20, d)
    found = kernel.expand(X, X, np.eye(20))
    np.testing.assert_allclose(found, kernel(X, X), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(2, 0.5, 1.0), RBF(0.5)], ids=str)
def test_positive_semidefinite(kernel, seed):
    X, _ = blobs(60, seed=seed)
    values = np.linalg.eigvalsh(kernel(X, X))
    assert values.min() >= -1e-12 * values.max()


@kernels
def test_symmetric(kernel):
    X, _ = blobs(40)
    np.testing.assert_allclose(kernel(X, X), kernel(X, X).T, rtol=1e-14)


@kernels
def test_values(kernel):
    assert kernel == pickle.loads(pickle.dumps(kernel))
    assert hash(kernel) == hash(pickle.loads(pickle.dumps(kernel)))
    with pytest.raises(AttributeError):
        kernel.gamma = 3.0


def test_gaussian_has_no_cancellation():
    x = np.array([[1e8]])
    assert RBF(1.0)(x, x + 1.0)[0, 0] == pytest.approx(np.exp(-1.0), rel=1e-14)
    found = RBF(1.0).expand(x + 1.0, x, np.ones((1, 1)))
    assert found[0, 0] == pytest.approx(np.exp(-1.0), rel=1e-14)


def test_precomputed_is_the_matrix():
    K = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(Precomputed()(K, None), K)
    np.testing.assert_array_equal(Precomputed().expand(K, None, np.eye(3)), K)


def test_function():
    X, _ = blobs(10)
    np.testing.assert_array_equal(Function(laplacian)(X, X[:3]), laplacian(X, X[:3]))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda X, Z: np.ones((2, 2)), r"returned shape \(2, 2\).*\(10, 3\)"),
        (lambda X, Z: np.full((10, 3), np.inf), "not finite"),
    ],
    ids=["shape", "infinite"],
)
def test_bad_function(function, message):
    X, _ = blobs(10)
    with pytest.raises(ValueError, match=message):
        Function(function)(X, X[:3])
