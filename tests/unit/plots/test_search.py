"""Pictures of a search: the right candidates, the right marks."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.plots import LearningDisplay, SearchDisplay, ValidationDisplay
from maxmargin.selection import SVCCV, GridSearchCV, learning_curve, simplest

GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0, 10.0]}


@pytest.fixture(scope="module")
def search():
    return GridSearchCV(SVC(), GRID, cv=3).fit(*load_iris(return_X_y=True))


def test_the_map_shows_the_table(search):
    display = search.display()
    frame = display.frame()
    assert frame["names"] == ("gamma", "C")
    assert list(frame["columns"]) == ["score", "standard error", "training time", "support vectors"]
    results = search.cv_results_
    assert (frame["x"] == results["param_gamma"].astype(float)).all()
    assert (frame["columns"]["score"] == results["mean_test_score"]).all()
    assert frame["best"] == search.best_index_
    assert frame["simplest"] == simplest(results)
    scores = results["mean_test_score"][frame["path"]]
    assert (np.diff(scores) > 0).all()
    assert scores[-1] == results["mean_test_score"].max()
    axes = search.plot()
    assert [ax.get_title(loc="left") for ax in axes] == [
        "Mean score of held-out rows",
        "Its standard error",
        "Training time",
        "Support vectors",
    ]
    labels = axes[0].get_legend_handles_labels()[1]
    assert labels == ["from best to better", "best", "one standard error"]
    # The tile under the best candidate has the best score.
    mesh = axes[0].collections[0]
    shown = np.asarray(mesh.get_array())
    assert shown.max() == results["mean_test_score"].max()
    assert axes[0].get_xscale() == axes[0].get_yscale() == "log"


def test_candidates_that_were_not_reached_are_blank(search):
    from copy import copy

    stopped = copy(search)
    stopped.cv_results_ = {k: np.array(v, copy=True) for k, v in search.cv_results_.items()}
    stopped.cv_results_["params"] = search.cv_results_["params"]
    for name in ("param_C", "param_gamma"):
        stopped.cv_results_[name] = search.cv_results_[name]
    stopped.cv_results_["mean_test_score"][0] = np.nan
    shown = np.ma.masked_invalid(stopped.plot()[0].collections[0].get_array())
    assert 0 < shown.mask.sum() < shown.size


def test_other_parameters_are_those_of_the_best():
    X, y = make_classification(80, 5, random_state=0)
    pipe = make_pipeline(StandardScaler(), SVC())
    grid = {"svc__C": [0.5, 2.0], "svc__gamma": [0.1, 0.5], "svc__class_weight": [None, "balanced"]}
    search = GridSearchCV(pipe, [grid, {"svc__kernel": ["linear"], "svc__C": [3.0]}], cv=3)
    display = search.fit(X, y).display()
    assert len(display.x) == 4
    assert set(display.y) == {0.5, 2.0}


def test_one_parameter_is_a_curve():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(SVC(), {"C": [10.0, 0.1, 1.0]}, cv=3, return_train_score=True)
    display = search.fit(X, y).display()
    assert isinstance(display, ValidationDisplay)
    frame = display.frame()
    assert (frame["values"] == [0.1, 1.0, 10.0]).all()
    assert list(frame["scores"]) == ["held out", "training"]
    mean, error = frame["scores"]["held out"]
    assert (mean == search.cv_results_["mean_test_score"][[1, 2, 0]]).all()
    assert (error >= 0).all()
    assert frame["values"][frame["best"]] == search.best_params_["C"]
    assert display.plot().get_title(loc="left") == "Score along C"


def test_the_curve_through_the_best(search):
    display = ValidationDisplay.from_search(search, "gamma")
    assert len(display.values) == 4
    assert display.fixed == f"C = {search.best_params_['C']:.3g}"
    with pytest.raises(ValueError, match="parameter is 'degree'; the search has C, gamma"):
        ValidationDisplay.from_search(search, "degree")
    one = GridSearchCV(SVC(), {"C": [1.0, 2.0]}, cv=2).fit(*load_iris(return_X_y=True))
    with pytest.raises(ValueError, match="needs two parameters"):
        SearchDisplay.from_search(one)


def test_refined_searches_are_drawn_with_their_finer_steps(tmp_path):
    model = SVCCV(Cs=3, gammas=3, cv=3).fit(*load_iris(return_X_y=True))
    assert len(model.display().x) == 9 + 24
    assert len(model.plot()) == 4
    assert model.display().save(tmp_path / "a.svg").stat().st_size > 1000


def test_learning_curves():
    X, y = make_classification(200, 5, random_state=0)
    curve = learning_curve(SVC(), X, y, shares=[0.1, 0.5, 1.0], cv=4)
    assert list(curve.n_rows) == [15, 75, 150]
    assert curve.training.shape == curve.held_out.shape == (3, 4)
    for k, share in enumerate([0.1, 0.5, 1.0]):
        assert len(np.unique(curve.held_out[k])) <= 4, share
    whole = GridSearchCV(SVC(), {}, cv=4, return_train_score=True).fit(X, y).cv_results_
    assert curve.held_out[-1].mean() == pytest.approx(whole["mean_test_score"][0])
    assert curve.training[-1].mean() == pytest.approx(whole["mean_train_score"][0])
    display = curve.display()
    assert isinstance(display, LearningDisplay)
    assert (display.frame()["held out"][0] == curve.held_out.mean(axis=1)).all()
    assert curve.plot().get_legend_handles_labels()[1] == ["held out", "training"]
    with pytest.raises(ValueError, match="shares is"):
        learning_curve(SVC(), X, y, shares=[2.0])
