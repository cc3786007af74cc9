import numpy as np
import pytest

from maxmargin.losses import L1, Hinge, SquaredHinge
from maxmargin.optimizers import pegasos
from maxmargin.problems import HALF_SUM, LAMBDA_SUM, Objective, convert, soft_margin_primal
from maxmargin.solvers import solve_qp

rng = np.random.default_rng(6)
X = rng.normal(size=(60, 3))
y = np.where(X[:, 0] + 0.5 * rng.normal(size=60) > 0, 1.0, -1.0)
convention = LAMBDA_SUM.penalising_intercept()
J = Objective(X, y, Hinge(), 3.0, convention=convention)


def test_the_minimiser_lies_in_the_ball():
    for parameter in (0.01, 1.0, 100.0):
        solution = solve_qp(soft_margin_primal(X, y, parameter, convention))
        a, c = convention.weights(parameter, 60)
        assert np.linalg.norm(solution.theta[:4]) <= np.sqrt(c * 60 / (2 * a)) + 1e-9


def test_every_convention_takes_the_same_steps():
    other = HALF_SUM.penalising_intercept()
    C = convert(3.0, 60, convention, other)
    one = pegasos(J, max_iter=300, seed=3)
    two = pegasos(Objective(X, y, Hinge(), C, convention=other), max_iter=300, seed=3)
    assert np.allclose(one.w, two.w)


@pytest.mark.parametrize(
    "objective",
    [
        Objective(X, y, SquaredHinge(), 3.0, convention=convention),
        Objective(X, y, Hinge(), 3.0, convention=convention, penalty=L1()),
    ],
    ids=["loss", "penalty"],
)
def test_other_losses_and_penalties_are_refused(objective):
    with pytest.raises(ValueError, match="must have the hinge loss and the squared norm"):
        pegasos(objective, max_iter=10)


def test_a_free_intercept_is_refused():
    with pytest.raises(ValueError, match="must penalise its intercept or have none"):
        pegasos(Objective(X, y, Hinge(), 3.0), max_iter=10)
