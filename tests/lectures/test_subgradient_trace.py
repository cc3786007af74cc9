"""The first lecture's run of subgradient descent, number by number."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from maxmargin.losses import Hinge
from maxmargin.optimizers import Constant, Ending, StepLength, minimize
from maxmargin.problems import C_MEAN, Objective, soft_margin_primal
from maxmargin.solvers import solve_qp

# J after 0, 1000, ..., 21000 steps, as printed.
PRINTED = [
    "3.728947",
    "0.376952",
    "0.359075",
    "0.351587",
    "0.344411",
    "0.337912",
    "0.331617",
    "0.326604",
    "0.322224",
    "0.319250",
    "0.316727",
    "0.314800",
    "0.313181",
    "0.311843",
    "0.310667",
    "0.309561",
    "0.308496",
    "0.307523",
    "0.306614",
    "0.305768",
    "0.305068",
    "0.304293",
]


@pytest.fixture(scope="module")
def iris():
    """Every fourth flower; sepal length and width; setosa against the others."""
    X, y = load_iris(return_X_y=True)
    return X[::4, :2], np.where(y[::4] == 0, -1.0, 1.0)


@pytest.fixture(scope="module")
def run(iris):
    return minimize(
        Objective(*iris, Hinge(), parameter=0.1, convention=C_MEAN),
        start=np.ones(3),
        schedule=Constant(0.01),
        stop=[StepLength(5e-4)],
        max_iter=100_000,
        record_every=1000,
    )


def test_every_printed_digit(run):
    at_thousands = run.trace[run.trace["t"] % 1000 == 0]
    assert at_thousands["t"].tolist() == list(range(0, 22_000, 1000))
    assert [f"{value:.6f}" for value in at_thousands["value"]] == PRINTED


def test_it_stops_by_step_length(run):
    assert run.ending is Ending.STOPPED
    assert 21_000 < run.n_iter < 22_000
    assert run.trace["step_length"][-1] <= 5e-4


def test_the_step_length_says_nothing_about_the_optimum(iris, run):
    optimum = solve_qp(soft_margin_primal(*iris, parameter=0.1, convention=C_MEAN)).value
    assert f"{optimum:.6f}" == "0.300039"
    assert run.value - optimum == pytest.approx(0.0039, abs=1e-4)
