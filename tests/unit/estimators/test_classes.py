import numpy as np
import pytest

from maxmargin.estimators.classes import classification_data


@pytest.mark.parametrize(
    "labels",
    [
        np.array([-128, 127, -128], np.int8),
        np.array([5, 3, 4, 3, 5, 9]),
        np.array([2**62, 2**62 + 1, 2**62]),
        np.array([-(2**63), 2**63 - 1]),
        np.array([2**64 - 1, 0], np.uint64),
        np.array([True, False, True]),
        np.array([1.0, -1.0]),
        np.array(["b", "a", "b"]),
    ],
    ids=str,
)
def test_classes_are_numbered_in_their_order(labels):
    data = classification_data(np.zeros((len(labels), 1)), labels, None, None)
    names, codes = np.unique(labels, return_inverse=True)
    np.testing.assert_array_equal(data.classes.names, names)
    np.testing.assert_array_equal(data.y, codes)
    assert data.classes.names.dtype == labels.dtype
