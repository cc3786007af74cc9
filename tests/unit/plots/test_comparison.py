import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.datasets import load_iris, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.kernels import PolynomialMap
from maxmargin.models import Hyperplane
from maxmargin.plots import ComparisonDisplay


@pytest.fixture
def moons():
    return make_moons(80, noise=0.2, random_state=0)


def test_good_without_arguments(moons):
    display = ComparisonDisplay.from_estimators(*moons)
    assert len(display.frame()["title"]) == 4
    assert len(display.plot()) == 4


def test_fitted_models_are_taken_as_they_are(moons):
    X, y = moons
    model = SVC(C=7.0).fit(X[:40], y[:40])
    display = ComparisonDisplay.from_estimators(X, y, [model, LogisticRegression()])
    frame = display.frame()
    assert list(frame["title"]) == ["SVC(C=7.0)", "LogisticRegression()"]
    assert frame["accuracy"][0] == model.score(X, y)


def test_a_hyperplane_among_models(moons):
    X, y = moons[0], 2 * moons[1] - 1
    planes = {"up": Hyperplane([0.0, -1.0], 0.25), "model": SVC(kernel="linear")}
    display = ComparisonDisplay.from_estimators(X, y, planes)
    assert display.frame()["accuracy"][0] == np.mean((X[:, 1] < 0.25) == (y > 0))
    assert len(display.plot()) == 2


def test_one_parameter_makes_a_row_two_a_table(moons):
    row = ComparisonDisplay.from_parameters(SVC(), *moons, C=[0.1, 1, 10])
    assert row.panels == (1, 3)
    table = ComparisonDisplay.from_parameters(
        SVC(), *moons, kernel=["linear", "rbf"], C=[1, 10, 99]
    )
    assert table.panels == (2, 3)
    assert table.frame()["title"][4] == "kernel = rbf, C = 10"


def test_parameters_of_a_pipelines_step(moons):
    model = make_pipeline(StandardScaler(), SVC())
    display = ComparisonDisplay.from_parameters(model, *moons, svc__gamma=[0.1, 1.0])
    assert list(display.frame()["title"]) == ["gamma = 0.1", "gamma = 1"]


def test_the_effect_of_c(moons):
    frame = ComparisonDisplay.from_parameters(SVC(), *moons).frame()
    assert (np.diff(frame["n_support"]) < 0).all()
    for C, panel in zip((0.01, 1, 100), frame["panels"], strict=True):
        assert panel["points"]["alpha"].max() <= C


def test_maps_are_the_kernels_they_belong_to(moons):
    X, y = moons
    mapped = ComparisonDisplay.from_maps(X, y, {"phi": PolynomialMap(2, coef0=1.0)})
    kernel = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0).fit(X, y)
    points = mapped.frame()["panels"][0]["points"]
    np.testing.assert_allclose(points["decision"], kernel.decision_function(X), atol=1e-6)
    assert len(ComparisonDisplay.from_maps(X, y).plot()) == 2


def test_axes_given_must_be_as_many_as_panels(moons):
    display = ComparisonDisplay.from_parameters(SVC(), *moons, C=[1, 10])
    with pytest.raises(ValueError, match="ax has 3 axes; this picture has 1 x 2 panels"):
        display.plot(pyplot.subplots(1, 3)[1])
    axes = pyplot.subplots(1, 2)[1]
    assert list(display.plot(axes, slack=False)) == list(axes)
    assert axes[-1].get_legend() is not None


def test_none_is_refused(moons):
    with pytest.raises(ValueError, match="estimators is empty"):
        ComparisonDisplay.from_estimators(*moons, {})


def test_what_a_plane_hides_is_said_once_for_all_panels(tmp_path):
    X, y = load_iris(return_X_y=True)
    display = ComparisonDisplay.from_parameters(SVC(), X, y, C=[1, 10])
    axes = display.plot()
    assert "rows beside it" in axes[0].figure.get_suptitle()
    assert not any("rows beside it" in text.get_text() for ax in axes for text in ax.texts)
    display.save(tmp_path / "picture.png", dpi=60)
    plain = ComparisonDisplay.from_parameters(SVC(), X[:, :2], y, C=[1, 10]).plot()
    assert plain[0].figure.get_suptitle() == ""


def test_what_is_right_is_told_above_the_panels(moons):
    """Inside them a line could run through it."""
    axes = ComparisonDisplay.from_parameters(SVC(), *moons, C=[0.1, 10.0]).plot()
    for panel in axes:
        [text] = panel.texts
        assert "% right" in text.get_text()
        assert "support vectors" in text.get_text()
        assert text.xy == (0.0, 1.0)
