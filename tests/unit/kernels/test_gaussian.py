import numpy as np
import pytest
from sklearn.svm import SVC

from maxmargin.kernels import Gaussian

rng = np.random.default_rng(9)
X = rng.normal(size=(40, 2))
y = np.where(np.linalg.norm(X, axis=1) + 0.3 * rng.normal(size=40) > 1.1, 1.0, -1.0)


def test_sigma_and_gamma_are_two_names_of_one_width():
    for gamma in (0.01, 0.5, 30.0):
        assert Gaussian.from_gamma(gamma).gamma == pytest.approx(gamma)
    u, v = X[:1], X[1:2]
    expected = 3 * np.exp(-np.sum((u - v) ** 2) / (2 * 0.7**2))
    assert Gaussian(sigma=0.7, prefactor=3.0)(u, v) == pytest.approx(expected)


def test_a_prefactor_is_a_larger_C():
    one = SVC(kernel=Gaussian(sigma=0.7, prefactor=5.0), C=0.6, tol=1e-8).fit(X, y)
    other = SVC(gamma=Gaussian(sigma=0.7).gamma, C=3.0, tol=1e-8).fit(X, y)
    assert np.allclose(one.decision_function(X), other.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("name", ["sigma", "prefactor"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.inf])
def test_out_of_range(name, value):
    with pytest.raises(ValueError, match=f"{name} must be positive and finite, got"):
        Gaussian(**{name: value})


def test_gamma_out_of_range():
    with pytest.raises(ValueError, match="gamma must be positive and finite, got -1"):
        Gaussian.from_gamma(-1.0)
