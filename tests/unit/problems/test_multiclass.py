import numpy as np
import pytest

from maxmargin.problems import one_vs_one


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_pairs(classes):
    codes = np.random.default_rng(0).integers(0, classes, 50)
    pairs = one_vs_one(codes, classes)
    assert len(pairs) == classes * (classes - 1) // 2
    for pair in pairs:
        # Two classes alone stay as they are; of more, the first of a pair is before the second.
        both = [np.flatnonzero(codes == k) for k in (pair.positive, pair.negative)]
        rows = np.concatenate(both) if classes > 2 else np.arange(len(codes))
        np.testing.assert_array_equal(pair.rows, rows)
        np.testing.assert_array_equal(codes[pair.rows[pair.y > 0]] == pair.positive, True)
        np.testing.assert_array_equal(codes[pair.rows[pair.y < 0]] == pair.negative, True)


def test_signs():
    # Of two classes the second is positive, of more the first of each pair.
    assert one_vs_one(np.array([0, 1]), 2)[0].positive == 1
    assert [p.positive for p in one_vs_one(np.array([0, 1, 2]), 3)] == [0, 0, 1]
