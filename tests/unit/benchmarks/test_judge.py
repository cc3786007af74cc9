import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.datasets import load_iris, make_moons

from benchmarks import judge as judging
from benchmarks.judge import judge
from benchmarks.model import Model, from_libsvm, from_sklearn
from benchmarks.problem import Problem
from maxmargin import SVC, SVR, OneClassSVM
from maxmargin.cli import demo


def problem_of(X, y, C=1.0, gamma=1.0, tol=1e-3):
    X = X.astype(np.float32)
    return Problem(X, y, X, y, C, gamma, tol)


def pair_of_points(a, C=10.0):
    """Rows 0 and 1 of one feature, gamma ln 2, so that k(0, 1) = 1/2; dual variables -a and a."""
    problem = problem_of(np.array([[0.0], [1.0]]), np.array([0, 1]), C, np.log(2))
    rows, one = np.array([0, 1]), np.array([1])
    return problem, Model(rows, np.array([[-a], [a]]), np.zeros(1), positive=one, negative=1 - one)


def test_the_optimum_of_two_points_is_found_to_be_one():
    (verdict,) = judge(*_listed(pair_of_points(a=2.0)))  # D = 2a - a^2/2
    assert verdict.dual == pytest.approx(2.0)
    assert verdict.primal == pytest.approx(2.0)
    assert verdict.violation == pytest.approx(0.0, abs=1e-15)
    assert verdict.infeasibility == 0.0


def test_a_point_halfway_is_judged_by_the_formulas():
    (verdict,) = judge(*_listed(pair_of_points(a=1.0)))
    assert verdict.dual == pytest.approx(1.5)
    assert verdict.primal == pytest.approx(0.5 + 10 * 2 * 0.5)
    assert verdict.gap == pytest.approx(9 / 10.5)
    assert verdict.violation == pytest.approx(2 * 0.5)


def test_variables_outside_the_box_or_out_of_balance_are_seen():
    (verdict,) = judge(*_listed(pair_of_points(a=2.0, C=1.0)))
    assert verdict.infeasibility == pytest.approx(1.0)
    problem, model = pair_of_points(a=2.0)
    model.weights[0] = -1.0
    assert judge(problem, [model])[0].infeasibility == pytest.approx(1 / 3)


def test_bounds_count_in_float32():
    problem, model = pair_of_points(a=float(np.float32(0.1)), C=0.1)
    assert judge(problem, [model])[0].violation == 0.0


def test_it_agrees_with_our_certificate(monkeypatch):
    monkeypatch.setattr(judging, "BLOCK_BYTES", 1 << 20)  # several blocks
    X, y = make_moons(1500, noise=0.3, random_state=0)
    problem = problem_of(X, y, C=10.0, gamma=2.0)
    ours = SVC(C=10.0, gamma=2.0, tol=1e-2).fit(problem.X, y)
    theirs = svm.SVC(C=10.0, gamma=2.0, tol=1e-1).fit(problem.X.astype(float), y)
    mine, other = judge(problem, [from_sklearn(model, y) for model in (ours, theirs)])
    for verdict, certificate in (
        (mine, ours.certify(problem.X, y)),
        (other, demo.judge(theirs, _example(problem))),
    ):
        assert verdict.dual == pytest.approx(certificate.dual, rel=1e-10)
        assert verdict.violation == pytest.approx(certificate.violation, rel=1e-6)
    assert 1e-2 < other.violation < 0.2
    assert other.dual < mine.dual


def test_three_classes_in_either_layout_and_storage():
    X, y = load_iris(return_X_y=True)
    problem = problem_of(X, y, C=3.0, gamma=0.5)
    model = from_sklearn(svm.SVC(C=3.0, gamma=0.5, tol=1e-4).fit(X, y), y)
    # LIBSVM orders the classes as they occur: the same data with classes called 2, 0, 1.
    labels, places = [2, 0, 1], np.array([1, 2, 0])
    other = svm.SVC(C=3.0, gamma=0.5, tol=1e-4).fit(X, places[y])
    permuted = from_libsvm(
        other.dual_coef_, other.support_, places[y][other.support_], other.intercept_, labels
    )
    csr = Problem(sparse.csr_matrix(problem.X), y, problem.X, y, 3.0, 0.5, 1e-4)
    verdicts = [*judge(problem, [model, permuted]), *judge(csr, [permuted])]
    assert verdicts[0].dual == pytest.approx(SVC(C=3.0, gamma=0.5).fit(X, y).certificate_.dual)
    for verdict in verdicts:
        assert verdict.dual == pytest.approx(verdicts[0].dual, rel=1e-6)
        assert verdict.violation < 2e-4


def test_two_points_of_a_regression_are_judged_by_the_formulas():
    # Targets -1 and 1, k = 1/2, b = (-a, a): D = 2a - a^2/2 - 2a epsilon, best at a = 1.8.
    X, y = np.array([[0.0], [1.0]], np.float32), np.array([-1.0, 1.0])
    problem = Problem(X, y, X, y, 10.0, np.log(2), 1e-3, machine="SVR", epsilon=0.1)
    best, half = (Model(np.array([0, 1]), np.array([[-a], [a]]), np.zeros(1)) for a in (1.8, 0.9))
    best, half = judge(problem, [best, half])
    assert best.dual == pytest.approx(0.5 * 1.8**2)
    assert best.primal == pytest.approx(best.dual)
    assert best.violation == pytest.approx(0.0, abs=1e-15)
    assert half.dual == pytest.approx(2 * 0.9 * 0.9 - 0.5 * 0.9**2)
    assert half.primal == pytest.approx(0.5 * 0.9**2 + 10 * 2 * (1 - 0.45 - 0.1))
    assert half.violation == pytest.approx(2 * 0.45)


def test_the_tube_has_two_slopes_at_zero():
    X, y = np.array([[0.0], [1.0]], np.float32), np.array([-0.1, 0.1])
    problem = Problem(X, y, X, y, 1.0, 1.0, 1e-3, machine="SVR", epsilon=0.1)
    model = Model(np.zeros(0, int), np.zeros((0, 1)), np.zeros(1))
    (verdict,) = judge(problem, [model])
    assert verdict.violation == pytest.approx(0.0, abs=1e-15)
    assert verdict.primal == verdict.dual == 0.0


def test_two_points_of_one_class_are_judged_by_the_formulas():
    # nu n = 1, alpha = (1 - a, a), rho: D = -1/2 alpha'K alpha, best at a = 1/2 with rho = 3/4.
    X, y = np.array([[0.0], [1.0]], np.float32), np.ones(2, int)
    problem = Problem(X, y, X, y, 1.0, np.log(2), 1e-3, machine="OneClassSVM", nu=0.5)
    best, other = (
        Model(np.array([0, 1]), np.array([[1 - a], [a]]), np.array([-0.75])) for a in (0.5, 0.25)
    )
    best, other = judge(problem, [best, other])
    assert best.dual == pytest.approx(-0.375)
    assert best.primal == pytest.approx(-0.375)
    assert best.violation == pytest.approx(0.0, abs=1e-15)
    assert other.violation == pytest.approx(0.875 - 0.625)
    # P = 1/2 alpha'f - rho + max(0, rho - f), f = (0.875, 0.625)
    assert other.primal == pytest.approx(0.5 * (0.75 * 0.875 + 0.25 * 0.625) - 0.75 + 0.125)
    assert other.infeasibility == 0.0


@pytest.mark.parametrize("machine", ["SVR", "OneClassSVM"])
def test_regression_and_one_class_agree_with_our_certificate(machine):
    X, _ = make_moons(1500, noise=0.3, random_state=0)
    X = X.astype(np.float32)
    y = np.sin(3 * X[:, 0]).astype(np.float32).astype(float)
    parameters = {"C": 10.0, "gamma": 2.0, "tol": 1e-2}
    problem = Problem(X, y, X, y, **parameters, machine=machine, epsilon=0.05, nu=0.2)
    ours = {"SVR": SVR, "OneClassSVM": OneClassSVM}[machine](**problem.parameters).fit(X, y)
    theirs = getattr(svm, machine)(**problem.parameters).fit(X.astype(float), y)
    mine, other = judge(problem, [from_sklearn(model, y) for model in (ours, theirs)])
    certificate = ours.certify(X, y)
    assert mine.dual == pytest.approx(certificate.dual, rel=1e-10)
    assert mine.primal == pytest.approx(certificate.primal, rel=1e-10)
    assert mine.violation == pytest.approx(certificate.violation, rel=1e-6, abs=1e-12)
    assert 1e-3 < other.violation < 1.1e-2
    assert other.dual < mine.dual
    assert max(mine.infeasibility, other.infeasibility) < 1e-6


def _listed(pair):
    problem, model = pair
    return problem, [model]


def _example(problem):
    X, y = problem.X.astype(float), problem.y
    parameters = {"C": problem.C, "kernel": "rbf", "gamma": problem.gamma}
    return demo.Example("", "", X, y, X, y, parameters, repeats=1)
