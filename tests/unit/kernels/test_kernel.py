import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array

from instances import blobs, laplacian
from judge import values
from maxmargin.kernels import (
    RBF,
    Chi2,
    Columns,
    Constant,
    Cosine,
    Function,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    Product,
    Scaled,
    Sigmoid,
    Sum,
)

KERNELS = {
    "linear": Linear(),
    "poly": Polynomial(degree=3, gamma=0.4, coef0=1.0),
    "poly0": Polynomial(degree=0, gamma=0.4),
    "poly1": Polynomial(degree=1, gamma=0.4, coef0=-2.0),
    "rbf": RBF(gamma=0.5),
    "rbf-tiny": RBF(gamma=1e-12),
    "rbf-huge": RBF(gamma=1e12),
    "rbf-sigma": RBF(sigma=0.8),
    "sigmoid": Sigmoid(gamma=0.3, coef0=0.1),
    "laplacian": Laplacian(gamma=0.3),
    "laplacian-tiny": Laplacian(gamma=1e-12),
    "chi2": Chi2(gamma=0.6),
    "chi2-huge": Chi2(gamma=1e12),
    "cosine": Cosine(),
    "matern12": Matern(1.7, nu=0.5),
    "matern32": Matern(1.7, nu=1.5),
    "matern52": Matern(1.7, nu=2.5),
    "matern-wide": Matern(1e12, nu=2.5),
    "sum": RBF(0.5) + Linear() + 2 * Cosine(),
    "product": RBF(0.5) * Polynomial(2, 0.3, 1.0) * Laplacian(0.1),
    "constant": Constant(0.7) + 2 * Linear(),
    "columns": RBF(0.5).on([0]) + 0.3 * Chi2(2.0).on([0]) * Matern(),
}
kernels = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())


def rows(n=30, d=4, seed=0, dtype=np.float64):
    """Rows that every kernel is defined on: some zeros, no negative value, a row of zeros."""
    X = np.maximum(0, blobs(n, d, seed=seed, dtype=dtype)[0])
    X[n // 2] = 0
    return X


@kernels
def test_formula(kernel):
    X = rows()
    np.testing.assert_allclose(
        kernel(X, X), values(kernel, X).astype(float), rtol=1e-12, atol=1e-14
    )
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(kernel(X, X)), rtol=1e-14)


@kernels
def test_expansion_by_the_core(kernel, layout, dtype):
    # The compiled core's values, one unit weight at a time, are the plain ones.
    X, Z = rows(70, 7, dtype=dtype), rows(33, 7, seed=1, dtype=dtype)
    Z[:5] = X[:5]
    found = kernel.expand(layout(Z), layout(X), np.eye(70), n_threads=2)
    np.testing.assert_allclose(found, kernel(Z, X), rtol=1e-11, atol=1e-12)


@kernels
@pytest.mark.parametrize("d", [1, 3, 8, 33])
def test_number_of_features(kernel, d):
    X = rows(20, d)
    found = kernel.expand(X, X, np.eye(20))
    np.testing.assert_allclose(found, kernel(X, X), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(
    "kernel", [k for name, k in KERNELS.items() if name not in ("sigmoid", "poly1")], ids=repr
)
def test_positive_semidefinite(kernel, seed):
    X = rows(60, seed=seed)
    eigenvalues = np.linalg.eigvalsh(kernel(X, X))
    assert eigenvalues.min() >= -1e-12 * eigenvalues.max()


@kernels
def test_symmetric(kernel):
    X = rows(40)
    np.testing.assert_allclose(kernel(X, X), kernel(X, X).T, rtol=1e-14)


@kernels
def test_values(kernel):
    again = pickle.loads(pickle.dumps(kernel))
    assert kernel == again == eval(repr(kernel))
    assert hash(kernel) == hash(again)
    with pytest.raises(AttributeError):
        kernel.gamma = 3.0


@kernels
def test_sparse_rows_in_any_order(kernel):
    X = rows(12, 6)
    stored = csr_array(X)
    shuffled = stored.copy()
    for i in range(12):  # the same entries, last column first
        part = slice(stored.indptr[i], stored.indptr[i + 1])
        shuffled.indices[part] = stored.indices[part][::-1]
        shuffled.data[part] = stored.data[part][::-1]
    shuffled.has_sorted_indices = shuffled.has_canonical_format = False
    found = kernel.expand(shuffled, shuffled, np.eye(12))
    expected = kernel.expand(stored, stored, np.eye(12))
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=1e-300)


@pytest.mark.parametrize("kernel", [RBF(1.0), Matern(1.0), Laplacian(1.0)], ids=repr)
def test_no_cancellation(kernel, layout):
    x = np.array([[1e8, 3e8]])
    z = x + np.array([[1.0, 0.0]])
    exact = kernel([[0.0]], [[1.0]])[0, 0]
    assert kernel(x, z)[0, 0] == pytest.approx(exact, rel=1e-14)
    assert kernel.expand(layout(z), layout(x), np.ones((1, 1)))[0, 0] == pytest.approx(
        exact, rel=1e-14
    )


def test_algebra():
    a, b, c = RBF(0.5), Linear(), Cosine()
    assert a + b + c == Sum((a, b, c)) == a + (b + c)
    assert a * b * c == Product((a, b, c))
    assert 2 * a == a * 2 == np.float64(2) * a == Scaled(a, 2.0)
    assert a.on([3, 0]) == Columns(a, [0, 3]) == a.on(np.array([0, 3]))
    assert repr(2 * (a + b) * c) == "2 * (RBF(gamma=0.5) + Linear()) * Cosine()"
    assert repr((a * b).on([1])) == "(RBF(gamma=0.5) * Linear()).on([1])"
    assert RBF(sigma=2.0).gamma == 0.125
    assert RBF(gamma=0.125).sigma == 2.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RBF(1.0, sigma=1.0), "both gamma=1.0 and sigma=1.0"),
        (lambda: RBF(-1.0), "gamma is -1.0"),
        (lambda: RBF(sigma=0), "sigma is 0"),
        (lambda: RBF(sigma=1e-200), "gamma is inf"),
        (lambda: Laplacian(np.nan), "gamma is nan"),
        (lambda: Chi2(np.inf), "gamma is inf"),
        (lambda: Matern(0.0), "length_scale is 0.0"),
        (lambda: Matern(1.0, nu=2.0), "nu is 2.0; it must be 0.5, 1.5, 2.5"),
        (lambda: -1.0 * RBF(), "factor is -1.0; it must be a finite number greater than 0"),
        (lambda: RBF().on([]), "columns is"),
        (lambda: RBF().on([0, 0]), "columns is"),
        (lambda: RBF().on([-1]), "columns is"),
        (lambda: RBF().on([True]), "columns is"),
        (lambda: Sum(()), "parts is empty"),
        (lambda: RBF().on([5])(np.ones((2, 3)), np.ones((2, 3))), "column 5 of .* is not there"),
        (lambda: RBF().on([5]).expand(*2 * [np.ones((2, 3))], np.eye(2)), "is not there"),
        (lambda: Chi2().expand(*2 * [np.array([[1.0], [-2.0]])], np.eye(2)), r"X\[1, 0\] is -2.0"),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("part", [Precomputed(), Function(laplacian)], ids=["matrix", "function"])
def test_only_compiled_parts(part):
    with pytest.raises(TypeError, match="cannot be a part"):
        part + RBF()
    with pytest.raises(TypeError, match="unsupported operand"):
        RBF() + "1"
    with pytest.raises(TypeError, match="not a kernel"):
        Sum((RBF(), laplacian))


def test_only_the_columns_of_chi2_have_to_be_positive(layout):
    X = np.array([[-1.0, 2.0, 0.0], [3.0, 1.0, 0.5]])
    kernel = RBF() + Chi2().on([1, 2])
    np.testing.assert_allclose(kernel.expand(layout(X), layout(X), np.eye(2)), kernel(X, X))
    X[1, 2] = -0.5
    with pytest.raises(ValueError, match=r"X\[1, 2\] is -0.5.*at least 0"):
        kernel.expand(layout(X), layout(X), np.eye(2))


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


@pytest.mark.parametrize("n", [1, 5, 50])
def test_weights_that_are_mostly_zero(n, layout):
    # As one class against one has them: blocks of centres with some outputs each.
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(700, 3)), rng.normal(size=(n, 3))
    weights = rng.normal(size=(700, 11))
    weights[:200, 4:] = weights[200:450, ::2] = weights[450:, 3] = 0
    weights[300:500] = 0
    kernel = RBF(0.4)
    expected = kernel(Z, X) @ weights
    np.testing.assert_allclose(kernel.expand(layout(Z), layout(X), weights), expected, atol=1e-12)
    packed = kernel.expansion(layout(X), weights)
    np.testing.assert_allclose(packed(layout(Z), 1), expected, atol=1e-12)
