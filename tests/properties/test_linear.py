"""What holds for every linear machine, whatever the loss, the method and the storage."""

import numpy as np
import pytest
import scipy.sparse

from instances import blobs, sparse_rows, unscaled
from linear_judge import MARGIN, confirm
from maxmargin import HardMarginSVC, LinearSVC, LinearSVR, Status
from maxmargin.problems import CONVENTIONS, HALF_SUM, convert

CLASSIFIERS = {
    f"{loss}-{intercept}": {"loss": loss, "intercept": intercept}
    for loss in ("hinge", "squared_hinge", "logistic")
    for intercept in ("free", "penalized")
}
REGRESSORS = {
    "tube": {"loss": "epsilon_insensitive", "epsilon": 0.2},
    "square": {"loss": "squared_epsilon_insensitive", "epsilon": 0.2},
    "huber": {"loss": "huber", "epsilon": 0.5},
}
classifiers = pytest.mark.parametrize("params", CLASSIFIERS.values(), ids=CLASSIFIERS.keys())
regressors = pytest.mark.parametrize("params", REGRESSORS.values(), ids=REGRESSORS.keys())


def solvers_of(params):
    return [
        s
        for s in ("newton", "newton-cg", "descent", "gram")
        if params["loss"] != "logistic" or s != "descent"
    ]


def targets(n=120, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + rng.standard_t(2, n)


@classifiers
@pytest.mark.parametrize("C", [0.01, 1e4])
def test_certified_to_rounding(params, C, dtype, layout):
    X, y = blobs(150, 4, 3, dtype=dtype)
    model = LinearSVC(C=C, **params).fit(layout(X), y)
    assert model.status_ is Status.OPTIMAL
    assert model.certificate_.gap < 1e-9
    confirm(model, X, y)
    assert model.certify(layout(X), y) == model.certificate_


@regressors
@pytest.mark.parametrize("C", [0.01, 1e4])
def test_regression_certified_to_rounding(params, C, layout):
    X, y = targets()
    model = LinearSVR(C=C, **params).fit(layout(X), y)
    assert model.status_ is Status.OPTIMAL
    assert model.certificate_.gap < 1e-9
    confirm(model, X, y)


@classifiers
def test_methods_agree(params):
    X, y = blobs(80, 12, spread=2.0)
    best = LinearSVC(**params).fit(X, y)
    for solver in solvers_of(params):
        model = LinearSVC(solver=solver, tol=1e-10, **params).fit(X, y)
        assert model.solver_ == solver
        assert model.status_ is Status.OPTIMAL
        np.testing.assert_allclose(model.coef_, best.coef_, atol=1e-4)
        confirm(model, X, y)


@regressors
def test_methods_agree_on_regressions(params):
    X, y = targets(60, 10)
    best = LinearSVR(**params).fit(X, y)
    for solver in solvers_of(params):
        model = LinearSVR(solver=solver, tol=1e-10, **params).fit(X, y)
        assert model.status_ is Status.OPTIMAL
        np.testing.assert_allclose(model.coef_, best.coef_, atol=1e-4)
        confirm(model, X, y)


@classifiers
def test_storage_does_not_matter(params):
    X, y = blobs(100, 5, dtype=np.float32)
    X[X < 0] = 0.0
    dense = LinearSVC(**params).fit(X, y)
    for form in (scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.coo_array):
        model = LinearSVC(**params).fit(form(X), y)
        np.testing.assert_allclose(model.coef_, dense.coef_, atol=1e-7)
        np.testing.assert_allclose(
            model.decision_function(form(X)), dense.decision_function(X), atol=1e-6
        )


@classifiers
def test_weights_are_copies(params):
    X, y = blobs(60, 3)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = LinearSVC(**params).fit(X, y, times)
    repeated = LinearSVC(**params).fit(X.repeat(times, axis=0), y.repeat(times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-7)
    assert not set(weighted.support_) & set(np.flatnonzero(times == 0))
    confirm(weighted, X, y, times)


@classifiers
def test_labels_can_be_swapped(params):
    X, y = blobs(80, 3)
    one, other = LinearSVC(**params).fit(X, y), LinearSVC(**params).fit(X, 1 - y)
    np.testing.assert_allclose(one.coef_, -other.coef_, atol=1e-8)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_units_of_features_do_not_matter_to_the_effort(loss):
    X, y = blobs(3000, 6, spread=2.0)
    factors = 10.0 ** np.arange(-3, 3)
    plain = LinearSVC(loss=loss, C=1e6).fit(X, y)
    scaled = LinearSVC(loss=loss, C=1e6).fit(X * factors, y)
    assert scaled.status_ is Status.OPTIMAL
    assert scaled.n_iter_ <= 2 * plain.n_iter_ + 10
    np.testing.assert_allclose(scaled.coef_ * factors, plain.coef_, rtol=1e-2)


@classifiers
def test_unscaled(params):
    X, y = unscaled()
    model = LinearSVC(**params).fit(X, y)
    assert model.status_ is Status.OPTIMAL
    assert model.certificate_.gap <= 1e-4


@pytest.mark.parametrize("params", CLASSIFIERS.values(), ids=CLASSIFIERS.keys())
@pytest.mark.parametrize(
    "kind", ["zero columns", "duplicates", "one feature", "two rows", "zeros", "equal rows"]
)
def test_odd_data(params, kind):
    X, y = blobs(40, 3)
    X, y = {
        "zero columns": lambda: (np.c_[X, np.zeros((40, 3))], y),
        "duplicates": lambda: (np.r_[X, X, X], np.r_[y, y, y]),
        "one feature": lambda: (X[:, :1], y),
        "two rows": lambda: (np.array([[0.0], [1.0]]), np.array([0, 1])),
        "zeros": lambda: (np.zeros((40, 2)), y),
        "equal rows": lambda: (np.ones((40, 2)), y),
    }[kind]()
    for solver in solvers_of(params):
        model = LinearSVC(solver=solver, **params).fit(X, y)
        assert model.status_ is Status.OPTIMAL
        confirm(model, X, y)


def test_two_points():
    model = LinearSVC(loss="hinge", C=10.0).fit([[0.0], [4.0]], [0, 1])
    assert model.coef_ == pytest.approx(np.array([[0.5]]))
    assert model.intercept_ == pytest.approx(np.array([-1.0]))
    assert model.margin_ == pytest.approx(np.array([2.0]))
    np.testing.assert_array_equal(model.support_, [0, 1])


@regressors
def test_constant_targets(params):
    X, _ = targets()
    model = LinearSVR(**params).fit(X, np.full(len(X), 3.0))
    assert model.status_ is Status.OPTIMAL
    np.testing.assert_allclose(model.coef_, 0.0, atol=1e-12)
    assert abs(model.intercept_[0] - 3.0) <= 0.2 + 1e-12


@pytest.mark.parametrize("C", [1e4, 1e8, 1e12])
def test_large_C_tends_to_the_hard_margin(C):
    X, y = blobs(60, 3, spread=0.1, seed=1)
    hard = HardMarginSVC(kernel="linear").fit(X, y)
    model = LinearSVC(loss="hinge", C=C).fit(X, y)
    np.testing.assert_allclose(model.coef_, hard.coef_, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(model.margin_, hard.margin_, rtol=1e-5)
    assert model.certificate_.gap <= 1e-4


def test_bounds_are_exact():
    X, y = blobs(300, 3, spread=2.0)
    model = LinearSVC(loss="hinge", C=0.7).fit(X, y)
    at_bound = np.abs(model.dual_coef_[0]) == 0.7
    assert at_bound.sum() > 50
    assert (~at_bound).sum() <= 4
    z = np.where(y == 1, 1, -1) * model.decision_function(X)
    np.testing.assert_allclose(z[model.support_][~at_bound], 1.0, atol=1e-8)


@pytest.mark.parametrize(
    "params",
    [
        {"loss": "hinge"},
        {"loss": "squared_hinge"},
        {"loss": "logistic"},
        {"loss": "hinge", "solver": "descent"},
        {"loss": "squared_hinge", "solver": "newton-cg"},
    ],
)
@pytest.mark.parametrize("n_threads", [2, 3])
def test_same_bits(params, n_threads, layout):
    X, y = blobs(12_000, 24, 2, spread=8.0)
    X = layout(X)
    one, many = LinearSVC(n_jobs=1, **params).fit(X, y), LinearSVC(n_jobs=n_threads, **params)
    many.fit(X, y)
    for name in ("coef_", "intercept_", "support_", "dual_coef_", "n_iter_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name))
    assert one.certificate_ == many.certificate_


@pytest.mark.parametrize("intercept", ["free", "penalized"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
@pytest.mark.parametrize("kind", ["mixed", "sorted", "rare class", "one far row"])
def test_a_share_of_the_rows_is_only_where_it_begins(loss, intercept, kind, layout):
    X, y = blobs(14_000, 20, spread=6.0)
    if kind == "sorted":
        X, y = X[np.argsort(y, kind="stable")], np.sort(y)
    if kind == "rare class":
        y = np.where(np.arange(len(y)) == 77, 1, 0)
    if kind == "one far row":
        X[5] *= 1e4
    model = LinearSVC(loss=loss, intercept=intercept, tol=1e-6).fit(layout(X), y)
    assert model.status_ is Status.OPTIMAL
    assert model.certificate_.gap <= 1e-6
    confirm(model, X, y)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive", "huber"])
def test_a_share_of_the_rows_of_a_regression(loss):
    X, y = targets(14_000, 20)
    model = LinearSVR(loss=loss, epsilon=0.3, tol=1e-6).fit(X, y)
    assert model.status_ is Status.OPTIMAL
    confirm(model, X, y)


def test_many_sparse_features():
    rng = np.random.default_rng(0)
    X = sparse_rows((600, 2500), 0.01, rng)
    y = rng.integers(0, 3, 600)
    for loss in ("hinge", "squared_hinge", "logistic"):
        model = LinearSVC(loss=loss).fit(X, y)
        assert model.solver_ == ("newton-cg" if loss == "logistic" else "descent")
        assert model.status_ is Status.OPTIMAL
        confirm(model, X, y)


def test_slow_descent_is_finished_by_newton_steps():
    X, y = blobs(400, 30, spread=3.0)
    model = LinearSVC(loss="hinge", C=1e3, solver="descent").fit(X * np.logspace(0, 2, 30), y)
    assert model.status_ is Status.OPTIMAL
    assert model.fit_report_["newton_steps"] > 0
    confirm(model, X * np.logspace(0, 2, 30), y)


def test_fewer_rows_than_features_is_solved_on_the_rows():
    X, y = blobs(50, 300)
    assert LinearSVC().fit(X, y).solver_ == "gram"
    assert LinearSVC().fit(X.T[:, :20], np.arange(300) % 2).solver_ == "newton"


@pytest.mark.parametrize("convention", CONVENTIONS, ids=lambda c: c.formula)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_conventions(convention, loss, seed):
    X, y = blobs(60, 3, seed=seed)
    sign, rng = np.where(y == 1, 1.0, -1.0), np.random.default_rng(seed)
    for stated, intercept in (
        (convention, "free"),
        (convention.penalising_intercept(), "penalized"),
    ):
        own = HALF_SUM.penalising_intercept() if intercept == "penalized" else HALF_SUM
        C = convert(0.7, len(y), stated, own)
        model = LinearSVC(loss=loss, C=C, intercept=intercept).fit(X, y)
        a, c = stated.weights(0.7, len(y))

        def objective(w, b, a=a, c=c, penalised=intercept == "penalized"):
            norm = w @ w + (b * b if penalised else 0.0)
            return a * norm + c * MARGIN[loss].value(sign * (X @ w + b)).sum()

        w, b = model.coef_[0], float(model.intercept_[0])
        least = objective(w, b)
        for size in (1e-3, 1e-1):
            for _ in range(20):
                step = size * rng.normal(size=4)
                assert objective(w + step[:3], b + step[3]) >= least * (1 - 1e-12)
