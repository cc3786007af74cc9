import numpy as np
import pytest

from maxmargin.losses import Hinge
from maxmargin.optimizers import Constant, InverseSquareRoot, Momentum, minimize
from maxmargin.plots import PathDisplay, TraceDisplay
from maxmargin.problems import Objective


@pytest.fixture
def objective():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(40) % 2, 1.0, -1.0)
    return Objective(y[:, None] + rng.normal(size=(40, 1)), y, Hinge(), 1.0)


@pytest.fixture
def runs(objective):
    return {
        "constant": minimize(objective, [2.0, 1.0], Constant(0.01), max_iter=50),
        "falling": minimize(objective, [2.0, 1.0], InverseSquareRoot(0.05), max_iter=50),
        "momentum": minimize(objective, [2.0, 1.0], Constant(0.01), rule=Momentum(), max_iter=50),
    }


def test_distances_are_from_the_best_value_seen(runs):
    frame = TraceDisplay.from_runs(runs).frame()
    assert list(frame) == list(runs)
    assert min(curve["best"].min() for curve in frame.values()) == 0
    for curve in frame.values():
        assert (np.diff(curve["best"]) <= 0).all()
        assert (curve["value"] >= curve["best"]).all()


def test_optimum_that_is_not_one_is_refused(runs):
    with pytest.raises(ValueError, match="optimum is 1000"):
        TraceDisplay.from_runs(runs, optimum=1000.0)


def test_over_steps_or_time(runs):
    display = TraceDisplay.from_runs(runs, optimum=0.0)
    assert display.plot(over="time").get_xlabel() == "time (s)"
    with pytest.raises(ValueError, match="over is 'epoch'"):
        display.plot(over="epoch")


def test_paths_run_over_the_objective(objective, runs):
    display = PathDisplay.from_runs(objective, runs, names=("w", "b"))
    frame = display.frame()
    assert frame["values"][3, 5] == objective.value([frame["x"][5], frame["y"][3]])
    for name, run in runs.items():
        path = frame["paths"][name]
        np.testing.assert_array_equal(path[0], [2.0, 1.0])
        np.testing.assert_array_equal(path[-1], run.last)
        assert (path[:, 0] > frame["x"][0]).all()
        assert (path[:, 1] < frame["y"][-1]).all()
    assert display.plot().get_ylabel() == "b"


def test_contours_need_two_parameters(objective):
    plain = Objective(objective.X, objective.y, Hinge(), 1.0, intercept=False)
    run = minimize(plain, [1.0], Constant(0.1), max_iter=3)
    with pytest.raises(ValueError, match="has 1 parameters; contours need two"):
        PathDisplay.from_runs(plain, run)


def test_no_runs_are_refused():
    with pytest.raises(ValueError, match="runs is empty"):
        TraceDisplay.from_runs({})
