import sys
from dataclasses import replace

import numpy as np
import pytest

from maxmargin.kernels import Gaussian
from maxmargin.problems import (
    QuadraticProgram,
    hard_margin_primal,
    soft_margin_dual,
    soft_margin_primal,
)
from maxmargin.solvers import QPStatus, solve_qp


def box(hessian, linear, lower, upper):
    m = len(linear)
    nothing = {
        "equalities": np.empty((0, m)),
        "equal_to": np.empty(0),
        "inequalities": np.empty((0, m)),
        "at_most": np.empty(0),
    }
    return QuadraticProgram(
        np.asarray(hessian, float), np.asarray(linear, float), **nothing, lower=lower, upper=upper
    )


def test_a_box_with_a_known_answer():
    """(x - 2)^2 / 2 + (y + 3)^2 / 2 over [0, 1]^2 is least at the corner (1, 0)."""
    solution = solve_qp(box(np.eye(2), [-2.0, 3.0], np.zeros(2), np.ones(2)))
    assert solution.status is QPStatus.SOLVED
    assert solution.theta == pytest.approx([1.0, 0.0], abs=1e-10)
    assert solution.value == pytest.approx(-1.5)
    assert abs(solution.gap) < 1e-10


def test_equality_multiplier():
    """x^2 / 2 subject to x = 3: the multiplier of x - 3 is -3."""
    free = np.array([np.inf])
    program = replace(
        box(np.eye(1), [0.0], -free, free), equalities=np.ones((1, 1)), equal_to=np.array([3.0])
    )
    solution = solve_qp(program)
    assert solution.theta == pytest.approx([3.0])
    assert solution.equality == pytest.approx([-3.0])


def test_an_objective_without_end_is_unbounded():
    program = box(np.zeros((1, 1)), [1.0], np.array([-np.inf]), np.array([0.0]))
    assert solve_qp(program).status is QPStatus.UNBOUNDED


def test_too_few_iterations_fail():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] + rng.normal(size=40) > 0, 1.0, -1.0)
    with pytest.warns(RuntimeWarning, match="not solved"):
        assert solve_qp(soft_margin_primal(X, y, C=1.0), max_iter=1).status is QPStatus.FAILED


def test_the_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "clarabel", None)
    with pytest.raises(ImportError, match=r"pip install maxmargin\[qp\]"):
        solve_qp(hard_margin_primal([[-1.0], [3.0]], [-1.0, 1.0]))


def test_tiny_variables_keep_their_digits():
    """alpha / C of a large C with a narrow kernel: lost without refinement of every step."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = np.where(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=300) > 1, 1.0, -1.0)
    K, C = Gaussian.from_gamma(5.0)(X, X), 1e4
    solution = solve_qp(soft_margin_dual(K, y, C, scaled=True))
    alpha = C * solution.theta
    scores = K @ (alpha * y)
    slack = np.maximum(0, 1 - y * (scores + solution.equality[0]))
    primal = alpha @ (scores * y) / 2 + C * slack.sum()
    assert solution.status is QPStatus.SOLVED
    assert primal == pytest.approx(alpha.sum() - alpha @ (scores * y) / 2, rel=1e-9)
