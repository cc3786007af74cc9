"""SGDSVC and SGDSVR: streams, classes, weights, seeds, and what they say about themselves."""

import pickle

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedShuffleSplit

from instances import blobs
from maxmargin import SGDSVC, SGDSVR, LinearSVC, Status
from maxmargin.data import Chunks


def regression(n=400, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 1.5 + 0.1 * rng.normal(size=n)


def same(one, other):
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    assert one.certificate_ == other.certificate_


@pytest.mark.parametrize("classes", [2, 11])
def test_any_number_of_threads_gives_the_same_bits(classes, n_threads):
    X, y = blobs(900, 6, classes)
    same(
        SGDSVC(random_state=1, n_jobs=1).fit(X, y),
        SGDSVC(random_state=1, n_jobs=n_threads).fit(X, y),
    )


def test_the_seed_decides():
    X, y = blobs(300)
    same(SGDSVC(random_state=3).fit(X, y), SGDSVC(random_state=3).fit(X, y))
    assert (SGDSVC(random_state=3).fit(X, y).coef_ != SGDSVC(random_state=4).fit(X, y).coef_).any()


@pytest.mark.parametrize("batch_size", [1, 5])
@pytest.mark.parametrize("penalty", ["l2", "elasticnet"])
def test_layouts_agree(layout, dtype, batch_size, penalty):
    X, y = blobs(300, 5, 3, dtype=dtype)
    X[np.abs(X) < 0.5] = 0
    options = {"random_state": 0, "max_iter": 5, "tol": 0.0, "batch_size": batch_size}
    options |= {"penalty": penalty, "alpha": 1e-2 if penalty == "elasticnet" else 1e-4}
    one, other = SGDSVC(**options).fit(X, y), SGDSVC(**options).fit(layout(X), y)
    np.testing.assert_allclose(other.coef_, one.coef_, atol=1e-9)
    np.testing.assert_allclose(
        other.decision_function(layout(X)), one.decision_function(X), atol=1e-9
    )


def test_each_class_is_learnt_against_the_rest():
    X, y = blobs(500, 5, 4)
    options = {"random_state": 0, "max_iter": 3, "tol": 0.0, "eta0": 0.05}
    model = SGDSVC(**options).fit(X, y)
    for k in range(4):
        alone = SGDSVC(**options).fit(X, y == k)
        np.testing.assert_allclose(model.coef_[k], alone.coef_[0], atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X).argmax(axis=1))


def test_close_to_the_exact_machine():
    X, y = blobs(2000, 6, spread=1.5)
    alpha = 1e-3
    exact = LinearSVC(loss="hinge", C=1 / (alpha * len(y)), tol=1e-8).fit(X, y)
    model = SGDSVC(alpha=alpha, max_iter=10, tol=0.0, random_state=0).fit(X, y)
    best = exact.certificate_.primal * alpha
    assert best <= model.certificate_.primal <= 1.01 * best
    assert model.certificate_.dual <= best
    assert not model.certificate_.held
    assert (model.predict(X) == exact.predict(X)).mean() > 0.98


def test_regression_close_to_the_truth():
    X, y = regression()
    for loss in ("epsilon_insensitive", "squared_epsilon_insensitive", "huber"):
        model = SGDSVR(loss=loss, alpha=1e-5, epsilon=0.05, random_state=0).fit(X, y)
        assert model.score(X, y) > 0.99
        assert model.certificate_.gap <= 1


def test_a_stream_judges_before_it_learns():
    X, y = blobs(3000, 5)
    model, primals = SGDSVC(alpha=1e-3), []
    for begin in range(0, 3000, 500):
        rows = slice(begin, begin + 500)
        before = (
            np.zeros((1, 5)) if begin == 0 else model.coef_.copy(),
            np.zeros(1) if begin == 0 else model.intercept_.copy(),
        )
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
        assert model.certificate_.held
        assert model.certificate_.n_rows == 500
        f = X[rows] @ before[0][0] + before[1][0]
        z = np.where(y[rows] == 1, f, -f)
        expected = 5e-4 * (before[0] ** 2).sum() + np.maximum(0, 1 - z).mean()
        np.testing.assert_allclose(model.certificate_.primal, expected, rtol=1e-10)
        primals.append(model.certificate_.primal)
    assert primals[0] == 1
    assert primals[-1] < 0.9
    assert model.t_ == 3000
    # On rows not seen yet the estimate is right within a few of its own errors.
    fresh = model.certify(*blobs(3000, 5))
    assert abs(fresh.primal - primals[-1]) < 6 * model.certificate_.standard_error


def test_a_stream_of_chunks():
    X, y = blobs(2000, 5, 3)
    model = SGDSVC(random_state=0)
    for chunk in Chunks.from_arrays(X, y, chunk_rows=300):
        model.partial_fit(chunk.X, chunk.y, classes=[0, 1, 2])
    assert model.score(X, y) > 0.5


def test_classes_of_a_stream():
    X, y = blobs(60, 4, 3)
    with pytest.raises(ValueError, match="first partial_fit must be given all classes"):
        SGDSVC().partial_fit(X, y)
    with pytest.raises(ValueError, match=r"class .*2.*, which is not among"):
        SGDSVC().partial_fit(X, y, classes=[0, 1])
    model = SGDSVC().partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    assert model.coef_.shape == (3, 4)
    with pytest.raises(ValueError, match="the stream began with"):
        model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="balanced"):
        SGDSVC(class_weight="balanced").partial_fit(X, y, classes=[0, 1, 2])


def test_a_failed_block_changes_nothing():
    X, y = blobs(60, 4)
    model = SGDSVC().partial_fit(X, y, classes=[0, 1])
    before = dict(vars(model))
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(np.full((2, 4), np.nan), [0, 1])
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :3], y)
    assert all(vars(model)[name] is value for name, value in before.items())


def test_weight_zero_is_a_row_left_out():
    X, y = blobs(200, 4)
    weight = np.where(np.arange(200) % 3 == 0, 0.0, 2.0)
    options = {"shuffle": False, "max_iter": 4, "tol": 0.0, "eta0": 0.1}
    one = SGDSVC(**options).fit(X, y, sample_weight=weight)
    kept = weight > 0
    other = SGDSVC(**options).fit(X[kept], y[kept], sample_weight=weight[kept])
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-14)
    assert one.certificate_.n_rows == kept.sum()


def test_class_weight_is_a_weight_of_rows():
    X, y = blobs(200, 4)
    options = {"random_state": 0, "max_iter": 4, "tol": 0.0}
    one = SGDSVC(class_weight={0: 3.0}, **options).fit(X, y)
    other = SGDSVC(**options).fit(X, y, sample_weight=np.where(y == 0, 3.0, 1.0))
    same(one, other)


@pytest.mark.parametrize("options", [{}, {"method": "pegasos", "intercept": "penalized"}])
def test_class_weights_of_several_classes_are_those_of_the_exact_machine(options):
    X, y = blobs(900, 5, 3)
    alpha = 1e-2
    shared = {"class_weight": {0: 6.0, 2: 0.5}, "intercept": "free", **options}
    model = SGDSVC(alpha=alpha, max_iter=50, tol=None, random_state=0, **shared).fit(X, y)
    shared.pop("method", None)
    exact = LinearSVC(loss="hinge", C=1 / (alpha * 900), tol=1e-8, **shared).fit(X, y)
    for part, best in zip(model.certificate_.parts, exact.certificate_.parts, strict=True):
        assert part.dual <= alpha * best.primal * (1 + 1e-9) <= part.primal * (1 + 2e-9)
        assert part.primal <= 1.02 * alpha * best.primal
    assert model.certify(X, y, tight=True).gap < 0.05


def test_warm_start_goes_on():
    X, y = blobs(300)
    model = SGDSVC(warm_start=True, max_iter=2, tol=0.0, random_state=0).fit(X, y)
    first = model.certificate_.primal
    model.fit(X, y)
    assert model.t_ == 1200
    assert model.certificate_.primal < first


def test_certify_repeats_the_certificate():
    X, y = blobs(300, 4, 3)
    model = SGDSVC(random_state=0).fit(X, y)
    assert model.certify(X, y) == model.certificate_
    tight = model.certify(X, y, tight=True)
    assert tight.primal == model.certificate_.primal
    assert model.certificate_.dual <= tight.dual <= tight.primal
    assert tight.gap < 0.05


def test_pegasos_for_regression():
    X, y = regression()
    options = {"method": "pegasos", "intercept": "penalized", "alpha": 1e-2, "random_state": 0}
    model = SGDSVR(max_iter=50, tol=0.0, **options).fit(X, y)
    assert model.certify(X, y, tight=True).gap < 0.02


def test_history_and_status():
    X, y = blobs(500, 5)
    model = SGDSVC(alpha=1e-2, random_state=0).fit(X, y)
    assert model.status_ in (Status.OPTIMAL, Status.PRECISION)
    assert model.history_["iterations"].tolist() == list(range(1, model.n_iter_ + 1))
    assert model.history_["primal"][-1] == model.certificate_.primal
    with pytest.warns(ConvergenceWarning, match="max_iter=1 was reached.*share of the optimum"):
        unfinished = SGDSVC(alpha=1e-2, max_iter=1, random_state=0).fit(X, y)
    assert unfinished.status_ is Status.MAX_ITERATIONS


def test_pickle():
    X, y = blobs(100, 4, 3)
    model = SGDSVC().partial_fit(X, y, classes=[0, 1, 2])
    copy = pickle.loads(pickle.dumps(model))
    same(copy.partial_fit(X, y), model.partial_fit(X, y))


PEGASOS = {
    "free intercept": ({}, 'intercept is "free"'),
    "loss": ({"loss": "squared_hinge", "intercept": "penalized"}, "loss is 'squared_hinge'"),
}


@pytest.mark.parametrize(("options", "message"), PEGASOS.values(), ids=PEGASOS.keys())
def test_pegasos_says_what_it_cannot(options, message):
    X, y = blobs(50)
    with pytest.raises(ValueError, match=message):
        SGDSVC(method="pegasos", **options).fit(X, y)


PARAMETERS = {
    "loss": ["squared", None],
    "alpha": [0.0, -1.0, np.nan],
    "method": ["adam"],
    "intercept": ["fixed"],
    "max_iter": [0, -1, 1.5],
    "tol": [-1e-3, np.nan],
    "eta0": [0.0, "fast"],
    "penalty": ["L1", "none"],
    "l1_ratio": [-0.1, 1.1],
    "epsilon": [-0.1, None],
    "learning_rate": ["pa1", None],
    "power_t": [-0.5, "auto"],
    "average": [0, -1, 1.5, "yes"],
    "early_stopping": [1],
    "validation_fraction": [0.0, 1.0],
    "n_iter_no_change": [0, 2.5, None],
    "batch_size": [0, 2.5],
    "shuffle": ["yes"],
    "class_weight": ["heavy"],
    "n_jobs": [0],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name in PARAMETERS for value in PARAMETERS[name]]
)
def test_bad_parameters(name, value):
    X, y = blobs(20)
    with pytest.raises(ValueError, match=f"^{name} is .*; it must "):
        SGDSVC(**{name: value}).fit(X, y)
    with pytest.raises(ValueError, match=f"^{name} is .*; it must "):
        SGDSVC(**{name: value}).partial_fit(X, y, classes=[0, 1])


@pytest.mark.parametrize("seed", range(20))
def test_few_rows_are_fitted_for_every_seed(seed):
    # Four places, each four times; a plane through them exists, so that only the penalty is left.
    X = np.repeat([[1.0, 3.0], [2.0, 1.0], [3.0, 3.0], [4.0, 1.0]], 4, axis=0)
    y = np.repeat([1.0, 2.0, 1.0, 2.0], 4)
    model = SGDSVR(loss="huber", delta=1.0, random_state=seed).fit(X, y)
    assert model.certificate_.primal < 2e-5


# ---- What scikit-learn's SGDClassifier and SGDRegressor have too ---------------------------------


def test_early_stopping_holds_rows_out():
    X, y = blobs(600, 5, 3, spread=2.0)
    options = {"early_stopping": True, "validation_fraction": 0.25, "random_state": 1}
    model = SGDSVC(**options).fit(X, y)
    assert model.status_ in (Status.PRECISION, Status.OPTIMAL)
    assert model.certificate_.n_rows == 450
    assert np.isinf(model.history_["primal"][:-1]).all()
    _, held = next(StratifiedShuffleSplit(1, test_size=0.25, random_state=1).split(X, y))
    learnt = np.setdiff1d(np.arange(600), held)
    # The held rows have no part in the certificate, and so none in the steps.
    assert model.certify(X[learnt], y[learnt]) == model.certificate_
    moved = X.copy()
    moved[held] += 1e-9 * np.random.default_rng(0).normal(size=(150, 5))
    same(model, SGDSVC(**options).fit(moved, y))
    same(model, SGDSVC(n_jobs=1, **options).fit(X, y))


def test_early_stopping_leaves_rows_without_weight_alone():
    X, y = blobs(400, 5)
    weight = (np.arange(400) % 4 > 0).astype(float)
    options = {"early_stopping": True, "random_state": 0, "shuffle": False, "eta0": 0.1}
    one = SGDSVC(**options).fit(X, y, sample_weight=weight)
    kept = weight > 0
    other = SGDSVC(**options).fit(X[kept], y[kept])
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-14)
    assert one.certificate_.n_rows == 270


def test_early_stopping_of_a_regression():
    X, y = regression()
    model = SGDSVR(early_stopping=True, random_state=0).fit(X, y)
    assert model.certificate_.n_rows == 360
    assert model.score(X, y) > 0.98


def test_too_few_rows_to_hold_out():
    X, y = blobs(8, 3)
    with pytest.raises(ValueError, match=r"validation_fraction=0\.1 of 8 rows: .*test_size = 1"):
        SGDSVC(early_stopping=True).fit(X, y)
    with pytest.raises(ValueError, match="holds out one row"):
        SGDSVR(early_stopping=True).fit(X, y)


def test_patience_and_tolerance():
    X, y = blobs(300, 5, spread=2.0)
    few, many = (SGDSVC(n_iter_no_change=n, random_state=0).fit(X, y).n_iter_ for n in (1, 20))
    assert few < many
    everything = SGDSVC(tol=None, max_iter=7, random_state=0).fit(X, y)
    same(everything, SGDSVC(tol=0.0, max_iter=7, random_state=0).fit(X, y))
    assert everything.n_iter_ == 7


def test_without_a_penalty_the_bound_is_zero():
    X, y = blobs(300, 5, spread=2.0)
    model = SGDSVC(penalty=None, max_iter=20, tol=None, random_state=0).fit(X, y)
    f = model.decision_function(X)
    expected = np.maximum(0, 1 - np.where(y == 1, f, -f)).mean()
    np.testing.assert_allclose(model.certificate_.primal, expected, rtol=1e-12)
    assert model.certificate_.dual == 0
    assert model.certify(X, y, tight=True) == model.certificate_
    small = SGDSVC(alpha=1e-9, max_iter=20, tol=None, random_state=0).fit(X, y)
    assert abs(small.certificate_.primal - expected) < 1e-3


def test_an_l1_penalty_makes_weights_zero_and_comes_close_to_the_exact_machine():
    X, y = blobs(1500, 5, 3)
    X = np.hstack([X, np.random.default_rng(0).normal(size=(1500, 15))])
    alpha = 0.02
    options = {"loss": "squared_hinge", "penalty": "l1"}
    exact = LinearSVC(C=1 / (alpha * 1500), tol=1e-8, **options).fit(X, y)
    model = SGDSVC(alpha=alpha, random_state=0, **options).fit(X, y)
    for part, best in zip(model.certificate_.parts, exact.certificate_.parts, strict=True):
        assert part.dual <= alpha * best.primal * (1 + 1e-9) <= part.primal * (1 + 2e-9)
        assert part.primal <= 1.02 * alpha * best.primal
    zeros = model.coef_ == 0
    assert zeros.mean() > 0.5
    assert (zeros == (exact.coef_ == 0)).mean() > 0.8
    assert model.certify(X, y, tight=True) == model.certificate_ == model.certify(X, y)
    net = SGDSVC(alpha=alpha, l1_ratio=0.5, **{**options, "penalty": "elasticnet"}, random_state=0)
    assert 0 < (net.fit(X, y).coef_ == 0).sum() < zeros.sum()
    same(net, SGDSVC(**{**net.get_params(), "n_jobs": 1}).fit(X, y))
    ridge = {"loss": "squared_hinge", "alpha": alpha, "random_state": 0, "average": False}
    without = SGDSVC(penalty="elasticnet", l1_ratio=0.0, **ridge).fit(X, y)
    same(without, SGDSVC(**ridge).fit(X, y))


@pytest.mark.parametrize("loss", ["modified_huber", "squared_error", "huber", "log_loss"])
def test_other_losses_of_classification_are_certified(loss):
    X, y = blobs(500, 5, 3)
    model = SGDSVC(loss=loss, alpha=1e-2, epsilon=0.5, random_state=0).fit(X, y)
    tight = model.certify(X, y, tight=True)
    assert model.certificate_.dual <= tight.dual <= tight.primal == model.certificate_.primal
    assert tight.gap < 0.03
    assert model.score(X, y) > 0.7


def test_hubers_width_is_epsilon_unless_delta_says_otherwise():
    X, y = regression()
    options = {"loss": "huber", "random_state": 0, "max_iter": 3, "tol": None}
    one = SGDSVR(epsilon=0.3, **options).fit(X, y)
    same(one, SGDSVR(epsilon=5.0, delta=0.3, **options).fit(X, y))
    assert (one.coef_ != SGDSVR(epsilon=5.0, **options).fit(X, y).coef_).any()
    with pytest.raises(ValueError, match='epsilon is 0 but loss is "huber"'):
        SGDSVR(epsilon=0.0, **options).fit(X, y)


def test_a_start_that_is_given_comes_before_that_of_the_last_model():
    X, y = blobs(200, 4)
    model = SGDSVC(warm_start=True, eta0=0.1, max_iter=1, tol=None, shuffle=False).fit(X, y)
    again = SGDSVC(eta0=0.1, max_iter=1, tol=None, shuffle=False, average=False)
    zero = again.fit(X, y).coef_
    far = again.fit(X, y, coef_init=np.full(4, 100.0), intercept_init=3.0).coef_
    assert np.linalg.norm(far - zero) > 100
    given = model.fit(X, y, coef_init=np.zeros((1, 4)), intercept_init=[0.0])
    assert given.t_ == 400
    for name, value in {"coef_init": np.zeros(3), "intercept_init": np.zeros(2)}.items():
        with pytest.raises(ValueError, match=f"^Provided {name} does not match dataset"):
            model.fit(X, y, **{name: value})
    with pytest.raises(ValueError, match="coef_init has values that are not finite"):
        model.fit(X, y, coef_init=np.full(4, np.nan))
    assert model is given


def test_a_first_step_that_is_changed_is_that_of_the_next_block():
    X, y = blobs(100, 4)
    model = SGDSVC(eta0=0.1).partial_fit(X, y, classes=[0, 1])
    model.set_params(eta0=0.02).partial_fit(X, y)
    assert model.eta0_ == 0.02


@pytest.mark.parametrize("learning_rate", ["constant", "invscaling", "adaptive"])
def test_a_first_step_is_chosen_for_every_learning_rate(learning_rate):
    X, y = blobs(500, 5)
    for scale in (1.0, 1e3):
        model = SGDSVC(learning_rate=learning_rate, alpha=1e-6, random_state=0).fit(scale * X, y)
        assert model.score(scale * X, y) > 0.75


COMBINATIONS = {
    "optimal": ({"learning_rate": "optimal", "penalty": None}, '^learning_rate is "optimal"'),
    "pegasos": (
        {"method": "pegasos", "learning_rate": "constant", "intercept": "penalized"},
        "learning_rate is 'constant'",
    ),
    "l1 and average": ({"penalty": "l1", "average": True}, "^average is True but penalty is 'l1'"),
    "l1 and intercept": (
        {"penalty": "elasticnet", "intercept": "penalized"},
        '^intercept is "penalized" but penalty',
    ),
    "l1 and pegasos": (
        {"penalty": "l1", "method": "pegasos", "fit_intercept": False},
        "penalty is 'l1' and learning_rate",
    ),
    "elastic net": (
        {"penalty": "elasticnet", "l1_ratio": None},
        "^l1_ratio must be set when penalty is 'elasticnet'",
    ),
}


@pytest.mark.parametrize(("options", "message"), COMBINATIONS.values(), ids=COMBINATIONS.keys())
def test_what_does_not_go_together(options, message):
    X, y = blobs(50)
    with pytest.raises(ValueError, match=message):
        SGDSVC(**options).fit(X, y)


def test_a_stream_has_no_early_stopping():
    X, y = blobs(50)
    with pytest.raises(ValueError, match=r"^early_stopping should be False with partial_fit"):
        SGDSVC(early_stopping=True).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match=r"^early_stopping should be False with partial_fit"):
        SGDSVR(early_stopping=True).partial_fit(X, y)


def test_parameters_newer_than_a_pickle_have_their_defaults():
    X, y = blobs(50)
    model = SGDSVC(alpha=0.1, random_state=0).fit(X, y)
    state = model.__getstate__()
    for name in ("learning_rate", "average", "early_stopping"):
        del state[name]
    old = object.__new__(SGDSVC)
    old.__setstate__(state)
    assert old.get_params() == model.get_params()
    same(old, model)
