import numpy as np
import pytest

from maxmargin.estimators.parameters import (
    BOOLEAN,
    COUNT,
    JOBS,
    LIMIT,
    NONE,
    NOT_NEGATIVE,
    POSITIVE,
    check_parameters,
    one_of,
)


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        (POSITIVE, [1, 0.5, np.float32(2), np.int64(3)], [0, -1, np.inf, np.nan, True, "1", None]),
        (NOT_NEGATIVE, [0, 0.0, 1], [-1e-300, np.nan]),
        (COUNT, [0, 3, np.int32(2)], [-1, 1.0, True]),
        (LIMIT, [-1, 0, 10], [-2, 1.5]),
        (JOBS, [-1, 1, 8], [0, 1.0]),
        (BOOLEAN, [True, np.False_], [0, 1, None]),
        (one_of("a", "b"), ["a"], ["c", None, 1]),
        (POSITIVE | NONE, [1.0, None], [0]),
    ],
)
def test_rules(rule, good, bad):
    assert all(rule.holds(value) for value in good)
    assert not any(rule.holds(value) for value in bad)


def test_error_names_all():
    with pytest.raises(ValueError, match=r"^C is -1.0; it must be a number greater than 0"):
        check_parameters({"C": -1.0}, {"C": POSITIVE})
