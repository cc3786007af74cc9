import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from maxmargin.plots import RegressionDisplay


@pytest.fixture
def line():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 10, 50))
    y = 2 * x + rng.normal(0, 0.2, 50)
    y[[3, 30]] += [15.0, -12.0]
    return x[:, None], y


def test_outliers_move_least_squares_and_not_the_tube(line):
    frame = RegressionDisplay.from_estimators(*line).frame()
    clean = np.abs(frame["residuals"][:, :3]).mean(axis=1)
    svr, squares, huber = clean
    assert max(svr, huber) < squares
    assert frame["epsilon"][0] == 0.5
    assert np.isnan(frame["epsilon"][1:]).all()


def test_points_outside_the_tube_are_support_vectors(line):
    model = SVR(kernel="linear", C=10, epsilon=0.5, tol=1e-8).fit(*line)
    display = RegressionDisplay.from_estimators(*line, {"SVR": model})
    outside = np.flatnonzero(display.frame()["outside"][0])
    assert {3, 30} <= set(outside) <= set(model.support_)
    assert np.abs(display.frame()["residuals"][0]).max() > 10


def test_names_and_pipelines(line):
    X = pd.DataFrame(line[0], columns=["dose"])
    model = make_pipeline(StandardScaler(), SVR(epsilon=0.3))
    display = RegressionDisplay.from_estimators(X, line[1], {"scaled": model})
    assert display.frame()["epsilon"][0] == 0.3
    ax = display.plot()
    assert ax.get_xlabel() == "dose"
    assert len(ax.get_legend().get_texts()) == 3


def test_without_a_tube(line):
    display = RegressionDisplay.from_estimators(*line, {"OLS": LinearRegression()})
    assert not display.frame()["outside"].any()
    assert len(display.plot().get_legend().get_texts()) == 1


def test_two_features_are_refused(line):
    with pytest.raises(ValueError, match=r"X has shape \(50, 2\)"):
        RegressionDisplay.from_estimators(np.hstack([line[0], line[0]]), line[1])
