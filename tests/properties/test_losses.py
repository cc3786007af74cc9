"""What convex analysis demands of every loss and penalty, written once over all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin.losses import (
    L1,
    L2,
    Absolute,
    Chain,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Line,
    Logistic,
    Maximum,
    ModifiedHuber,
    Perceptron,
    Scale,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
    Sum,
)

LOSSES = [
    Hinge(),
    SquaredHinge(),
    ModifiedHuber(),
    Perceptron(),
    Logistic(),
    Logistic(scaled=True),
    EpsilonInsensitive(epsilon=0.25),
    EpsilonInsensitive(epsilon=0.0),
    SquaredEpsilonInsensitive(epsilon=0.25),
    SquaredEpsilonInsensitive(epsilon=0.0),
    Huber(delta=0.5),
    Squared(),
    Squared(halved=True),
    Absolute(),
    L1(),
    L2(factor=0.5),
    L2(factor=1.0),
]
COMPOSED = [
    Maximum((Line(0.0, 0.0), Line(-1.0, 1.0), Line(2.0, -8.0))),
    Sum((Hinge(), Absolute(), Scale(0.5, Squared()))),
    Chain(EpsilonInsensitive(epsilon=0.25), Line(-2.0, 0.5)),
]
SMOOTH = [loss for loss in LOSSES if hasattr(loss, "curvature")]
KINKS = [-0.5, -0.25, 0.0, 0.125, 0.25, 0.375, 0.5, 1.0, 4.0]
# Multiples of 1/64 are either one of these kinks exactly or at least 1/64 away from all of them.
points = st.sampled_from(KINKS) | st.integers(-8 * 64, 8 * 64).map(lambda k: k / 64)
steps = st.floats(0.01, 20.0)

few = settings(max_examples=50, deadline=None)
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
every_function = pytest.mark.parametrize("loss", LOSSES + COMPOSED, ids=repr)


def choices(loss, z):
    low, high = loss.subdifferential(z)
    return low, (low + high) / 2, high


@every_function
@few
@given(z=points)
def test_the_interval_ends_are_the_one_sided_derivatives(loss, z):
    step = 2.0**-20
    low, high = loss.subdifferential(z)
    assert low == pytest.approx((loss.value(z) - loss.value(z - step)) / step, abs=1e-5)
    assert high == pytest.approx((loss.value(z + step) - loss.value(z)) / step, abs=1e-5)


@every_function
@few
@given(z=points, x=points)
def test_every_subgradient_supports_the_function(loss, z, x):
    for g in choices(loss, z):
        assert loss.value(x) >= loss.value(z) + g * (x - z) - 1e-12


@every_function
@few
@given(x=points, z=points, share=st.floats(0, 1))
def test_convex(loss, x, z, share):
    between = loss.value(share * x + (1 - share) * z)
    assert between <= share * loss.value(x) + (1 - share) * loss.value(z) + 1e-12


@every_loss
@few
@given(z=points, s=points)
def test_fenchel_young(loss, z, s):
    assert loss.value(z) + loss.conjugate(s) >= s * z - 1e-12


@every_loss
@few
@given(z=points)
def test_fenchel_young_is_tight_on_the_subdifferential(loss, z):
    for g in choices(loss, z):
        assert loss.value(z) + loss.conjugate(g) == pytest.approx(g * z, abs=1e-12)


@every_loss
@few
@given(z=points)
def test_the_conjugate_of_the_conjugate_is_the_loss(loss, z):
    step = 1 / 256
    ends = [-loss.scale] if isinstance(loss, Logistic) else []
    s = np.concatenate([np.arange(-24, 24 + step, step), ends])
    biconjugate = np.max(s * z - loss.conjugate(s))
    # Above by rounding, below by what a grid of slopes misses: curvature times step^2 and,
    # for the logistic loss, the infinite slope of its entropy at the end of the domain.
    assert loss.value(z) - 2e-3 <= biconjugate <= loss.value(z) + 1e-12


@every_loss
@few
@given(z=points, tau=steps, other=points)
def test_the_proximal_step_is_optimal(loss, z, tau, other):
    best = loss.prox(z, tau)

    def cost(x):
        return tau * loss.value(x) + (x - z) ** 2 / 2

    assert cost(best) <= cost(other) + 1e-9
    # z - best must be tau times a subgradient at best, which rounding may put beside a kink.
    low, _ = loss.subdifferential(best - 1e-9)
    _, high = loss.subdifferential(best + 1e-9)
    assert tau * low - 1e-6 <= z - best <= tau * high + 1e-6


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@few
@given(z=points.map(lambda z: z + 1 / 128))
def test_curvature_is_the_derivative_of_the_slope(loss, z):
    step = 1e-5
    (after, _), (before, _) = loss.subdifferential(z + step), loss.subdifferential(z - step)
    assert loss.curvature(z) == pytest.approx((after - before) / (2 * step), abs=1e-6)


@every_loss
def test_curvature_is_offered_exactly_by_the_differentiable_losses(loss):
    low, high = loss.subdifferential(np.arange(-8, 8, 1 / 64))
    assert hasattr(loss, "curvature") == np.array_equal(low, high)


@every_loss
@few
@given(z=st.lists(points, min_size=1, max_size=5))
def test_arrays_are_treated_number_by_number(loss, z):
    assert np.array_equal(loss.value(z), [loss.value(x) for x in z])
    assert np.array_equal(loss.conjugate(z), [loss.conjugate(x) for x in z])
    assert np.allclose(loss.prox(z, 0.5), [loss.prox(x, 0.5) for x in z], atol=1e-14)
    for end in (0, 1):
        together = loss.subdifferential(z)[end]
        assert np.array_equal(together, [loss.subdifferential(x)[end] for x in z])


@pytest.mark.parametrize("loss", [Hinge(), SquaredHinge(), Logistic(scaled=True)], ids=repr)
@few
@given(z=points)
def test_bounds_the_zero_one_loss(loss, z):
    assert loss.value(z) >= (z <= 0)


def test_the_unscaled_logistic_loss_does_not_bound_the_zero_one_loss():
    assert Logistic().value(0.0) < 1
