import numpy as np
import pytest

from maxmargin.losses import Hinge
from maxmargin.optimizers import Constant, InverseSquareRoot, Momentum, minimize, perceptron
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
    with pytest.raises(ValueError, match="has one unknown; a path in a plane needs two"):
        PathDisplay.from_runs(plain, run)


def test_no_runs_are_refused():
    with pytest.raises(ValueError, match="runs is empty"):
        TraceDisplay.from_runs({})


def test_no_iterate_is_drawn_over_a_curve(runs):
    """All pale lines lie under all curves of the best so far, and these differ by dashes."""
    ax = TraceDisplay.from_runs(runs).plot()
    curves = [line for line in ax.get_lines() if line.get_label() in runs]
    pale = [line for line in ax.get_lines() if line not in curves and len(line.get_xdata())]
    assert max(line.get_zorder() for line in pale) < min(line.get_zorder() for line in curves)
    assert len({line.get_linestyle() for line in curves}) == len(runs)
    assert ax.get_title(loc="left") == ax.get_title() == ""


def test_where_each_iterate_is_the_best_there_is_no_pale_line():
    J = Objective([[-1.0], [1.0]], [-1.0, 1.0], "squared_hinge", C=1.0, intercept=False)
    ax = minimize(J, [0.0], 0.01, max_iter=20).plot()
    assert [line.get_label() for line in ax.get_lines()] == ["run"]


def test_paths_have_one_scale_so_that_a_narrow_valley_is_narrow(objective, runs):
    ax = PathDisplay.from_runs(objective, runs).plot()
    assert ax.get_aspect() == 1
    assert ax.get_ylabel() == "$b$"
    paths = [line for line in ax.get_lines() if line.get_label() in runs]
    assert len({line.get_linestyle() for line in paths}) == len(runs)


def test_contours_of_more_than_two_unknowns_are_a_slice_that_is_told():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    J = Objective(X, np.where(X[:, 0] > 0, 1, -1), "hinge", C=1.0)
    run = minimize(J, [0.5, 1.0, 0.3], 0.01, max_iter=30)
    display = PathDisplay.from_runs(J, run)
    assert "$b$ = " in display.note
    x, y, values = (display.frame()[name] for name in ("x", "y", "values"))
    assert values[3, 5] == J([x[5], y[3], run.w[2]])
    other = PathDisplay.from_runs(J, run, unknowns=(0, 2))
    assert other.names == ("$w_1$", "$b$")
    assert np.array_equal(other.frame()["paths"]["run"], run.trace["w"][:, [0, 2]])


def test_the_way_of_a_perceptron():
    run = perceptron([[-1.0, 2.0], [1.0, 1.0], [2.0, -1.0]], [-1, 1, 1])
    display = PathDisplay.from_runs(None, run)
    assert np.array_equal(display.frame()["paths"]["run"], run.path[:, :2])
    assert run.plot().get_xlabel() == "$w_1$"


@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        (lambda J, run: PathDisplay.from_runs(run, J), TypeError, r"objective first, from_runs\(J"),
        (lambda J, run: PathDisplay.from_runs(J, 3.0), TypeError, "has no path"),
        (lambda J, run: PathDisplay.from_runs(J, {}), ValueError, "runs is empty"),
        (
            lambda J, run: PathDisplay.from_runs(J, run, unknowns=(0, 7)),
            ValueError,
            "two of 0 to 1",
        ),
        (
            lambda J, run: TraceDisplay.from_runs(perceptron([[1.0]], [1])),
            TypeError,
            "PathDisplay draws the way of a perceptron",
        ),
    ],
)
def test_wrong_guesses(objective, runs, wrong, error, text):
    with pytest.raises(error, match=text):
        wrong(objective, runs["constant"])
