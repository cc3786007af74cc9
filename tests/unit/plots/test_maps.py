import numpy as np
import pandas as pd
import pytest

from maxmargin.kernels import PolynomialMap
from maxmargin.plots import LiftDisplay


@pytest.fixture
def shells():
    x = np.concatenate([np.linspace(-3, -2, 6), np.linspace(-1, 1, 9), np.linspace(2, 3, 6)])
    return x[:, None], np.where(np.abs(x) < 1.5, "core", "shell")


def test_thresholds_are_where_the_lifted_line_cuts_the_parabola(shells):
    frame = LiftDisplay.from_data(*shells).frame()
    # Between 1 and 4 on the second axis the widest margin is at 2.5.
    np.testing.assert_allclose(frame["thresholds"], [-np.sqrt(2.5), np.sqrt(2.5)], atol=5e-3)
    points = frame["lifted"]["points"]
    np.testing.assert_allclose(points["y"], points["x"] ** 2)


def test_names(shells):
    X = pd.DataFrame(shells[0], columns=["depth"])
    line, plane = LiftDisplay.from_data(X, shells[1]).plot()
    assert line.get_xlabel() == plane.get_xlabel() == "depth"
    assert plane.get_ylabel() == "depth²"


def test_another_map(shells):
    def curl(x):
        return np.hstack([np.cos(x), np.sin(x)])

    display = LiftDisplay.from_data(*shells, phi=curl)
    assert display.lifted.names == ("$\\phi_1$", "$\\phi_2$")
    display.plot()


def test_what_is_refused(shells):
    with pytest.raises(ValueError, match="lifting starts from one feature"):
        LiftDisplay.from_data(PolynomialMap(2)(np.hstack([shells[0], shells[0]])), shells[1])
