import numpy as np
import pytest

from maxmargin.kernels import RBF, Linear
from maxmargin.plots import GramDisplay


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = rng.choice(["b", "a", "c"], 30)
    return rng.normal(size=(30, 2)) + 5 * (y == "c")[:, None], y


def test_sorted_by_class_and_nothing_lost(data):
    X, y = data
    frame = GramDisplay.from_kernel(X, y, RBF(0.5)).frame()
    assert list(y[frame["order"]]) == sorted(y)
    np.testing.assert_array_equal(
        frame["K"], RBF(0.5)(X, X)[np.ix_(frame["order"], frame["order"])]
    )
    assert list(frame["classes"]) == ["a", "b", "c"]
    assert frame["sizes"].sum() == 30


def test_means_of_blocks(data):
    X, y = data
    frame = GramDisplay.from_kernel(X, y).frame()
    K = frame["K"]
    a, b = frame["sizes"][:2]
    assert frame["means"][0, 1] == pytest.approx(K[:a, a : a + b].mean())
    assert frame["means"][2, 2] > 2 * frame["means"][0, 2]


def test_signed_values_get_a_diverging_scale(data):
    X, y = data
    ax = GramDisplay.from_kernel(X - X.mean(axis=0), y, Linear()).plot()
    low, high = ax.get_images()[0].get_clim()
    assert low == -high


def test_ticks_name_the_classes(data):
    ax = GramDisplay.from_kernel(*data).plot()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "c"]


def test_shapes_must_agree(data):
    with pytest.raises(ValueError, match=r"K has shape \(2, 2\)"):
        GramDisplay.from_matrix(np.eye(2), data[1])
