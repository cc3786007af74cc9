import numpy as np
import pytest

from maxmargin.losses import Absolute, EpsilonInsensitive, Hinge, Huber, Squared
from maxmargin.plots import LossDisplay, SubgradientDisplay


@pytest.mark.parametrize(
    "display",
    [
        LossDisplay.from_losses(),
        LossDisplay.against_hinge(),
        LossDisplay.from_losses([Squared(), Absolute(), EpsilonInsensitive(0.5), Huber()]),
    ],
    ids=["surrogates", "hinge", "residual"],
)
def test_slopes_between_neighbours_lie_between_their_subgradients(display):
    frame = display.frame()
    slope = np.diff(frame["values"], axis=1) / np.diff(frame["z"])
    low, high = frame["high"][:, :-1], frame["low"][:, 1:]
    known = np.isfinite(low) & np.isfinite(high)
    assert (low <= slope + 1e-6)[known].all()
    assert (slope <= high + 1e-6)[known].all()


def test_residuals_are_seen_over_the_margin_from_one():
    frame = LossDisplay.from_losses({"hinge": Hinge(), "L1": Absolute()}).frame()
    np.testing.assert_allclose(frame["values"][1], np.abs(1 - frame["z"]))
    left = frame["z"] < 1
    np.testing.assert_allclose(*frame["values"][:, left])


def test_zero_one_has_no_subgradient_where_it_is_one():
    frame = LossDisplay.from_losses().frame()
    zero_one = list(frame["names"]).index("zero-one")
    assert np.isnan(frame["low"][zero_one, frame["z"] < 0]).all()
    assert (frame["low"][zero_one, frame["z"] > 0] == 0).all()


def test_axes_say_what_the_argument_is():
    left, right = LossDisplay.from_losses([Huber()]).plot()
    assert "residual" in left.get_xlabel()
    assert "∂h" in right.get_title(loc="left")


@pytest.mark.parametrize("at", [-0.5, 0.0, 1.0, 2.0])
def test_supporting_lines_lie_nowhere_above(at):
    frame = SubgradientDisplay.from_loss(Hinge(), at=at).frame()
    lines = frame["value"] + frame["slopes"][:, None] * (frame["z"] - at)
    assert (lines <= frame["values"] + 1e-12).all()
    assert len(lines) == (5 if at == 1.0 else 1)


def test_none_is_refused():
    with pytest.raises(ValueError, match="losses is empty"):
        LossDisplay.from_losses([])
