import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

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


def test_support_vectors_are_packed_once_and_not_pickled(monkeypatch):
    X, _, _, model = make()
    calls = []
    packing = RBF.expansion
    monkeypatch.setattr(
        RBF, "expansion", lambda *given: calls.append(given) or packing(*given), raising=True
    )
    size = len(pickle.dumps(model))
    vectors = X[model.support]
    first = model.decisions(X, vectors)
    np.testing.assert_array_equal(model.decisions(X, vectors), first)
    assert len(calls) == 1
    assert len(pickle.dumps(model)) == size
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decisions(X, vectors), first)


def test_other_support_vectors_are_noticed():
    X, _, _, model = make()
    vectors = X[model.support]
    expected = model.decisions(X + 1, vectors + 1)
    np.testing.assert_allclose(model.decisions(X, vectors), expected, atol=1e-12)


def test_many_threads_may_predict_at_once():
    X, _, _, model = make()
    vectors = X[model.support]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: model.decisions(X, vectors, 2), range(40)))
    for decisions in found:
        np.testing.assert_array_equal(decisions, found[0])


@pytest.mark.parametrize("columns", [3, 40])
def test_a_row_alone_has_the_same_bits(columns, layout, n_threads):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, columns)) * (rng.uniform(size=(700, columns)) < 0.3)
    weights = rng.normal(size=(600, 5)) * (rng.uniform(size=(600, 5)) < 0.5)
    sums = RBF(0.1).expansion(layout(X[:600]), weights)
    among = sums(layout(X), n_threads)
    np.testing.assert_allclose(among, RBF(0.1)(X, X[:600]) @ weights, atol=1e-12)
    for count in (1, 5, 24):
        few = [sums(layout(X[i : i + count]), n_threads) for i in range(580, 700, count)]
        np.testing.assert_array_equal(np.vstack(few), among[580:])
