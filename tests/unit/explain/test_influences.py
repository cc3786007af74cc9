"""Changes without a training row against fits without it."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from maxmargin import SVC, SVR
from maxmargin.explain import influences


@pytest.fixture(scope="module")
def data():
    return make_moons(80, noise=0.3, random_state=0)


def refitted(model, X, y, row, at):
    rest = np.arange(len(X)) != row
    other = SVC(**model.get_params(deep=False)).fit(X[rest], y[rest])
    return other.decision_function(at) - model.decision_function(at)


@pytest.mark.parametrize("options", [{}, {"loss": "squared_hinge"}, {"kernel": "linear"}])
def test_changes_are_those_of_fits(options, data):
    X, y = data
    at = np.random.default_rng(0).normal(size=(7, 2))
    model = SVC(**{"gamma": 2.0, "tol": 1e-10, **options}).fit(X, y)
    approximate, exact = (influences(model, X, y, at=at, refit=way) for way in (None, "changed"))
    assert np.array_equal(np.sort(exact.rows), np.sort(model.support_))
    errors = []
    for k, row in enumerate(exact.rows):
        expected = refitted(model, X, y, row, at)
        np.testing.assert_allclose(exact.change[k], expected, rtol=0, atol=1e-7)
        errors.append(np.abs(approximate.change[k] - expected).max())
    assert np.all(np.array(errors)[approximate.exact] < 1e-7)
    assert exact.exact.all()
    assert not approximate.exact.all()


def test_frames_are_sorted_and_labelled(data):
    X, y = data
    names = np.array(["left", "right"])[y]
    found = influences(SVC().fit(X, names), X, names, refit=None)
    frame = found.frame()
    assert np.all(np.diff(frame["size"]) <= 0)
    assert np.array_equal(names[frame["index"]], frame["label"])


def test_kernels_given_as_values(data):
    X, y = data
    K = np.exp(-2.0 * ((X[:, None] - X) ** 2).sum(-1))
    plain = influences(SVC(gamma=2.0).fit(X, y), X, y, refit=None)
    given = influences(SVC(kernel="precomputed").fit(K, y), K, y, refit=None)
    np.testing.assert_allclose(plain.change, given.change, atol=1e-7)


def test_what_cannot_be_asked_is_refused(data):
    X, y = data
    with pytest.raises(ValueError, match="model is SVR"):
        influences(SVR().fit(X, y), X, y)
    with pytest.raises(ValueError, match="refit is 'all'"):
        influences(SVC().fit(X, y), X, y, refit="all")
