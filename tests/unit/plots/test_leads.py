import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_digits, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, LinearSVC
from maxmargin.plots import LeadDisplay


@pytest.fixture
def iris():
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.mark.parametrize(
    "machine",
    [
        SVC(),
        SVC(multi_class="ovr"),
        SVC(decision_function_shape="ovo"),
        sklearn.svm.SVC(),
        LinearSVC(),
        sklearn.svm.LinearSVC(),
    ],
    ids=str,
)
def test_rows_are_on_the_side_of_zero_that_the_model_has_them_on(iris, machine):
    X, y = iris
    model = make_pipeline(StandardScaler(), machine).fit(X, y)
    display = LeadDisplay.from_estimator(model, X, y)
    points = display.frame()["points"]
    right = points["predicted"] == points["code"]
    assert not right.all()
    np.testing.assert_array_equal(points["lead"] > 0, right)
    np.testing.assert_array_equal(display.classes[points["predicted"]], model.predict(X))
    assert np.abs(points["height"]).max() == 1


def test_free_support_vectors_are_on_the_margin(iris):
    X, y = iris
    model = SVC().fit(X, y)
    points = LeadDisplay.from_estimator(model, X, y).frame()["points"]
    # A row without any weight is outside of every margin of its pairs.
    assert points["lead"][points["alpha"] == 0].min() > 1 - 1e-9
    assert model.decision_function_shape == "ovr"


def test_the_picture_names_the_classes(iris):
    X, y = iris
    ax = LeadDisplay.from_estimator(SVC().fit(X, y), X, y).plot()
    assert [text.get_text() for text in ax.get_yticklabels()] == [
        "setosa",
        "versicolor",
        "virginica",
    ]
    assert "least decision value" in ax.get_xlabel()
    assert "taken for setosa" in [text.get_text() for text in ax.get_legend().get_texts()]
    plain = LeadDisplay.from_estimator(LinearSVC().fit(X, y), X, y, title="linear").plot()
    assert "highest other" in plain.get_xlabel()
    assert plain.get_title(loc="left") == "linear"


def test_ten_classes():
    X, y = load_digits(return_X_y=True)
    model = SVC(gamma=0.001).fit(X[:400], y[:400])
    display = LeadDisplay.from_estimator(model, X[400:700], y[400:700])
    assert np.isnan(display.frame()["points"]["alpha"]).all()
    assert display.size[1] > 6
    display.plot()


def test_two_classes_are_refused(iris):
    X, y = iris
    with pytest.raises(ValueError, match="more than two classes"):
        LeadDisplay.from_estimator(SVC().fit(X, y == "setosa"), X, y == "setosa")
