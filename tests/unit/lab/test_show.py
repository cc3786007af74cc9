"""A fitted model becomes what the page solves again: the same problem, told in the page's words."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVR, LinearSVC, NuSVC, NuSVR, OneClassSVM
from maxmargin.kernels import RBF, Matern
from maxmargin.lab import show

X, Y = make_moons(40, noise=0.2, random_state=0)


@pytest.mark.parametrize(
    ("machine", "view", "parameters"),
    [
        (SVC(C=3.0, gamma=0.5), "margins", {"formulation": "C", "C": 3.0, "gamma": 0.5}),
        (SVC(loss="squared_hinge"), "margins", {"formulation": "squared", "C": 1.0}),
        (NuSVC(nu=0.3, kernel="laplacian"), "margins", {"nu": 0.3, "kernel": "laplacian"}),
        (SVC(kernel="poly", coef0=1.0), "margins", {"kernel": "poly", "degree": 3, "coef0": 1.0}),
        (SVC(kernel=Matern(2.0, 2.5)), "margins", {"kernel": "matern52", "gamma": 0.5}),
        (OneClassSVM(nu=0.2), "one-class", {"formulation": "nu", "nu": 0.2}),
    ],
)
def test_machines(machine, view, parameters):
    state = show(machine.fit(X, Y), X, Y).state
    assert state.view == view
    assert parameters.items() <= state.parameters.items()
    np.testing.assert_array_equal(state.points, X)


def test_labels_and_weights():
    names = np.array(["up", "down"])[Y]
    weight = np.where(X[:, 0] > 0, 2.0, 1.0)
    model = SVC(class_weight={"up": 3.0}).fit(X, names, sample_weight=weight)
    state = show(model, X, names, sample_weight=weight).state
    assert state.classes == ("down", "up")
    np.testing.assert_array_equal(state.y, np.where(names == "up", 1.0, -1.0))
    np.testing.assert_array_equal(state.weight, weight * np.where(names == "up", 3.0, 1.0))
    assert show(SVC().fit(X, Y), X, Y).state.weight is None


@pytest.mark.parametrize("machine", [SVR(C=2.0), NuSVR(C=2.0, nu=0.4)])
def test_regression_draws_one_feature(machine):
    frame = pd.DataFrame({"age": X[:, 0]})
    target = pd.Series(X[:, 1], name="height")
    state = show(machine.fit(frame, target), frame, target).state
    assert (state.view, state.features, state.classes) == ("regression", ("age",), ("height",))
    assert state.parameters["C"] == 2.0


def test_pipeline_shows_what_reaches_the_machine():
    frame = pd.DataFrame(X * [1.0, 100.0], columns=["a", "b"])
    model = make_pipeline(StandardScaler(), SVC()).fit(frame, Y)
    state = show(model, frame, Y).state
    assert state.features == ("a", "b")
    np.testing.assert_allclose(state.points.std(axis=0), 1.0)


def test_many_features():
    rows, labels = load_iris(return_X_y=True)
    model = SVC().fit(rows, labels)
    with pytest.warns(UserWarning, match="first 2 principal components of 4"):
        state = show(model, rows, labels).state
    assert state.view == "multi-class"
    assert state.features == ("component 1", "component 2")
    with pytest.warns(UserWarning, match="of 4 columns 2 are shown"):
        state = show(model, rows, labels, features=[2, "x4"]).state
    np.testing.assert_array_equal(state.points, rows[:, [2, 3]])


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: show(SVC(), X, Y), ValueError, "not fitted"),
        (lambda: show(LinearSVC().fit(X, Y), X, Y), TypeError, "LinearSVC; the lab shows SVC"),
        (lambda: show(SVC().fit(X, Y), X), ValueError, "y is None"),
        (lambda: show(SVC().fit(X, Y), X, Y[:9]), ValueError, "40 rows, y has 9"),
        (lambda: show(SVC().fit(X, Y), X, Y + 1), ValueError, "was not fitted to"),
        (lambda: show(SVC().fit(X, Y), X[:, :1], Y), ValueError, "1 features"),
        (lambda: show(SVC(C=1e-5).fit(X, Y), X, Y), ValueError, "C is 1e-05; in the lab"),
        (lambda: show(SVC(kernel=RBF() + RBF(2.0)).fit(X, Y), X, Y), TypeError, "does not have"),
        (lambda: show(SVC().fit(X, Y), X, Y, features=["x1"]), ValueError, "1 columns are chosen"),
        (lambda: show(SVC().fit(X, Y), X, Y, features=[0, 7]), ValueError, "no column 7"),
    ],
)
def test_refusals(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_json_has_all_digits():
    state = show(SVC().fit(X, Y), X, Y).state
    assert json.loads(state.json())["points"] == X.tolist()
