"""Linear machines against the kernel engine, LIBLINEAR and scikit-learn's logistic regression."""

from functools import cache

import numpy as np
import pytest
from sklearn import linear_model
from sklearn import svm as peers
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.preprocessing import StandardScaler

from instances import blobs
from linear_judge import confirm
from maxmargin import SVC, SVR, LinearSVC, LinearSVR
from maxmargin.data import check_data
from maxmargin.kernels import Linear
from maxmargin.problems import SolverSettings, c_svc, epsilon_svr
from maxmargin.solvers import solve

CANCER = load_breast_cancer(return_X_y=True)
SCALED = StandardScaler().fit_transform(CANCER[0]), CANCER[1]
DIABETES = StandardScaler().fit_transform(load_diabetes().data), load_diabetes().target
SOLVERS = ("newton", "newton-cg", "descent", "gram")


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("data", [SCALED, blobs(200, 5), load_iris(return_X_y=True)[:2]])
def test_hinge_is_svc_with_a_linear_kernel(data, C):
    X, y = data[0], np.asarray(data[1]) == 1
    ours = LinearSVC(loss="hinge", C=C).fit(X, y)
    kernel = SVC(kernel="linear", C=C, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(ours.coef_, kernel.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, kernel.intercept_, atol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), kernel.predict(X))


@pytest.mark.parametrize("epsilon", [0.0, 5.0, 1000.0])
def test_epsilon_insensitive_is_svr_with_a_linear_kernel(epsilon):
    X, y = DIABETES
    ours = LinearSVR(C=0.7, epsilon=epsilon).fit(X, y)
    kernel = SVR(kernel="linear", C=0.7, epsilon=epsilon, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(ours.coef_, kernel.coef_[0], atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, kernel.intercept_, atol=1e-5)


@cache
def liblinear(loss, scaling):
    options = {"tol": 1e-7, "max_iter": 1_000_000, "dual": True, "random_state": 0}
    return peers.LinearSVC(loss=loss, intercept_scaling=scaling, **options).fit(*SCALED)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("scaling", [1.0, 7.0])
def test_penalised_intercept_is_liblinears(loss, scaling, solver):
    X, y = SCALED
    ours = LinearSVC(
        loss=loss, intercept="penalized", intercept_scaling=scaling, solver=solver, tol=1e-9
    ).fit(X, y)
    peer = liblinear(loss, scaling)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=2e-5)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=2e-5)
    confirm(ours, X, y)


def test_three_classes_and_weights_are_liblinears():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    options = {"class_weight": {0: 2.0, 1: 0.5, 2: 1.0}, "C": 0.3}
    ours = LinearSVC(intercept="penalized", **options).fit(X, y, weight)
    peer = peers.LinearSVC(tol=1e-10, max_iter=100_000, dual=False, random_state=0, **options).fit(
        X, y, weight
    )
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    confirm(ours, X, y, weight)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_regression_is_liblinears(loss):
    X, y = DIABETES
    ours = LinearSVR(loss=loss, epsilon=2.0, C=0.5, intercept="penalized").fit(X, y)
    peer = peers.LinearSVR(
        random_state=0, loss=loss, epsilon=2.0, C=0.5, tol=1e-8, max_iter=10_000_000, dual=True
    ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
    confirm(ours, X, y)


@pytest.mark.parametrize("solver", ["newton", "newton-cg", "gram"])
def test_logistic_is_logistic_regression(solver):
    X, y = SCALED
    ours = LinearSVC(loss="logistic", C=0.7, solver=solver, tol=1e-12).fit(X, y)
    peer = linear_model.LogisticRegression(C=0.7, tol=1e-12, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=1e-5)
    confirm(ours, X, y)


def test_huber_without_a_bend_is_ridge():
    # No residual reaches the line: 1/2 |w|^2 + C/2 sum r^2.
    X, y = DIABETES
    ours = LinearSVR(loss="huber", epsilon=1e6, C=0.25).fit(X, y)
    peer = linear_model.Ridge(alpha=4.0, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, rtol=1e-9)


def test_huber_is_not_led_by_outliers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X @ [1.0, -2.0] + 0.1 * rng.normal(size=200)
    y[:10] += 1000.0
    robust = LinearSVR(loss="huber", epsilon=0.5, C=10.0).fit(X, y)
    squared = LinearSVR(loss="squared_epsilon_insensitive", C=10.0).fit(X, y)
    assert np.abs(robust.coef_ - [1.0, -2.0]).max() < 0.1
    assert np.abs(squared.coef_ - [1.0, -2.0]).max() > 1.0


def through(problem, method):
    """Solve one problem by this method."""
    return solve([problem], SolverSettings(method=method))[0]


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_kernel_problems_through_the_primal(C):
    X, y = SCALED
    data = check_data(X, 2.0 * y - 1)
    for problem in (c_svc(data, Linear(), C), epsilon_svr(check_data(X, X[:, 0]), Linear(), C)):
        ours, kernel = through(problem, "primal"), through(problem, "smo")
        assert ours.certificate.worst.within(SolverSettings().tol)
        assert ours.certificate.primal == pytest.approx(kernel.certificate.primal, rel=1e-8)
        assert ours.multipliers == pytest.approx(kernel.multipliers, abs=1e-5)
        np.testing.assert_array_equal(ours.beta == problem.upper, kernel.beta == problem.upper)
        np.testing.assert_array_equal(ours.beta == problem.lower, kernel.beta == problem.lower)


def test_rows_of_a_kernel_problem_may_be_some_of_the_data():
    X, y = SCALED
    rows = np.arange(0, len(y), 2)
    part = c_svc(check_data(X, 2.0 * y - 1), Linear())
    some = type(part)(
        X=X,
        kernel=Linear(),
        rows=rows,
        target=part.target[rows],
        lower=part.lower[rows],
        upper=part.upper[rows],
    )
    alone = c_svc(check_data(X[rows], 2.0 * y[rows] - 1), Linear())
    np.testing.assert_array_equal(through(some, "primal").beta, through(alone, "primal").beta)
