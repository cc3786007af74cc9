"""The stochastic machines and the transformers keep scikit-learn's contract, and can be stopped."""

import time

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from instances import blobs
from maxmargin import SGDSVC, SGDSVR, Nystroem, Perceptron, RandomFourier, Status

# A row of weight 2 is a longer step, not the row twice: steps are stochastic.
STOCHASTIC = {
    f"check_sample_weight_equivalence_on_{kind}_data": "stochastic steps"
    for kind in ("dense", "sparse")
}


@parametrize_with_checks(
    [
        SGDSVC(random_state=0),
        SGDSVC(loss="logistic", random_state=0),
        SGDSVC("modified_huber", learning_rate="optimal", average=False, tol=None, max_iter=50),
        SGDSVR(random_state=0),
        SGDSVR("squared_error", learning_rate="invscaling", average=True, tol=None, max_iter=50),
        SGDSVR(loss="huber", random_state=0),
        Perceptron(random_state=0),
        Perceptron(average=True, max_iter=50, random_state=0),
        Perceptron(calibration="sigmoid", max_iter=50, random_state=0),
        Nystroem(),
        RandomFourier(),
    ],
    expected_failed_checks=lambda e: STOCHASTIC if hasattr(e, "predict") else {},
)
def test_estimator_checks(estimator, check):
    check(estimator)


def long_fit():
    return (*blobs(200_000, 20, spread=4.0),)


MACHINES = {
    "SGDSVC": lambda **options: SGDSVC(tol=0.0, max_iter=10**6, **options),
    "Perceptron": lambda **options: Perceptron(max_iter=10**6, **options),
}
machines = pytest.mark.parametrize("make", MACHINES.values(), ids=MACHINES.keys())


@machines
def test_an_interrupt_raises_and_changes_nothing(make, interrupt_after):
    X, y = long_fit()
    model = make()
    sent = interrupt_after(0.5)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert time.perf_counter() - sent[0] < 1.0
    assert not hasattr(model, "coef_")


@machines
def test_an_interrupt_can_keep(make, interrupt_after):
    X, y = long_fit()
    sent = interrupt_after(0.5)
    model = make(on_interrupt="keep").fit(X, y)
    assert time.perf_counter() - sent[0] < 1.5
    assert model.status_ is Status.INTERRUPTED
    assert np.isfinite(model.coef_).all()


@machines
def test_a_time_limit_keeps(make):
    X, y = long_fit()
    start = time.perf_counter()
    model = make(time_limit=0.5).fit(X, y)
    assert time.perf_counter() - start < 2.0
    assert model.status_ is Status.TIME_LIMIT


@machines
def test_a_callback_stops(make):
    X, y = long_fit()
    rows = []

    def enough(row):
        rows.append(row)
        return len(rows) == 3

    model = make(callback=enough).fit(X, y)
    assert model.status_ is Status.INTERRUPTED
    assert len(rows) == 3


def test_a_stopped_fit_says_how_far_it_is():
    X, y = long_fit()
    with pytest.warns(
        ConvergenceWarning, match=r"time_limit=0\.3 s was reached.*share of the optimum"
    ):
        SGDSVC(tol=1e-12, max_iter=10**6, time_limit=0.3, random_state=0).fit(X, y)
