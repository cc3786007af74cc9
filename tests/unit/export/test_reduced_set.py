"""Smaller sets of vectors: gradients, bounds that hold, and what is measured."""

import numpy as np
import pytest

from exported import KERNELS, data, fitted
from maxmargin import SVC, SVR, LinearSVC
from maxmargin.export import ExportError, to_c
from maxmargin.export.chain import Chain, Expansion
from maxmargin.export.compression import compressed
from maxmargin.export.gradients import pulled, values
from maxmargin.export.reduced_set import distance_bound, greedy_choice, reduced_set
from maxmargin.kernels import RBF

CONVEX = [name for name in KERNELS if name not in ("sigmoid", "linear", "inner_products")]


def kernel_of(name):
    return Expansion.of(fitted(name)[0]).kernel


@pytest.mark.parametrize("name", CONVEX)
def test_gradients_are_those_of_differences(name):
    rng = np.random.default_rng(0)
    kernel, X, Z = kernel_of(name), rng.uniform(size=(7, 13)), rng.uniform(size=(3, 13))
    G = rng.normal(size=(3, 7))
    np.testing.assert_allclose(values(kernel, Z, X), kernel(Z, X), rtol=1e-12)
    gradient, step = pulled(kernel, Z, X, G), 1e-6
    for place in [(0, 0), (1, 4), (2, 7), (2, 12)]:
        moved = [Z.copy(), Z.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        high, low = ((G * kernel(part, X)).sum() for part in moved)
        assert gradient[place] == pytest.approx((high - low) / (2 * step), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("name", CONVEX)
def test_no_output_moves_by_more_than_the_bound(name):
    model, X = fitted(name)
    rows = np.vstack([X, 3 * np.random.default_rng(0).uniform(size=(200, X.shape[1]))])
    _, cost = compressed(Chain.of(model), 10, rows)
    assert cost.n_after <= 10
    assert 0 < cost.moved <= cost.largest


def test_the_bound_is_the_distance():
    rng = np.random.default_rng(0)
    X, A, Z, W = (rng.normal(size=shape) for shape in [(40, 3), (40, 2), (5, 3), (5, 2)])
    kernel = RBF(0.5)
    both, weights = np.vstack([X, Z]), np.vstack([A, -W])
    exact = np.sqrt(np.diagonal(weights.T @ kernel(both, both) @ weights))
    found = distance_bound(kernel, X, A, Z, W)
    assert (found >= exact).all()
    np.testing.assert_allclose(found, exact, rtol=1e-6)


def test_moving_vectors_leaves_less_than_choosing_them():
    rng = np.random.default_rng(0)
    X, A, kernel = rng.normal(size=(150, 2)), rng.normal(size=(150, 1)), RBF(0.3)
    chosen = X[greedy_choice(kernel, X, A, 8)]
    weights = np.linalg.solve(kernel(chosen, chosen), kernel(chosen, X) @ A)
    before = distance_bound(kernel, X, A, chosen, weights)[0]
    after = distance_bound(kernel, X, A, *reduced_set(kernel, X, A, 8))[0]
    some = X[:8]
    any_weights = np.linalg.solve(kernel(some, some), kernel(some, X) @ A)
    assert after < 0.9 * before
    assert before < 0.9 * distance_bound(kernel, X, A, some, any_weights)[0]


def test_what_is_measured(tmp_path):
    X, y = data("digits")
    model = SVC().fit(X[:300], y[:300])
    report = to_c(model, tmp_path / "m.c", compress=40, X=X[300:], y=y[300:])
    cost = report.compression
    assert (report.n_vectors, cost.n_after) == (40, 40)
    assert cost.n_before > 200
    assert cost.n_rows == 200
    assert cost.agreement > 0.9
    assert cost.score_before == model.score(X[300:], y[300:])
    assert abs(cost.score_after - cost.score_before) < 0.05
    assert "40 vectors in the place of" in str(report)
    fewer = to_c(model, tmp_path / "m.c", compress=10, X=X[300:]).compression
    assert fewer.bound > cost.bound
    assert fewer.score_after is None


def test_a_regression(tmp_path):
    X, y = data("diabetes")
    cost = to_c(SVR(C=100).fit(X, y), tmp_path / "m.c", compress=20, X=X, y=y).compression
    assert cost.agreement is None
    assert 0 < cost.score_after < cost.score_before
    assert "R^2" in str(cost)


def test_more_vectors_than_there_are_change_nothing(tmp_path):
    model, X = fitted("rbf")
    cost = to_c(model, tmp_path / "m.c", compress=10_000, X=X).compression
    assert cost.n_after == cost.n_before
    assert cost.moved == 0
    assert cost.agreement == 1


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LinearSVC(), "linear machine has none"),
        (SVC(kernel="sigmoid"), "not positive semidefinite"),
    ],
)
def test_what_has_no_smaller_set(model, words, tmp_path):
    with pytest.raises(ExportError, match=words):
        to_c(model.fit(*data("iris")), tmp_path / "m.c", compress=3)
    assert list(tmp_path.iterdir()) == []
