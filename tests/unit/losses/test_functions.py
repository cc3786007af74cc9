"""Losses as functions: called, differentiated, added and multiplied, and asked by wrong names."""

import numpy as np
import pytest

from maxmargin import losses
from maxmargin.data import check_data
from maxmargin.kernels import Linear
from maxmargin.losses import (
    L2,
    Absolute,
    Chain,
    Hinge,
    Line,
    Maximum,
    Piecewise,
    Scale,
    Squared,
    SquaredHinge,
    Sum,
    ZeroOne,
    is_margin_loss,
)
from maxmargin.problems import Objective, loss_dual
from maxmargin.solvers import solve

z = np.linspace(-3.0, 3.0, 25)
FUNCTIONS = [
    Hinge(),
    Absolute(),
    L2(),
    Line(2.0, 1.0),
    Chain(Absolute(), Line(-2.0, 1.0)),
    Maximum((Line(0.0, 0.0), Line(-1.0, 1.0))),
    Piecewise(((lambda z: 0 * z, lambda z: 0 * z), (lambda z: z, lambda z: 0 * z + 1)), (0.0,)),
    2 * Hinge() + Squared() / 2 + 1,
]


@pytest.mark.parametrize("h", FUNCTIONS, ids=lambda h: type(h).__name__)
def test_every_function_is_called_and_has_a_subgradient(h):
    low, high = h.subdifferential(z)
    assert np.array_equal(h(z), h.value(z))
    assert np.all((low <= h.subgradient(z)) & (h.subgradient(z) <= high))
    smooth = z[low == high]
    assert np.array_equal(h.gradient(smooth), low[low == high])


@pytest.mark.parametrize("h", FUNCTIONS, ids=lambda h: type(h).__name__)
def test_of_a_number_a_number(h):
    found = [h(0.3), h.subgradient(0.3), *h.subdifferential(0.3)]
    assert not [part for part in found if isinstance(part, np.ndarray) and part.ndim]
    assert all(f"{part:g}" for part in found)


def test_a_loss_of_predictions_and_targets():
    f, y = np.array([0.5, -2.0]), np.array([1.0, 1.0])
    assert np.array_equal(Hinge()(f, y), [0.5, 3.0])
    assert np.array_equal(Squared()(f, y), [0.25, 9.0])
    assert np.array_equal((2 * Hinge() + SquaredHinge())(f, y), [1.25, 15.0])


def test_operators_are_the_rules_of_the_calculus():
    assert 2 * Hinge() == Hinge() * 2 == Scale(2.0, Hinge())
    assert np.float64(2) * Hinge() == Scale(2.0, Hinge())
    assert Hinge() + Absolute() == Sum((Hinge(), Absolute()))
    assert sum([Hinge(), Absolute(), L2()]) == Sum((Hinge(), Absolute(), L2()))
    assert Hinge() - 1 == Sum((Hinge(), Line(0.0, -1.0)))
    assert repr(2 * (Hinge() + 1) + Absolute()) == "2 * (Hinge() + 1) + Absolute()"


@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        (lambda: -Hinge(), ValueError, "not convex"),
        (lambda: Hinge() - Absolute(), ValueError, "not convex"),
        (lambda: Hinge() * Absolute(), TypeError, "only positive multiples"),
        (lambda: Hinge() + "one", TypeError, "'one' is no convex function"),
        (lambda: Hinge().gradient([0.0, 1.0]), ValueError, r"kink at 1: its slopes .* \[-1, 0\]"),
        (lambda: ZeroOne().subgradient(-1e-9 * 0), ValueError, "not convex"),
        (lambda: (Hinge() + Absolute())(1.0, y=1.0), TypeError, "one kind"),
        (lambda: Hinge().grad, AttributeError, r"use gradient\(z\)"),
        (lambda: Hinge().vale, AttributeError, "did you mean 'value'"),
        (lambda: losses.hinge_loss, AttributeError, "did you mean 'Hinge'"),
        (lambda: losses.CrossEntropy, AttributeError, r"use Logistic\(\)"),
    ],
)
def test_wrong_guesses_are_told_what_is_right(wrong, error, text):
    with pytest.raises(error, match=text):
        wrong()


def test_a_composed_loss_is_a_loss_of_objectives_and_solvers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] + rng.normal(size=30) > 0, 1.0, -1.0)
    w = np.array([0.3, -0.2, 0.1])
    double, single = Objective(X, y, 2 * Hinge(), 0.5), Objective(X, y, Hinge(), 1.0)
    assert double.value(w) == pytest.approx(single.value(w))
    assert np.allclose(double.subgradient(w), single.subgradient(w))
    s = single.dual_point(w)
    assert double.dual_value(2 * s) == pytest.approx(single.dual_value(s))
    mixed = Objective(X, y, Hinge() + SquaredHinge(), 1.0)
    squared = Objective(X, y, SquaredHinge(), 1.0)
    assert mixed.value(w) == pytest.approx(
        single.value(w) + squared.value(w) - mixed.a * float(w[:2] @ w[:2])
    )
    data = check_data(X, y)
    [found] = solve([loss_dual(data, Linear(), 2 * Hinge(), 0.5)])
    [expected] = solve([loss_dual(data, Linear(), Hinge(), 1.0)])
    assert found.certificate.primal == pytest.approx(expected.certificate.primal)


def test_labels_are_asked_for_where_margins_are():
    assert is_margin_loss(3 * Hinge() + 1)
    assert not is_margin_loss(Absolute() + 1)
    with pytest.raises(ValueError, match=r"y must be -1 or \+1"):
        Objective([[0.0], [1.0]], [0.0, 1.0], 2 * Hinge(), 1.0)
