import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVR, OneClassSVM, report_of
from maxmargin.selection import SVCCV


@pytest.fixture(autouse=True)
def no_screen():
    matplotlib.use("Agg")


def scaled(machine):
    return make_pipeline(StandardScaler(), machine)


def _two_classes():
    data = load_breast_cancer(as_frame=True)
    X, y = data.data.iloc[:, :6], pd.Series(data.target_names[data.target], name="diagnosis")
    model = scaled(SVC(C=3, calibration="sigmoid")).fit(X[::2], y[::2])
    return report_of(model, X[1::2], y[1::2], source="held_out.csv")


def _three_classes():
    data = load_wine(as_frame=True)
    y = pd.Series(data.target_names[data.target], name="cultivar")
    X = data.data.iloc[:, :5]
    return report_of(scaled(SVCCV(Cs=3, gammas=3, cv=3)).fit(X, y), X, y)


def _numbers():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return report_of(scaled(SVR(C=50, epsilon=20)).fit(X[::2], y[::2]), X[1::2], y[1::2])


def _one_class():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 3)), columns=["a", "b", "c"])
    return report_of(OneClassSVM(nu=0.1).fit(X), X)


PAGES = {
    "two classes": _two_classes,
    "three classes": _three_classes,
    "numbers": _numbers,
    "one class": _one_class,
}


@pytest.fixture(scope="session")
def reports():
    """One report of each kind."""
    return {name: make() for name, make in PAGES.items()}


@pytest.fixture(scope="session")
def pages(reports):
    """Their pages."""
    return {name: report.html() for name, report in reports.items()}


@pytest.fixture(params=PAGES)
def page(request, pages):
    """Each of them."""
    return pages[request.param]
