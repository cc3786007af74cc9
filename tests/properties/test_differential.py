"""Small problems with extreme numbers: certificates are true, and optima are the optima.

`make test-numbers` judges ten thousand of them.
"""

import numpy as np
import pytest

from differential.draw import FORMULATIONS, draw
from differential.judging import judge
from maxmargin import HardMarginSVC, LinearSVC, Status


@pytest.mark.parametrize("place", range(len(FORMULATIONS)), ids=FORMULATIONS)
def test_problems_of_every_formulation(place):
    for number in range(place, 10 * len(FORMULATIONS), len(FORMULATIONS)):
        drawn = draw(0, number, most_rows=6)
        assert judge(drawn).faults == [], str(drawn)


def separable():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X @ [1, 2, -1.0] > 0).astype(int)
    X[:, 0] += 3 * (2 * y - 1)
    return X, y


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("scale", [1e5, 1e6, 1e9, 1e100], ids="{:.0e}".format)
def test_small_weights_are_not_taken_for_rounding(scale, loss):
    """Where rows are large, weights and objective are tiny; the gap is relative all the same."""
    X, y = separable()
    model = LinearSVC(loss=loss, C=1e3, max_iter=-1).fit(scale * X, y)
    if model.status_ is Status.OPTIMAL:
        hard = HardMarginSVC(kernel="linear").fit(scale * X, y)
        np.testing.assert_allclose(model.margin_, hard.margin_, rtol=1e-3)
    else:
        assert model.certificate_.gap > model.tol


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_dual_point_that_rounding_has_destroyed_certifies_nothing():
    """X'beta cancels in float64 as it does not in fact; `differential` found it, as problem 653."""
    drawn = draw(0, 653)
    assert judge(drawn).faults == []
    assert drawn.model.status_ is Status.PRECISION


def test_sparse_weights_of_columns_in_all_units():
    """What is little in one column's unit is much in another's: `differential`, problem 1146."""
    drawn = draw(0, 1146)
    assert judge(drawn).faults == []
    assert drawn.model.status_ is Status.OPTIMAL
    assert np.max(drawn.model.n_iter_) < 100


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("number", [3116, 7304])
def test_optimal_in_a_basis_of_the_rows_is_not_yet_optimal(number):
    """The gap in the rows' own numbers decides: problems of `make test-numbers`."""
    drawn = draw(1, number)
    assert judge(drawn).faults == []
    assert drawn.model.status_ is Status.PRECISION


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("seed", "number", "status"),
    [
        (3, 319, Status.OPTIMAL),  # C times one rounding of a score was as large as the objective
        (3, 1023, Status.OPTIMAL),  # and here 1e6 times that
        (3, 737, Status.PRECISION),  # float64 does not tell rows apart, and nothing bounds beta
        (1, 861, Status.OPTIMAL),  # the squares of the weights underflow, the weights do not
        (2, 7597, Status.PRECISION),  # weights that overflow
        (1, 2001, Status.PRECISION),  # losses overflow where none is infinite
        (1, 2255, Status.OPTIMAL),  # beta is below the rounding of C, of which it was the rest
        (2, 1862, Status.OPTIMAL),  # near copies, whose rounding was taken for negative curvature
        (2, 9794, Status.DEGENERATE),  # a margin that was not the certificate's
        (1, 9158, Status.PRECISION),  # a hard margin that tol, below rounding, made undecidable
    ],
)
def test_rounding_is_counted_for_what_it_is(seed, number, status):
    """Problems of `make test-numbers` that were said to be what they were not."""
    drawn = draw(seed, number)
    assert judge(drawn).faults == []
    assert drawn.model.status_ is status


@pytest.mark.parametrize("C", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("multi_class", ["ovr", "crammer_singer"])
def test_rounding_of_many_features_is_no_alarm(multi_class, classes, C):
    """Weights that are a hair larger have margins above 1 for certain, and cost next to nothing."""
    X = np.random.default_rng(0).normal(size=(40, 5000))
    model = LinearSVC(loss="hinge", multi_class=multi_class, C=C, max_iter=-1)
    model.fit(X, np.arange(40) % classes)
    assert model.status_ is Status.OPTIMAL


def test_descent_ends_what_a_basis_of_the_rows_could_not():
    """Like the problems above before hinges on few rows were left to descent."""
    drawn = draw(1, 2607)
    assert judge(drawn).faults == []
    assert drawn.model.status_ is Status.OPTIMAL


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rounding_that_leaves_a_gap_above_tol_is_told():
    """The point is optimal to 1e-6; C times the rounding of the scores says no more than 7e-4."""
    drawn = draw(1, 1727)
    assert judge(drawn).faults == []
    assert drawn.model.status_ is not Status.OPTIMAL
    assert drawn.model.tol < drawn.model.certificate_.gap < 1e-3
