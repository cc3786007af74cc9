"""Shapley values against their definition, and the other ways to take outputs apart."""

from itertools import product
from math import factorial

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_regressor

from maxmargin import (
    SGDSVC,
    SVC,
    SVR,
    HardMarginSVC,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
)
from maxmargin.kernels import (
    RBF,
    Chi2,
    Cosine,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Sigmoid,
)
from maxmargin.kernels.terms import product_terms

PRODUCTS = [
    RBF(0.3),
    RBF(40.0),  # factors near zero
    RBF(1e-9),  # and near one
    Laplacian(0.4),
    Chi2(0.5),
    Matern(2.0, np.inf),
    RBF(0.3) + Linear(),
    0.5 * RBF(0.3).on([0, 3]) * Laplacian(0.2) + 1,
    RBF(0.3) * (Linear() + 2),
    Polynomial(3, 0.2, 1.0),
    Polynomial(2, 0.2, 1.0) * RBF(0.1) + Laplacian(0.1).on([1]),
]
OTHERS = [Sigmoid(0.1), Cosine(), Matern(2.0, 1.5), Linear().on([0, 1]) * Linear()]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 2, (40, 5))
    return X, np.array(["a", "b", "c"])[rng.integers(0, 3, 40)]


def shapley(model, x, background):
    """The definition: gains weighted over all sets of features."""
    d = len(x)
    sets = np.array(list(product([False, True], repeat=d)))

    def outputs(known):
        if background is None:
            centres = model.vectors * known
            return model.kernel.expand((x * known)[None], centres, model.weights)[0]
        return model.decide(np.where(known, x, background)).mean(axis=0)

    values = np.array([outputs(known) for known in sets])
    place = 1 << np.arange(d)[::-1]
    found = np.zeros((d, values.shape[1]))
    for j in range(d):
        for k in np.flatnonzero(~sets[:, j]):
            size = sets[k].sum()
            share = factorial(size) * factorial(d - size - 1) / factorial(d)
            found[j] += share * (values[k + place[j]] - values[k])
    return found


@pytest.mark.parametrize("kernel", PRODUCTS, ids=repr)
@pytest.mark.parametrize("removed", [True, False])
def test_products_over_features_are_exact(kernel, removed, data):
    X, y = data
    model = SVC(kernel=kernel).fit(X, y)
    background = None if removed else X[:6]
    found = model.explain(X[3], background=background)
    expected = shapley(model.model_, X[3], background)
    weight = np.abs(model.model_.weights).sum(axis=0)
    rounding = 1e-15 * weight  # of the expected values, which are differences of outputs
    assert found.method == "exact"
    error = np.abs(found.features[0] - expected)
    assert np.all(error <= 1e-13 * weight * np.abs(expected).max() + rounding)
    total = found.base + found.features.sum(axis=1)
    np.testing.assert_allclose(total, found.decision, rtol=0, atol=1e-10)


def test_twelve_features():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(25, 12)), rng.normal(size=25)
    model = SVR(gamma=0.2).fit(X, y)
    expected = shapley(model.model_, X[0], None)
    np.testing.assert_allclose(model.explain(X[0]).features[0], expected, rtol=0, atol=1e-13)


def test_hundreds_of_features_add_up():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 500)) * np.geomspace(1e-3, 30, 500), rng.normal(size=60)
    for gamma in (1e-6, 1e-3, 10.0):
        model = SVR(gamma=gamma, C=10.0).fit(X, y)
        for background in (None, X[:3]):
            found = model.explain(X[:2] + 0.1, background=background)
            total = found.base + found.features.sum(axis=1)
            np.testing.assert_allclose(total, found.decision, rtol=0, atol=1e-10)


def test_threads_and_layouts_do_not_change_values(data):
    X, y = data
    X = np.where(X > 1, X, 0.0)
    one = SVC(gamma=0.5, n_jobs=1).fit(X, y).explain(X, background=X[:4])
    three = SVC(gamma=0.5, n_jobs=3).fit(X, y).explain(X, background=X[:4])
    assert np.array_equal(one.features, three.features)
    alone = SVC(gamma=0.5, n_jobs=2).fit(X, y).explain(X[7], background=X[:4])
    assert np.array_equal(one.features[7], alone.features[0])
    rows = sparse.csr_matrix(X)
    thin = SVC(gamma=0.5).fit(rows, y).explain(rows, background=rows[:4])
    np.testing.assert_allclose(thin.features, one.features, rtol=0, atol=1e-13)
    single = X.astype(np.float32)
    narrow = SVC(gamma=0.5).fit(single, y).explain(single, background=single[:4])
    np.testing.assert_allclose(narrow.features, one.features, rtol=0, atol=1e-5)


@pytest.mark.parametrize("kernel", OTHERS, ids=repr)
@pytest.mark.parametrize("removed", [True, False])
def test_sampled_values_are_within_their_errors(kernel, removed, data):
    X, y = data
    model = SVC(kernel=kernel).fit(X, y)
    background = None if removed else X[:6]
    found = model.explain(X[3], background=background, n_orders=120)
    expected = shapley(model.model_, X[3], background)
    assert product_terms(kernel, 5) is None
    assert found.method == "sampled"
    assert np.all(np.abs(found.features[0] - expected) <= 5 * found.errors[0] + 1e-9)
    total = found.base + found.features.sum(axis=1)
    np.testing.assert_allclose(total, found.decision, rtol=0, atol=1e-10)


def test_a_function_of_rows_is_sampled(data):
    X, y = data
    given = SVC(kernel=lambda A, B: np.exp(-0.3 * ((A[:, None] - B) ** 2).sum(-1))).fit(X, y)
    exact = SVC(kernel=RBF(0.3)).fit(X, y).explain(X[:2], background=X[:6])
    found = given.explain(X[:2], background=X[:6], n_orders=120)
    assert found.method == "sampled"
    assert np.all(np.abs(found.features - exact.features) <= 5 * found.errors + 1e-9)
    np.testing.assert_allclose(found.gradients, exact.gradients, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    "kernel", [*PRODUCTS, *OTHERS, Matern(2.0, 0.5), Matern(2.0, 2.5)], ids=repr
)
def test_gradients_are_those_of_differences(kernel, data):
    X, y = data
    model = SVC(kernel=kernel).fit(X, y)
    x, step = X[3] + 0.01, 1e-6
    ahead, back = (model.model_.decide(x + sign * step * np.eye(5)) for sign in (1, -1))
    expected = (ahead - back) / (2 * step)
    size = np.abs(model.model_.weights).sum()
    np.testing.assert_allclose(model.explain(x).gradients[0], expected, rtol=0, atol=1e-8 * size)


MACHINES = [
    SVC(),
    SVC(kernel="linear"),
    SVC(probability=True),
    SVC(multi_class="ovr"),
    NuSVC(nu=0.2),
    SVR(),
    NuSVR(),
    OneClassSVM(),
    LinearSVC(),
    LinearSVC(multi_class="crammer_singer"),
    LinearSVR(),
    SGDSVC(max_iter=5, tol=None),
    HardMarginSVC(kernel="rbf", gamma=5.0),
]


@pytest.mark.parametrize("machine", MACHINES, ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_every_machine_explains_its_decision(machine, data):
    X, y = data
    numbers = np.arange(40) % 7.0
    labels = np.where(y == "a", "a", "b") if isinstance(machine, HardMarginSVC) else y
    machine = machine.fit(X, numbers if is_regressor(machine) else labels)
    for background in (None, X[:3]):
        found = machine.explain(X[:2], background=background)
        total = found.base + found.features.sum(axis=1)
        np.testing.assert_allclose(total, found.decision, rtol=0, atol=1e-10)
        np.testing.assert_allclose(found.decision, machine.model_.decide(X[:2]), atol=1e-12)
        assert found.names == ("x0", "x1", "x2", "x3", "x4")
        assert len(found.outputs) == found.decision.shape[1]
    if hasattr(machine, "support_vectors_"):
        whole = found.pulls.sum(axis=1) + machine.intercept_
        np.testing.assert_allclose(whole, found.decision, atol=1e-12)


def test_support_vectors_are_told_with_label_and_distance(data):
    X, y = data
    model = SVC(gamma=0.5).fit(X, y)
    frame = model.explain(X[:2]).support_frame(row=1, output=2)
    assert np.array_equal(y[frame["index"]], frame["label"])
    np.testing.assert_allclose(
        frame["distance"], np.linalg.norm(X[1] - X[frame["index"]], axis=1), atol=1e-12
    )
    assert np.all(np.diff(np.abs(frame["pull"])) <= 0)
    value = model.model_.decide(X[1:2])[0, 2] - model.intercept_[2]
    assert np.isclose(frame["pull"].sum(), value)


def test_scores_of_classes(data):
    X, y = data
    for model in (SVC().fit(X, y), SVC().fit(X, y == "a"), LinearSVC().fit(X, y)):
        found = model.explain(X)
        one = found.of()
        assert np.array_equal(found.model.predict(X), model.predict(X))
        total = one.base + one.features.sum(axis=1)
        np.testing.assert_allclose(total, one.decision, atol=1e-10)
        scores = np.column_stack([found.of(name).decision for name in model.classes_.tolist()])
        chosen = [model.classes_.tolist().index(name) for name in model.predict(X).tolist()]
        np.testing.assert_allclose(one.decision[:, 0], scores[np.arange(len(X)), chosen])
    with pytest.raises(ValueError, match="label is 'd'; it must be one of"):
        SVC().fit(X, y).explain(X).of("d")


def test_names_of_tables_are_kept(data):
    pd = pytest.importorskip("pandas")
    X, y = data
    table = pd.DataFrame(X, columns=["a", "b", "c", "d", "e"])
    model = SVC().fit(table, y)
    assert model.explain(table.iloc[3]).names == ("a", "b", "c", "d", "e")
    assert np.array_equal(model.explain(table.iloc[3]).features, model.explain(table[3:4]).features)


def test_kernel_matrices_have_support_vectors_only(data):
    X, y = data
    K = X @ X.T
    found = SVC(kernel="precomputed").fit(K, y).explain(K[:2])
    assert found.method == "none"
    whole = found.pulls.sum(axis=1) + found.model.intercepts
    np.testing.assert_allclose(whole, found.decision, atol=1e-12)
    with pytest.raises(ValueError, match="features are not known"):
        found.feature_frame()


def test_what_cannot_be_asked_is_refused(data):
    X, y = data
    model = SVC().fit(X, y)
    with pytest.raises(ValueError, match="5 features as input"):
        model.explain(X[0, :3])
    with pytest.raises(ValueError, match="n_orders is 1"):
        model.explain(X[0], n_orders=1)
    with pytest.raises(ValueError, match="keeps weights of the features"):
        LinearSVC().fit(X, y).explain(X[0]).support_frame()


def test_explanations_become_those_of_shap(data):
    pytest.importorskip("shap", reason="pip install shap")
    X, y = data
    found = SVC().fit(X, y).explain(X[:2])
    assert found.to_shap().values.shape == found.features.shape
    assert found.of("a").to_shap().values.shape == (2, 5)
