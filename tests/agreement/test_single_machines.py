"""Regression and one-class against scikit-learn, and by what must hold at an optimum."""

import inspect

import numpy as np
import pytest
import sklearn.svm

from instances import blobs
from maxmargin import SVR, OneClassSVM, Status

MACHINES = {"svr": (SVR, sklearn.svm.SVR), "one-class": (OneClassSVM, sklearn.svm.OneClassSVM)}
machines = pytest.mark.parametrize(("ours", "theirs"), MACHINES.values(), ids=MACHINES.keys())


def curve(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=n)


@machines
def test_signature(ours, theirs):
    mine, its = (inspect.signature(cls).parameters for cls in (ours, theirs))
    assert {name: p.default for name, p in its.items()}.items() <= {
        name: p.default for name, p in mine.items()
    }.items()


@pytest.mark.parametrize("n", [150, 1300])
@pytest.mark.parametrize(
    "params",
    [{}, {"C": 20.0, "epsilon": 0.05}, {"kernel": "linear"}, {"epsilon": 0.0, "gamma": 2.0}],
    ids=str,
)
def test_regression(params, n):
    X, y = curve(n)
    ours = SVR(**params).fit(X, y)
    theirs = sklearn.svm.SVR(tol=1e-6, cache_size=1000, **params).fit(X, y)
    assert ours.status_ is Status.OPTIMAL
    limit = 1e-4 if n < 1024 else 5e-3
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=limit)
    for name in ("support_", "support_vectors_", "dual_coef_", "intercept_", "n_support_"):
        assert np.ndim(getattr(ours, name)) == np.ndim(getattr(theirs, name)), name
    again = ours.certify(X, y)
    assert abs(again.dual - ours.certificate_.dual) <= 1e-9 * abs(again.dual)


def test_regression_by_the_tube():
    X, y = curve(200)
    model = SVR(C=5.0, epsilon=0.1).fit(X, y)
    error = (y - model.predict(X))[model.support_]
    b = model.dual_coef_[0]
    at_bound = np.abs(b) == 5.0
    assert (error * b > 0).all()
    assert (np.abs(error[at_bound]) >= 0.1 - 1e-9).all()
    np.testing.assert_allclose(np.abs(error[~at_bound]), 0.1, atol=1e-9)
    assert abs(b.sum()) < 1e-9
    inside = np.setdiff1d(np.arange(200), model.support_)
    assert (np.abs(y - model.predict(X))[inside] <= 0.1 + 1e-9).all()


@pytest.mark.parametrize("n", [150, 1300])
@pytest.mark.parametrize("nu", [0.05, 0.5, 0.871])
def test_one_class(nu, n):
    X, _ = blobs(n, 3)
    ours = OneClassSVM(nu=nu).fit(X)
    theirs = sklearn.svm.OneClassSVM(nu=nu, tol=1e-6).fit(X)
    limit = 1e-4 if n < 1024 else 2e-3
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=limit)
    assert abs(ours.offset_[0] - theirs.offset_[0]) < limit * n
    np.testing.assert_allclose(
        ours.score_samples(X) - ours.offset_, ours.decision_function(X), atol=1e-12
    )
    # The nu property: at most a share nu strictly outside, at least that share support vectors.
    assert (ours.decision_function(X) < -1e-3).mean() <= nu + 1e-9
    assert len(ours.support_) / n >= nu - 1e-9


@machines
def test_weights_are_copies_and_zero_is_absence(ours, theirs):
    X, y = curve(60)
    weight = np.arange(60) % 3
    params = {"gamma": 0.5}
    weighted = ours(**params).fit(X, y, sample_weight=weight)
    copies = ours(**params).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    method = "predict" if ours is SVR else "decision_function"
    np.testing.assert_allclose(getattr(weighted, method)(X), getattr(copies, method)(X), atol=1e-9)
    assert (weight[weighted.support_] > 0).all()


def test_bad_values_are_refused():
    X, y = curve(20)
    with pytest.raises(ValueError, match=r"nu is 0.0; it must be"):
        OneClassSVM(nu=0.0).fit(X)
    with pytest.raises(ValueError, match=r"epsilon is -1.0; it must be"):
        SVR(epsilon=-1.0).fit(X, y)
    with pytest.raises(ValueError, match=r"(?i)sample.weight"):
        SVR().fit(X, y, sample_weight=np.zeros(20))
