import numpy as np
import pytest

from maxmargin.losses import Hinge, Logistic, Perceptron, SquaredHinge, ZeroOne


def test_hinge_and_perceptron_are_one_shape_with_another_kink():
    z = np.linspace(-3, 3, 61)
    assert np.allclose(Hinge().value(z + 1), Perceptron().value(z), atol=1e-15)
    assert Hinge().subdifferential(1.0) == Perceptron().subdifferential(0.0) == (-1.0, 0.0)


def test_squared_hinge_is_the_square():
    z = np.linspace(-3, 3, 61)
    assert np.array_equal(SquaredHinge().value(z), Hinge().value(z) ** 2)


def test_logistic_far_away_neither_overflows_nor_loses_its_tail():
    loss = Logistic()
    assert loss.value([-1e4, 40.0]) == pytest.approx([1e4, np.exp(-40)])
    assert loss.subdifferential(1e4)[0] == 0.0
    assert loss.prox(-1e4, 1.0) == -9999.0


def test_scaled_logistic_is_one_at_zero():
    assert Logistic(scaled=True).value(0.0) == 1.0


class TestZeroOne:
    def test_a_score_of_zero_is_an_error(self):
        assert ZeroOne().value([-1e-300, 0.0, 1e-300]).tolist() == [1.0, 1.0, 0.0]

    def test_no_line_supports_it_where_it_is_one(self):
        low, high = ZeroOne().subdifferential([-1.0, 0.0])
        assert np.all(low > high)

    def test_its_convex_hull_is_zero(self):
        slopes = np.linspace(-5, 5, 101)
        for z in (-2.0, 0.0, 3.0):
            assert np.max(slopes * z - ZeroOne().conjugate(slopes)) == 0.0

    def test_prox_crosses_to_the_right_side_when_that_is_cheaper_than_the_error(self):
        assert ZeroOne().prox([-2.1, -1.9, 0.5], tau=2.0).tolist() == [-2.1, 0.0, 0.5]
