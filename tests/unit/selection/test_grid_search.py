"""GridSearchCV against scikit-learn's, cell by cell, and what it hands over."""

import pickle
import signal
import threading
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import model_selection
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import path_reference
from maxmargin import SVC, SVR, LinearSVC
from maxmargin.kernels import RBF, Linear
from maxmargin.selection import GridSearchCV, fold_rows, judging, scoring, watch
from maxmargin.selection.direct_scores import OF_CLASSES, OF_NUMBERS

GRID = {"C": [0.5, 8.0, 100.0], "gamma": [0.01, 0.3]}
EXACT = 1e-8


@pytest.fixture(scope="module")
def two():
    X, y = make_classification(120, 6, n_informative=4, flip_y=0.1, random_state=3)
    return StandardScaler().fit_transform(X), np.array(["no", "yes"])[y]


@pytest.fixture(scope="module")
def three():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    return X[order], y[order]


@pytest.fixture(scope="module")
def numbers():
    X, y = load_diabetes(return_X_y=True)
    return 10 * X[:120], y[:120] / 50


def both(estimator, grid, X, y, fit=None, **options):
    """Our search and scikit-learn's, which must agree in every key of the table."""
    ours = GridSearchCV(estimator, grid, **options).fit(X, y, **(fit or {}))
    theirs = model_selection.GridSearchCV(estimator, grid, **options).fit(X, y, **(fit or {}))
    agree(ours, theirs)
    return ours, theirs


def agree(ours, theirs, tol=1e-7):
    assert ours.search_report_["shared"], ours.search_report_
    assert list(ours.cv_results_["params"]) == list(theirs.cv_results_["params"])
    for key, value in theirs.cv_results_.items():
        if "_time" in key or key == "params":
            assert key in ours.cv_results_
        elif key.startswith("param_"):
            assert (ours.cv_results_[key].mask == value.mask).all()
            assert list(ours.cv_results_[key].compressed()) == list(value.compressed())
        elif not key.startswith("rank_"):
            np.testing.assert_allclose(ours.cv_results_[key], value, tol, tol, err_msg=key)
    attributes = {key for key in vars(theirs) if key.endswith("_")}
    assert attributes <= set(vars(ours))
    assert (ours.cv_results_["violation"] <= 2e-3).all()


@pytest.mark.filterwarnings("ignore:The fit ended early. steps in float64")
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian"])
def test_two_classes(two, kernel):
    ours, theirs = both(SVC(kernel=kernel, tol=EXACT), GRID, *two)
    assert ours.best_params_ == theirs.best_params_
    assert (ours.predict(two[0]) == theirs.predict(two[0])).all()


def test_three_classes_and_numbers(three, numbers):
    both(SVC(tol=EXACT), GRID, *three, cv=StratifiedKFold(4, shuffle=True, random_state=1))
    ours, _ = both(SVR(tol=EXACT), {**GRID, "epsilon": [0.1, 0.5]}, *numbers, cv=3)
    assert ours.search_report_["n_fits"] == 36


def test_one_class_against_the_rest(three):
    machine = SVC(multi_class="ovr", class_weight="balanced", tol=EXACT)
    both(machine, GRID, *three, cv=3, scoring=["accuracy", "f1_macro"], refit="accuracy")

    def size(model, X, y):
        return float(np.abs(model.decision_function(X)).sum())

    both(machine, {"C": [1.0, 10.0]}, *three, cv=3, scoring=size)


def test_epsilons_and_class_weights_share_a_call(numbers, two, monkeypatch):
    calls, real = [], judging.solve_paths

    def counting(grid, **options):
        calls.append(grid)
        return real(grid, **options)

    monkeypatch.setattr(judging, "solve_paths", counting)
    GridSearchCV(SVR(), {**GRID, "epsilon": [0.1, 0.5]}, cv=3, refit=False).fit(*numbers)
    GridSearchCV(SVC(), {**GRID, "class_weight": [None, "balanced"]}, cv=3, refit=False).fit(*two)
    assert len(calls) == 2
    assert [grid.n_splits for grid in calls] == [6, 6]


def test_splits_with_different_gammas_and_weights(three):
    grid = [
        {"gamma": ["scale", "auto", 0.25], "class_weight": [None, "balanced", {0: 3.0}]},
        {"kernel": ["linear"], "C": [0.1, 1.0], "gamma": [1.0, 2.0]},
    ]
    X, y = three
    ours, _ = both(SVC(tol=EXACT), grid, X[:100], y[:100], cv=3)
    linear = ours.cv_results_["mean_test_score"][-4:].reshape(2, 2)
    assert (linear[:, 0] == linear[:, 1]).all(), "gamma does not matter, and is solved once"


def test_parameters_a_kernel_ignores_are_solved_once(two, monkeypatch):
    grids, real = [], judging.solve_paths

    def counting(grid, **options):
        grids.append(len(grid.kernels) * len(grid.Cs))
        return real(grid, **options)

    monkeypatch.setattr(judging, "solve_paths", counting)
    GridSearchCV(SVC(kernel="linear"), {**GRID, "degree": [2, 3]}, refit=False).fit(*two)
    assert grids == [3]


def test_kernel_objects_and_their_parameters(two):
    grid = {"kernel__parts__0__gamma": [0.1, 1.0], "C": [1.0, 10.0]}
    both(SVC(kernel=RBF(0.5) + Linear(), tol=EXACT), grid, *two, cv=3)


def test_precomputed_kernel(two):
    X, y = two
    K = RBF(0.2)(X, X)
    both(SVC(kernel="precomputed", tol=EXACT), {"C": [1.0, 10.0]}, K, y, cv=3)


@pytest.mark.parametrize("form", [np.float32, sparse.csr_array, "frame"])
def test_forms_of_rows(three, form):
    import pandas as pd

    X, y = three
    if form == "frame":
        X = pd.DataFrame(X, columns=list("abcd"))
    else:
        X = X.astype(form) if form is np.float32 else form(X)
    ours, _ = both(SVC(tol=EXACT), GRID, X, y, cv=3)
    assert form != "frame" or list(ours.feature_names_in_) == list("abcd")


# ---- Scoring --------------------------------------------------------------------------------


@pytest.mark.parametrize("score", ["average_precision", "precision_macro", "matthews_corrcoef"])
def test_scorers_get_decision_values(two, score):
    both(SVC(tol=EXACT), GRID, two[0], (two[1] == "yes").astype(int), scoring=score, cv=3)


def test_usual_scores_are_scikit_learns(two, three, numbers, monkeypatch):
    def refuse(*_):
        raise AssertionError("scikit-learn's scorer was asked")

    monkeypatch.setattr(scoring.Scoring, "_asked", refuse)
    X, y = two
    for name in OF_CLASSES:
        both(SVC(tol=EXACT), GRID, X, (y == "yes").astype(int), scoring=name, cv=3)
        if name not in ("f1", "roc_auc"):
            both(SVC(tol=EXACT), GRID, *three, scoring=name, cv=3)
    for name in OF_NUMBERS:
        both(SVR(tol=EXACT), GRID, *numbers, scoring=name, cv=3)
    both(SVC(tol=EXACT), GRID, *two, scoring={"a": "roc_auc", "b": "accuracy"}, refit="a", cv=3)


@pytest.mark.filterwarnings("ignore")
def test_unusual_rows_of_usual_scores(two, three):
    X, y = two
    one = np.flatnonzero(y == "no")
    splits = [(np.arange(60), one[-10:]), (np.arange(60), np.arange(100, 120))]
    for name in ("balanced_accuracy", "f1_macro", "roc_auc"):
        ours = GridSearchCV(SVC(), {"C": [1.0]}, scoring=name, cv=splits).fit(X, y)
        theirs = model_selection.GridSearchCV(SVC(), {"C": [1.0]}, scoring=name, cv=splits)
        theirs.fit(X, y)
        for k in (0, 1):
            key = f"split{k}_test_score"
            np.testing.assert_allclose(ours.cv_results_[key], theirs.cv_results_[key])
    with pytest.raises(ValueError, match="pos_label=1"):
        GridSearchCV(SVC(), {"C": [1.0]}, scoring="f1", cv=2, error_score="raise").fit(X, y)


def test_a_tall_linear_kernel_is_handed_over(two, monkeypatch):
    monkeypatch.setattr(fold_rows, "TALL_ROWS", 100)
    search = GridSearchCV(SVC(kernel="linear"), {"C": [1.0]}, cv=2).fit(*two)
    assert "faster" in search.search_report_["reason"]
    mixed = GridSearchCV(SVC(), {"C": [1.0], "kernel": ["linear", "rbf"]}, cv=2).fit(*two)
    assert mixed.search_report_["shared"]


def test_several_scorers(two, three, numbers):
    names = ["accuracy", "roc_auc"]
    ours, theirs = both(SVC(tol=EXACT), GRID, *two, scoring=names, refit="roc_auc", cv=3)
    assert ours.multimetric_
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    assert set(ours.scorer_) == set(names)
    assert ours.score(*two) == pytest.approx(theirs.score(*two))
    own = {"f": make_scorer(f1_score, average="macro"), "accuracy": "accuracy"}
    both(SVC(tol=EXACT), GRID, *three, scoring=own, refit=False, cv=3)
    errors = ["r2", "neg_mean_squared_error"]
    both(SVR(tol=EXACT), GRID, *numbers, scoring=errors, refit="r2", cv=3)


def test_a_function_as_scorer(two):
    def share(estimator, X, y):
        return {"share": float(np.mean(estimator.predict(X) == y)), "n": len(estimator.classes_)}

    ours, _ = both(SVC(tol=EXACT), GRID, *two, scoring=share, refit="share", cv=3)
    assert ours.multimetric_


def test_callable_refit_and_training_scores(two):
    def last(results):
        return len(results["params"]) - 1

    ours, _ = both(SVC(tol=EXACT), GRID, *two, refit=last, return_train_score=True, cv=3)
    assert ours.best_index_ == 5
    assert not hasattr(ours, "best_score_")


@pytest.mark.parametrize(
    ("scoring", "reason"),
    [
        (lambda model, X, y: -len(model.support_), "support_"),
        (lambda model, X, y: model.score(X[:5], y[:5]), "score"),
        (lambda model, X, y: np.mean(model.predict(X[:5]) == y[:5]), "other rows"),
    ],
)
def test_scorers_that_look_into_the_model_get_one(two, scoring, reason):
    ours = GridSearchCV(SVC(), GRID, scoring=scoring, cv=3).fit(*two)
    theirs = model_selection.GridSearchCV(SVC(), GRID, scoring=scoring, cv=3).fit(*two)
    assert not ours.search_report_["shared"]
    assert reason in ours.search_report_["reason"]
    assert (ours.cv_results_["mean_test_score"] == theirs.cv_results_["mean_test_score"]).all()


def test_probabilities_are_handed_over(two):
    machine = SVC(calibration="sigmoid")
    ours = GridSearchCV(machine, {"C": [1.0]}, scoring="neg_log_loss", cv=2).fit(*two)
    assert "predict_proba" in ours.search_report_["reason"]
    assert GridSearchCV(machine, {"C": [1.0]}, cv=2).fit(*two).search_report_["shared"]


# ---- Splits, weights, groups ----------------------------------------------------------------


def test_splitters(two):
    X, y = two
    n = len(y)
    splits = [(np.arange(n // 2), np.arange(n // 2, n)), (np.arange(30, n), np.arange(40))]
    repeated = [(np.r_[np.arange(60), np.arange(30)], np.r_[100:110, 100:105])]
    masks = [(np.arange(n) % 3 > 0, np.arange(n) % 3 == 0)]
    for cv in (
        ShuffleSplit(3, train_size=0.4, test_size=0.2, random_state=0),
        KFold(3),
        splits,
        repeated,
        masks,
    ):
        both(SVC(tol=EXACT), GRID, X, y, cv=cv)
    ours = GridSearchCV(SVC(), GRID, cv=(split for split in splits)).fit(X, y)
    assert ours.n_splits_ == 2
    handed = GridSearchCV(LinearSVC(), {"C": [1.0]}, cv=(split for split in splits)).fit(X, y)
    assert handed.n_splits_ == 2


def test_more_splits_than_one_call_takes(two):
    X, y = two
    cv = RepeatedKFold(n_splits=3, n_repeats=18, random_state=0)
    both(SVC(tol=EXACT), {"C": [1.0]}, X, y, cv=cv)


def test_groups(two):
    groups = np.arange(120) % 7
    both(SVC(tol=EXACT), GRID, *two, fit={"groups": groups}, cv=GroupKFold(3))


@pytest.mark.filterwarnings("ignore:The scoring")
def test_sample_weights(two, numbers):
    weight = np.random.default_rng(0).integers(0, 4, 120).astype(float)
    fit = {"sample_weight": weight}
    grid = {"C": [1.0, 10.0], "gamma": ["scale", 0.1], "class_weight": [None, "balanced"]}
    both(SVC(tol=EXACT), grid, *two, fit=fit, cv=3)
    both(SVC(tol=EXACT), GRID, *two, fit=fit, cv=3, scoring="roc_auc")
    both(SVR(tol=EXACT), GRID, *numbers, fit=fit, cv=3)
    pipe = make_pipeline(StandardScaler(), SVC(tol=EXACT))
    both(pipe, {"svc__C": [1.0, 9.0]}, *two, fit={"svc__sample_weight": weight}, cv=3)


# ---- Pipelines ------------------------------------------------------------------------------


def test_pipeline_is_fitted_once_a_fold(two):
    class Counting(StandardScaler):
        fits = 0

        def fit(self, X, y=None, sample_weight=None):
            Counting.fits += 1
            return super().fit(X, y)

    pipe = Pipeline([("scale", Counting()), ("svc", SVC(tol=EXACT))])
    grid = {f"svc__{name}": values for name, values in GRID.items()}
    ours = GridSearchCV(pipe, grid, cv=4).fit(*two)
    assert Counting.fits == 5, "once a fold, and the refit"
    agree(ours, model_selection.GridSearchCV(pipe, grid, cv=4).fit(*two))


def test_pipelines_whose_transformers_change(two):
    X, y = two
    pipe = Pipeline([("scale", StandardScaler()), ("pick", SelectKBest(k=3)), ("svc", SVC())])
    grid = [
        {"pick__k": [2, 4], "svc__gamma": ["scale", 0.1], "svc__tol": [EXACT]},
        {"scale": ["passthrough", StandardScaler(with_std=False)], "pick": [PCA(3)]},
    ]
    both(pipe, grid, X, y, cv=3)
    both(Pipeline([("svc", SVC())]), {"svc__C": [1.0, 2.0]}, X, y, cv=3)
    frames = make_pipeline(StandardScaler(), SVC()).set_output(transform="pandas")
    both(frames, {"svc__C": [1.0, 2.0]}, X, y, cv=3)


# ---- What fails -----------------------------------------------------------------------------


def test_a_fold_with_one_class(two):
    X, y = two
    one = np.flatnonzero(y == "no")
    splits = [(one[:20], np.arange(20)), (np.arange(60), np.arange(60, 120))]
    with (
        pytest.warns(FitFailedWarning, match=r"2 fits failed out of a total of 4[\s\S]*C=1\.0"),
        pytest.warns(UserWarning, match=r"non-finite: \[nan nan\]; of \(C=1\.0\)"),
    ):
        ours = GridSearchCV(SVC(), {"C": [1.0, 2.0]}, cv=splits).fit(X, y)
    assert np.isnan(ours.cv_results_["split0_test_score"]).all()
    assert np.isfinite(ours.cv_results_["split1_test_score"]).all()
    with pytest.warns(FitFailedWarning):
        ours = GridSearchCV(SVC(), {"C": [1.0, 2.0]}, cv=splits, error_score=0.25).fit(X, y)
    assert (ours.cv_results_["split0_test_score"] == 0.25).all()
    with pytest.raises(ValueError, match="greater than one; got 1 class") as caught:
        GridSearchCV(SVC(), {"C": [1.0]}, cv=splits, error_score="raise").fit(X, y)
    assert caught.value.__notes__ == ["in split 0 of {'C': 1.0}"]
    with pytest.raises(ValueError, match="All the 2 fits failed"):
        GridSearchCV(SVC(), {"C": [1.0, 2.0]}, cv=splits[:1]).fit(X, y)


def test_a_fold_without_one_of_three_classes(three):
    X, y = three
    order = np.argsort(y, kind="stable")
    splits = [(order[:100:2], order[1::4]), (order[::2], order[1::2])]
    both(SVC(tol=EXACT), GRID, X, y, cv=splits)
    both(SVC(tol=EXACT), {"C": [1.0]}, X, y, cv=splits, scoring="f1_macro")


def test_a_value_that_is_wrong(two):
    with (
        pytest.warns(FitFailedWarning, match=r"3 fits failed[\s\S]*C=-1[\s\S]*must be a number"),
        pytest.warns(UserWarning, match="non-finite"),
    ):
        ours = GridSearchCV(SVC(), {"C": [-1, 1.0]}, cv=3).fit(*two)
    assert ours.best_params_ == {"C": 1.0}
    with pytest.raises(ValueError, match="Invalid parameter 'gama'"):
        GridSearchCV(SVC(), {"gama": [1.0]}, cv=3).fit(*two)


def test_a_transformer_that_fails(two):
    pipe = make_pipeline(SelectKBest(k=3), PCA(), SVC())
    grid = {"pca__n_components": [2, 50]}
    with (
        pytest.warns(FitFailedWarning, match=r"3 fits failed[\s\S]*n_components=50"),
        pytest.warns(UserWarning, match="non-finite"),
    ):
        ours = GridSearchCV(pipe, grid, cv=3).fit(*two)
    assert ours.search_report_["shared"]
    assert ours.best_params_ == {"pca__n_components": 2}


def test_nan_scores_are_named(two):
    X, y = two
    X, y = np.r_[X, X[y == "no"]], np.r_[y, y[y == "no"]]

    def both_classes(model, X, y):
        return 0.5 if len(set(model.predict(X))) == 2 else np.nan

    grid = {"C": [1e-9, 2.0]}
    with pytest.warns(UserWarning, match=r"test scores are non-finite.*of \(C=1e-09\)"):
        ours = GridSearchCV(SVC(), grid, scoring=both_classes, cv=2, refit=False).fit(X, y)
    assert ours.search_report_["shared"]
    assert ours.best_params_ == {"C": 2.0}


@pytest.mark.parametrize(
    ("estimator", "grid", "reason"),
    [
        (DecisionTreeClassifier(), {"max_depth": [1, 2]}, "DecisionTreeClassifier"),
        (LinearSVC(), {"C": [1.0]}, "LinearSVC"),
        (SVC(loss="squared_hinge"), {"C": [1.0]}, "loss"),
        (SVC(), {"C": [1.0, 2.0], "break_ties": [True]}, "break_ties"),
        (SVC(kernel=lambda X, Z: X @ Z.T), {"C": [1.0]}, "function"),
        (SVC(max_iter=1000), {"C": [1.0]}, "max_iter"),
        (make_pipeline(StandardScaler(), SVC()), {"svc": [SVC(), LinearSVC()]}, "step 'svc'"),
    ],
)
def test_what_is_handed_over(two, estimator, grid, reason):
    ours = GridSearchCV(estimator, grid, cv=2).fit(*two)
    assert not ours.search_report_["shared"]
    assert reason in ours.search_report_["reason"]
    theirs = model_selection.GridSearchCV(estimator, grid, cv=2).fit(*two)
    assert set(ours.cv_results_) == set(theirs.cv_results_)


def test_rows_are_shared_where_a_matrix_does_not_fit(two, three, numbers, monkeypatch):
    monkeypatch.setattr(judging, "solve_paths", None)
    small = {"memory": 0.05, "cv": 3}
    ours = GridSearchCV(SVC(tol=EXACT), GRID, **small).fit(*two)
    agree(ours, model_selection.GridSearchCV(SVC(tol=EXACT), GRID, cv=3).fit(*two))
    ours = GridSearchCV(SVC(tol=EXACT), GRID, **small).fit(*three)
    agree(ours, model_selection.GridSearchCV(SVC(tol=EXACT), GRID, cv=3).fit(*three))
    grid = {**GRID, "epsilon": [0.1, 0.5]}
    ours = GridSearchCV(SVR(tol=EXACT), grid, **small).fit(*numbers)
    agree(ours, model_selection.GridSearchCV(SVR(tol=EXACT), grid, cv=3).fit(*numbers))
    K = RBF(0.2)(two[0], two[0])
    ours = GridSearchCV(SVC(kernel="precomputed"), {"C": [1.0]}, **small).fit(K, two[1])
    assert ours.search_report_["shared"]


def test_a_search_by_rows_can_be_stopped(three):
    with pytest.warns(ConvergenceWarning, match="ended early"):
        ours = GridSearchCV(
            SVC(), GRID, memory=0.05, cv=3, callback=lambda seen: seen.done >= 9
        ).fit(*three)  # fmt: skip
    means = ours.cv_results_["mean_test_score"]
    assert np.isfinite(means).any()


def test_memory_must_be_positive(two):
    with pytest.raises(ValueError, match="memory is -1"):
        GridSearchCV(SVC(), {"C": [1.0]}, memory=-1).fit(*two)


# ---- Stopping -------------------------------------------------------------------------------


@pytest.fixture
def slow(monkeypatch):
    """An engine that asks after every fit whether to go on."""
    monkeypatch.setattr(judging, "solve_paths", path_reference.solve_paths)


def test_time_limit_keeps_what_is_complete(two, slow, monkeypatch):
    clock = iter(np.arange(0.0, 1000.0, 0.01))
    monkeypatch.setattr(watch.time, "perf_counter", lambda: next(clock))
    with pytest.warns(ConvergenceWarning, match="time_limit=0.5 s was reached"):
        ours = GridSearchCV(
            SVC(), {"gamma": list(np.geomspace(0.01, 1, 12)), "C": [1.0, 2.0]}, time_limit=0.5
        ).fit(*two)
    means = ours.cv_results_["mean_test_score"]
    assert np.isfinite(means).any()
    assert np.isnan(means).any()
    assert ours.best_score_ == np.nanmax(means)
    assert ours.search_report_["stopped"]


def test_no_time_at_all(two):
    with pytest.raises(TimeoutError, match="before any candidate"):
        GridSearchCV(SVC(), GRID, time_limit=1e-9).fit(*two)
    handed = GridSearchCV(LinearSVC(), {"C": [1.0, 2.0]}, time_limit=1e-9, cv=2)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        handed.fit(*two)
    assert len(handed.cv_results_["params"]) == 1


def test_a_search_that_is_handed_over_has_one_set_of_splits(two):
    cv, seen = ShuffleSplit(2, test_size=0.3), []
    search = GridSearchCV(LinearSVC(), {"C": [1.0, 1.0, 1.0]}, cv=cv, callback=seen.append)
    results = search.fit(*two).cv_results_
    assert len(set(results["split0_test_score"])) == len(set(results["split1_test_score"])) == 1
    assert [(p.done, p.total) for p in seen[-1:]] == [(6, 6)]
    assert search.cv is cv


@pytest.mark.parametrize("prefix", ["", "svc__"])
def test_callback_stops(two, prefix):
    seen = []

    def stop(progress):
        seen.append(progress)
        return np.isfinite(progress.scores).all(axis=1).sum() > 2

    estimator = make_pipeline(StandardScaler(), SVC()) if prefix else SVC()
    grid = {f"{prefix}gamma": np.geomspace(0.01, 1, 9)}
    with pytest.warns(ConvergenceWarning, match="callback"):
        ours = GridSearchCV(estimator, grid, callback=stop, cv=3).fit(*two)
    assert seen[-1].total == 27
    assert 0 < seen[-1].done < 27 or not prefix
    assert np.isfinite(ours.best_score_)


def test_the_engine_is_interrupted(interruptible):
    X, y = make_classification(1500, 20, flip_y=0.2, random_state=0)
    grid = {"C": 2.0 ** np.arange(-5, 16), "gamma": 2.0 ** np.arange(-9, 4)}
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            GridSearchCV(SVC(), grid, cv=5).fit(X, y)
    finally:
        timer.cancel()
        timer.join()


@pytest.mark.parametrize("keep", [True, False])
def test_ctrl_c(two, keep, monkeypatch, interruptible):
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals are for the main thread")
    real, calls = path_reference.solve_paths, []

    def interrupted(grid, *, progress, **options):
        def press(done, total):
            if len(calls) == 1 and done > 2:
                calls.append("pressed")
                signal.raise_signal(signal.SIGINT)
            return progress(done, total)

        calls.append(grid)
        return real(grid, progress=press, **options)

    monkeypatch.setattr(judging, "solve_paths", interrupted)
    monkeypatch.setattr(judging, "FEW_KERNELS", 1)
    estimator = make_pipeline(StandardScaler(), SVC())
    grid = {"svc__gamma": [0.1, 1.0], "svc__C": [1.0, 2.0, 4.0, 8.0, 16.0]}
    search = GridSearchCV(estimator, grid, on_interrupt="keep" if keep else "raise", cv=1 + keep)
    search.cv = [(np.arange(60), np.arange(60, 120))]
    if not keep:
        with pytest.raises(KeyboardInterrupt):
            search.fit(*two)
        assert not hasattr(search, "cv_results_")
        return
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        search.fit(*two)
    assert 0 < np.isfinite(search.cv_results_["mean_test_score"]).sum() < 10


# ---- The estimator --------------------------------------------------------------------------


def test_nested_cloned_and_pickled(two):
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1.0, 9.0]}, cv=3)
    assert len(cross_val_score(search, *two, cv=3)) == 3
    assert len(cross_val_score(search, *two, cv=2, n_jobs=2)) == 2
    fitted = clone(search).fit(*two)
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.predict(two[0]) == fitted.predict(two[0])).all()
    assert isinstance(fitted, model_selection.GridSearchCV)
    assert "memory" not in repr(fitted)
    assert "SVC()" in repr(fitted)
    assert clone(fitted).set_params(memory=10, estimator__svc__C=2.0).memory == 10


def test_same_bits_for_any_number_of_threads(three):
    tables = [GridSearchCV(SVC(), GRID, n_jobs=n, scoring="f1_macro").fit(*three) for n in (1, 2)]
    for key in ("mean_test_score", "violation", "mean_n_support"):
        assert (tables[0].cv_results_[key] == tables[1].cv_results_[key]).all()


def test_verbose_says_what_it_does(two, capsys):
    GridSearchCV(SVC(), GRID, verbose=1, cv=2).fit(*two)
    assert "Fitting 2 folds for each of 6 candidates, totalling 12 fits" in capsys.readouterr().out


def test_no_warning_without_a_reason(two):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GridSearchCV(SVC(), GRID, time_limit=60.0, cv=2).fit(*two)
