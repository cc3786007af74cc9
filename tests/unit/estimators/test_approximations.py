"""Approximate kernels: what they claim about their error holds."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from instances import blobs, rings
from maxmargin import SGDSVC, SVC, LinearSVC, Nystroem, RandomFourier
from maxmargin.estimators.approximations import pivoted_cholesky
from maxmargin.kernels import RBF, Polynomial

KERNELS = {
    "rbf": ({"kernel": "rbf", "gamma": 0.3}, RBF(0.3)),
    "poly": (
        {"kernel": "poly", "gamma": 0.5, "degree": 2, "coef0": 1.0},
        Polynomial(2, 0.5, 1.0),
    ),
}


@pytest.mark.parametrize(("options", "kernel"), KERNELS.values(), ids=KERNELS.keys())
def test_no_value_is_off_by_more_than_the_error(options, kernel, layout):
    X, _ = blobs(150, 4)
    features = Nystroem(n_components=12, tol=0.0, **options).fit(layout(X))
    phi = features.transform(layout(X))
    errors = kernel(X, X) - phi @ phi.T
    assert np.abs(errors).max() <= features.error_ * (1 + 1e-9)
    np.testing.assert_allclose(np.trace(errors) / np.trace(kernel(X, X)), features.trace_error_)
    # Exact between landmarks.
    chosen = features.landmark_indices_
    assert len(set(chosen)) == 12
    np.testing.assert_allclose(errors[np.ix_(chosen, chosen)], 0, atol=1e-9)
    # New rows know their own error.
    Z, _ = blobs(40, 4, seed=7)
    psi, r = features.transform(layout(Z)), features.residuals(layout(Z))
    bound = np.sqrt(np.outer(np.maximum(r, 0), np.maximum(features.residuals(layout(X)), 0)))
    assert (np.abs(kernel(Z, X) - psi @ phi.T) <= bound + 1e-7).all()


def test_pivots_are_where_the_error_is_largest():
    X, _ = blobs(60, 3)
    K = RBF(0.5)(X, X)
    pivots, L, residuals = pivoted_cholesky(RBF(0.5), X, 10, 0.0)
    for j in range(10):
        left = np.diag(K - L[:, :j] @ L[:, :j].T)
        np.testing.assert_allclose(left[pivots[j]], left.max(), rtol=1e-8)
    np.testing.assert_allclose(np.diag(K - L @ L.T), residuals, atol=1e-12)


def test_no_more_landmarks_than_needed():
    X, _ = blobs(100, 3)
    rank_of_degree_one = Nystroem(kernel="linear", n_components=50).fit(X)
    assert len(rank_of_degree_one.landmark_indices_) == 3
    assert rank_of_degree_one.trace_error_ < 1e-6
    repeated = np.repeat(X[:5], 20, axis=0)
    assert len(Nystroem(n_components=50, gamma=0.1).fit(repeated).landmark_indices_) <= 5


def test_candidates_are_drawn_at_random():
    X, _ = blobs(500, 3)
    one = Nystroem(n_components=20, n_candidates=100, random_state=0).fit(X)
    other = Nystroem(n_components=20, n_candidates=100, random_state=0).fit(X)
    np.testing.assert_array_equal(one.landmark_indices_, other.landmark_indices_)
    np.testing.assert_array_equal(one.landmarks_, X[one.landmark_indices_])


def test_close_to_the_kernel_machine():
    X, y = rings(400)
    exact = SVC(gamma=1.0).fit(X, y)
    close = make_pipeline(Nystroem(gamma=1.0, n_components=80, tol=0.0), LinearSVC(loss="hinge"))
    close.fit(X, y)
    np.testing.assert_allclose(close.decision_function(X), exact.decision_function(X), atol=0.05)
    rough = make_pipeline(RandomFourier(gamma=1.0, random_state=0), SGDSVC(random_state=0))
    assert rough.fit(X, y).score(X, y) > 0.95


def test_waves_have_the_kernel_as_their_mean():
    X, _ = blobs(40, 3)
    K, total = RBF(0.2)(X, X), 0.0
    for seed in range(60):
        phi = RandomFourier(gamma=0.2, n_components=100, random_state=seed).fit_transform(X)
        total = total + phi @ phi.T
    assert np.abs(total / 60 - K).max() < 5 / np.sqrt(2 * 100 * 60)


def test_the_error_of_waves_is_measured(layout):
    X, _ = blobs(200, 3)
    features = RandomFourier(gamma=0.2, n_components=400, random_state=0).fit(layout(X))
    phi = features.transform(layout(X))
    errors = np.abs(phi @ phi.T - RBF(0.2)(X, X))
    np.testing.assert_allclose(features.error_, np.sqrt((errors**2).mean()), rtol=1e-9)
    np.testing.assert_allclose(features.max_error_, errors.max(), rtol=1e-9)
    assert features.error_ < 1 / np.sqrt(800)


@pytest.mark.parametrize("name", ["n_components", "gamma"])
def test_bad_parameters(name):
    X, _ = blobs(20)
    for made in (Nystroem, RandomFourier):
        with pytest.raises(ValueError, match=f"^{name} is -1; it must "):
            made(**{name: -1}).fit(X)
