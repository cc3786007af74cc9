"""Solutions of many problems: in columns they say what they say one by one."""

import pickle

import numpy as np
import pytest

from instances import blobs
from maxmargin import SVC, NuSVC
from maxmargin.problems import Solution, Solutions


@pytest.fixture(params=[SVC, NuSVC], ids=lambda kind: kind.__name__)
def fitted(request):
    X, y = blobs(90, 3, 4, spread=0.5)
    return request.param(n_jobs=1).fit(X, y)


def test_columns_sum_up_to_what_the_solutions_do(fitted):
    columns, single = fitted.solutions_, Solutions(list(fitted.solutions_))
    assert type(columns) is not Solutions
    assert len(columns) == len(single) == 6
    assert (columns.statuses, columns.method) == (single.statuses, single.method)
    assert (columns.iterations, columns.pair_steps) == (single.iterations, single.pair_steps)
    np.testing.assert_array_equal(columns.beta, single.beta)
    np.testing.assert_array_equal(columns.multipliers, single.multipliers)
    for name in ("judged", "work"):
        one, other = vars(getattr(columns, name)), vars(getattr(single, name))
        assert one.keys() == other.keys()
        np.testing.assert_allclose(list(one.values()), list(other.values()), rtol=1e-12)


def test_they_are_a_sequence(fitted):
    found = fitted.solutions_
    assert isinstance(found[-1], Solution)
    np.testing.assert_array_equal(found[-1].beta, list(found)[5].beta)
    assert [one.work.iterations for one in found[1:3]] == found.iterations[1:3]
    with pytest.raises(IndexError):
        found[6]


def test_a_pickle_has_them_one_by_one(fitted):
    again = pickle.loads(pickle.dumps(fitted))
    assert type(again.solutions_) is tuple
    assert again.status_ is fitted.status_
    assert again.certificate_ == fitted.certificate_
