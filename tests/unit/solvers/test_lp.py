import numpy as np
import pytest

from maxmargin.problems import least_slack, separation
from maxmargin.solvers import LPStatus, solve_lp

rng = np.random.default_rng(3)
X = rng.normal(size=(40, 2))
separable = np.where(X @ [1.0, -1.0] > 0.3, 1.0, -1.0)
mixed = np.where(X @ [1.0, -1.0] + rng.normal(size=40) > 0.3, 1.0, -1.0)


@pytest.mark.parametrize("y", [separable, mixed])
def test_as_printed_both_programs_are_solved_by_zero(y):
    nothing = np.zeros(3)
    assert separation(X, y, margin=0.0).is_feasible(nothing)
    program = least_slack(X, y, margin=0.0)
    zero = np.zeros(len(program.linear))
    assert program.is_feasible(zero)
    # No slack is negative, so 0 is the least that any point can have: zero is optimal.
    assert program.linear @ zero == solve_lp(program).value == 0.0


def test_with_margin_one_the_solution_separates():
    for program in (separation(X, separable), least_slack(X, separable)):
        solution = solve_lp(program)
        assert solution.status is LPStatus.SOLVED
        assert solution.value == pytest.approx(0.0, abs=1e-9)
        assert np.all(separable * (X @ solution.w + solution.b) >= 1 - 1e-7)


def test_inseparable_data_have_no_separator_but_a_least_slack():
    assert solve_lp(separation(X, mixed)).status is LPStatus.INFEASIBLE
    solution = solve_lp(least_slack(X, mixed))
    hinge = np.maximum(0, 1 - mixed * (X @ solution.w + solution.b))
    assert solution.value > 0.1
    assert np.allclose(solution.slack, hinge, atol=1e-7)


def test_signed_slack_rewards_distance_without_end():
    assert solve_lp(least_slack(X, separable, signed_slack=True)).status is LPStatus.UNBOUNDED
