"""SVCCV and SVRCV: grids from the data, refinement, budgets; one standard error; stages."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn import model_selection
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import SVC, AdviceWarning
from maxmargin.kernels import RBF, Linear
from maxmargin.selection import SVCCV, SVRCV, GridSearchCV, simplest, stages
from maxmargin.selection.default_grid import usual_c, usual_gamma
from maxmargin.selection.simplest import standard_errors, within_one_error


@pytest.fixture(scope="module")
def flowers():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def numbers():
    X, y = load_diabetes(return_X_y=True)
    return X[:100], y[:100]


@parametrize_with_checks(
    # Weights and copies are the same problem as far as tol goes: near ties need a small one.
    [
        SVCCV(Cs=3, gammas=2, cv=2, refine=False),
        SVRCV(Cs=3, gammas=2, epsilons=1, cv=2, tol=1e-8),
    ],
    expected_failed_checks=lambda estimator: {
        "check_class_weight_classifiers": "accuracy, which knows no class weights, chooses C"
    },
)
def test_estimator_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


# ---- The grid -------------------------------------------------------------------------------


def test_gamma_follows_the_scale_of_the_rows(flowers):
    X, y = flowers
    one, ten = (SVCCV(Cs=3, gammas=3, cv=3, refine=False).fit(k * X, y) for k in (1, 10))
    np.testing.assert_allclose(ten.gammas_, one.gammas_ / 100)
    np.testing.assert_allclose(ten.scores_, one.scores_)
    assert (one.Cs_ == ten.Cs_).all()


def test_linear_c_follows_the_scale_of_the_rows(flowers):
    X, y = flowers
    one, four = (SVCCV(Cs=3, kernel="linear", cv=3, refine=False).fit(k * X, y) for k in (1.0, 4.0))
    np.testing.assert_allclose(four.Cs_, one.Cs_ / 16)
    assert one.gammas_ is None
    assert not hasattr(one, "gamma_")
    assert one.scores_.shape == (3, 3)


def test_regression_follows_the_scale_of_the_targets(numbers):
    X, y = numbers
    make = SVRCV(Cs=3, gammas=2, epsilons=2, cv=3, refine=False, tol=1e-6)
    one, two = clone(make).fit(X, y), clone(make.set_params(tol=2e-6)).fit(X, 2 * y + 5)
    np.testing.assert_allclose(two.Cs_, 2 * one.Cs_)
    np.testing.assert_allclose(two.epsilons_, 2 * one.epsilons_)
    np.testing.assert_allclose(two.scores_, one.scores_, atol=1e-5)
    assert one.scores_.shape == (3, 3, 2, 2)
    assert {one.C_, one.gamma_, one.epsilon_} <= {*one.Cs_, *one.gammas_, *one.epsilons_}


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "chi2", "matern", "poly", "sigmoid"])
def test_usual_gamma_and_c_of_every_kernel(flowers, kernel):
    X = flowers[0]
    gamma = usual_gamma(X, kernel)
    machine = SVC(kernel=kernel, gamma=gamma)
    values = machine._make_kernel(X, None)(X, X)
    # Half of the rows are nearer than exp(-1): the kernel is neither 0 nor 1 of most.
    if kernel in ("rbf", "laplacian", "chi2"):
        assert np.median(values[values < 1]) == pytest.approx(np.exp(-1), rel=0.05)
    assert usual_gamma(np.ones((5, 2)), kernel) == 1.0
    assert usual_c(X, RBF(gamma)) == 1.0
    assert usual_c(X, Linear()) == 2.0 ** np.round(-np.log2(X.var(axis=0).sum()))


def test_values_that_are_given_stay(flowers):
    model = SVCCV(Cs=[10.0, 1.0], gammas=[0.1, 1.0], cv=3).fit(*flowers)
    theirs = model_selection.GridSearchCV(SVC(), {"C": [1.0, 10.0], "gamma": [0.1, 1.0]}, cv=3)
    theirs.fit(*flowers)
    assert len(model.cv_results_["params"]) == 4
    assert model.best_params_ == theirs.best_params_
    assert model.best_score_ == theirs.best_score_


def test_refinement_is_about_the_best(flowers):
    X, y = flowers
    coarse = SVCCV(Cs=4, gammas=3, cv=3, refine=False).fit(X, y)
    fine = SVCCV(Cs=4, gammas=3, cv=3).fit(X, y)
    assert len(fine.cv_results_["params"]) == 12 + 24
    assert (fine.scores_ == coarse.scores_).all()
    assert fine.best_score_ >= coarse.best_score_
    about = np.array([p["C"] for p in fine.cv_results_["params"][12:]]) / coarse.C_
    step = fine.Cs_[1] / fine.Cs_[0]
    assert about.max() == pytest.approx(np.sqrt(step))
    half = SVCCV(Cs=4, gammas=[0.1, 1.0], cv=3).fit(X, y)
    assert set(half.cv_results_["param_gamma"]) == {0.1, 1.0}
    assert len(half.cv_results_["params"]) == 8 + 4


# ---- Budgets --------------------------------------------------------------------------------


def test_n_iter(flowers):
    model = SVCCV(n_iter=12, cv=3).fit(*flowers)
    assert len(model.cv_results_["params"]) == 12
    assert np.isfinite(model.scores_[0]).sum() == 9
    assert SVCCV(n_iter=1, cv=3).fit(*flowers).best_params_


def test_time_limit_and_callback(flowers):
    seen = []
    model = SVCCV(cv=3, callback=lambda progress: seen.append(progress) or len(seen) > 1)
    with pytest.warns(ConvergenceWarning, match="callback"):
        model.fit(*flowers)
    assert np.isfinite(model.best_score_)
    assert model.search_report_["stopped"]
    with pytest.raises(TimeoutError, match="before any candidate"):
        SVCCV(cv=3, time_limit=1e-9).fit(*flowers)


# ---- The machine that is found --------------------------------------------------------------


def test_the_machine(flowers):
    X, y = flowers
    names = np.array(["a", "b", "c"])[y]
    model = SVCCV(Cs=3, gammas=2, cv=3, calibration="sigmoid", scoring="f1_macro").fit(X, names)
    assert list(model.classes_) == ["a", "b", "c"]
    assert model.predict_proba(X).shape == model.decision_function(X).shape == (150, 3)
    assert model.score(X, names) == model.search_.score(X, names)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all()
    assert is_classifier(model)
    assert is_regressor(SVRCV())
    plain = SVCCV(Cs=2, gammas=1, cv=2, refit=False).fit(X, y)
    assert plain.C_ in plain.Cs_
    with pytest.raises(AttributeError, match="refit is False"):
        plain.predict(X)
    assert not hasattr(plain, "predict_proba")
    with pytest.raises(NotFittedError):
        SVCCV().predict(X)


def test_nested_and_in_a_pipeline(flowers):
    X, y = flowers
    model = make_pipeline(StandardScaler(), SVCCV(Cs=3, gammas=2, cv=3))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.9


def test_weights_groups_and_class_weights(flowers):
    X, y = flowers
    weight = np.where(y == 2, 0.1, 1.0)
    cv = model_selection.StratifiedGroupKFold(3)
    groups = np.arange(150) % 10
    model = SVCCV(Cs=[1.0, 8.0], gammas=[0.1], cv=cv, class_weight="balanced", scoring="f1_macro")
    model.set_params(tol=1e-8).fit(X, y, sample_weight=weight, groups=groups)
    theirs = model_selection.GridSearchCV(
        SVC(class_weight="balanced", gamma=0.1, tol=1e-8),
        {"C": [1.0, 8.0]},
        cv=cv,
        scoring="f1_macro",
    ).fit(X, y, sample_weight=weight, groups=groups)
    np.testing.assert_allclose(
        model.scores_.mean(axis=0)[:, 0], theirs.cv_results_["mean_test_score"]
    )


@pytest.mark.parametrize(
    ("params", "wrong"),
    [
        ({"Cs": 0}, "Cs is 0"),
        ({"Cs": [1.0, -1.0]}, "Cs is"),
        ({"gammas": "many"}, "gammas is 'many'"),
        ({"n_iter": 0}, "n_iter is 0"),
        ({"stages": "all"}, "stages is 'all'"),
        ({"kernel": "rbg"}, "kernel is 'rbg'"),
    ],
)
def test_wrong_parameters(flowers, params, wrong):
    with pytest.raises(ValueError, match=wrong):
        SVCCV(**params).fit(*flowers)


def test_a_kernel_of_python(flowers):
    model = SVCCV(Cs=[1.0, 2.0], kernel=lambda X, Z: X @ Z.T, cv=2, n_iter=2).fit(*flowers)
    assert not model.search_report_["shared"]
    assert model.C_ in (1.0, 2.0)


# ---- One standard error ---------------------------------------------------------------------


def test_simplest(flowers):
    grid = {"C": np.geomspace(0.1, 1000, 5), "gamma": np.geomspace(0.001, 10, 5)}
    best = GridSearchCV(SVC(), grid).fit(*flowers)
    plain = GridSearchCV(SVC(), grid, refit=simplest).fit(*flowers)
    results, index = best.cv_results_, plain.best_index_
    mean, error = results["mean_test_score"], standard_errors(results)
    assert mean[index] >= mean[best.best_index_] - error[best.best_index_]
    assert plain.best_params_["C"] * plain.best_params_["gamma"] == min(
        p["C"] * p["gamma"]
        for p, near in zip(results["params"], within_one_error(results), strict=True)
        if near
    )
    splits = np.stack([results[f"split{k}_test_score"] for k in range(5)])
    np.testing.assert_allclose(error, splits.std(axis=0, ddof=1) / np.sqrt(5))
    model = SVCCV(Cs=5, gammas=5, refit=simplest, refine=False).fit(*flowers)
    assert model.best_score_ <= model.cv_results_["mean_test_score"].max()
    with pytest.raises(ValueError, match="one scorer"):
        GridSearchCV(SVC(), grid, refit=simplest, scoring=["accuracy", "f1_macro"]).fit(*flowers)


# ---- Stages ---------------------------------------------------------------------------------


@pytest.fixture
def small_stages(monkeypatch):
    monkeypatch.setattr(stages, "LEAST_ROWS", 40)
    monkeypatch.setattr(stages, "MANY_ROWS", 300)


def test_stages(small_stages):
    X, y = make_classification(400, 5, n_informative=4, n_redundant=0, random_state=0)
    grid = {"C": np.geomspace(0.1, 1000, 12), "gamma": np.geomspace(0.001, 10, 10)}
    search = GridSearchCV(SVC(), grid, stages=True, cv=StratifiedKFold(3)).fit(X, y)
    rows = search.cv_results_["n_rows"]
    assert [int((rows == n).sum()) for n in (40, 100, 400)] == [90, 10, 20]
    assert search.search_report_["stages"] == [40, 100, 400]
    whole = model_selection.GridSearchCV(SVC(), grid, cv=StratifiedKFold(3)).fit(X, y)
    last = rows == 400
    np.testing.assert_allclose(
        search.cv_results_["mean_test_score"][last], whole.cv_results_["mean_test_score"][last]
    )
    assert rows[search.best_index_] == 400
    assert set(search.cv_results_["rank_test_score"][last]) <= set(range(1, 21))
    assert search.cv_results_["rank_test_score"][~last].min() == 21
    assert search.best_score_ > whole.best_score_ - 0.02


def test_the_last_stage_without_memory(small_stages):
    X, y = make_classification(400, 5, n_informative=4, n_redundant=0, random_state=0)
    grid = {"C": np.geomspace(0.1, 1000, 5), "gamma": np.geomspace(0.01, 10, 5)}
    ours, same = (
        GridSearchCV(SVC(), grid, stages=True, cv=3, memory=memory).fit(X, y) for memory in (0.5, 9)
    )
    assert ours.search_report_["shared"]
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], same.cv_results_["mean_test_score"], atol=1e-2
    )


def test_stages_by_themselves_are_said(small_stages):
    X, y = make_classification(320, 5, random_state=0)
    with pytest.warns(AdviceWarning, match="320 rows: candidates were judged on 40, 80, 320 rows"):
        model = SVCCV(Cs=3, gammas=3, cv=3, refine=False).fit(X, y)
    assert "n_rows" in model.cv_results_
    assert "n_rows" not in SVCCV(Cs=2, gammas=2, cv=3, stages=None).fit(X, y).cv_results_
