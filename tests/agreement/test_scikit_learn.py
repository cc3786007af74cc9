"""Held against scikit-learn's SVC: the same optimum, the same attributes, the same predictions."""

import inspect
import warnings

import numpy as np
import pytest
import sklearn.svm
from sklearn.exceptions import ConvergenceWarning

from instances import CONVEX, blobs, laplacian, rings
from judge import verdicts
from maxmargin import SVC

kernels = pytest.mark.parametrize("kernel", CONVEX.values(), ids=CONVEX.keys())


def both(X, y, sample_weight=None, tol=1e-7, **params):
    ours = SVC(**params).fit(X, y, sample_weight)
    theirs = sklearn.svm.SVC(tol=tol, max_iter=2_000_000, **params)
    with warnings.catch_warnings():
        # Where it does not get there, the judge knows how far it got.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return ours, theirs.fit(X, y, sample_weight)


def same_optimum(ours, theirs, X, y, sample_weight=None):
    """Our objective is never worse, and equal within 1e-6 where theirs has converged."""
    for own, other in zip(
        verdicts(ours, X, y, sample_weight), verdicts(theirs, X, y, sample_weight), strict=True
    ):
        rounding = 1e-12 * abs(own.dual) + abs(own.dual) * other.infeasibility
        assert own.dual >= other.dual - rounding
        if other.violation < 1e-4:
            assert own.dual == pytest.approx(other.dual, rel=1e-6)


def same_decisions(ours, theirs, X):
    # Its float32 kernel values leave it short of the optimum, the more the larger its values.
    own, other = ours.decision_function(X), theirs.decision_function(X)
    np.testing.assert_allclose(own, other, rtol=1e-3, atol=1e-3)


# ---- Objectives and decisions -------------------------------------------------------------------


@kernels
@pytest.mark.parametrize("classes", [2, 3, 6])
@pytest.mark.parametrize("C", [0.05, 1.0, 30.0])
def test_kernels_and_penalties(kernel, C, classes, seed):
    X, y = blobs(90, 4, classes, seed)
    ours, theirs = both(X, y, C=C, **kernel)
    same_optimum(ours, theirs, X, y)
    same_decisions(ours, theirs, X)


@pytest.mark.parametrize("gamma", ["scale", "auto", 1e-3, 0.1, 3.0, 100.0])
@pytest.mark.parametrize("C", [1e-2, 1.0, 100.0])
def test_rbf_grid(C, gamma):
    X, y = rings(150)
    ours, theirs = both(X, y, C=C, gamma=gamma)
    same_optimum(ours, theirs, X, y)
    same_decisions(ours, theirs, X)


@pytest.mark.parametrize("classes", [2, 5])
def test_precomputed(classes):
    X, y = blobs(80, 3, classes)
    K = laplacian(X, X)
    ours, theirs = both(K, y, kernel="precomputed")
    same_optimum(ours, theirs, K, y)
    Z, _ = blobs(40, 3, classes, seed=3)
    across = laplacian(Z, X)
    np.testing.assert_allclose(
        ours.decision_function(across), theirs.decision_function(across), atol=1e-5
    )
    np.testing.assert_array_equal(ours.predict(across), theirs.predict(across))


@pytest.mark.parametrize("classes", [2, 3, 5, 12, 30])
def test_number_of_classes(classes):
    X, y = blobs(max(90, 6 * classes), 5, classes)
    Z, _ = blobs(200, 5, classes, seed=9)
    ours, theirs = both(X, y)
    same_optimum(ours, theirs, X, y)
    np.testing.assert_array_equal(ours.predict(Z), theirs.predict(Z))


@kernels
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0, 1: 0.2}], ids=str)
def test_weights(kernel, class_weight, seed):
    X, y = blobs(80, 4, 3, seed)
    keep = np.random.default_rng(seed).random(len(y)) < np.array([1.0, 0.4, 0.7])[y]
    X, y = X[keep], y[keep]
    ours, theirs = both(X, y, class_weight=class_weight, **kernel)
    np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_, rtol=1e-14)
    same_optimum(ours, theirs, X, y)


def test_sample_weights(seed):
    # With a number as gamma: scikit-learn's "scale" does not look at weights.
    X, y = blobs(80, 4, 3, seed)
    weight = np.random.default_rng(seed).uniform(0.1, 3.0, len(y))
    ours, theirs = both(X, y, weight, gamma=0.3)
    same_optimum(ours, theirs, X, y, weight)


def test_sparse(layout):
    X, y = blobs(90, 6, 3)
    X[np.abs(X) < 0.7] = 0
    ours, theirs = SVC().fit(layout(X), y), sklearn.svm.SVC(tol=1e-8).fit(X, y)
    same_optimum(ours, theirs, X, y)
    same_decisions(ours, theirs, X)


@pytest.mark.parametrize("C", [0.05, 1.0])
@pytest.mark.parametrize("classes", [2, 4])
def test_sigmoid(classes, C, seed):
    # Not convex in general: with a small gamma and C both end in the same optimum.
    X, y = blobs(90, 4, classes, seed)
    ours, theirs = both(X, y, kernel="sigmoid", gamma=0.01, coef0=0.1, C=C)
    same_optimum(ours, theirs, X, y)
    same_decisions(ours, theirs, X)


# ---- Predictions --------------------------------------------------------------------------------


@kernels
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_decision_function(kernel, shape, classes):
    X, y = blobs(90, 4, classes)
    Z, _ = blobs(60, 4, classes, seed=7)
    ours, theirs = both(X, y, decision_function_shape=shape, **kernel)
    assert ours.decision_function(Z).shape == theirs.decision_function(Z).shape
    assert ours.decision_function(Z).dtype == np.float64
    same_decisions(ours, theirs, Z)


@kernels
@pytest.mark.parametrize("break_ties", [False, True])
@pytest.mark.parametrize("classes", [2, 3, 4, 8])
def test_predict(kernel, break_ties, classes):
    # Clouds upon each other: many cyclic votes.
    X, y = blobs(100, 3, classes, spread=2.0)
    Z, _ = blobs(400, 3, classes, seed=7, spread=2.0)
    ours, theirs = both(X, y, break_ties=break_ties, **kernel)
    decisions = theirs.set_params(decision_function_shape="ovo").decision_function(Z)
    theirs.set_params(decision_function_shape="ovr")
    clear = np.abs(decisions).reshape(len(Z), -1).min(axis=1) > 1e-4
    assert clear.mean() > 0.4
    np.testing.assert_array_equal(ours.predict(Z)[clear], theirs.predict(Z)[clear])


def test_break_ties_needs_class_scores():
    X, y = blobs(60, 3, 3)
    model = SVC(break_ties=True, decision_function_shape="ovo").fit(X, y)
    with pytest.raises(ValueError, match="break_ties"):
        model.predict(X)


# ---- Attributes ---------------------------------------------------------------------------------


@kernels
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_attributes(kernel, classes, dtype):
    X, y = blobs(90, 4, classes, dtype=dtype)
    ours, theirs = both(X, y, **kernel)
    for name in ("classes_", "class_weight_", "shape_fit_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    for name in ("support_", "n_support_", "dual_coef_", "intercept_", "n_iter_"):
        own, other = getattr(ours, name), getattr(theirs, name)
        assert own.dtype.kind == other.dtype.kind, name
        assert own.ndim == other.ndim, name
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_array_equal(ours.support_vectors_, X[ours.support_])
    assert ours.n_iter_.shape == theirs.n_iter_.shape
    assert ours.fit_status_ == theirs.fit_status_ == 0
    assert ours.n_features_in_ == 4


@pytest.mark.parametrize("classes", [2, 4])
def test_coef(classes, layout):
    X, y = blobs(90, 5, classes)
    ours = SVC(kernel="linear").fit(layout(X), y)
    theirs = sklearn.svm.SVC(kernel="linear", tol=1e-8).fit(X, y)
    coef = ours.coef_.toarray() if hasattr(ours.coef_, "toarray") else ours.coef_
    np.testing.assert_allclose(coef, theirs.coef_, atol=1e-5)
    ovo = SVC(kernel="linear", decision_function_shape="ovo").fit(X, y).decision_function(X)
    np.testing.assert_allclose((X @ coef.T + ours.intercept_).reshape(ovo.shape), ovo, atol=1e-9)


@kernels
def test_no_coef_of_other_kernels(kernel):
    X, y = blobs(40)
    assert hasattr(SVC(**kernel).fit(X, y), "coef_") == (kernel["kernel"] == "linear")


def test_fit_status_of_a_fit_that_ended_early():
    X, y = blobs(200, spread=2.0)
    for estimator in (SVC(max_iter=3), sklearn.svm.SVC(max_iter=3)):
        with pytest.warns(ConvergenceWarning):
            assert estimator.fit(X, y).fit_status_ == 1


def test_readable_duals():
    X, y = blobs(90, 4, 3)
    model = SVC(C=0.7).fit(X, y)
    assert model.alphas_.shape == model.support_status_.shape == (3, len(model.support_))
    assert (model.alphas_ >= 0).all()
    assert (model.alphas_ <= 0.7).all()
    np.testing.assert_array_equal(model.alphas_ == 0, model.support_status_ == 0)
    np.testing.assert_array_equal(model.alphas_ == 0.7, model.support_status_ == 2)
    assert np.sort(np.abs(model.dual_coef_).sum(axis=0)) == pytest.approx(
        np.sort(model.alphas_.sum(axis=0))
    )


# ---- Signature ----------------------------------------------------------------------------------


def test_constructor():
    ours = inspect.signature(SVC).parameters
    theirs = dict(inspect.signature(sklearn.svm.SVC).parameters)
    for name, parameter in theirs.items():
        if name != "probability":  # False, as it was documented there
            assert ours[name].default == parameter.default, name
        assert ours[name].kind is inspect.Parameter.KEYWORD_ONLY
    assert list(ours)[: len(theirs)] == list(theirs)


@pytest.mark.parametrize("method", ["fit", "predict", "decision_function", "score"])
def test_methods(method):
    ours, theirs = (inspect.signature(getattr(cls, method)) for cls in (SVC, sklearn.svm.SVC))
    assert list(ours.parameters) == list(theirs.parameters)


def test_parameters_that_change_nothing():
    X, y = blobs(90, 4, 3)
    plain = SVC().fit(X, y)
    for params in ({"shrinking": False}, {"random_state": 3}, {"cache_size": 1}):
        np.testing.assert_array_equal(SVC(**params).fit(X, y).dual_coef_, plain.dual_coef_)
