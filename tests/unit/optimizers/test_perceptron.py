import numpy as np
import pytest

from maxmargin.losses import Perceptron
from maxmargin.optimizers import mistake_bound, perceptron
from maxmargin.problems import LAMBDA_SUM, Objective, hard_margin_primal
from maxmargin.solvers import solve_qp

rng = np.random.default_rng(7)
X = rng.normal(size=(80, 2))
X = X[np.abs(X @ [1.0, -1.0] - 0.3) > 0.2]
y = np.where(X @ [1.0, -1.0] > 0.3, 1.0, -1.0)


def test_it_separates_within_the_mistake_bound():
    run = perceptron(X, y)
    assert run.converged
    assert np.all(y * (X @ run.w + run.b) > 0)
    best = solve_qp(hard_margin_primal(X, y)).theta
    bound = mistake_bound(X, y, best[:2], best[2])
    assert len(run.mistakes) <= bound
    assert bound <= mistake_bound(X, y, run.w, run.b)


def test_mistakes_add_up():
    run = perceptron(X, y)
    assert run.mistakes_per_pass.sum() == len(run.mistakes) == len(run.path) - 1
    assert run.mistakes_per_pass[-1] == 0
    assert np.array_equal(run.path[-1], np.append(run.w, run.b))
    steps = np.diff(run.path, axis=0)
    augmented = np.column_stack([X, np.ones(len(X))])
    assert np.allclose(steps, (y[:, None] * augmented)[run.mistakes])


def test_each_mistake_is_a_subgradient_step_of_the_perceptron_loss():
    run = perceptron(X, y)
    J = Objective(X, y, Perceptron(), 1e-12, convention=LAMBDA_SUM, choose=lambda low, high: low)
    assert len(run.mistakes) > 1
    for w, i, after in zip(run.path[:-1], run.mistakes, run.path[1:], strict=True):
        step = -J.subgradient(w, np.array([i])) / len(X)
        assert np.allclose(w + step, after, atol=1e-9)


def test_inseparable_data_never_end():
    points = np.array([[0.0], [0.0]])
    run = perceptron(points, [-1.0, 1.0], max_passes=7)
    assert not run.converged
    assert len(run.mistakes_per_pass) == 7
    assert np.all(run.mistakes_per_pass > 0)
    assert mistake_bound(points, [-1.0, 1.0], [1.0], 0.0) == np.inf


def test_bad_labels():
    with pytest.raises(ValueError, match=r"y must be -1 or \+1, got \[0. 1.\]"):
        perceptron([[1.0], [2.0]], [0.0, 1.0])


def test_no_passes():
    with pytest.raises(ValueError, match="max_passes must be 1 or more, got 0"):
        perceptron(X, y, max_passes=0)
