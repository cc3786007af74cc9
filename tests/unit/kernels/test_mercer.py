import numpy as np
import pytest

from maxmargin.kernels import Gaussian, PolynomialMap, ProductMap, check_mercer

rng = np.random.default_rng(10)
X = rng.normal(size=(30, 3))


@pytest.mark.parametrize(
    "kernel",
    [
        Gaussian(0.5),
        Gaussian(10.0, prefactor=1e-6),
        PolynomialMap(3, 1.0).kernel,
        PolynomialMap(2).kernel,
        ProductMap(2).kernel,
        lambda U, V: U @ V.T,
        lambda U, V: U @ V.T + Gaussian()(U, V) * PolynomialMap(2).kernel(U, V),
    ],
)
def test_kernels_pass(kernel):
    assert check_mercer(kernel(X, X)).holds


@pytest.mark.parametrize(
    "K",
    [
        np.tanh(X @ X.T - 1),
        -np.linalg.norm(X[:, None] - X[None], axis=-1),
        Gaussian(2.0)(X, X) - 0.5,
    ],
    ids=["sigmoid", "minus distance", "shifted down"],
)
def test_others_fail_with_a_witness(K):
    report = check_mercer(K)
    assert not report.holds
    a = report.witness
    assert a @ K @ a == pytest.approx(report.eigenvalues[0])
    assert a @ K @ a < -report.tolerance


def test_asymmetry_alone_fails():
    K = Gaussian()(X, X)
    K[0, 1] += 1e-6
    report = check_mercer(K)
    assert not report.holds
    assert report.asymmetry == pytest.approx(1e-6)
    assert check_mercer(K, tol=1e-5).holds


@pytest.mark.parametrize("K", [np.ones((2, 3)), np.ones(4)])
def test_not_square(K):
    with pytest.raises(ValueError, match="K must be a square matrix, got shape"):
        check_mercer(K)


def test_not_finite():
    with pytest.raises(ValueError, match="K must be finite"):
        check_mercer([[1.0, np.nan], [np.nan, 1.0]])
