import numpy as np
import pytest

from maxmargin.losses import Absolute, EpsilonInsensitive, Huber, Squared, SquaredEpsilonInsensitive

r = np.linspace(-3, 3, 61)


def test_without_a_tube_the_insensitive_losses_are_the_plain_ones():
    assert np.array_equal(EpsilonInsensitive(epsilon=0.0).value(r), Absolute().value(r))
    assert np.array_equal(SquaredEpsilonInsensitive(epsilon=0.0).value(r), Squared().value(r))
    assert EpsilonInsensitive(epsilon=0.0).subdifferential(0.0) == (-1.0, 1.0)


def test_the_tube_has_two_kinks():
    low, high = EpsilonInsensitive(epsilon=0.5).subdifferential([-1.0, -0.5, 0.0, 0.5, 1.0])
    assert low.tolist() == [-1.0, -1.0, 0.0, 0.0, 1.0]
    assert high.tolist() == [-1.0, 0.0, 0.0, 1.0, 1.0]


def test_huber_is_the_squared_loss_inside_and_a_line_outside():
    loss = Huber(delta=1.5)
    inside = np.abs(r) <= 1.5
    assert np.allclose(loss.value(r)[inside], r[inside] ** 2 / 2)
    assert np.allclose(np.diff(loss.value(r[r > 1.6])), 1.5 * 0.1)


def test_huber_is_the_envelope_of_the_absolute_loss():
    """min_x delta |x| + (x - r)^2 / 2, attained at the proximal step."""
    x = Absolute().prox(r, 1.5)
    assert np.allclose(Huber(delta=1.5).value(r), 1.5 * np.abs(x) + (x - r) ** 2 / 2)


@pytest.mark.parametrize("epsilon", [-0.1, np.inf, np.nan])
@pytest.mark.parametrize("loss", [EpsilonInsensitive, SquaredEpsilonInsensitive])
def test_epsilon_out_of_range(loss, epsilon):
    with pytest.raises(ValueError, match="epsilon must be 0 or more and finite, got"):
        loss(epsilon=epsilon)


@pytest.mark.parametrize("delta", [-1.0, 0.0, np.inf, np.nan])
def test_delta_out_of_range(delta):
    with pytest.raises(ValueError, match="delta must be positive and finite, got"):
        Huber(delta=delta)
