"""The maps of shapes: what is lost is told, and counts."""

import argparse
import io
import math

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from benchmarks import map_classes, map_linear
from benchmarks.map import Cell, conclude, show, show_tables, within
from maxmargin import SVC, LinearSVC
from maxmargin.cli.terminal import Terminal

WON = Cell("dense: 10 x 30", 1.0, {"a": 2.0, "b": 3.0})
LOST = Cell("dense: 30 x 30", 1.0, {"a": 0.5, "b": 3.0})
NOT_SOLVED = Cell("dense: 30 x 10", math.inf, {"a": 1.0})
ALONE = Cell("dense: 10 x 10", 1.0, {})


@pytest.mark.parametrize(
    ("cells", "status"),
    [([WON], 0), ([WON, ALONE], 0), ([WON, LOST], 1), ([WON, NOT_SOLVED], 1), ([ALONE], 1)],
)
def test_the_exit_status_tells_whether_anything_is_lost(cells, status):
    assert conclude(Terminal(io.StringIO()), cells) == status


def test_what_is_lost_is_red():
    out = io.StringIO()
    terminal = Terminal(out, color=True)
    show(terminal, WON)
    assert "\x1b[31m" not in out.getvalue()
    show(terminal, LOST)
    assert "\x1b[31m" in out.getvalue()


def test_a_table_has_rows_by_columns():
    [table] = show_tables(Terminal(io.StringIO()), [WON, LOST, NOT_SOLVED])
    assert list(table.header)[1:] == ["10", "30"]
    assert [list(row) for row in table.rows] == [["10", "", "2.00"], ["30", "0.00", "0.50"]]


def endless():
    while True:
        pass


def test_who_takes_too_long_is_not_waited_for():
    assert within(0.05, endless) is None
    assert within(5.0, lambda: (1, 2.0)) == (1, 2.0)


def test_who_fails_is_not_taken_for_slow():
    with pytest.raises(RuntimeError, match="exit status 1"):
        within(5.0, lambda: 1 / 0)


def test_newton_steps_from_a_good_point_do_not_lead_back():
    # Descent gets to a gap of 4e-7 here; with a wide smoothing Newton steps stood still there.
    X, y = map_linear.sample(3000, 30, is_sparse=False)
    model = LinearSVC(loss="hinge", C=0.01, tol=1e-8, max_iter=-1, intercept="penalized", n_jobs=1)
    assert model.fit(X, y).certificate_.gap <= 1e-8


@pytest.mark.parametrize(("penalty", "loss"), list(map_linear.KINDS))
def test_the_objective_is_that_of_the_certificate(penalty, loss):
    X, y = map_linear.sample(40, 5, is_sparse=False)
    problem = map_linear.Problem(X, y, penalty, loss, 1.0)
    model = LinearSVC(penalty=penalty, loss=loss, intercept="penalized").fit(X, y)
    own = problem.objective(model.coef_[0], float(model.intercept_[0]))
    assert np.isclose(own, model.certificate_.primal, rtol=1e-9)


def test_a_cell_names_everyone_who_took_part():
    arguments = argparse.Namespace(quick=True, only="dense, l2, squared_hinge, C=1: 10 x 1000")
    cells = list(map_linear.cells(arguments))
    assert all(cell.ours > 0 and set(cell.peers) == set(map_linear.PEERS) for cell in cells)
    assert [cell.shape for cell in cells] == [(10, 1000)]


def test_many_classes_are_judged_by_their_pairs():
    X, y = map_classes.sample(60, 4, 3.0)
    assert map_classes.violation(SVC(tol=1e-6).fit(X, y), X, y) <= 1e-6
    with pytest.warns(ConvergenceWarning):
        stopped = SVC(max_iter=1).fit(X, y)
    assert map_classes.violation(stopped, X, y) > 0.1
    cell = map_classes.measured("classes apart, C=1: 60 x 4", X, y, 1.0)
    assert cell.ours > 0
    assert set(cell.peers) == {"scikit-learn"}
