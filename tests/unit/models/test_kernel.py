import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from instances import blobs
from maxmargin.data import check_data
from maxmargin.kernels import RBF
from maxmargin.models import Classes, KernelModel, SupportStatus
from maxmargin.problems import c_svc
from maxmargin.solvers import solve


def make():
    X, y = blobs(60)
    problem = c_svc(check_data(X, 2.0 * y - 1), RBF(0.5), C=0.5)
    [solution] = solve([problem])
    return X, problem, solution, KernelModel.of([problem], [solution])


def test_support():
    _, _, solution, model = make()
    np.testing.assert_array_equal(model.support, np.flatnonzero(solution.beta))
    np.testing.assert_array_equal(model.weights[:, 0], solution.beta[model.support])
    bound = np.abs(model.weights[:, 0]) == 0.5
    np.testing.assert_array_equal(model.status[:, 0] == SupportStatus.AT_BOUND, bound)
    np.testing.assert_array_equal(model.status[:, 0] == SupportStatus.FREE, ~bound)


def test_decisions(n_threads):
    X, problem, solution, model = make()
    expected = problem.kernel(X, X) @ solution.beta + solution.multipliers[0]
    found = model.decide(X, n_threads)[:, 0]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_support_vectors_are_sorted_by_class():
    X, problem, solution, model = make()
    codes = (problem.target > 0).astype(np.int64)
    classes = Classes(np.array([-1, 1]))
    turned = KernelModel.of([problem], [solution], classes=classes, codes=codes)
    assert (np.diff(codes[turned.support]) >= 0).all()
    np.testing.assert_array_equal(turned.n_support, np.bincount(codes[turned.support]))
    np.testing.assert_array_equal(turned.vectors, X[turned.support])
    np.testing.assert_allclose(turned.decide(X), model.decide(X), atol=1e-12)
    np.testing.assert_array_equal(turned.predict(X), np.where(model.decide(X)[:, 0] >= 0, 1, -1))


def test_support_vectors_are_packed_once_and_not_pickled(monkeypatch):
    X, _, _, model = make()
    calls = []
    packing = RBF.expansion
    monkeypatch.setattr(
        RBF, "expansion", lambda *given: calls.append(given) or packing(*given), raising=True
    )
    size = len(pickle.dumps(model))
    first = model.decide(X)
    np.testing.assert_array_equal(model.decide(X), first)
    assert len(calls) == 1
    assert len(pickle.dumps(model)) == size
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decide(X), first)


def test_many_threads_may_predict_at_once():
    X, _, _, model = make()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: model.decide(X, 2), range(40)))
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
