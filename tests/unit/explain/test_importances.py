"""Permutation importances against scikit-learn's, shuffle by shuffle."""

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.inspection import permutation_importance
from sklearn.metrics import make_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from maxmargin import SVC, SVR, LinearSVC, LinearSVR, OneClassSVM
from maxmargin.explain import importances
from maxmargin.explain.shuffles import Shuffles
from maxmargin.kernels import RBF, Chi2, Laplacian, Linear, Polynomial

KERNELS = [
    RBF(0.3),
    RBF(200.0),
    RBF(0.1).on([0, 2]) * 2,
    Laplacian(0.5),
    Chi2(0.5),
    RBF(0.3) * Linear() + Laplacian(0.1),
    Polynomial(2, 0.3, 1.0),
    Linear(),
]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 2, (90, 4))
    return X, X @ [1.0, -1.0, 0.5, 0.0] + 0.3 * rng.normal(size=90)


def classes(y, k):
    return np.array(["a", "b", "c"])[np.searchsorted(np.quantile(y, np.arange(1, k) / k), y)]


def agrees(model, X, y, **options):
    ours = importances(model, X, y, random_state=3, **options)
    theirs = permutation_importance(model, X, y, random_state=3, **options)
    np.testing.assert_allclose(ours.values, theirs.importances, rtol=0, atol=1e-9)
    np.testing.assert_allclose(ours.importances_mean, theirs.importances_mean, atol=1e-9)
    np.testing.assert_allclose(ours.importances_std, theirs.importances_std, atol=1e-9)
    return ours


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_outputs_are_those_of_shuffled_rows(kernel, data):
    X, y = data
    for model in (SVR(kernel=kernel).fit(X[:60], y[:60]), SVC(kernel=kernel).fit(X, classes(y, 3))):
        shuffles = Shuffles.of(model, X, seed=1, n_repeats=3)
        found = shuffles.shuffled(slice(0, 4))
        size = np.abs(model.model_.weights).sum(axis=0) * np.abs(model.model_.kernel(X, X)).max()
        for feature in range(4):
            for shuffle in range(3):
                expected = model.model_.decide(shuffles.rows(feature, shuffle))
                assert np.all(np.abs(found[feature, shuffle] - expected) <= 1e-10 * size)


def test_distances_that_cancel_are_summed_again(data):
    X, y = data
    X = X * [1.0, 1.0, 1.0, 3e6]
    model = SVR(kernel=RBF(0.3), C=10.0).fit(X, y)
    shuffles = Shuffles.of(model, X, seed=1, n_repeats=2)
    # A shuffle that leaves the last column where it is: all of it must cancel.
    shuffles.orders[:] = np.arange(90)
    found = shuffles.shuffled(slice(3, 4))[0, 0]
    np.testing.assert_allclose(found, shuffles.outputs, rtol=0, atol=1e-10)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_do_not_change_values(threads, data):
    X, y = data
    for kernel in (RBF(0.3), Laplacian(0.3)):
        model = SVR(kernel=kernel, n_jobs=1).fit(X, y)
        one = Shuffles.of(model, X, 0, 2).shuffled(slice(0, 4))
        model.set_params(n_jobs=threads)
        assert np.array_equal(one, Shuffles.of(model, X, 0, 2).shuffled(slice(0, 4)))


def test_scores_are_those_of_scikit_learn(data):
    X, y = data
    two, three = classes(y, 2), classes(y, 3)
    weight = np.arange(90.0)
    assert agrees(SVC().fit(X, three), X, three).method == "changes"
    agrees(SVC(multi_class="ovr").fit(X, three), X, three, scoring="balanced_accuracy")
    agrees(SVC().fit(X, two), X, two, scoring="roc_auc", n_repeats=2)
    agrees(SVC().fit(X, two), X, two, sample_weight=weight, n_repeats=2)
    agrees(SVC(probability=True).fit(X, three), X, three, scoring="neg_log_loss", n_repeats=2)
    agrees(SVC(break_ties=True).fit(X, three), X, three, scoring="f1_weighted", n_repeats=2)
    agrees(LinearSVC().fit(X, three), X, three)
    agrees(SVR().fit(X, y), X, y)
    agrees(LinearSVR().fit(X, y), X, y, scoring="neg_mean_absolute_error")
    agrees(SVR().fit(X, y), X, y, scoring=make_scorer(lambda t, p: -np.abs(t - p).max()))
    outliers = OneClassSVM(nu=0.2).fit(X)
    sides = outliers.predict(X)
    agrees(outliers, X, sides, scoring="accuracy", n_repeats=2)


def test_pipelines_are_seen_through(data):
    pd = pytest.importorskip("pandas")
    X, y = data
    table = pd.DataFrame(X, columns=list("abcd"))
    table["place"] = pd.Categorical(np.array(["north", "south", "east"])[np.arange(90) % 3])
    steps = make_column_transformer(
        (StandardScaler(), list("abcd")), (OneHotEncoder(sparse_output=False), ["place"])
    )
    labels = classes(y, 2)
    found = agrees(make_pipeline(steps, SVC()).fit(table, labels), table, labels)
    assert found.method == "changes"
    assert found.names == ("a", "b", "c", "d", "place")
    mixed = agrees(make_pipeline(PCA(2), SVC()).fit(X, labels), X, labels, n_repeats=2)
    assert mixed.method == "predictions"
    other = agrees(SVC(kernel="sigmoid").fit(X, labels), X, labels, n_repeats=2)
    assert other.method == "predictions"


def test_a_scorer_sees_the_shuffled_rows(data):
    X, y = data
    model = SVR().fit(X, y)
    agrees(model, X, y, n_repeats=2, scoring=lambda m, X, y: float(m.predict(X[:10])[3] + X[5, 2]))


def test_options_are_checked(data):
    X, y = data
    with pytest.raises(ValueError, match="n_repeats is 0"):
        importances(SVR().fit(X, y), X, y, n_repeats=0)
