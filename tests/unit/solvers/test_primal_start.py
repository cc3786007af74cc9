"""Linear and polynomial kernels with a large C begin where their primal has its solution."""

from dataclasses import replace

import numpy as np
import pytest

from maxmargin import _core
from maxmargin.data import check_data
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.problems import DualProblems, SolverSettings, Status, c_svc, epsilon_svr
from maxmargin.solvers import solve
from maxmargin.solvers.primal_start import STEPS_EACH

SMO = SolverSettings(method="smo")


def curved(n, kernel, C, scales=(1.0, 30.0, 0.1)):
    """Return rows whose columns have different scales, and labels of which some are wrong."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, len(scales)))
    y = np.where(X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=n) > 1, 1, -1)
    return c_svc(check_data(X * scales, y), kernel, C)


def waves(n, kernel, C):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 2))
    return epsilon_svr(check_data(X, X[:, 0] ** 2 + rng.normal(size=n)), kernel, C, 0.1)


STEEP = {
    "linear": curved(300, Linear(), 1e3),
    "polynomial": curved(300, Polynomial(2, 1e-3, 1.0), 1e4),
    "without coef0": curved(300, Polynomial(3, 1e-3, 0.0), 1e4),
    "regression": waves(300, Linear(), 1e4),
    "a curve": waves(300, Polynomial(2, 1.0, 1.0), 1e4),
}


@pytest.mark.parametrize("name", STEEP)
def test_it_ends_where_pair_steps_do(name):
    [found] = solve([STEEP[name]])
    [slow] = solve([STEEP[name]], SMO)
    assert found.status is slow.status is Status.OPTIMAL
    assert found.method == "smo"
    assert found.work.pair_steps <= STEPS_EACH * 300 + 100 < slow.work.pair_steps
    assert np.isclose(found.certificate.dual, slow.certificate.dual, rtol=1e-9)
    assert found.certificate.gap < 1e-8


def test_large_problems_do_not_crawl():
    problem = curved(2500, Polynomial(2, 0.1, 1.0), 1e5)
    [found] = solve([problem])
    assert found.certificate.violation < 1e-3
    assert found.work.pair_steps <= STEPS_EACH * 2500 + 1000


@pytest.mark.parametrize("n", [500, 1500])
def test_the_bits_are_the_same_for_any_number_of_threads(n):
    problem = curved(n, Polynomial(2, 0.1, 1.0), 1e4)
    one, two = (solve([problem], SolverSettings(n_threads=k))[0] for k in (1, 2))
    assert np.array_equal(one.beta, two.beta)
    assert one.multipliers == two.multipliers


@pytest.mark.parametrize("problem", [STEEP["linear"], STEEP["polynomial"]])
def test_steps_are_limited(problem):
    [limited] = solve([problem], SolverSettings(max_iter=5))
    assert limited.status is Status.MAX_ITERATIONS
    assert limited.work.pair_steps <= 5


def test_it_can_be_stopped():
    problem = curved(5000, Polynomial(4, 0.1, 1.0), 1e4, scales=(1.0,) * 8)
    [stopped] = solve([problem], progress=lambda row: True)
    assert stopped.status is Status.INTERRUPTED
    assert problem.feasible(stopped.beta)


def test_classes_that_can_be_separated_are_left_to_pair_steps():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    problem = c_svc(check_data(X, np.where(X[:, 0] > 0, 1, -1)), Linear(), 1e3)
    far = replace(problem, X=X + 0.5 * np.sign(X[:, :1]))
    assert np.array_equal(solve([far])[0].beta, solve([far], SMO)[0].beta)


def test_pairs_begin_there_too():
    [alone] = solve([STEEP["linear"]])
    both = solve([STEEP["linear"]] * 2)
    assert [found.work.pair_steps for found in both] == [alone.work.pair_steps] * 2


def factor(problem, most, enough=0.0, hook=None):
    diagonal = problem.kernel.diagonal(problem.X)
    return _core.partial_factor(DualProblems.of([problem]).core(), diagonal, most, enough, 2, hook)


def test_a_factor_has_the_rank_of_the_matrix():
    problem = curved(300, Polynomial(2, 0.1, 1.0), 1.0, scales=(1.0, 2.0, 0.5))
    G, left, error = factor(problem, 50, enough=1e-12)
    assert G.shape == (300, 10)
    assert left <= 1e-12
    assert error is None
    assert np.allclose(G @ G.T, problem.gram(), rtol=0, atol=1e-10)


def test_what_a_factor_leaves_is_bounded():
    problem = curved(300, RBF(0.5), 1.0, scales=(1.0, 2.0, 0.5))
    G, left, _ = factor(problem, 40)
    rest = problem.gram() - G @ G.T
    assert G.shape == (300, 40)
    assert 0 < left < 1
    assert np.abs(rest).max() <= left + 1e-12


def test_a_factor_can_be_stopped():
    problem = curved(3000, RBF(0.5), 1.0)
    G, left, error = factor(problem, 1000, hook=lambda *_: True)
    assert G is None
    assert left == np.inf
    assert error is None


def test_a_factor_needs_a_value_for_each_row():
    with pytest.raises(ValueError, match="diagonal"):
        _core.partial_factor(DualProblems.of([STEEP["linear"]]).core(), np.ones(3), 5, 0.0, 1, None)
