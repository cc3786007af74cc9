import os
import signal
import threading
import time

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from maxmargin import LinearSVC, LinearSVR
from maxmargin.selection import LinearSVCCV, LinearSVRCV

CS = np.array([0.003, 0.03, 0.3, 3.0])


def classes(n=120, d=8, **more):
    return make_classification(n, d, flip_y=0.2, random_state=0, **more)


def wide():
    return make_classification(60, 200, n_informative=10, flip_y=0.1, random_state=0)


def agrees(search, machine, X, y):
    """Whether scores are those of as many fits from nothing."""
    exact = GridSearchCV(machine.set_params(tol=search.tol), {"C": search.Cs_}).fit(X, y)
    table = search.cv_results_
    np.testing.assert_allclose(
        table["mean_test_score"], exact.cv_results_["mean_test_score"], atol=1e-4
    )
    assert set(exact.cv_results_) <= set(table)
    assert (table["gap"] <= search.tol).all()
    return exact


LOSSES = [("l2", "squared_hinge"), ("l2", "hinge"), ("l2", "logistic"), ("l1", "squared_hinge"),
          ("l1", "logistic")]  # fmt: skip


@pytest.mark.parametrize("data", [classes, wide], ids=["tall", "wide"])
@pytest.mark.parametrize(("penalty", "loss"), LOSSES)
def test_classification_is_what_fits_from_nothing_say(penalty, loss, data):
    X, y = data()
    search = LinearSVCCV(CS, penalty=penalty, loss=loss, tol=1e-7).fit(X, y)
    exact = agrees(search, LinearSVC(penalty=penalty, loss=loss), X, y)
    assert exact.best_params_["C"] == search.C_
    np.testing.assert_array_equal(search.predict(X), exact.predict(X))


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive", "huber"])
def test_regression_is_what_fits_from_nothing_say(loss):
    X, y = make_regression(100, 5, noise=20.0, random_state=0)
    # A free intercept may be anywhere in an interval.
    same = {"epsilon": 5.0, "loss": loss, "intercept": "penalized"}
    search = LinearSVRCV(CS, **same, tol=1e-9).fit(X, y)
    exact = agrees(search, LinearSVR(**same), X, y)
    assert exact.best_params_["C"] == search.C_
    assert search.score(X, y) == pytest.approx(exact.score(X, y), abs=1e-6)


@pytest.mark.parametrize("scheme", ["ovr", "crammer_singer"])
def test_more_classes_in_sparse_rows_with_weights(scheme):
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    weight[::10] = 0.0
    search = LinearSVCCV(CS, multi_class=scheme, class_weight="balanced", tol=1e-4)
    search.fit(sparse.csr_matrix(X), y, weight)
    folds = list(StratifiedKFold(5).split(X, y))
    for k, C in enumerate(CS):
        for fold, (train, test) in enumerate(folds):
            machine = LinearSVC(multi_class=scheme, class_weight="balanced", C=C, tol=1e-4)
            machine.fit(X[train], y[train], weight[train])
            score = machine.score(X[test], y[test], weight[test])
            assert search.scores_[fold, k] == pytest.approx(score)


def test_folds_groups_and_several_scorers():
    X, y = classes()
    groups = np.arange(len(y)) // 10
    search = LinearSVCCV(CS, cv=GroupKFold(3), scoring=["accuracy", "roc_auc"], refit="roc_auc")
    search.fit(X, y, groups=groups)
    assert search.scores_.shape == (3, 4)
    assert search.multimetric_
    table = search.cv_results_
    assert search.best_index_ == table["mean_test_roc_auc"].argmax()
    assert table["rank_test_accuracy"].min() == 1
    assert CS[2] == LinearSVCCV(CS, refit=lambda table: 2).fit(X, y).C_


def test_the_order_of_the_grid_does_not_matter():
    X, y = classes()
    up, down = LinearSVCCV(CS).fit(X, y), LinearSVCCV(CS[::-1]).fit(X, y)
    np.testing.assert_array_equal(up.scores_, down.scores_[:, ::-1])


def test_the_number_of_threads_does_not_matter():
    X, y = classes(600, 40)
    one, two = (LinearSVCCV(CS, loss="hinge", n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.cv_results_["gap"], two.cv_results_["gap"])
    np.testing.assert_array_equal(one.coef_, two.coef_)


def test_it_works_in_pipelines_and_inside_of_other_searches():
    X, y = classes()
    nested = make_pipeline(StandardScaler(), LinearSVCCV(CS))
    assert cross_val_score(nested, X, y, cv=3).mean() > 0.6
    assert nested.fit(X, y)[-1].decision_function(X).shape == (len(y),)


@pytest.mark.parametrize("kind", [LinearSVCCV, LinearSVRCV])
def test_it_is_an_estimator(kind):
    check_estimator(kind(CS[:2], cv=3), on_skip=None)


def test_a_fold_of_one_class_has_the_error_score():
    X, y = classes(40)
    y = np.sort(y)
    with pytest.warns(FitFailedWarning, match="fold 0 could not be fitted"):
        search = LinearSVCCV(CS, cv=[(np.arange(10), np.arange(10, 40)),
                                     (np.arange(5, 40), np.arange(5))],
                             error_score=0.0).fit(X, y)  # fmt: skip
    assert (search.scores_[0] == 0).all()
    with pytest.raises(ValueError, match="one class"):
        LinearSVCCV(CS, cv=[(np.arange(10), np.arange(10, 40))], error_score="raise").fit(X, y)


def test_what_is_refused():
    X, y = classes()
    with pytest.raises(ValueError, match="Cs is 0"):
        LinearSVCCV(0).fit(X, y)
    with pytest.raises(ValueError, match="positive values of C"):
        LinearSVCCV([1.0, -1.0]).fit(X, y)
    with pytest.raises(ValueError, match="must name the one"):
        LinearSVCCV(CS, scoring=["accuracy", "roc_auc"]).fit(X, y)
    with pytest.raises(AttributeError, match="refit is False"):
        LinearSVCCV(CS, refit=False).fit(X, y).predict(X)
    with pytest.raises(ValueError, match="before any C had a score"):
        LinearSVCCV(CS, time_limit=1e-9).fit(X, y)


def slow(events):
    """A scorer that waits from the second C on, and tells when both folds have had the first."""
    first = []

    def score(model, X, y):
        if model.C > 1.0:
            if len(first) == 2:
                events.set()
            time.sleep(0.3)
        else:
            first.append(model.C)
        return model.C

    return score


def test_time_that_is_over_leaves_the_best_so_far():
    X, y = classes()
    Cs, scorer = np.append(0.1, np.logspace(1, 3, 12)), slow(threading.Event())
    search = LinearSVCCV(Cs, cv=KFold(2), scoring=scorer, time_limit=1.0, n_jobs=2).fit(X, y)
    assert np.isnan(search.cv_results_["mean_test_score"][-1])
    assert Cs[-1] > search.C_


@pytest.mark.parametrize("keep", [True, False])
def test_ctrl_c_is_heard(keep, interruptible):
    X, y = classes()
    events = threading.Event()

    def interrupt():
        events.wait(10)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    search = LinearSVCCV(
        [0.1, 10.0, 100.0, 1000.0], cv=KFold(2), scoring=slow(events), n_jobs=2,
        on_interrupt="keep" if keep else "raise",
    )  # fmt: skip
    if keep:
        assert search.fit(X, y).C_ in (0.1, 10.0, 100.0)
    else:
        with pytest.raises(KeyboardInterrupt):
            search.fit(X, y)
        assert not hasattr(search, "C_")
