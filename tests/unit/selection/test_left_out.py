import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons

from maxmargin import SVC, LinearSVC
from maxmargin.selection import leave_one_out, radius_margin_bound, span_bound


def moons():
    return make_moons(50, noise=0.3, random_state=0)


def refits(X, y, weight=None, **parameters):
    """Decision values of each row by a fit without it."""
    values = np.empty(len(y))
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        model = SVC(**parameters, tol=1e-10)
        model.fit(X[rest], y[rest], None if weight is None else weight[rest])
        values[i] = model.decision_function(X[i : i + 1])[0]
    return values


CASES = {
    "rbf": {"C": 10.0, "gamma": 1.0},
    "linear": {"C": 1.0, "kernel": "linear"},
    "squares": {"C": 1.0, "gamma": 1.0, "loss": "squared_hinge"},
    "separable": {"C": 1e4, "gamma": 5.0},
}


@pytest.mark.parametrize("copies", [0, 20])
@pytest.mark.parametrize("case", CASES)
def test_it_is_what_n_fits_say(case, copies):
    X, y = moons()
    X, y = np.vstack([X, X[:copies]]), np.append(y, y[:copies])
    model = SVC(**CASES[case]).fit(X, y)
    exact = refits(X, y, **CASES[case])
    rule = leave_one_out(model, X, y)
    assert 0 < rule.n_changed < len(y)
    np.testing.assert_allclose(rule.decision[rule.exact], exact[rule.exact], atol=1e-8)
    low, high = rule.error_bounds
    errors = int(((2 * y - 1) * exact <= 0).sum())
    assert low <= errors <= high
    refitted = leave_one_out(model, X, y, refit="changed")
    np.testing.assert_allclose(refitted.decision, exact, atol=1e-7)
    assert refitted.errors == errors == refitted.error_bounds[0] == refitted.error_bounds[1]


@pytest.mark.parametrize(
    ("name", "gamma", "C"), [("german_numer_scale", 2.0**-5, 1.0), ("splice", 2.0**-6, 8.0)]
)
def test_on_real_rows(name, gamma, C):
    folder = os.environ.get("MAXMARGIN_DATA")
    if folder is None:
        pytest.skip("MAXMARGIN_DATA is not set")
    with np.load(Path(folder, f"{name}.npz")) as file:
        X, y = file["X"][:150], np.unique(file["y"][:150], return_inverse=True)[1]
    exact = refits(X, y, C=C, gamma=gamma)
    found = leave_one_out(SVC(C=C, gamma=gamma).fit(X, y), X, y, refit="changed")
    np.testing.assert_allclose(found.decision, exact, atol=1e-7)


def test_no_row_comes_nearer_to_its_class():
    X, y = moons()
    found = leave_one_out(SVC(C=10.0).fit(X, y), X, y, refit="changed")
    assert (found.y * found.decision <= found.y * found.fitted + 1e-9).all()


def test_weights_count_and_rows_without_one_are_outside():
    X, y = moons()
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    weight[:5] = 0.0
    model = SVC(C=2.0, gamma=1.0).fit(X, y, weight)
    found = leave_one_out(model, X, y, sample_weight=weight, refit="changed")
    np.testing.assert_allclose(found.decision, refits(X, y, weight, C=2.0, gamma=1.0), atol=1e-7)
    assert not found.changed[:5].any()


def test_no_free_row_is_left_to_a_fit():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    model = SVC(C=1e-3, kernel="linear").fit(X, y)
    found = leave_one_out(model, X, y, refit="changed")
    assert found.changed.all()
    np.testing.assert_allclose(found.decision, refits(X, y, C=1e-3, kernel="linear"), atol=1e-8)


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0, 10.0])
def test_bounds_are_above_the_error(C):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 2)) + 2.0 * y[:, None]
    model = SVC(C=C, kernel="linear").fit(X, y)
    error = leave_one_out(model, X, y, refit="changed").error_rate
    assert error <= span_bound(model, X, y) <= 1.0
    assert error <= radius_margin_bound(model, X, y) <= 1.0


def test_what_is_refused():
    X, y = moons()
    iris = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="more than two classes"):
        leave_one_out(SVC().fit(*iris), *iris)
    with pytest.raises(ValueError, match="model is LinearSVC"):
        leave_one_out(LinearSVC().fit(X, y), X, y)
    with pytest.raises(ValueError, match="refit is 'all'"):
        leave_one_out(SVC().fit(X, y), X, y, refit="all")
    with pytest.raises(ValueError, match="not feasible"):
        leave_one_out(SVC(C=10.0).fit(X, y), X, y, sample_weight=np.full(len(y), 0.01))
    with pytest.raises(ValueError, match="the hinge loss"):
        span_bound(SVC(loss="squared_hinge").fit(X, y), X, y)
