import numpy as np
import pytest

from maxmargin.losses import Polyhedral

h = Polyhedral([[1, 2], [1, -2], [-1, 2], [-1, -2]], [0, 0, 0, 0])  # |x_1| + 2 |x_2|
kink = np.array([1.0, 0.0])


def test_value():
    assert h.value([-3.0, 2.0]) == 7.0


def test_a_negative_subgradient_that_climbs():
    g = np.array([1.0, 2.0])
    assert g.tolist() in h.subgradients(kink).tolist()
    assert not h.is_descent(kink, -g)
    assert all(h.value(kink - step * g) > h.value(kink) for step in (1e-6, 1e-3, 0.1))


def test_steepest_descent_is_minus_the_shortest_subgradient():
    assert np.allclose(h.steepest_descent(kink), [-1.0, 0.0], atol=1e-12)


def test_at_the_minimum_no_direction_goes_down():
    assert np.allclose(h.steepest_descent([0.0, 0.0]), 0.0, atol=1e-12)
    for angle in np.linspace(0, 2 * np.pi, 17):
        assert not h.is_descent([0.0, 0.0], [np.cos(angle), np.sin(angle)])


def test_the_directional_derivative_is_the_limit_of_quotients():
    for angle in np.linspace(0, 2 * np.pi, 17):
        d = np.array([np.cos(angle), np.sin(angle)])
        quotient = (h.value(kink + 1e-7 * d) - h.value(kink)) / 1e-7
        assert h.directional_derivative(kink, d) == pytest.approx(quotient, abs=1e-6)


def test_offsets_of_the_wrong_length():
    with pytest.raises(ValueError, match=r"offsets must have shape \(2,\)"):
        Polyhedral([[1.0], [2.0]], [0.0])
