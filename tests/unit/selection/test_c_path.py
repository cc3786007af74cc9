import numpy as np
import pytest
from sklearn.datasets import make_moons

from maxmargin.problems import SolverSettings
from maxmargin.selection import c_path
from maxmargin.solvers import solve
from maxmargin.solvers.c_path import problem_at


def random_c(path, count, seed=0):
    """C between break points, on a logarithmic scale, and beyond the last one."""
    top = min(2 * path.nodes[-1] + 1e-3, path.C_end)
    low = np.log(0.3 * path.nodes[min(1, len(path.nodes) - 1)] + 1e-9)
    return np.exp(np.random.default_rng(seed).uniform(low, np.log(top), count))


def moons(n=60):
    return make_moons(n, noise=0.3, random_state=0)


@pytest.mark.parametrize("n", [60, 61])  # classes that balance, and classes that do not
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_every_c_has_the_solution_of_solve(kernel, n):
    path = c_path(*moons(n), kernel=kernel, gamma=1.0, coef0=1.0, C_max=1e4)
    for C in random_c(path, 8):
        [exact] = solve([problem_at(path.problem, C)], SolverSettings(tol=1e-12, method="smo"))
        found = path.at(C)
        np.testing.assert_allclose(found.beta, exact.beta, rtol=0, atol=1e-8 * C)
        np.testing.assert_allclose(path.intercept(C), exact.multipliers[0], atol=1e-8)
        np.testing.assert_allclose(path.objective(C), exact.certificate.primal, rtol=1e-8)
        assert found.certificate.violation <= 1e-8
        assert path.n_support(C) == np.count_nonzero(exact.beta)


def test_weights_are_the_bounds():
    X, y = moons()
    weight = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    path = c_path(X, y, gamma=1.0, sample_weight=weight)
    assert (path.alphas(0.5) <= 0.5 * weight).all()
    assert max(path.at(C).certificate.violation for C in random_c(path, 5)) <= 1e-8


DEGENERATE = ("grid", "copies", "contradictions", "one point", "weights of three")


def degenerate(kind, rng):
    """Rows of which many come to the margin at once."""
    n, d = int(rng.integers(4, 40)), int(rng.integers(1, 4))
    X, weight = rng.normal(size=(n, d)), None
    y = np.append([0, 1], rng.integers(0, 2, n - 2))
    if kind == "grid":
        X = rng.integers(0, 3, (n, d)).astype(float)
    if kind == "copies":
        X, y = np.vstack([X, X[::2]]), np.append(y, y[::2])
    if kind == "contradictions":
        X, y = np.vstack([X, X[::2]]), np.append(y, 1 - y[::2])
    if kind == "one point":
        X = np.zeros((n, d))
    if kind == "weights of three":
        X, weight = np.round(X), rng.integers(1, 4, n).astype(float)
    return X, y, weight


@pytest.mark.parametrize("kind", DEGENERATE)
def test_rows_that_meet_the_margin_together_do_not_stop_it(kind):
    rng = np.random.default_rng(DEGENERATE.index(kind))
    for round_ in range(12):
        X, y, weight = degenerate(kind, rng)
        kernel = ("linear", "rbf", "poly")[round_ % 3]
        path = c_path(X, y, kernel=kernel, gamma=1.0, coef0=1.0, sample_weight=weight)
        assert path.n_restarts == 0
        for C in random_c(path, 4):
            found = path.at(C)
            assert found.certificate.violation <= 1e-8
            [exact] = solve([problem_at(path.problem, C)], SolverSettings(tol=1e-10))
            np.testing.assert_allclose(path.objective(C), exact.certificate.primal, rtol=1e-8)


def test_a_path_that_float64_cannot_follow_ends_and_says_where():
    rng = np.random.default_rng(1)
    path = c_path(np.sort(rng.normal(size=(30, 1)), axis=0), rng.integers(0, 2, 30), gamma=0.5)
    assert np.isfinite(path.C_end)
    assert path.at(path.C_end).certificate.violation <= 1e-8
    with pytest.raises(ValueError, match="where the path ends"):
        path.alphas(2 * path.C_end)


def test_it_ends_where_it_is_told():
    path = c_path(*moons(), gamma=1.0, C_max=0.5)
    assert path.C_end == 0.5
    assert path.break_points.max() <= 0.5


def test_alphas_are_lines_between_break_points():
    path = c_path(*moons(), gamma=1.0, C_max=100.0)
    begin, end = path.nodes[5], path.nodes[6]
    middle = path.alphas((begin + end) / 2)
    np.testing.assert_allclose(middle, (path.alphas(begin) + path.values[6]) / 2, atol=1e-12)


def test_what_is_refused():
    X, y = moons()
    with pytest.raises(ValueError, match="more than two classes"):
        c_path(X, np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match="C_max is 0"):
        c_path(X, y, C_max=0.0)
    with pytest.raises(ValueError, match="C is -1"):
        c_path(X, y, C_max=1.0).alphas(-1.0)
    with pytest.raises(ValueError, match="positive semi-definite"):
        c_path(-np.eye(6) + 1, [0, 1, 0, 1, 0, 1], kernel="precomputed")
