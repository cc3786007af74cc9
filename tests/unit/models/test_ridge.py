import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge as Judge
from sklearn.linear_model import Ridge

from maxmargin.kernels import Gaussian, PolynomialMap
from maxmargin.models import kernel_ridge

rng = np.random.default_rng(13)
X, Z = rng.normal(size=(30, 2)), rng.normal(size=(10, 2))
y = np.sin(X[:, 0]) + X[:, 1] ** 2


def test_ridge_on_the_features_is_ridge_by_the_kernel():
    phi = PolynomialMap(degree=3, coef0=1.0)
    by_kernel = kernel_ridge(X, y, phi.kernel, lam=0.1).predict(Z)
    by_map = Ridge(alpha=0.1, fit_intercept=False).fit(phi(X), y).predict(phi(Z))
    assert np.allclose(by_kernel, by_map, rtol=1e-8)


@pytest.mark.parametrize("lam", [1e-3, 1.0, 100.0])
def test_agrees_with_scikit_learn(lam):
    model = kernel_ridge(X, y, Gaussian.from_gamma(0.5), lam=lam)
    judge = Judge(alpha=lam, kernel="rbf", gamma=0.5).fit(X, y)
    assert np.allclose(model.predict(Z), judge.predict(Z), rtol=1e-9)


def test_no_alpha_is_zero():
    model = kernel_ridge(X, y, Gaussian(), lam=0.1)
    assert np.abs(model.alpha).min() > 1e-8


@pytest.mark.parametrize("lam", [0.0, -1.0, np.inf])
def test_lam_out_of_range(lam):
    with pytest.raises(ValueError, match="lam must be positive and finite, got"):
        kernel_ridge(X, y, Gaussian(), lam=lam)
