"""SGDSVC, SGDSVR and Perceptron make scikit-learn's steps where its names ask for them."""

import inspect

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model

from instances import blobs
from maxmargin import SGDSVC, SGDSVR, Perceptron

CLASSIFICATION = (
    "hinge",
    "log_loss",
    "modified_huber",
    "squared_hinge",
    "perceptron",
    "squared_error",
    "huber",
    "epsilon_insensitive",
    "squared_epsilon_insensitive",
)
REGRESSION = ("squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive")
RATES = ("optimal", "constant", "invscaling", "adaptive")
#: The rows' own order, all passes, and averages as they are asked for.
SAME = {"shuffle": False, "max_iter": 3, "tol": None, "eta0": 0.01, "alpha": 0.01, "average": False}


def targets(X, seed=0):
    rng = np.random.default_rng(seed)
    return X @ rng.normal(size=X.shape[1]) + 0.5 + 0.3 * rng.normal(size=len(X))


def agree(ours, theirs, X, atol=1e-10):
    assert ours.coef_.shape == theirs.coef_.shape
    assert ours.intercept_.shape == theirs.intercept_.shape
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=atol)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=atol)
    np.testing.assert_array_equal(ours.predict(X).shape, theirs.predict(X).shape)
    assert ours.n_iter_ == theirs.n_iter_
    if not ours.early_stopping:  # there, rows that are held out are counted too
        assert ours.t_ == theirs.t_ - 1


def both(kind, X, y, options, **fit):
    other = {SGDSVC: linear_model.SGDClassifier, SGDSVR: linear_model.SGDRegressor}[kind]
    return kind(**options).fit(X, y, **fit), other(**options).fit(X, y, **fit)


@pytest.mark.parametrize("loss", CLASSIFICATION)
@pytest.mark.parametrize("learning_rate", RATES)
def test_steps_of_classification(loss, learning_rate):
    X, y = blobs(150, 4, 3)
    options = {**SAME, "loss": loss, "learning_rate": learning_rate}
    if learning_rate == "optimal":  # begins with steps that squared losses do not bear
        options["alpha"] = 1.0
    agree(*both(SGDSVC, X, y, options), X)


@pytest.mark.parametrize("loss", REGRESSION)
@pytest.mark.parametrize("learning_rate", RATES)
def test_steps_of_regression(loss, learning_rate):
    X, _ = blobs(150, 4)
    options = {**SAME, "loss": loss, "learning_rate": learning_rate, "epsilon": 0.2}
    if learning_rate == "optimal":
        options["alpha"] = 1.0
    agree(*both(SGDSVR, X, targets(X), options), X)


OPTIONS = {
    "average": {"average": True},
    "average from a row on": {"average": 200},
    "average from a row that does not come": {"average": 10_000},
    "power": {"learning_rate": "invscaling", "power_t": 0.3},
    "no penalty": {"penalty": None},
    "l1": {"penalty": "l1"},
    "elastic net": {"penalty": "elasticnet", "l1_ratio": 0.4, "learning_rate": "optimal"},
    "no intercept": {"fit_intercept": False},
    "class weight": {"class_weight": {0: 2.0, 1: 0.5}},
    "balanced": {"class_weight": "balanced"},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_options(options):
    X, y = blobs(150, 4)
    rows = y == 0
    rows[:60] = True  # so that the classes differ in size
    options = {**SAME, "learning_rate": "constant", **options}
    weight = np.random.default_rng(0).integers(1, 4, rows.sum()).astype(float)
    unweighted = options.get("class_weight") == "balanced"
    fit = {} if unweighted else {"sample_weight": weight}
    agree(*both(SGDSVC, X[rows], y[rows], options, **fit), X)


@pytest.mark.parametrize("class_weight", [{0: 2.0, 1: 0.5}, "balanced"])
@pytest.mark.parametrize("average", [False, True])
def test_class_weights_of_several_classes(class_weight, average):
    X, y = blobs(150, 4, 3)
    rows = np.arange(150) % 4 != y
    options = {**SAME, "learning_rate": "constant", "class_weight": class_weight}
    agree(*both(SGDSVC, X[rows], y[rows], {**options, "average": average}), X)


@pytest.mark.parametrize("classes", [2, 3])
def test_where_to_begin(classes):
    X, y = blobs(90, 4, classes)
    outputs = 1 if classes == 2 else 3
    rng = np.random.default_rng(0)
    coef, intercept = rng.normal(size=(outputs, 4)), rng.normal(size=outputs)
    options = {**SAME, "learning_rate": "constant", "max_iter": 1}
    for given in ({"coef_init": coef}, {"coef_init": coef, "intercept_init": intercept}):
        agree(*both(SGDSVC, X, y, options, **given), X)
    options["average"] = True
    agree(*both(SGDSVC, X, y, options, coef_init=coef, intercept_init=intercept), X)
    start = {"coef_init": coef[0], "intercept_init": intercept[0]}
    options["loss"] = "epsilon_insensitive"
    agree(*both(SGDSVR, X, targets(X), options, **start), X)


@pytest.mark.parametrize("learning_rate", RATES)
@pytest.mark.parametrize("average", [False, True, 100])
def test_streams(learning_rate, average):
    X, y = blobs(150, 4, 3)
    options = {**SAME, "learning_rate": learning_rate, "average": average}
    # scikit-learn 1.9 forgets the last intercept of an averaged stream between blocks.
    options["fit_intercept"] = average is False
    ours, theirs = SGDSVC(**options), linear_model.SGDClassifier(**options)
    numbers = SGDSVR(**options), linear_model.SGDRegressor(loss="epsilon_insensitive", **options)
    for begin in range(0, 150, 40):
        rows = slice(begin, begin + 40)
        for model in (ours, theirs):
            model.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
        for model in numbers:
            model.partial_fit(X[rows], targets(X)[rows])
        for one, other in ((ours, theirs), numbers):
            np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-10)
            np.testing.assert_allclose(one.intercept_, other.intercept_, atol=1e-10)
            assert one.t_ == other.t_ - 1


@pytest.mark.parametrize("kind", [SGDSVC, SGDSVR])
def test_held_out_rows_are_those_of_the_same_seed(kind):
    """With a score that no pass raises by tol, both end after as many passes, on the same rows."""
    X, y = blobs(150, 4)
    y = y if kind is SGDSVC else targets(X)
    options = {
        **SAME,
        "learning_rate": "constant",
        "early_stopping": True,
        "validation_fraction": 0.2,
        "n_iter_no_change": 3,
        "tol": 1e6,
        "max_iter": 100,
        "random_state": 3,
        "loss": "epsilon_insensitive",
    }
    ours, theirs = both(kind, X, y, options)
    agree(ours, theirs, X)
    assert ours.n_iter_ == 4
    assert ours.certificate_.n_rows == 120


def test_sparse_rows_but_for_the_intercept():
    X, y = blobs(150, 6)
    X[np.abs(X) < 0.7] = 0
    options = {**SAME, "learning_rate": "constant", "fit_intercept": False}
    agree(*both(SGDSVC, sparse.csr_matrix(X), y, options), X)


PERCEPTRONS = {
    "as it is": {},
    "eta0": {"eta0": 0.3},
    "class weight": {"class_weight": {0: 2.0}},
    "held out": {"early_stopping": True, "n_iter_no_change": 3, "tol": 1e6, "random_state": 1},
}


@pytest.mark.parametrize("options", PERCEPTRONS.values(), ids=PERCEPTRONS.keys())
@pytest.mark.parametrize("classes", [2, 3])
def test_perceptron(options, classes):
    X, y = blobs(150, 4, classes, spread=3.0)
    options = {"shuffle": False, "max_iter": 6, "tol": None, **options}
    ours = Perceptron(**options).fit(X, y)
    theirs = linear_model.Perceptron(**options).fit(X, y)
    agree(ours, theirs, X)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


#: Parameters of scikit-learn's that are not here, and defaults that are others.
MISSING = {"SGDSVC": set(), "SGDSVR": set(), "Perceptron": {"penalty", "alpha", "l1_ratio"}}
DEFAULTS = {
    "SGDSVC": {"learning_rate", "eta0", "n_iter_no_change", "average"},
    "SGDSVR": {"loss", "learning_rate", "eta0", "n_iter_no_change", "average"},
    "Perceptron": {"tol", "shuffle", "random_state", "n_iter_no_change"},
}
PAIRS = [
    (SGDSVC, linear_model.SGDClassifier),
    (SGDSVR, linear_model.SGDRegressor),
    (Perceptron, linear_model.Perceptron),
]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=lambda kind: kind.__name__)
def test_parameters_and_methods_are_there(ours, theirs):
    have, want = ours().get_params(), theirs().get_params()
    assert set(want) - set(have) == MISSING[ours.__name__]
    other = {name for name in want if name in have and have[name] != want[name]}
    assert other - {"verbose"} == DEFAULTS[ours.__name__]
    methods = {name for name, _ in inspect.getmembers(theirs) if not name.startswith("_")}
    lacking = methods - set(dir(ours))
    assert lacking <= {"loss_functions", "predict_proba", "predict_log_proba"}
    for name in ("fit", "partial_fit"):
        wanted = set(inspect.signature(getattr(theirs, name)).parameters)
        assert wanted <= set(inspect.signature(getattr(ours, name)).parameters)
