"""More than two classes: one problem a pair, or one a class; what predicts, and how ties end."""

import numpy as np
import pytest

from instances import blobs
from judge import confirm
from maxmargin import SVC, NuSVC

MODELS = {
    "hinge": lambda **params: SVC(**params),
    "squared-hinge": lambda **params: SVC(loss="squared_hinge", **params),
    "nu": lambda **params: NuSVC(nu=0.2, **params),
}
models = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS.keys())
classes = pytest.mark.parametrize("k", [3, 5])


@models
@classes
def test_highest_output_predicts(make, k):
    X, y = blobs(120, 4, k)
    Z, _ = blobs(300, 4, k, seed=5, spread=2.0)
    names = np.array(["a", "b", "c", "d", "e"])[:k]
    model = make(multi_class="ovr").fit(X, names[y])
    scores = model.decision_function(Z)
    assert scores.shape == (300, k)
    np.testing.assert_array_equal(model.predict(Z), names[scores.argmax(axis=1)])
    confirm(model, X, names[y])


@models
@classes
def test_each_class_is_its_own_machine(make, k, layout):
    X, y = blobs(100, 4, k)
    model = make(multi_class="ovr", gamma=0.3).fit(layout(X), y)
    for p in range(k):
        alone = make(gamma=0.3).fit(X, (y == p).astype(int))
        np.testing.assert_allclose(
            model.decision_function(X)[:, p], alone.decision_function(X), rtol=1e-8, atol=1e-8
        )
        assert model.certificate_.parts[p].dual == pytest.approx(alone.certificate_.dual, rel=1e-9)
    assert model.dual_coef_.shape == (k, len(model.support_))
    assert model.intercept_.shape == (k,)


@models
def test_two_classes_are_one_problem(make):
    X, y = blobs(80)
    one, other = make(multi_class="ovr").fit(X, y), make().fit(X, y)
    np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


@models
@classes
def test_broken_ties_are_the_highest_score(make, k):
    X, y = blobs(100, 3, k, spread=1.5)
    Z, _ = blobs(400, 3, k, seed=7, spread=3.0)
    model = make(break_ties=True).fit(X, y)
    scores = model.decision_function(Z)
    assert scores.shape == (400, k)
    np.testing.assert_array_equal(model.predict(Z), scores.argmax(axis=1))


@models
def test_pairs_on_request(make):
    X, y = blobs(100, 3, 4)
    model = make(decision_function_shape="ovo").fit(X, y)
    pairs = model.decision_function(X)
    assert pairs.shape == (100, 6)
    first, second = np.triu_indices(4, 1)
    votes = np.zeros((100, 4))
    for p in range(6):
        np.add.at(votes, (np.arange(100), np.where(pairs[:, p] > 0, first[p], second[p])), 1)
    np.testing.assert_array_equal(model.predict(X), votes.argmax(axis=1))
    with pytest.raises(ValueError, match="break_ties"):
        model.set_params(break_ties=True).predict(X)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_many_classes(multi_class):
    X, y = blobs(200, 6, 50, spread=0.1)
    model = SVC(multi_class=multi_class, C=100.0, gamma=0.5).fit(X, y)
    assert len(model.certificate_.parts) == (50 if multi_class == "ovr" else 50 * 49 // 2)
    assert model.decision_function(X).shape == (200, 50)
    assert model.score(X, y) > 0.95
