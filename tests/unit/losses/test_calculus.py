import numpy as np
import pytest

from maxmargin.losses import (
    Absolute,
    Chain,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Line,
    Maximum,
    Perceptron,
    Piecewise,
    Scale,
    Squared,
    Sum,
    contains_zero,
    supporting_fan,
    supporting_line,
)

x = np.arange(-4, 4, 1 / 16)
ZERO = Line(0.0, 0.0)

# The same function twice: from its definition, and from lines or pieces by the rules.
BUILT = {
    "hinge is a maximum of lines": (Hinge(), Maximum((ZERO, Line(-1.0, 1.0)))),
    "hinge is a shifted perceptron": (Hinge(), Chain(Perceptron(), Line(1.0, -1.0))),
    "absolute is a maximum of lines": (Absolute(), Maximum((Line(1.0, 0.0), Line(-1.0, 0.0)))),
    "absolute is a sum of two hinges": (
        Absolute(),
        Sum((Perceptron(), Chain(Perceptron(), Line(-1.0, 0.0)))),
    ),
    "the tube is a maximum of three lines": (
        EpsilonInsensitive(epsilon=0.5),
        Maximum((ZERO, Line(1.0, -0.5), Line(-1.0, -0.5))),
    ),
    "huber has three pieces": (
        Huber(delta=1.0),
        Piecewise(
            pieces=(
                (lambda x: -x - 0.5, lambda x: -1.0),
                (lambda x: x**2 / 2, lambda x: x),
                (lambda x: x - 0.5, lambda x: 1.0),
            ),
            kinks=(-1.0, 1.0),
        ),
    ),
    "twice the squared loss": (Scale(2.0, Squared()), Sum((Squared(), Squared()))),
}


@pytest.mark.parametrize(("direct", "built"), BUILT.values(), ids=BUILT)
def test_rules_rebuild_the_losses(direct, built):
    assert np.allclose(direct.value(x), built.value(x), rtol=0, atol=1e-14)
    for one, other in zip(direct.subdifferential(x), built.subdifferential(x), strict=True):
        assert np.array_equal(one, other)


def test_a_negative_slope_swaps_the_ends():
    low, high = Chain(Hinge(), Line(-3.0, 0.0)).subdifferential(-1 / 3)
    assert (low, high) == (0.0, 3.0)


def test_zero_in_the_subdifferential_finds_the_minimiser():
    """|x| + (x - 2)^2 / 2 is least at 1, where -1 + 2 - 1 = 0; at the kink 0 it is not."""
    function = Sum((Absolute(), Scale(0.5, Chain(Squared(), Line(1.0, -2.0)))))
    assert contains_zero(function, [0.0, 1.0, 2.0]).tolist() == [False, True, False]


def test_a_fan_of_supporting_lines_touches_the_kink_and_stays_below():
    lines = supporting_fan(Hinge(), z=1.0, n_lines=7)
    assert len(set(lines)) == 7
    for line in lines:
        assert line.value(1.0) == pytest.approx(0.0, abs=1e-15)
        assert np.all(line.value(x) <= Hinge().value(x) + 1e-15)


def test_a_slope_outside_the_interval_supports_nothing():
    with pytest.raises(ValueError, match=r"a number in \[-1, 0\], got 0.5"):
        supporting_line(Hinge(), z=1.0, g=0.5)


def test_scaling_by_a_negative_number_is_refused():
    with pytest.raises(ValueError, match="factor must be positive"):
        Scale(-1.0, Hinge())


@pytest.mark.parametrize(
    ("pieces", "kinks", "message"),
    [
        ([(lambda x: x, lambda x: 1.0)], [0.0], "one more than kinks"),
        ([(lambda x: x, lambda x: 1.0)] * 3, [1.0, 0.0], "kinks must increase"),
        ([(lambda x: x, lambda x: 1.0), (lambda x: x + 1, lambda x: 1.0)], [0.0], "must meet"),
        ([(lambda x: x, lambda x: 1.0), (lambda x: -x, lambda x: -1.0)], [0.0], "not convex"),
    ],
)
def test_pieces_that_do_not_fit(pieces, kinks, message):
    with pytest.raises(ValueError, match=message):
        Piecewise(pieces=pieces, kinks=kinks)
