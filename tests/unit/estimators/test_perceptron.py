"""The Perceptron estimator against the toolbox's rule, which keeps its whole path."""

import numpy as np
import pytest

from instances import blobs
from maxmargin import Perceptron, Status
from maxmargin.optimizers import mistake_bound, perceptron


def separable(n=80, d=3, seed=0, gap=0.4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(4 * n, d))
    w = rng.normal(size=d)
    f = X @ w / np.linalg.norm(w) + 0.3
    X, f = X[np.abs(f) > gap][:n], f[np.abs(f) > gap][:n]
    return X, (f > 0).astype(int)


def test_it_is_the_toolbox_s_rule(seed, layout):
    X, y = separable(seed=seed)
    model, run = Perceptron().fit(layout(X), y), perceptron(X, 2.0 * y - 1)
    np.testing.assert_allclose(model.coef_[0], run.w, atol=1e-12)
    np.testing.assert_allclose(model.intercept_[0], run.b, atol=1e-12)
    np.testing.assert_array_equal(model.mistakes_[:, 0], run.mistakes_per_pass)
    assert model.n_mistakes_[0] == len(run.mistakes)
    assert model.status_ is Status.OPTIMAL
    assert run.converged
    bound = mistake_bound(X, 2.0 * y - 1, run.w, run.b)
    np.testing.assert_allclose(model.mistake_bound_[0], bound)
    assert model.n_mistakes_[0] <= bound


def test_the_average_is_over_all_steps():
    X, y = blobs(50, 3, spread=2.0)
    model = Perceptron(average=True, max_iter=4).fit(X, y)
    A, signs, w, total = np.c_[X, np.ones(50)], 2.0 * y - 1, np.zeros(4), np.zeros(4)
    for _ in range(model.n_iter_):
        for x, sign in zip(A, signs, strict=True):
            if sign * (x @ w) <= 0:
                w = w + sign * x
            total += w
    np.testing.assert_allclose(
        np.append(model.coef_, model.intercept_), total / (50 * model.n_iter_), atol=1e-12
    )


def test_a_margin_makes_a_wider_one(seed):
    X, y = separable(seed=seed)
    plain, wide = Perceptron().fit(X, y), Perceptron(margin=20.0).fit(X, y)
    assert wide.status_ is Status.OPTIMAL
    signs = 2 * y - 1
    assert (signs * wide.decision_function(X) > 20).all()
    assert wide.mistake_bound_[0] >= wide.n_mistakes_[0] > plain.n_mistakes_[0]

    def distance(model):
        return (signs * model.decision_function(X)).min() / np.linalg.norm(model.coef_)

    assert distance(wide) > distance(plain)


def test_rows_that_cannot_be_separated():
    X, y = blobs(100, 3, spread=3.0)
    model = Perceptron(max_iter=20).fit(X, y)
    assert model.status_ is Status.MAX_ITERATIONS
    assert model.n_iter_ == 20
    assert model.mistake_bound_[0] == np.inf
    averaged = Perceptron(average=True, max_iter=20).fit(X, y)
    assert averaged.score(X, y) >= model.score(X, y) - 0.02


def test_each_class_against_the_rest():
    X, y = blobs(90, 4, 3, spread=0.3)
    model = Perceptron().fit(X, y)
    for k in range(3):
        # All outputs run until none of them is mistaken; one that is done no longer moves.
        alone = Perceptron().fit(X, y == k)
        np.testing.assert_allclose(model.coef_[k], alone.coef_[0], atol=1e-12)
        assert model.n_mistakes_[k] == alone.n_mistakes_[0]
    assert model.score(X, y) > 0.9


def test_a_stream_is_one_pass():
    X, y = separable()
    model = Perceptron()
    for begin in range(0, 80, 30):
        model.partial_fit(X[begin : begin + 30], y[begin : begin + 30], classes=[0, 1])
    whole = Perceptron(max_iter=1).fit(X, y)
    np.testing.assert_allclose(model.coef_, whole.coef_, atol=1e-12)
    assert model.mistakes_.shape == (3, 1)
    assert model.n_mistakes_.sum() == whole.n_mistakes_.sum()


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_intercept(fit_intercept):
    X, y = separable(gap=0.7)
    model = Perceptron(fit_intercept=fit_intercept, max_iter=50).fit(X, y)
    assert (model.intercept_[0] != 0) == fit_intercept


def test_a_step_size_is_a_factor_of_the_model():
    X, y = separable()
    one, other = Perceptron(average=True).fit(X, y), Perceptron(average=True, eta0=0.25).fit(X, y)
    np.testing.assert_allclose(other.coef_, 0.25 * one.coef_, rtol=1e-12)
    np.testing.assert_array_equal(other.mistakes_, one.mistakes_)
    np.testing.assert_allclose(other.mistake_bound_, one.mistake_bound_)


@pytest.mark.parametrize("eta0", [0.25, 4.0])
def test_the_bound_knows_the_step_size(eta0):
    X, y = separable()
    model = Perceptron(margin=1.0, eta0=eta0).fit(X, y)
    assert model.status_ is Status.OPTIMAL
    assert model.n_mistakes_[0] <= model.mistake_bound_[0]
    # The rule with a margin and a step of eta0 is that with margin / eta0 and a step of 1.
    same = Perceptron(margin=1.0 / eta0).fit(X, y)
    np.testing.assert_array_equal(model.mistakes_, same.mistakes_)
    np.testing.assert_allclose(model.mistake_bound_, same.mistake_bound_)


def test_passes_that_bring_too_little_end_a_fit():
    X, y = blobs(200, 3, spread=3.0)
    model = Perceptron(tol=1e-3, n_iter_no_change=4).fit(X, y)
    assert model.status_ is Status.PRECISION
    shares = model.mistakes_.sum(axis=1) / 200
    best = np.minimum.accumulate(shares)[:-1]
    stalled = shares[1:] > best - 1e-3
    assert stalled[-4:].all()
    assert not any(stalled[k : k + 4].all() for k in range(len(stalled) - 4))
    X, y = separable()
    assert Perceptron(tol=1e-9).fit(X, y).status_ is Status.OPTIMAL


def test_held_out_rows_end_a_fit():
    X, y = blobs(400, 3, spread=3.0)
    model = Perceptron(early_stopping=True, average=True, random_state=0).fit(X, y)
    assert model.status_ is Status.PRECISION
    assert model.n_iter_ < 1000
    assert model.certificate_.n_rows == 360


def test_warm_start_goes_on():
    X, y = blobs(100, 3, spread=3.0)
    model = Perceptron(warm_start=True, max_iter=3).fit(X, y).fit(X, y)
    np.testing.assert_allclose(model.coef_, Perceptron(max_iter=6).fit(X, y).coef_, atol=1e-12)
    start = Perceptron(max_iter=3).fit(X, y)
    begin = {"coef_init": start.coef_, "intercept_init": start.intercept_}
    given = Perceptron(max_iter=3).fit(X, y, **begin)
    np.testing.assert_allclose(model.coef_, given.coef_, atol=1e-12)
