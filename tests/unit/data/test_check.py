import numpy as np
import pytest

from maxmargin.data import Dataset, check_data


def test_defaults():
    data = check_data([[0, 1], [1, 0], [2, 2]], [1, -1, 1])
    assert isinstance(data, Dataset)
    assert data.n_rows == 3
    np.testing.assert_array_equal(data.weight, np.ones(3))
    assert data.X.dtype == data.y.dtype == data.weight.dtype == np.float64


def test_number_type_is_kept(dtype):
    X = np.arange(6, dtype=dtype).reshape(3, 2)
    data = check_data(X, [1, -1, 1])
    assert data.X.dtype == dtype
    assert np.shares_memory(data.X, X)


def test_rows_become_contiguous():
    assert check_data(np.ones((3, 8))[:, ::2], [1, -1, 1]).X.flags.c_contiguous


def test_frozen():
    data = check_data([[0.0], [1.0]], [1, -1])
    with pytest.raises(AttributeError):
        data.y = np.zeros(2)


BAD = {
    "NaN": ([[0.0], [np.nan]], [1, -1], None, "X.*row 1, column 0"),
    "infinity": ([[0.0], [-np.inf]], [1, -1], None, "X.*not finite"),
    "NaN target": ([[0.0], [1.0]], [1, np.nan], None, "y.*row 1"),
    "one dimension": ([0.0, 1.0], [1, -1], None, "X has 1 dimensions; it must have 2"),
    "empty": (np.zeros((0, 3)), [], None, "X is empty"),
    "text": ([["a"], ["b"]], [1, -1], None, "X has dtype.*numeric"),
    "lengths": ([[0.0], [1.0]], [1], None, "y has 1 values but X has 2 rows"),
    "weight length": ([[0.0], [1.0]], [1, -1], [1.0], "sample_weight has 1 values"),
    "negative weight": ([[0.0], [1.0]], [1, -1], [1.0, -3.0], r"sample_weight\[1\] is -3.0"),
    "NaN weight": ([[0.0], [1.0]], [1, -1], [1.0, np.nan], "sample_weight.*row 1"),
}


@pytest.mark.parametrize(("X", "y", "weight", "message"), BAD.values(), ids=BAD.keys())
def test_bad(X, y, weight, message):
    with pytest.raises(ValueError, match=message):
        check_data(X, y, weight)
