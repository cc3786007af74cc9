"""Kernels that are not positive semidefinite: the fit descends and ends, and says what it is."""

import numpy as np
import pytest

from instances import FORMULATIONS, NAMED, blobs, formulation, outputs, sample
from judge import confirm
from maxmargin import SVC, Status


def indefinite(n, seed=0):
    """A symmetric matrix with as many negative eigenvalues as positive ones."""
    A = np.random.default_rng(seed).normal(size=(n, n))
    return (A + A.T) / np.sqrt(2 * n)


@pytest.mark.parametrize("n", [60, 1100])
@pytest.mark.parametrize("form", ["hinge", "svr", "nu-svr", "one-class"])
def test_given_matrix(form, n):
    _, y = sample(form, n)
    K = indefinite(n)
    model = formulation(form, kernel="precomputed", time_limit=60).fit(K, y)
    assert model.status_ is Status.OPTIMAL
    assert not model.certificate_.convex
    assert np.isfinite(outputs(model, K)).all()
    (verdict,) = confirm(model, K, y)
    assert verdict.violation <= model.tol


@pytest.mark.parametrize("kernel", [{"gamma": 1.0, "coef0": -1.0}, {"gamma": 5.0}], ids=str)
@pytest.mark.parametrize("form", ["hinge", "svr", "nu-svr", "one-class"])
def test_sigmoid(form, kernel):
    X, y = sample(form, 100)
    X = X - X.mean(axis=0)
    model = formulation(form, kernel="sigmoid", time_limit=60, **kernel).fit(X, y)
    confirm(model, X, y)
    K = np.tanh(kernel["gamma"] * X @ X.T + kernel.get("coef0", 0.0))
    assert np.linalg.eigvalsh(K)[0] < -0.1
    assert not model.certificate_.convex
    assert np.isfinite(outputs(model, X)).all()


def test_last_digit_is_not_sought_along_negative_curvature():
    # The start is a solution already: nothing of first order moves there.
    K = np.array([[-3.3, -1.3, 1.3], [-1.3, 1.3, -0.6], [1.3, -0.6, -1.1]])
    model = formulation("nu-svr", kernel="precomputed", C=0.01, nu=0.5, tol=1e-6)
    assert model.fit(K, np.ones(3)).status_ is Status.OPTIMAL


def test_descends():
    # Never worse than the point it starts from, where the dual is 0.
    for seed in range(5):
        model = SVC(kernel="precomputed", C=0.5).fit(indefinite(80, seed), blobs(80, seed=seed)[1])
        assert model.certificate_.dual > 0


@pytest.mark.parametrize("form", FORMULATIONS)
@pytest.mark.parametrize("name", [name for name in NAMED if name != "sigmoid"])
def test_proper_kernels_are_convex(form, name):
    if form == "hard-margin" and name in ("poly2", "cosine"):
        pytest.skip("no hard margin")
    X, y = sample(form, 80)
    X, y = np.r_[X, X[:20]], np.r_[y, y[:20]]  # duplicates: curvature zero up to rounding
    assert formulation(form, **NAMED[name]).fit(X, y).certificate_.convex


def test_squared_hinge_has_no_minimum():
    # Along a direction of negative curvature nothing ends the descent.
    y = np.arange(40) % 2
    with pytest.raises(ValueError, match="not positive semidefinite"):
        SVC(kernel="precomputed", loss="squared_hinge", C=100.0).fit(indefinite(40), y)


def test_squared_hinge_may_have_one_all_the_same():
    # The ridge 1 / (2 C) makes up for small negative eigenvalues.
    y = np.arange(40) % 2
    model = SVC(kernel="precomputed", loss="squared_hinge", C=0.05).fit(indefinite(40), y)
    (verdict,) = confirm(model, indefinite(40), y)
    assert verdict.violation < 1e-9
