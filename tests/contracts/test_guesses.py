"""What a student guesses at a prompt works, or ends in an error that names what does."""

import numpy as np
import pytest

from maxmargin import SVC
from maxmargin.kernels import RBF, Gaussian, Linear, Polynomial, PolynomialMap, check_mercer
from maxmargin.losses import (
    Absolute,
    Chain,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Maximum,
    Polyhedral,
    Squared,
    Sum,
)
from maxmargin.models import kernel_ridge
from maxmargin.optimizers import (
    Harmonic,
    InverseSquareRoot,
    Momentum,
    StepLength,
    minimize,
    pegasos,
    perceptron,
)
from maxmargin.problems import (
    Objective,
    convert,
    least_slack,
    one_vs_one,
    soft_margin_dual,
    soft_margin_primal,
)
from maxmargin.solvers import solve, solve_lp

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 2))
y = np.where(X @ [1.0, 2.0] > 0, 1, -1)
J = Objective(X, y, "hinge", C=0.1)
ZERO = np.zeros(3)

WRONG = [
    (lambda: Gaussian(c=3.0), TypeError, r"no argument 'c': use prefactor=; .* sigma, prefactor"),
    (lambda: Polynomial(2, c=1.0), TypeError, "use coef0="),
    (lambda: RBF(1.0)(X[0], X), ValueError, r"x\[None, :\]"),
    (lambda: PolynomialMap(2)(X[0]), ValueError, r"one point is x\[None, :\]"),
    (lambda: check_mercer(RBF()), TypeError, r"of rows X it is kernel\(X, X\)"),
    (lambda: kernel_ridge(X, y, "rbf", lam=0.1), TypeError, r"such as RBF\(gamma=1.0\)"),
    (lambda: EpsilonInsensitive(eps=0.1), TypeError, "use epsilon="),
    (lambda: Maximum(Hinge(), Absolute()), TypeError, r"Maximum\(\) takes parts; got 2"),
    (lambda: Sum(Hinge()), TypeError, r"a tuple of functions, Sum\(\(h, g\)\)"),
    (lambda: Momentum(gamma=0.9), TypeError, "use decay="),
    (lambda: Objective(X, y, "hinge", 0.1, "SUM"), TypeError, "by name C=, lam=, convention="),
    (lambda: Objective(X, y, "hinge", C=0.1, regularizer="l2"), TypeError, "use penalty="),
    (lambda: Objective(X, y, "hinge", C=0.1, penalty="elastic"), TypeError, "'l2' and 'l1'"),
    (lambda: Objective(X, y, "0-1", C=0.1), ValueError, "loss must be convex"),
    (lambda: minimize(J, ZERO, 0.1, batch_size=1), TypeError, "use batch="),
    (lambda: minimize(J, ZERO, 0.1, tol=1e-3), TypeError, "use stop=ObjectiveChange"),
    (lambda: minimize(J, ZERO, learning_rate=0.1), TypeError, "use schedule="),
    (lambda: minimize(J, ZERO, 0.1, rule="momentum"), TypeError, r"such as Momentum\(0.9\)"),
    (lambda: minimize(J, ZERO, 0.1, rule=Momentum), TypeError, r"such as Momentum\(0.9\)"),
    (lambda: minimize(J, ZERO, 0.1, stop=1e-3), TypeError, r"such as ObjectiveChange\(1e-6\)"),
    (lambda: minimize(Absolute(), [3.0], 0.1), TypeError, "starts at a number"),
    (lambda: pegasos(X, y), TypeError, r"takes objective, and by name max_iter="),
    (lambda: pegasos(X, max_iter=9), TypeError, r"Objective\(X, y, \"hinge\", lam=0.1"),
    (lambda: perceptron(X, y, max_iter=10), TypeError, "use max_passes="),
    (lambda: soft_margin_primal(X, y, c=1.0), TypeError, "use C="),
    (lambda: solve_lp(soft_margin_primal(X, y, C=1.0)), TypeError, "solve_qp solves"),
    (lambda: Hinge(margin=2.0), TypeError, r"use Perceptron\(margin"),
    (lambda: Hinge() ** 2, TypeError, "SquaredHinge"),
    (lambda: max(Hinge(), Absolute()), TypeError, r"Maximum\(\(h, g\)\)"),
    (lambda: Hinge().argmin, AttributeError, "contains_zero"),
    (lambda: Maximum((Hinge(), "one")), TypeError, "convex functions or numbers, got 'one'"),
    (lambda: Chain(Absolute(), 2.0), TypeError, r"Line\(slope, offset\)"),
    (lambda: Harmonic(0.1, decay=2.0), TypeError, "use delay="),
    (lambda: InverseSquareRoot(eta=0.1), TypeError, "use size="),
    (lambda: Polyhedral([[1.0, 2.0]], [0.0]).subdifferential, AttributeError, "its corners"),
    (lambda: Polyhedral([[1.0, 2.0]], [0.0])([1.0]), ValueError, r"shape \(2,\)"),
    (
        lambda: soft_margin_primal(X, y, C=1.0).solve,
        AttributeError,
        r"use maxmargin.solvers.solve_qp",
    ),
    (lambda: solve(soft_margin_primal(X, y, C=1.0)), TypeError, "solve_qp"),
    (lambda: solve(J), TypeError, "optimizers.minimize"),
    (lambda: J.subgradient(ZERO, batch=[1]), TypeError, "use rows="),
    (lambda: convert(C=1.0, n=3, source="SUM", target="MEAN"), TypeError, "use value="),
    (lambda: Objective(y, X, "hinge", C=1.0), ValueError, "X comes first, then y"),
    (lambda: minimize(J, ZERO, 0.1, max_iter=2.5), TypeError, "a whole number, got 2.5"),
    (lambda: minimize(J, ZERO, 0.1, batch=2.5), TypeError, "batch must be a number of rows"),
    (lambda: SVC(kernel=RBF).fit(X, y), TypeError, r"make one, RBF\(\)"),
    (lambda: solve_lp(least_slack(X, y)).alpha, AttributeError, "use solve_qp"),
]


@pytest.mark.parametrize(("wrong", "error", "text"), WRONG)
def test_wrong_guesses_are_told_what_is_right(wrong, error, text):
    with pytest.raises(error, match=text):
        wrong()


def test_a_kernel_of_two_points_is_a_number_and_of_rows_alone_a_matrix():
    for kernel in (Linear(), RBF(0.5), Gaussian(2.0), 2 * RBF(1.0) + Linear(), Linear().on([0])):
        gram = kernel(X, X)
        assert kernel(X[0], X[1]) == pytest.approx(gram[0, 1], rel=1e-14)
        assert np.ndim(kernel(X[0], X[1])) == 0
        assert np.array_equal(kernel(X), gram)


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        ("svm", Hinge()),
        ("Hinge Loss", Hinge()),
        ("mse", Squared()),
        ("absolute", Absolute()),
        ("huber", Huber()),
    ],
)
def test_losses_by_the_names_they_have_elsewhere(name, loss):
    assert Objective(X, y, name, C=0.1).loss == loss


def test_one_reason_to_stop():
    one, several = (minimize(J, ZERO, 0.1, stop=s) for s in (StepLength(0.1), [StepLength(0.1)]))
    assert one.n_iter == several.n_iter < 1000


def test_numbers_are_constant_functions():
    assert float(Maximum((Hinge(), 0.5))(1.0)) == 0.5


def test_classes_of_a_list():
    assert [len(pair.rows) for pair in one_vs_one([0, 1, 2, 1], 3)] == [3, 2, 3]


def test_a_gram_matrix_from_a_kernel_alone():
    assert soft_margin_dual(Linear()(X), y, C=1.0).hessian.shape == (30, 30)
