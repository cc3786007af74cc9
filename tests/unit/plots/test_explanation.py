"""Pictures of explanations: what their frames say, and that they are drawn."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_iris

from maxmargin import SVC, SVR, LinearSVC
from maxmargin.explain import importances, influences
from maxmargin.plots import (
    ExplanationDisplay,
    ImportanceDisplay,
    InfluenceDisplay,
    SupportDisplay,
)

mpl.use("Agg")


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


def test_bars_go_from_the_base_to_the_decision(iris):
    X, y = iris
    display = ExplanationDisplay(SVC().fit(X, y == 0).explain(X[:3]), row=2, n_shown=3)
    frame = display.frame()
    assert np.isclose(frame["base"] + frame["part"].sum(), frame["decision"])
    axes = display.plot()
    bars = axes.patches
    assert len(bars) == 3
    assert np.isclose(bars[0].get_x(), frame["base"])
    assert np.isclose(bars[-1].get_x() + bars[-1].get_width(), frame["decision"])
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names[0] == f"{frame['feature'][0]} = {frame['value'][0]:.4g}"
    assert names[-1] == "2 others"


def test_sampled_values_have_error_bars(iris):
    X, y = iris
    found = SVC(kernel="sigmoid").fit(X, y == 0).explain(X[:1], n_orders=4)
    notes = [text.get_text() for text in found.plot().texts]
    assert "standard error" in notes[0].replace("\n", " ")


def test_support_vectors_are_named(iris):
    X, y = iris
    display = SupportDisplay(SVC().fit(X, y == 0).explain(X[:1]))
    first = display.plot().get_yticklabels()[0].get_text()
    frame = display.frame()
    assert first.startswith(f"row {frame['index'][0]}, {frame['label'][0]}, ")
    curve = SVR().fit(X, y).explain(X[:1])
    assert SupportDisplay(curve).plot().get_xlabel() == "part of the prediction"
    assert curve.plot().get_xlabel() == "prediction"
    with pytest.raises(ValueError, match="keeps weights"):
        SupportDisplay(LinearSVC().fit(X, y).explain(X[:1])).plot()


def test_importances_and_influences_are_sorted(iris):
    X, y = iris
    model = SVC().fit(X, y == 0)
    display = ImportanceDisplay(importances(model, X, y == 0, random_state=0), n_shown=2)
    axes = display.plot()
    assert len(axes.patches) == 2
    assert [text.get_text() for text in axes.get_yticklabels()] == list(
        display.frame()["feature"][:2]
    )
    rows = InfluenceDisplay(influences(model, X, y == 0, refit=None), n_shown=4)
    assert len(rows.plot().patches) == 4
    assert np.all(np.diff(rows.frame()["size"]) <= 0)
