import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier

from maxmargin import SVC
from maxmargin.models import Hyperplane

rng = np.random.default_rng(11)
X = rng.normal(size=(20, 3))
plane = Hyperplane(w=[1.0, -2.0, 2.0], b=0.7)


def test_projections_lie_on_the_plane_and_are_the_nearest():
    feet = plane.project(X)
    assert np.allclose(plane.score(feet), 0.0, atol=1e-14)
    assert np.allclose(np.linalg.norm(X - feet, axis=1), np.abs(plane.distance(X)))
    for _ in range(20):
        other = plane.project(rng.normal(size=(20, 3)))
        assert np.all(np.linalg.norm(X - other, axis=1) >= np.abs(plane.distance(X)) - 1e-12)


def test_the_segment_to_the_foot_is_along_the_normal():
    assert np.allclose(X - plane.project(X), np.outer(plane.distance(X), plane.normal))


@pytest.mark.parametrize("factor", [0.0001, 10.0, 100.0])
def test_scaling_changes_scores_only(factor):
    scaled = plane.scaled(factor)
    assert np.allclose(scaled.score(X), factor * plane.score(X))
    assert np.allclose(scaled.distance(X), plane.distance(X))
    assert np.allclose(scaled.project(X), plane.project(X))


def test_one_point():
    assert plane.score([0.0, 0.0, 0.0]) == 0.7
    assert plane.project([0.0, 0.0, 0.0]).shape == (3,)


@pytest.mark.parametrize("w", [[0.0, 0.0], [np.nan, 1.0], [[1.0, 2.0]]])
def test_no_normal_no_plane(w):
    with pytest.raises(ValueError, match="w must be a finite vector other than zero"):
        Hyperplane(w)


@pytest.mark.parametrize("model", [SVC(kernel="linear"), LogisticRegression(), RidgeClassifier()])
def test_the_plane_of_anyones_classifier(model):
    model.fit(X, X[:, 0] > 0)
    assert np.allclose(Hyperplane.of(model).score(X), model.decision_function(X))


def test_three_classes_have_no_one_plane():
    model = SVC(kernel="linear").fit(X, np.arange(20) % 3)
    with pytest.raises(ValueError, match="one hyperplane, got 3"):
        Hyperplane.of(model)


@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        (
            lambda: Hyperplane([1.0, 2.0, 3.0]).score([[0.0, 0.0]]),
            ValueError,
            "the last weight is b",
        ),
        (lambda: Hyperplane([[1.0, 2.0]]), ValueError, r"use Hyperplane.of\(model\)"),
        (lambda: Hyperplane(LinearRegression()), TypeError, r"use Hyperplane.of\("),
        (lambda: Hyperplane([1.0], [1.0, 2.0]), ValueError, "b must be a number"),
        (lambda: Hyperplane([1.0]).decision_function, AttributeError, r"use score\(X\)"),
    ],
)
def test_what_a_hyperplane_cannot_mean(wrong, error, text):
    with pytest.raises(error, match=text):
        wrong()


def test_sides():
    assert Hyperplane([1.0], -1.0).predict([[0.0], [1.0], [2.0]]).tolist() == [-1, -1, 1]
