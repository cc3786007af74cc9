import numpy as np
import pytest

from maxmargin.losses import L1, L2

w = np.array([3.0, 0.0, -4.0])


def test_sums_over_coordinates_are_the_norms():
    assert L2().value(w).sum() == pytest.approx(np.linalg.norm(w) ** 2)
    assert L2(factor=0.5).value(w).sum() == pytest.approx(np.linalg.norm(w) ** 2 / 2)
    assert L1().value(w).sum() == pytest.approx(np.linalg.norm(w, 1))


def test_only_l1_makes_a_small_weight_exactly_zero():
    assert L1().prox(0.3, tau=0.5) == 0.0
    assert L2().prox(0.3, tau=0.5) > 0.0


@pytest.mark.parametrize("factor", [0.0, -1.0, np.inf])
def test_factor_out_of_range(factor):
    with pytest.raises(ValueError, match="factor must be positive and finite, got"):
        L2(factor=factor)
