import numpy as np
import pytest

from maxmargin.kernels import (
    GaussianMap,
    MonomialMap,
    PolynomialMap,
    PowerMap,
    ProductMap,
    exponents,
)

rng = np.random.default_rng(8)
U, V = rng.normal(size=(6, 3)), rng.normal(size=(4, 3))


@pytest.mark.parametrize(
    "phi",
    [
        *(PolynomialMap(degree, coef0) for degree in (1, 2, 3, 5) for coef0 in (0.0, 1.0, 2.5)),
        *(ProductMap(degree) for degree in (1, 2, 3)),
        MonomialMap(3),
        PowerMap(3),
        GaussianMap(degree=60, gamma=0.4),
    ],
    ids=repr,
)
def test_both_routes_give_the_same_gram_matrix(phi):
    assert np.allclose(phi(U) @ phi(V).T, phi.kernel(U, V), rtol=1e-10, atol=1e-12)


def test_the_kernels_written_out():
    s = U @ V.T
    assert np.allclose(PolynomialMap(3).kernel(U, V), s**3)
    assert np.allclose(PolynomialMap(4, coef0=2.0).kernel(U, V), (2 + s) ** 4)
    assert np.allclose(ProductMap(2).kernel(U, V), 1 + s + s**2)
    assert np.allclose(PowerMap(2).kernel(U, V), s + U**2 @ (V**2).T)
    distances = np.linalg.norm(U[:, None] - V[None], axis=-1)
    assert np.allclose(GaussianMap(3, gamma=0.4).kernel(U, V), np.exp(-0.4 * distances**2))


def test_the_identity_for_the_square_of_the_inner_product():
    u = np.array([[3.0, -2.0]])
    assert np.allclose(PolynomialMap(2)(u), [[9.0, -6.0 * np.sqrt(2), 4.0]])


def test_the_plain_map_does_not_have_the_polynomial_kernel():
    plain = ProductMap(2)
    assert plain(U).shape == (6, 1 + 3 + 9)
    assert not np.allclose(plain(U) @ plain(V).T, PolynomialMap(2, coef0=1.0).kernel(U, V))


def test_sizes():
    assert MonomialMap(2)(U[:, :2]).shape[1] == 5
    assert MonomialMap(3)(U[:, :2]).shape[1] == 9
    assert PolynomialMap(3, coef0=1.0)(U).shape[1] == 20
    assert PolynomialMap(3)(U).shape[1] == 10
    assert GaussianMap(4)(U).shape[1] == GaussianMap(4).n_features(3) == 35


def test_exponents_of_degree_zero_is_the_constant():
    assert exponents(3, 0).tolist() == [[0, 0, 0]]


def test_gaussian_map_of_one_variable_term_by_term():
    """exp(-x^2) sqrt(2^q / q!) x^q for gamma = 1."""
    x = 0.7
    terms = [np.sqrt(2**q / f) * x**q for q, f in enumerate([1, 1, 2, 6, 24])]
    assert np.allclose(GaussianMap(degree=4)([[x]]), np.exp(-(x**2)) * np.array(terms))


@pytest.mark.parametrize("degree", [2, 5, 10])
def test_the_truncation_error_is_within_its_bound_and_reaches_it(degree):
    phi = GaussianMap(degree, gamma=0.5)
    radius = np.linalg.norm(U, axis=1).max()
    error = np.abs(phi(U) @ phi(U).T - phi.kernel(U, U))
    bound = phi.error_bound(radius)
    assert error.max() <= bound * (1 + 1e-9)
    # The longest row against itself is the worst case.
    assert error.max() == pytest.approx(bound, rel=1e-6)


@pytest.mark.parametrize("build", [PolynomialMap, ProductMap, MonomialMap, PowerMap, GaussianMap])
@pytest.mark.parametrize("degree", [0, -1, 1.5])
def test_degree_out_of_range(build, degree):
    with pytest.raises(ValueError, match="degree must be a positive integer, got"):
        build(degree)


def test_a_negative_coef0_is_no_kernel():
    with pytest.raises(ValueError, match="coef0 must be 0 or more"):
        PolynomialMap(2, coef0=-1.0)
    gram = (-1.0 + np.array([[0.25, 0.5], [0.5, 1.0]])) ** 3
    assert np.linalg.eigvalsh(gram)[0] < 0


def test_gamma_out_of_range():
    with pytest.raises(ValueError, match="gamma must be positive and finite, got 0"):
        GaussianMap(2, gamma=0.0)
