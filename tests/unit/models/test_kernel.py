import numpy as np

from instances import blobs
from maxmargin.data import check_data
from maxmargin.kernels import RBF
from maxmargin.models import KernelModel, SupportStatus
from maxmargin.problems import c_svc
from maxmargin.solvers import smo


def make():
    X, y = blobs(60)
    problem = c_svc(check_data(X, 2.0 * y - 1), RBF(0.5), C=0.5)
    solution = smo(problem)
    return X, problem, solution, KernelModel.from_solutions([problem], [solution])


def test_support():
    _, _, solution, model = make()
    np.testing.assert_array_equal(model.support, np.flatnonzero(solution.b))
    np.testing.assert_array_equal(model.weights[:, 0], solution.b[model.support])
    bound = np.abs(model.weights[:, 0]) == 0.5
    np.testing.assert_array_equal(model.status[:, 0] == SupportStatus.AT_BOUND, bound)
    np.testing.assert_array_equal(model.status[:, 0] == SupportStatus.FREE, ~bound)


def test_decisions(n_threads):
    X, problem, solution, model = make()
    expected = problem.kernel(X, X) @ solution.b + solution.multipliers[0]
    found = model.decisions(X, X[model.support], n_threads)[:, 0]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_order_of_support_vectors_does_not_matter():
    X, _, _, model = make()
    turned = model.reordered(np.arange(len(model.support))[::-1])
    np.testing.assert_allclose(
        turned.decisions(X, X[turned.support]), model.decisions(X, X[model.support]), atol=1e-12
    )
