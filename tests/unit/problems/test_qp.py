import numpy as np
import pytest
from sklearn.svm import SVC

from maxmargin.kernels import Gaussian, PolynomialMap
from maxmargin.problems import (
    C_MEAN,
    CONVENTIONS,
    HALF_MEAN,
    HALF_SUM,
    SUM,
    QuadraticProgram,
    hard_margin_dual,
    hard_margin_primal,
    intercept_range,
    soft_margin_dual,
    soft_margin_primal,
    tube_dual,
    tube_primal,
    weights_from_dual,
)
from maxmargin.solvers import QPStatus, solve_qp

rng = np.random.default_rng(2)
X = rng.normal(size=(24, 2))
y = np.where(X @ [1.0, 2.0] + rng.normal(size=24) > 0.5, 1.0, -1.0)
separable_y = np.where(X @ [1.0, 2.0] > 0.5, 1.0, -1.0)
K = X @ X.T

every_convention = pytest.mark.parametrize(
    "convention",
    [*CONVENTIONS, HALF_SUM.penalising_intercept(), C_MEAN.penalising_intercept()],
    ids=lambda convention: convention.formula,
)


def test_hard_margin_of_two_points():
    """The bisector: w along the difference, functional margins 1."""
    points = np.array([[0.0, 0.0], [3.0, 4.0]])
    w, b = np.split(solve_qp(hard_margin_primal(points, [-1.0, 1.0])).theta, [2])
    assert np.allclose(w, 2 * points[1] / 25)
    assert b == pytest.approx(-1.0)


def test_hard_margin_is_the_soft_margin_of_a_large_C():
    hard = solve_qp(hard_margin_primal(X, separable_y))
    soft = solve_qp(soft_margin_primal(X, separable_y, 1e5))
    assert hard.status is QPStatus.SOLVED
    assert np.allclose(hard.theta, soft.theta[:3], rtol=1e-5)
    assert np.all(separable_y * (X @ hard.theta[:2] + hard.theta[2]) >= 1 - 1e-9)


def test_separable_data_with_a_small_C_has_slack():
    soft = solve_qp(soft_margin_primal(X, separable_y, 0.1))
    assert soft.theta[3:].max() > 0.1


def test_hard_margin_without_a_separator_is_infeasible():
    assert solve_qp(hard_margin_primal(X, y)).status is QPStatus.INFEASIBLE


@every_convention
@pytest.mark.parametrize("scaled", [False, True])
def test_primal_and_dual_meet(convention, scaled):
    a, c = convention.weights(0.7, len(y))
    primal = solve_qp(soft_margin_primal(X, y, 0.7, convention))
    result = solve_qp(soft_margin_dual(K, y, 0.7, convention, scaled=scaled))
    alpha = result.theta * (c if scaled else 1.0)
    assert -result.value * (c if scaled else 1.0) == pytest.approx(primal.value, rel=1e-9)
    assert np.allclose(alpha, primal.inequality, atol=1e-6 * c)
    w = weights_from_dual(alpha, X, y, a)
    assert np.allclose(w, primal.theta[:2], rtol=1e-6)
    b = primal.theta[2]
    if convention.penalise_intercept:
        assert b == pytest.approx(alpha @ y / (2 * a), abs=1e-6)
    else:
        low, high = intercept_range(alpha, X @ w, y, c)
        assert low - 1e-6 <= b <= high + 1e-6
        free = (alpha > 1e-6 * c) & (alpha < (1 - 1e-6) * c)
        assert (high - low < 1e-6) == free.any()


def test_the_second_lectures_dual_has_the_box_C_over_n():
    program = soft_margin_dual(K, y, 6.0, HALF_MEAN)
    assert np.allclose(program.upper, 6.0 / 24)
    assert np.allclose(program.hessian, y[:, None] * K * y)


def test_the_fifth_lectures_dual_belongs_to_another_primal():
    """It prints |w|^2 + C sum, with the dual of 1/2 |w|^2 + C sum: the box should be C / 2."""
    C = 0.7
    printed = solve_qp(soft_margin_dual(K, y, C, HALF_SUM))
    primal = solve_qp(soft_margin_primal(X, y, C, SUM))
    w_printed = weights_from_dual(printed.theta, X, y)
    assert not np.allclose(w_printed, primal.theta[:2], rtol=1e-3)
    w_halved = weights_from_dual(solve_qp(soft_margin_dual(K, y, C / 2, HALF_SUM)).theta, X, y)
    assert np.allclose(w_halved, primal.theta[:2], rtol=1e-6)


@pytest.mark.parametrize("gamma", [0.01, 0.5, 5.0])
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
def test_the_judge_is_exact_over_eight_decades_of_C(C, gamma):
    """The dual's equality multiplier is b, and with it primal and dual agree to eight digits."""
    gram = Gaussian.from_gamma(gamma)(X, X)
    solution = solve_qp(soft_margin_dual(gram, y, C, scaled=True))
    alpha = C * solution.theta
    scores = gram @ (alpha * y)

    def primal(b):
        return alpha @ (scores * y) / 2 + C * np.maximum(0, 1 - y * (scores + b)).sum()

    dual = alpha.sum() - alpha @ (scores * y) / 2
    assert primal(solution.equality[0]) == pytest.approx(dual, rel=1e-8)
    low, high = intercept_range(alpha, scores, y, C)
    assert low - 1e-6 <= solution.equality[0] <= high + 1e-6


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
def test_agrees_with_scikit_learn(C):
    gram = Gaussian.from_gamma(0.5)(X, X)
    program = soft_margin_dual(gram, y, C)
    ours = C * solve_qp(soft_margin_dual(gram, y, C, scaled=True)).theta
    judge = SVC(C=C, gamma=0.5, tol=1e-10).fit(X, y)
    theirs = np.zeros(24)
    theirs[judge.support_] = np.abs(judge.dual_coef_[0])
    assert program.violation(ours) < 1e-9 * C
    assert program.value(ours) == pytest.approx(program.value(theirs), rel=1e-8)
    assert np.allclose(ours, theirs, atol=1e-4 * theirs.max())


def test_the_kernel_trick_gives_what_the_map_gives():
    """The primal on explicit features, and the dual on the kernel that they have."""
    phi = PolynomialMap(degree=2, coef0=1.0)
    primal = solve_qp(soft_margin_primal(phi(X), y, 0.7))
    solution = solve_qp(soft_margin_dual(phi.kernel(X, X), y, 0.7))
    by_map = phi(X) @ primal.theta[:6] + primal.theta[6]
    by_kernel = phi.kernel(X, X) @ (solution.theta * y) + solution.equality[0]
    assert primal.value == pytest.approx(-solution.value, rel=1e-10)
    assert np.allclose(by_map, by_kernel, atol=1e-7)


class TestIntercept:
    points, signs = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])

    def test_not_unique_when_every_alpha_is_at_its_bound(self):
        C = 0.1
        alpha = solve_qp(soft_margin_dual(self.points @ self.points.T, self.signs, C)).theta
        w = weights_from_dual(alpha, self.points, self.signs)
        low, high = intercept_range(alpha, self.points @ w, self.signs, C)
        assert (low, high) == pytest.approx((-0.8, 0.8), abs=1e-7)

        def J(b):
            return w @ w / 2 + C * np.maximum(0, 1 - self.signs * (self.points @ w + b)).sum()

        assert J(low) == pytest.approx(J(0.0)) == pytest.approx(J(high))
        assert min(J(low - 0.1), J(high + 0.1)) > J(0.0) + 1e-3

    def test_one_number_when_some_alpha_is_free(self):
        C = 10.0
        alpha = solve_qp(soft_margin_dual(self.points @ self.points.T, self.signs, C)).theta
        b = intercept_range(alpha, self.points @ [1.0], self.signs, C)
        assert b.high - b.low < 1e-9
        assert b.middle == pytest.approx(0.0, abs=1e-9)

    def test_one_class_leaves_one_end_open(self):
        b = intercept_range([0.0, 0.0], [0.2, 0.4], [1.0, 1.0], c=1.0)
        assert b == (0.8, np.inf)
        assert b.middle == 0.8


@pytest.mark.parametrize("build", [hard_margin_primal, lambda X, y: soft_margin_primal(X, y, 1.0)])
def test_bad_labels(build):
    with pytest.raises(ValueError, match=r"y must be -1 or \+1, got \[0. 1.\]"):
        build([[1.0], [2.0]], [0.0, 1.0])


def test_a_gram_matrix_must_be_square():
    with pytest.raises(ValueError, match=r"K must be square"):
        soft_margin_dual(X, y, 1.0)


class TestLargeC:
    """Where the box is many decades wider than the solution."""

    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0], [4.0, 3.0]])
    signs = np.array([-1.0, -1.0, -1.0, 1.0, 1.0])

    @pytest.mark.parametrize("C", [1e6, 1e7, 1e8, 1e9, 1e10, 1e12])
    def test_of_separable_points_is_the_hard_margin(self, C):
        gram = self.points @ self.points.T
        for program in (
            soft_margin_primal(self.points, self.signs, C=C),
            soft_margin_dual(gram, self.signs, C=C, X=self.points),
        ):
            found = solve_qp(program)
            assert found.status is QPStatus.SOLVED
            assert np.allclose([*found.w, found.b], [0.4, 0.4, -1.4], rtol=1e-8)
            assert found.alpha.sum() == pytest.approx(0.32)
            assert found.slack.max() < 1e-8

    @pytest.mark.parametrize("C", [1e7, 1e8, 1e9, 1e10])
    def test_of_overlapping_points(self, C):
        primal = solve_qp(soft_margin_primal(X, y, C=C))
        dual = solve_qp(soft_margin_dual(K, y, C=C, X=X))
        assert primal.status is QPStatus.SOLVED
        assert dual.status in (QPStatus.SOLVED, QPStatus.INACCURATE)
        assert np.allclose(dual.w, primal.w, rtol=1e-4)
        assert -dual.value == pytest.approx(primal.value, rel=1e-6)

    def test_what_is_not_solved_is_not_returned_silently(self):
        with pytest.warns(RuntimeWarning, match="not solved: .* bring C nearer to 1"):
            found = solve_qp(soft_margin_dual(K, y, C=1e16))
        assert found.status is QPStatus.FAILED
        assert found.error > 1e-6

    def test_a_box_is_never_unbounded(self):
        """The answer of an interior-point method is believed only with its proof."""
        box = soft_margin_dual(K, y, C=1e13)
        with pytest.warns(RuntimeWarning, match="not solved"):
            assert solve_qp(box).status is not QPStatus.UNBOUNDED


def _program(hessian, linear, lower, upper):
    m = len(linear)
    return QuadraticProgram(
        np.diag(np.asarray(hessian, float)),
        np.asarray(linear, float),
        equalities=np.empty((0, m)),
        equal_to=np.empty(0),
        inequalities=np.empty((0, m)),
        at_most=np.empty(0),
        lower=np.asarray(lower, float),
        upper=np.asarray(upper, float),
    )


def test_without_a_minimum():
    found = solve_qp(_program([1.0, 0.0], [0.0, -1.0], [0.0, 0.0], [1.0, np.inf]))
    assert (found.status, found.value) == (QPStatus.UNBOUNDED, -np.inf)
    assert np.isnan(found.theta).all()
    assert solve_qp(hard_margin_dual(K, y)).status is QPStatus.UNBOUNDED


@every_convention
@pytest.mark.parametrize("scaled", [False, True])
def test_both_programs_tell_the_same_machine(convention, scaled):
    primal = solve_qp(soft_margin_primal(X, y, 0.7, convention))
    dual = solve_qp(soft_margin_dual(K, y, 0.7, convention, scaled=scaled, X=X))
    margins = y * (X @ primal.w + primal.b)
    assert np.allclose(primal.slack, np.maximum(0, 1 - margins), atol=1e-7)
    assert np.allclose(dual.w, primal.w, atol=1e-6)
    assert np.allclose(dual.alpha, primal.alpha, atol=1e-6 * dual.alpha.max())
    # b may be loose, and slack with it; each program's are those of its own b.
    margins = y * (X @ dual.w + dual.b)
    assert np.allclose(dual.slack, np.maximum(0, 1 - margins), atol=1e-6)
    assert dual.slack.sum() == pytest.approx(primal.slack.sum(), abs=1e-6)


def test_hard_margin_dual():
    primal = solve_qp(hard_margin_primal(X, separable_y))
    dual = solve_qp(hard_margin_dual(K, separable_y, X=X))
    assert np.allclose([*dual.w, dual.b], [*primal.w, primal.b], rtol=1e-7)
    assert np.allclose(dual.alpha, primal.alpha, atol=1e-7)
    assert -dual.value == pytest.approx(primal.value)
    assert np.all(primal.slack == 0)


@every_convention
def test_tube_dual(convention):
    targets = X @ [1.0, -2.0] + 0.5 * rng.normal(size=24) + 3.0
    primal = solve_qp(tube_primal(X, targets, 0.7, 0.3, convention))
    dual = solve_qp(tube_dual(K, targets, 0.7, 0.3, convention, X=X))
    assert -dual.value == pytest.approx(primal.value, rel=1e-8)
    assert np.allclose(dual.w, primal.w, atol=1e-5)
    assert np.allclose(dual.alpha, primal.alpha, atol=1e-5 * dual.alpha.max())
    beyond = np.abs(X @ dual.w + dual.b - targets) - 0.3
    assert np.allclose(dual.slack, np.maximum(0, beyond), atol=1e-6)
    assert dual.slack.sum() == pytest.approx(primal.slack.sum(), abs=1e-5)
    assert np.all(dual.alpha.min(axis=0) < 1e-6)


@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        (lambda: solve_qp(soft_margin_dual(K, y, C=1.0)).w, ValueError, "X=X.*weights_from_dual"),
        (lambda: solve_qp(hard_margin_primal(X, separable_y)).x, AttributeError, "use theta"),
        (lambda: solve_qp(np.eye(2)), TypeError, "QuadraticProgram, got ndarray"),
        (lambda: solve_qp(_program([1.0], [0.0], [0.0], [1.0])).w, ValueError, "does not know"),
        (lambda: soft_margin_dual(X, y, C=1.0), ValueError, r"X @ X.T, or kernel\(X, X\)"),
        (lambda: soft_margin_primal(X, y), ValueError, "one of C, lam and parameter must be"),
        (lambda: soft_margin_dual(K, y, C=1.0, X=X[:3]), ValueError, r"X must be \(24, d\)"),
        (lambda: tube_dual(K, y, C=1.0, epsilon=-1.0), ValueError, "epsilon must be 0 or more"),
    ],
)
def test_wrong_guesses(wrong, error, text):
    with pytest.raises(error, match=text):
        wrong()
