import numpy as np
import pytest

from maxmargin.losses import (
    L1,
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    Perceptron,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
    ZeroOne,
)
from maxmargin.problems import (
    C_MEAN,
    CONVENTIONS,
    HALF_SUM,
    LAMBDA_MEAN,
    MEAN,
    SUM,
    Objective,
    lowest,
    soft_margin_primal,
    tube_primal,
)
from maxmargin.solvers import solve_qp

rng = np.random.default_rng(1)
X = rng.normal(size=(30, 3))
labels = np.where(X[:, 0] + 0.5 * rng.normal(size=30) > 0.3, 1.0, -1.0)
targets = X @ [1.0, -2.0, 0.0] + 0.3 * rng.normal(size=30) + 5.0

MARGIN = [Hinge(), SquaredHinge(), Perceptron(), Logistic(), Logistic(scaled=True)]
RESIDUAL = [
    Squared(),
    Absolute(),
    EpsilonInsensitive(0.25),
    SquaredEpsilonInsensitive(0.25),
    Huber(),
]
every_loss = pytest.mark.parametrize("loss", MARGIN + RESIDUAL, ids=repr)


def objective(loss, **options):
    y = labels if loss in MARGIN else targets
    return Objective(X, y, loss, 0.3, **options)


def test_value_written_out():
    w, b = np.array([0.5, -1.0, 2.0]), 0.25
    hinge = np.maximum(0, 1 - labels * (X @ w + b))
    theta = np.append(w, b)
    J = objective(Hinge(), convention=C_MEAN)
    assert J.value(theta) == pytest.approx(0.15 * w @ w + hinge.mean())
    J = objective(Hinge(), convention=LAMBDA_MEAN.penalising_intercept())
    assert J.value(theta) == pytest.approx(0.3 * (w @ w + b * b) + hinge.mean())


@every_loss
@pytest.mark.parametrize("convention", CONVENTIONS, ids=lambda c: c.formula)
@pytest.mark.parametrize("penalty", [None, L1()])
def test_the_subgradient_supports_the_objective(loss, convention, penalty):
    options = {} if penalty is None else {"penalty": penalty}
    J = objective(loss, convention=convention, **options)
    for _ in range(5):
        w, v = rng.normal(size=(2, 4))
        assert J.value(v) >= J.value(w) + J.subgradient(w) @ (v - w) - 1e-9


@every_loss
def test_the_directional_derivative_is_the_limit_of_quotients(loss):
    J = objective(loss)
    w, d = rng.normal(size=(2, 4))
    quotient = (J.value(w + 1e-7 * d) - J.value(w)) / 1e-7
    assert J.directional_derivative(w, d) == pytest.approx(quotient, rel=1e-5, abs=1e-5)
    assert J.directional_derivative(w, d) >= J.subgradient(w) @ d - 1e-9


def test_a_subgradient_at_a_kink_that_does_not_go_down():
    """Both points on the margin: pushing one of them outwards pulls the other inside."""
    J = Objective([[1.0, 8.0], [1.0, -8.0]], [1.0, 1.0], Hinge(), 0.25, intercept=False)
    w = np.array([1.0, 0.0])
    g = w - 0.25 * np.array([1.0, 8.0])  # the slope -1 for the first point, 0 for the second
    assert J.directional_derivative(w, -g) > 0
    assert J.value(w - 1e-3 * g) > J.value(w)
    assert J.directional_derivative(w, -w) < 0
    assert J.value(w - 1e-3 * w) < J.value(w)


@every_loss
def test_mini_batches_are_right_on_average(loss):
    J = objective(loss)
    w = rng.normal(size=4)
    singles = [J.subgradient(w, np.array([i])) for i in range(30)]
    assert np.allclose(np.mean(singles, axis=0), J.subgradient(w))
    halves = [J.subgradient(w, np.arange(15)), J.subgradient(w, np.arange(15, 30))]
    assert np.allclose(np.mean(halves, axis=0), J.subgradient(w))


def test_the_second_lectures_step_minimises_the_mean():
    """2 w + C delta_i is a stochastic subgradient of |w|^2 + C mean, not of |w|^2 + C sum."""
    C, i, w = 0.3, 4, np.array([0.1, 0.2, -0.3])
    delta = -labels[i] * X[i]
    assert labels[i] * (X[i] @ w) < 1
    step = 2 * w + C * delta
    J = objective(Hinge(), convention=MEAN, intercept=False)
    assert np.allclose(J.subgradient(w, np.array([i])), step)
    J = objective(Hinge(), convention=SUM, intercept=False)
    assert not np.allclose(J.subgradient(w, np.array([i])), step)


def test_the_choice_at_the_kink():
    on_margin = {"X": [[1.0]], "y": [1.0], "loss": Hinge(), "parameter": 1.0, "intercept": False}
    assert Objective(**on_margin).subgradient([1.0]) == 1.0
    assert Objective(**on_margin, choose=lowest).subgradient([1.0]) == 0.0


@every_loss
@pytest.mark.parametrize("convention", [HALF_SUM, HALF_SUM.penalising_intercept()])
def test_every_dual_value_is_a_lower_bound(loss, convention):
    J = objective(loss, convention=convention)
    lowest_seen = min(J.value(w) for w in rng.normal(size=(200, 4)))
    bounds = [J.dual_value(J.dual_point(w)) for w in rng.normal(size=(50, 4))]
    assert max(bounds) <= lowest_seen


@pytest.mark.parametrize("convention", [HALF_SUM, C_MEAN, MEAN.penalising_intercept()])
def test_the_duals_optimum_is_the_primals(convention):
    J = objective(Hinge(), convention=convention)
    solution = solve_qp(soft_margin_primal(X, labels, 0.3, convention))
    s = -solution.inequality / J.c
    assert J.value(solution.theta[:4]) == pytest.approx(solution.value, rel=1e-10)
    assert J.dual_value(np.clip(s, -1, 0)) == pytest.approx(solution.value, rel=1e-9)


def test_the_tube_is_the_epsilon_insensitive_objective():
    solution = solve_qp(tube_primal(X, targets, 0.3, epsilon=0.25))
    J = objective(EpsilonInsensitive(0.25))
    above, below = np.split(solution.inequality, 2)
    assert J.value(solution.theta[:4]) == pytest.approx(solution.value, rel=1e-10)
    s = np.clip((above - below) / J.c, -1, 1)
    assert J.dual_value(s) == pytest.approx(solution.value, rel=1e-9)


def test_labels_other_than_plus_minus_one():
    with pytest.raises(ValueError, match=r"y must be -1 or \+1, got \[0. 1.\]"):
        Objective([[1.0], [2.0]], [0.0, 1.0], Hinge(), 1.0)


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"got shapes \(2, 1\) and \(3,\)"):
        Objective([[1.0], [2.0]], [1.0, 1.0, 1.0], Hinge(), 1.0)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_data_that_are_not_finite(bad):
    with pytest.raises(ValueError, match="X and y must be finite"):
        Objective([[1.0], [bad]], [1.0, -1.0], Hinge(), 1.0)
    with pytest.raises(ValueError, match="X and y must be finite"):
        Objective([[1.0], [2.0]], [1.0, bad], Squared(), 1.0)


def test_a_loss_without_subgradients():
    with pytest.raises(ValueError, match=r"loss must be convex, got ZeroOne\(\)"):
        Objective([[1.0], [2.0]], [1.0, -1.0], ZeroOne(), 1.0)


class TestByName:
    data = np.array([[-1.0], [0.5], [2.0]]), np.array([-1.0, 1.0, 1.0])

    def test_loss_convention_and_letter(self):
        w = [0.5, 0.1]
        J = Objective(*self.data, Hinge(), 0.1, convention=C_MEAN)
        assert Objective(*self.data, "hinge", C=0.1, convention="C_MEAN")(w) == J(w)
        assert Objective(*self.data, "hinge", C=0.1, convention="c_mean")(w) == J.value(w)
        by_lambda = Objective(*self.data, "hinge", lam=0.1)
        assert by_lambda.convention is LAMBDA_MEAN
        assert (by_lambda.lam, by_lambda.C, by_lambda.parameter) == (0.1, None, 0.1)
        assert (J.C, J.lam, J.parameter) == (0.1, None, 0.1)

    def test_w_and_b_apart(self):
        J = Objective(*self.data, "hinge", C=1.0)
        assert J([0.5], 0.1) == J([0.5, 0.1]) == J.value([0.5, 0.1])

    @pytest.mark.parametrize(
        ("wrong", "error", "text"),
        [
            ({"loss": "hinges", "C": 1.0}, ValueError, "loss is 'hinges'; it must be one of hinge"),
            ({"loss": Hinge, "C": 1.0}, TypeError, r"make one, Hinge\(\)"),
            ({"loss": 3.0, "C": 1.0}, TypeError, r"a loss such as Hinge\(\) or its name, got 3.0"),
            ({"loss": "hinge"}, ValueError, "one of C, lam and parameter must be given"),
            ({"loss": "hinge", "C": 1.0, "lam": 2.0}, ValueError, "C and lam are given"),
            ({"loss": "hinge", "C": "1"}, TypeError, "C must be a number, got '1'"),
            (
                {"loss": "hinge", "C": 1.0, "convention": "MEANS"},
                ValueError,
                r"convention is 'MEANS'; it must be one of HALF_SUM: 1/2 \|w\|\^2",
            ),
            (
                {"loss": "hinge", "lam": 1.0, "convention": "SUM"},
                ValueError,
                r"of \|w\|\^2 \+ C sum\(loss\) is called C; give C=, or .* such as LAMBDA_MEAN",
            ),
        ],
    )
    def test_wrong_guesses(self, wrong, error, text):
        with pytest.raises(error, match=text):
            Objective(*self.data, **wrong)

    @pytest.mark.parametrize(
        ("ask", "error", "text"),
        [
            (
                lambda J: J.value([0.5]),
                ValueError,
                r"must be \(2,\): 1 weights .*append b",
            ),
            (lambda J: J.subgradient([1.0, 2.0, 3.0]), ValueError, r"w has shape \(3,\)"),
            (lambda J: J.gradient([0.5, 0.0]), ValueError, "1 of the arguments .* are at a kink"),
            (lambda J: J.subdifferential, AttributeError, "directional_derivative"),
            (lambda J: J.minimize, AttributeError, "maxmargin.optimizers.minimize"),
        ],
    )
    def test_what_was_meant(self, ask, error, text):
        with pytest.raises(error, match=text):
            ask(Objective([[-1.0], [2.0]], [-1.0, 1.0], "hinge", C=1.0))

    def test_gradient(self):
        J = Objective(*self.data, "squared_hinge", C=1.0)
        assert np.array_equal(J.gradient([0.3, 0.1]), J.subgradient([0.3, 0.1]))

    def test_a_bound_needs_a_conjugate(self):
        J = Objective(*self.data, Hinge() + SquaredHinge(), 1.0)
        with pytest.raises(TypeError, match="has no conjugate"):
            J.dual_value(np.zeros(3))

    def test_its_text_is_short(self):
        J = Objective(np.zeros((500, 3)), np.ones(500), "hinge", C=1.0)
        assert len(repr(J)) < 400
