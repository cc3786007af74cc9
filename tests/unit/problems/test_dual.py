import numpy as np
import pytest

from instances import blobs
from judge import Machine, gram, judge
from maxmargin.data import check_data
from maxmargin.kernels import RBF
from maxmargin.problems import c_svc, untouched


def make(n=40, C=2.0, weight=None):
    X, y = blobs(n)
    return c_svc(check_data(X, 2.0 * y - 1, weight), RBF(0.5), C)


def test_box():
    problem = make(weight=np.linspace(0.5, 3, 40))
    alpha = problem.target * (problem.lower + problem.upper)
    np.testing.assert_allclose(alpha, 2.0 * np.linspace(0.5, 3, 40))
    assert (problem.lower <= 0).all()
    assert (problem.upper >= 0).all()
    assert problem.totals == (0.0,)
    assert problem.epsilon == 0


def test_rows_of_weight_zero_take_no_part():
    weight = np.ones(40)
    weight[[3, 17]] = 0
    problem = make(weight=weight)
    assert problem.n_variables == 38
    np.testing.assert_array_equal(problem.rows, np.flatnonzero(weight))


def test_chosen_rows():
    X, y = blobs(40)
    chosen = np.array([5, 2, 9, 30])
    data = check_data(X, 2.0 * y - 1)
    from maxmargin.data import Dataset

    problem = c_svc(Dataset(data.X, data.y[chosen], np.ones(4)), RBF(0.5), 1.0, chosen)
    np.testing.assert_array_equal(problem.rows, chosen)


@pytest.mark.parametrize("C", [0.0, -1.0, np.nan])
def test_bad_penalty(C):
    with pytest.raises(ValueError, match=f"C is {C}"):
        make(C=C)


def test_bad_targets():
    with pytest.raises(ValueError, match=r"-1 and \+1"):
        c_svc(check_data([[0.0], [1.0]], [0, 1]), RBF())


@pytest.mark.parametrize("size", [0.0, 0.3, 1.0])
def test_certificate_of_any_feasible_point(size, n_threads):
    problem = make(60)
    rng = np.random.default_rng(0)
    alpha = rng.uniform(0, size, 60)
    positive = problem.target > 0
    alpha[positive] *= min(1, alpha[~positive].sum() / max(alpha[positive].sum(), 1e-300))
    alpha[~positive] *= alpha[positive].sum() / max(alpha[~positive].sum(), 1e-300)
    b = problem.target * 2.0 * alpha
    part = problem.certify_point(b, n_threads=n_threads)
    K = gram(problem.X, kernel="rbf", gamma=0.5, degree=0, coef0=0.0)
    intercept = 0.0  # violation and dual do not depend on it; the primal is checked by weak duality
    verdict = judge(Machine(K, 1.0, problem.target, np.full(60, 2.0), b, intercept))
    assert abs(part.violation - verdict.violation) <= part.bound
    assert part.dual == pytest.approx(verdict.dual, rel=1e-12, abs=1e-12)
    assert part.primal >= part.dual
    assert part.gap == pytest.approx((part.primal - part.dual) / part.primal)


def test_untouched():
    problem = make()
    solution = untouched([problem])[0]
    assert not solution.beta.any()
    assert solution.certificate.dual == 0
    assert solution.certificate.gap == 1
    assert solution.certificate.violation == 2
    assert len(solution.trace) == 0
