import numpy as np
import pytest

from maxmargin.optimizers import Constant, Harmonic, InverseSquareRoot, StronglyConvex, minimize
from maxmargin.problems import Objective


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


def test_a_number_is_a_constant_step_size():
    J = Objective([[-1.0], [2.0]], [-1.0, 1.0], "hinge", C=1.0)
    by_number, by_name = (minimize(J, [2.0, 1.0], s, max_iter=9) for s in (0.1, Constant(0.1)))
    assert np.array_equal(by_number.trace["w"], by_name.trace["w"])
    with pytest.raises(ValueError, match="size must be positive"):
        minimize(J, [2.0, 1.0], -0.1)


@pytest.mark.parametrize("wrong", ["0.1", None, Constant])
def test_what_is_no_schedule(wrong):
    J = Objective([[-1.0], [2.0]], [-1.0, 1.0], "hinge", C=1.0)
    with pytest.raises(TypeError, match="schedule must be a step size such as"):
        minimize(J, [2.0, 1.0], wrong)
