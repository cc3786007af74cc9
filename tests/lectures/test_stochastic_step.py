"""Which objective the second lecture's stochastic step w - (2 w + C delta_i) / t minimises."""

import numpy as np
import pytest

from maxmargin.losses import Hinge
from maxmargin.optimizers import Average, Harmonic, minimize
from maxmargin.problems import MEAN, SUM, Objective, soft_margin_primal
from maxmargin.solvers import solve_qp

rng = np.random.default_rng(14)
X = rng.normal(size=(100, 2))
y = np.where(X @ [1.0, 0.5] + 0.5 * rng.normal(size=100) > 0.3, 1.0, -1.0)
C = 5.0
mean = Objective(X, y, Hinge(), C, convention=MEAN.penalising_intercept())


@pytest.fixture(scope="module")
def run():
    return minimize(
        mean,
        np.zeros(3),
        Harmonic(1.0),
        rule=Average(power=1.0),
        batch=1,
        seed=0,
        max_iter=6000,
        record_every=1000,
    )


def test_the_steps_are_the_lectures():
    """Its loop, written out, on the rows that the same seed draws."""
    generator = np.random.default_rng(3)
    w, A = np.zeros(3), np.column_stack([X, np.ones(100)])
    for t in range(1, 51):
        i = generator.choice(100, size=1, replace=False)[0]
        delta = -y[i] * A[i] if y[i] * (A[i] @ w) < 1 else np.zeros(3)
        w = w - (2 * w + C * delta) / t
    ours = minimize(mean, np.zeros(3), Harmonic(1.0), batch=1, seed=3, max_iter=50)
    assert np.allclose(ours.last, w, rtol=1e-9)


def test_it_minimises_the_mean_and_not_the_sum(run):
    solved_mean, solved_sum = (
        solve_qp(soft_margin_primal(X, y, C, convention.penalising_intercept()))
        for convention in (MEAN, SUM)
    )
    assert run.value == pytest.approx(solved_mean.value, rel=1e-2)
    assert mean.value(solved_sum.theta[:3]) > 2 * solved_mean.value
