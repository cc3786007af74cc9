import numpy as np
import pytest

from maxmargin.optimizers import Constant, Harmonic, InverseSquareRoot, StronglyConvex


@pytest.mark.parametrize(
    ("schedule", "at_one", "at_nine"),
    [
        (Constant(0.3), 0.3, 0.3),
        (Harmonic(2.0, 1.0), 1.0, 0.2),
        (InverseSquareRoot(0.6), 0.6, 0.2),
        (StronglyConvex(0.5), 2.0, 2 / 9),
    ],
)
def test_values(schedule, at_one, at_nine):
    assert (schedule(1), schedule(9)) == pytest.approx((at_one, at_nine))


@pytest.mark.parametrize("build", [Constant, Harmonic, InverseSquareRoot, StronglyConvex])
@pytest.mark.parametrize("value", [0.0, -1.0, np.inf])
def test_sizes_out_of_range(build, value):
    with pytest.raises(ValueError, match="must be positive"):
        build(value)
