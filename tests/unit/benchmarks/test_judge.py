import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.datasets import load_iris, make_moons

from benchmarks import judge as judging
from benchmarks.judge import judge
from benchmarks.model import Model, from_libsvm, from_sklearn
from benchmarks.problem import Problem
from maxmargin import SVC
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


def _listed(pair):
    problem, model = pair
    return problem, [model]


def _example(problem):
    X, y = problem.X.astype(float), problem.y
    parameters = {"C": problem.C, "kernel": "rbf", "gamma": problem.gamma}
    return demo.Example("", "", X, y, X, y, parameters, repeats=1)
