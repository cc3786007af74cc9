import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, OneClassSVM
from maxmargin.plots import BoundaryDisplay
from maxmargin.plots.discriminant import beside


@pytest.fixture(scope="module")
def cancer():
    data = load_breast_cancer()
    return data.data[:200], data.target_names[data.target[:200]]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_every_row_is_at_its_own_decision_value(cancer, kernel):
    X, y = cancer
    model = make_pipeline(StandardScaler(), SVC(kernel=kernel)).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    points = display.frame()["points"]
    np.testing.assert_allclose(points["x"], model.decision_function(X))
    # So the regions of the picture hold exactly the rows that the model puts there.
    sides = np.where(points["x"] > 0, *model.classes_[::-1])
    np.testing.assert_array_equal(sides, model.predict(X))
    # A slack is as long as it is drawn.
    late = points["slack"] > 0
    assert late.any()
    np.testing.assert_allclose(
        np.abs(points["margin"][late, 0] - points["x"][late]), points["slack"][late], atol=1e-6
    )
    np.testing.assert_allclose(points["margin"][late, 1], points["y"][late], atol=1e-6)
    assert display.frame()["note"] == ""
    ax = display.plot(projections=True)
    assert ax.get_xlabel() == "f, positive for malignant"
    assert ax.get_aspect() == "auto"


def test_the_margin_is_in_the_picture_where_no_row_is(cancer):
    X, y = cancer
    model = SVC(kernel="linear", C=1e-9).fit(X, y)
    (left, right), _ = BoundaryDisplay.from_estimator(model, X, y).limits
    assert left < -1
    assert right > 1


@pytest.mark.parametrize("detail", ["noise", "normal"])
def test_there_are_no_distances_between_rows(cancer, detail):
    X, y = cancer
    display = BoundaryDisplay.from_estimator(SVC().fit(X, y), X, y)
    with pytest.raises(ValueError, match=f"{detail}=True needs distances"):
        display.plot(**{detail: True})


def test_what_is_beside_f_is_not_correlated_with_it():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 4)) * [1, 5, 2, 1]
    f = rows @ [1.0, 1.0, 0.0, 0.0]
    component, share = beside(rows, f)
    assert abs(np.corrcoef(component, f)[0, 1]) < 1e-12
    assert 0 < share < 1
    wide, _ = beside(np.hstack([rows, np.zeros((50, 100))]), f)
    np.testing.assert_allclose(wide, component, atol=1e-9)


def test_nothing_is_beside_f_where_it_tells_all():
    f = np.arange(5.0)
    component, share = beside(f[:, None] * 2 + 1, f)
    np.testing.assert_array_equal(component, 0.0)
    assert share == 0


def test_models_without_margin_and_with_one_class(cancer):
    X, y = cancer
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    assert BoundaryDisplay.from_estimator(model, X, y).levels == (0.0,)
    single = make_pipeline(StandardScaler(), OneClassSVM(nu=0.1)).fit(X)
    display = BoundaryDisplay.from_estimator(single, X, None)
    points = display.frame()["points"]
    assert display.levels == (0.0,)
    assert display.classes.tolist() == ["outlier", "inlier"]
    np.testing.assert_array_equal(points["code"], single.predict(X) == 1)
    assert (points["alpha"] > 0).sum() == len(single[-1].support_)
    display.plot()


def test_models_without_a_decision_value_are_refused(cancer):
    X, y = cancer
    with pytest.raises(ValueError, match="no single decision value"):
        BoundaryDisplay.from_estimator(KNeighborsClassifier().fit(X, y), X, y, features="output")
