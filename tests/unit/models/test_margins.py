import numpy as np
import pytest

from maxmargin import SVC
from maxmargin.models import Hyperplane, Margins, SlackClass, SupportKind
from maxmargin.optimizers import minimize, perceptron
from maxmargin.problems import Objective, hard_margin_primal, soft_margin_primal
from maxmargin.solvers import solve_qp

rng = np.random.default_rng(12)
X = rng.normal(size=(40, 2))
y = np.where(X @ [1.0, 1.0] > 0.2, 1.0, -1.0)
noisy = np.where(X @ [1.0, 1.0] + 0.7 * rng.normal(size=40) > 0.2, 1.0, -1.0)


def best_plane(labels, C=None):
    program = hard_margin_primal(X, labels) if C is None else soft_margin_primal(X, labels, C)
    x = solve_qp(program).theta
    return Hyperplane(x[:2], x[2])


def test_functional_margins_scale_and_geometric_ones_do_not():
    plane = Hyperplane([1.0, 2.0], -0.5)
    one, ten = Margins(plane, X, y), Margins(plane.scaled(10.0), X, y)
    assert np.allclose(ten.functional, 10 * one.functional)
    assert np.allclose(ten.geometric, one.geometric)
    assert ten.smallest == pytest.approx(one.smallest)


def test_the_hard_margin_has_the_largest_margin():
    plane = best_plane(y)
    margins = Margins(plane, X, y)
    assert margins.smallest == pytest.approx(1 / plane.norm)
    for _ in range(200):
        other = Hyperplane(plane.w + 0.3 * rng.normal(size=2), plane.b + 0.3 * rng.normal())
        assert Margins(other, X, y).smallest <= margins.smallest + 1e-9


def test_slack_classes():
    plane = Hyperplane([1.0], 0.0)
    x = np.array([[2.0], [1.0], [0.5], [0.0], [-0.1]])
    margins = Margins(plane, x, np.ones(5))
    assert margins.slack.tolist() == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.1])
    outside, inside, wrong = SlackClass.OUTSIDE, SlackClass.INSIDE, SlackClass.WRONG
    assert margins.slack_class().tolist() == [outside, outside, inside, inside, wrong]
    names = [SupportKind(kind).name for kind in margins.support_kind()]
    assert names == ["NONE", "ON_MARGIN", "INSIDE", "INSIDE", "WRONG"]
    assert margins.support_vectors().tolist() == [1, 2, 3, 4]


def test_slacks_are_those_of_the_program():
    solution = solve_qp(soft_margin_primal(X, noisy, 1.0))
    margins = Margins(Hyperplane(solution.theta[:2], solution.theta[2]), X, noisy)
    assert np.allclose(margins.slack, solution.theta[3:], atol=1e-7)
    assert margins.total_slack == pytest.approx(solution.theta[3:].sum())


def test_kinds_agree_with_the_multipliers():
    solution = solve_qp(soft_margin_primal(X, noisy, 1.0))
    margins = Margins(Hyperplane(solution.theta[:2], solution.theta[2]), X, noisy)
    alpha, kind = solution.inequality, margins.support_kind(tol=1e-6)
    assert np.all(alpha[kind == SupportKind.NONE] < 1e-6)
    assert np.all(kind[(alpha > 1e-6) & (alpha < 1 - 1e-6)] == SupportKind.ON_MARGIN)
    assert np.allclose(alpha[(kind == SupportKind.INSIDE) | (kind == SupportKind.WRONG)], 1.0)
    assert set(kind) == set(SupportKind)


def test_only_support_vectors_hold_the_plane():
    """A point beyond the margin may move freely; a support vector may not."""
    plane = best_plane(y)
    support = Margins(plane, X, y).support_vectors(tol=1e-5)
    others = np.setdiff1d(np.arange(40), support)
    moved = X.copy()
    moved[others] += 0.5 * y[others, None] * plane.normal
    unchanged = solve_qp(hard_margin_primal(moved, y)).theta
    assert np.allclose(unchanged, [*plane.w, plane.b], rtol=1e-6)
    moved = X.copy()
    moved[support[0]] -= 0.5 * Margins(plane, X, y).smallest * y[support[0]] * plane.normal
    changed = solve_qp(hard_margin_primal(moved, y)).theta
    assert not np.allclose(changed, [*plane.w, plane.b], rtol=1e-2)


def test_a_larger_C_trades_margin_for_slack():
    small, large = best_plane(noisy, C=0.01), best_plane(noisy, C=100.0)
    assert 1 / small.norm > 1 / large.norm
    assert Margins(small, X, noisy).total_slack > Margins(large, X, noisy).total_slack


def test_inside_its_noise_ball_a_point_stays_right_and_beyond_it_need_not():
    plane = Hyperplane([1.0, 2.0], -0.5)
    margins = Margins(plane, X, y)
    radius = margins.noise_radius
    right = radius > 0
    towards = -y[:, None] * plane.normal
    inside = Margins(plane, X + 0.999 * radius[:, None] * towards, y)
    beyond = Margins(plane, X + 1.001 * radius[:, None] * towards, y)
    assert np.all(inside.functional[right] > 0)
    assert np.all(beyond.functional[right] < 0)
    assert np.array_equal(right, margins.functional > 0)


def test_nearest_points_are_on_the_boundary():
    margins = Margins(Hyperplane([1.0, 2.0], -0.5), X, y)
    assert np.allclose(margins.plane.score(margins.nearest), 0.0, atol=1e-14)


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"X must be \(n, 1\) for this plane"):
        Margins(Hyperplane([1.0]), X, y)


def test_bad_labels():
    with pytest.raises(ValueError, match=r"y must be -1 or \+1, got \[0. 1.\]"):
        Margins(Hyperplane([1.0, 1.0]), X[:2], [0.0, 1.0])


class TestOf:
    points, names = [[-1.0], [0.5], [3.0]], ["no", "no", "yes"]

    def test_any_model(self):
        model = SVC(kernel="linear", C=10).fit(self.points, self.names)
        program = hard_margin_primal(self.points, [-1, -1, 1])
        run = perceptron(self.points, [-1, -1, 1])
        assert Margins.of(model, self.points, self.names).smallest == pytest.approx(1.25)
        assert Margins.of(solve_qp(program), self.points, [-1, -1, 1]).smallest > 1.2499
        assert Margins.of(run, self.points, [-1, -1, 1]).smallest > 0

    @pytest.mark.parametrize("intercept", [True, False])
    def test_a_run_knows_its_b(self, intercept):
        J = Objective(self.points, [-1, -1, 1], "hinge", C=1.0, intercept=intercept)
        run = minimize(J, np.full(1 + intercept, 0.5), 0.1, max_iter=50)
        plane = Hyperplane.of(run)
        assert len(plane.w) == 1
        assert (plane.b != 0) == intercept
        scores = J.arguments(run.w) * [-1, -1, 1]
        assert np.allclose(Margins.of(run, self.points, [-1, -1, 1]).plane.score(J.X), scores)

    @pytest.mark.parametrize(
        ("wrong", "error", "text"),
        [
            (lambda p, n: Margins(SVC(), p, n), TypeError, "got SVC; .* use Margins.of"),
            (lambda p, n: Margins.of(SVC().fit(p, n), p, n), (TypeError, AttributeError), "linear"),
            (lambda p, n: Margins.of([1.0], p, n), TypeError, "must have a hyperplane"),
            (
                lambda p, n: Margins.of(SVC(kernel="linear").fit(p, n), p, ["no", "no", "maybe"]),
                ValueError,
                "label 'maybe'; the model's classes are 'no', 'yes'",
            ),
            (lambda p, n: Margins(Hyperplane([1.0]), p, n), ValueError, r"np.where\(y == 'yes'"),
        ],
    )
    def test_wrong_guesses(self, wrong, error, text):
        with pytest.raises(error, match=text):
            wrong(self.points, self.names)
