"""Searches on a cluster: the bits of one machine, and no end that leaves tasks behind."""

import os
import signal
import time

import joblib
import numpy as np
import pytest
from sklearn import model_selection
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVR, LinearSVC, selection
from maxmargin.distributed import SVCCV, GridSearchCV
from maxmargin.distributed.cluster import Cluster, WorkerLost, cancelled
from maxmargin.distributed.tasks import run_tasks
from maxmargin.estimators.threads import count_threads

pytestmark = pytest.mark.timeout(90)
IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
SCALED = make_pipeline(StandardScaler(), SVC())
SEARCHES = {
    "cells": (SVC(), {"C": [0.1, 1, 10], "gamma": [0.01, 0.1, "scale"]}, IRIS, {}),
    "one kernel": (SVC(), {"C": [0.1, 1, 10]}, IRIS, {"return_train_score": True}),
    "pipeline": (SCALED, {"svc__C": [1, 10], "svc__gamma": [0.01, 0.1]}, CANCER, {}),
    "scorers": (
        SCALED,
        {"svc__C": [1, 10], "standardscaler__with_std": [True, False]},
        CANCER,
        {"scoring": ["accuracy", "roc_auc"], "refit": "roc_auc"},
    ),
    "numbers": (SVR(C=100.0), {"gamma": [0.1, 1.0], "epsilon": [1, 10]},
                load_diabetes(return_X_y=True), {}),
    "left out": (SVC(), {"C": [1, 10], "gamma": [1e-5, 1e-4]},
                 (CANCER[0][:120], CANCER[1][:120]), {"cv": "loo"}),
}  # fmt: skip


def found(search):
    """Everything of a table but the times."""
    results = search.cv_results_
    return {
        key: np.asarray(values.tolist(), object if key == "params" else None)
        for key, values in ((k, np.asarray(v)) for k, v in results.items())
        if "time" not in key and not key.startswith("param")
    }


@pytest.mark.parametrize("name", SEARCHES)
def test_what_is_found_is_the_same_to_the_last_bit(client, name):
    estimator, grid, (X, y), options = SEARCHES[name]
    here = selection.GridSearchCV(estimator, grid, **options).fit(X, y)
    there = GridSearchCV(estimator, grid, **options).fit(X, y)
    assert there.search_report_["shared"]
    assert there.search_report_["cluster"]["tasks"] >= 1 + (name != "one kernel")
    assert there.best_params_ == here.best_params_
    one, other = found(here), found(there)
    assert one.keys() == other.keys()
    for key, values in one.items():
        assert np.array_equal(values, other[key]), key
    assert np.array_equal(here.predict(X), there.predict(X))


def test_a_grid_of_its_own_is_refined_on_the_cluster(client):
    here = selection.SVCCV(Cs=4, gammas=3).fit(*IRIS)
    there = SVCCV(Cs=4, gammas=3).fit(*IRIS)
    assert there.best_params_ == here.best_params_
    assert np.array_equal(there.scores_, here.scores_)
    assert there.search_report_["cluster"]["tasks"] > 3


def test_candidates_that_cannot_be_are_named(client):
    grid = {"C": [1.0, -1.0], "gamma": [0.1]}
    with pytest.warns(match="C is -1.0; it must be"), pytest.warns(match="non-finite"):
        search = GridSearchCV(SVC(), grid, refit=False).fit(*IRIS)
    assert np.isnan(search.cv_results_["mean_test_score"]).tolist() == [False, True]


def test_what_cannot_be_shared_runs_on_the_workers_too(client):
    grid = {"C": [0.1, 1.0]}
    here = model_selection.GridSearchCV(LinearSVC(), grid).fit(*IRIS)
    there = GridSearchCV(LinearSVC(), grid).fit(*IRIS)
    assert not there.search_report_["shared"]
    assert np.array_equal(here.cv_results_["mean_test_score"], there.cv_results_["mean_test_score"])


def test_a_search_that_is_stopped_keeps_what_is_complete(client):
    grid = {"C": [1.0, 10.0], "gamma": np.logspace(-3, 1, 12).tolist()}
    with pytest.warns(match="the callback asked for it"):
        search = GridSearchCV(
            SVC(), grid, callback=lambda progress: np.isfinite(progress.scores).any()
        ).fit(*IRIS)
    judged = np.isfinite(search.cv_results_["mean_test_score"])
    assert judged.any()
    assert search.best_params_ == search.cv_results_["params"][search.best_index_]


# ---- scikit-learn's own search ------------------------------------------------------------------


class Counting(SVC):
    """Notes how many threads a fit would use where it runs."""

    def fit(self, X, y):
        super().fit(X, y)
        self.threads_ = count_threads(None)
        self.process_ = os.getpid()
        return self


def threads_and_place(estimator, X, y):
    return {
        "threads": estimator.threads_,
        "elsewhere": float(estimator.process_ != int(os.environ.get("MAXMARGIN_TEST_CLIENT", 0))),
    }


def test_scikit_learns_search_with_joblib_over_dask(client):
    client.run(os.environ.__setitem__, "MAXMARGIN_TEST_CLIENT", str(os.getpid()))
    plain = model_selection.GridSearchCV(SVC(), {"C": [0.1, 1.0]}).fit(*IRIS)
    search = model_selection.GridSearchCV(
        Counting(), {"C": [0.1, 1.0]}, scoring=threads_and_place, refit=False
    )
    with joblib.parallel_config("dask"):
        search.fit(*IRIS)
        own = model_selection.GridSearchCV(SVC(), {"C": [0.1, 1.0]}).fit(*IRIS)
    assert search.cv_results_["mean_test_threads"].tolist() == [1.0, 1.0]
    assert search.cv_results_["mean_test_elsewhere"].tolist() == [1.0, 1.0]
    key = "mean_test_score"
    assert np.array_equal(own.cv_results_[key], plain.cv_results_[key])


# ---- Tasks --------------------------------------------------------------------------------------


def die_once(path, k):
    if k == 3 and not os.path.exists(path):
        open(path, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return k


def test_tasks_of_a_lost_worker_are_done_by_others(client, tmp_path):
    results = {}
    tasks = {k: (k,) for k in range(8)}
    run_tasks(Cluster(client), die_once, str(tmp_path / "once"), tasks, results.__setitem__)
    assert results == {k: k for k in range(8)}


def die(_, k):
    os.kill(os.getpid(), signal.SIGKILL)


def test_workers_that_always_die_are_an_error(client, monkeypatch):
    monkeypatch.setattr("maxmargin.distributed.tasks.MOST_LOSSES", 0)
    with pytest.raises(WorkerLost, match="begun again 0 times"):
        run_tasks(Cluster(client), die, None, {0: (0,)}, lambda key, value: None)
    client.wait_for_workers(2, timeout=60)


def wait_to_be_cancelled(path, k):
    open(f"{path}-{k}-began", "w").close()
    end = time.monotonic() + 60
    while time.monotonic() < end and not cancelled():
        time.sleep(0.02)
    if time.monotonic() < end:
        open(f"{path}-{k}-cancelled", "w").close()


def test_ctrl_c_cancels_the_tasks(client, tmp_path):
    path, cluster = tmp_path / "task", Cluster(client)

    def interrupt_when_all_have_begun():
        if len(list(tmp_path.iterdir())) == 2:
            raise KeyboardInterrupt
        return False

    cluster.tick = interrupt_when_all_have_begun
    with pytest.raises(KeyboardInterrupt):
        run_tasks(cluster, wait_to_be_cancelled, str(path), {0: (0,), 1: (1,)}, lambda *_: None)
    end = time.monotonic() + 40
    while len(list(tmp_path.glob("*-cancelled"))) < 2:
        assert time.monotonic() < end
        time.sleep(0.05)
