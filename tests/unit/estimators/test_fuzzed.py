"""What fuzzers have found (`make fuzz`), each once."""

import numpy as np
import pytest
from scipy import sparse

from maxmargin import SGDSVC, SGDSVR, SVC, HardMarginSVC, Perceptron

X = np.random.default_rng(0).normal(size=(30, 3))
y = (X[:, 0] > 0).astype(int)


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_sparse_data_whose_variance_overflows_are_refused():
    rows = sparse.csr_array([[1e300], [1e300], [0.0]])
    with pytest.raises(ValueError, match="scale the data"):
        SVC().fit(rows, [0, 1, 1])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("machine", [SGDSVC, SGDSVR, Perceptron])
def test_a_stream_whose_time_was_over_before_it_began_can_go_on(machine):
    model = machine(time_limit=1e-9).fit(X, y)
    assert model.status_.name == "TIME_LIMIT"
    assert model.n_iter_ == 0
    assert model.eta0_ > 0
    model.set_params(time_limit=None).partial_fit(X, y)
    assert model.coef_.any()


def test_a_perceptron_that_did_not_begin_has_made_no_mistakes():
    model = Perceptron(time_limit=1e-9).fit(X, y)
    assert model.mistakes_.shape == (0, 1)
    assert model.mistake_bound_.shape == (1,)


def test_a_hard_margin_that_float64_cannot_find_is_refused():
    rows = np.array([[10.875, 5.75, 9.25, -4.625, 1e38, 2.625, 6.25, -1, 5.625]], np.float32).T
    with pytest.raises(ValueError, match="scale the data"):
        HardMarginSVC(kernel="linear").fit(sparse.csr_array(rows), [0, 2, 2, 1, 0, 2, 0, 2, 1])
