"""Stochastic machines on a cluster: partitions in a random order, and the gap that is stated."""

from itertools import pairwise

import dask.array as da
import numpy as np
import pytest
from scipy import sparse

import maxmargin
from maxmargin import _core, distributed
from maxmargin.distributed.share import Share, read_partition
from maxmargin.distributed.stream_rows import Stated, learn, risk_sums
from maxmargin.models import Classes
from maxmargin.problems import Iterate

pytestmark = pytest.mark.timeout(90)
RNG = np.random.default_rng(2)
X = RNG.normal(size=(600, 5))
CODES = (X @ RNG.normal(size=(5, 3)) + RNG.normal(size=(600, 3))).argmax(axis=1)
T = X @ [1.0, 0.0, -2.0, 0.5, 0.0] + RNG.normal(size=600)
WEIGHT = RNG.uniform(-0.2, 2, size=600)
BOUNDS = [0, 250, 250, 600]

MACHINES = {
    "hinge": (maxmargin.SGDSVC(alpha=0.01, class_weight={0: 2.0, 1: 1.0, 2: 0.5}), CODES),
    "penalised": (maxmargin.SGDSVC("logistic", alpha=0.01, intercept="penalized"), CODES > 0),
    "without": (maxmargin.SGDSVC("modified_huber", alpha=0.1, fit_intercept=False), CODES > 0),
    "l1": (maxmargin.SGDSVC("squared_hinge", penalty="elasticnet", alpha=0.05), CODES > 0),
    "no penalty": (maxmargin.SGDSVC("hinge", penalty=None), CODES > 0),
    "tube": (maxmargin.SGDSVR(alpha=0.01), T),
    "huber": (maxmargin.SGDSVR("huber", epsilon=0.5, alpha=0.01), T),
}


@pytest.mark.parametrize("case", MACHINES)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_bound_of_parts_is_that_of_the_whole(case, kind):
    machine, y = MACHINES[case]
    target = "numbers" if y is T else "classes"
    parts = [
        read_partition(k, kind(X[a:b]), y[a:b], WEIGHT[a:b], target, "SGD")
        for k, (a, b) in enumerate(pairwise(BOUNDS))
    ]
    [whole] = machine._state(machine._check(X, y, WEIGHT, reset=True))
    w, b = RNG.normal(size=(whole.n_outputs, 5)), RNG.normal(size=whole.n_outputs)
    expected = whole.certify_point(w, b)
    classes = factors = None
    if target == "classes":
        classes = Classes(np.unique(y), "ovr", zero=0)
        factors = np.array([2.0, 1.0, 0.5]) if case == "hinge" else np.ones(2)
    state = Stated(machine, classes, factors)
    sums = [risk_sums(Share("fit", [part]), state, w, b, whole._unit) for part in parts]
    how = machine._intercept()
    found = _core.risk_bounds(sum(sums), w, b, *machine._penalties(), how.present, how.penalty > 0)
    for (primal, dual, deviation), part in zip(found, expected.parts, strict=True):
        assert np.isclose(primal, part.primal, rtol=1e-12)
        assert np.isclose(min(dual, primal), part.dual, rtol=1e-9, atol=1e-12)
        assert np.isclose(deviation, part.standard_error * np.sqrt((WEIGHT > 0).sum()), rtol=1e-9)


def test_steps_of_partitions_are_those_of_their_rows_one_after_the_other():
    machine = maxmargin.SGDSVR(alpha=0.01, eta0=0.01, shuffle=False)
    parts = [read_partition(k, X[a : a + 300], T[a : a + 300], None, "numbers", "SGD")
             for k, a in enumerate((0, 300))]  # fmt: skip
    settings, state = machine._settings(), Stated(machine, None, None)
    found = learn(Share("fit", parts), [0, 1], Iterate.zero(5), state, settings, 1)
    whole = read_partition(0, X, T, None, "numbers", "SGD")
    expected = learn(Share("fit", [whole]), [0], Iterate.zero(5), state, settings, 1)
    assert found.steps == expected.steps == 600
    assert np.allclose(found.mean, expected.mean, rtol=1e-10)


def chunks(rows):
    return da.from_array(rows, chunks=(150, *rows.shape[1:]))


def test_a_stream_of_partitions_ends_near_the_optimum_and_says_how_near(client):
    model = distributed.SGDSVC(alpha=0.01, random_state=0).fit(chunks(X), chunks(CODES))
    one = maxmargin.SGDSVC(alpha=0.01, random_state=0).fit(X, CODES)
    exact = one.certify(X, CODES, tight=True)
    ours = model.certificate_
    assert ours.dual <= exact.primal
    assert sum(part.primal for part in exact.parts) <= 1.02 * sum(p.primal for p in ours.parts)
    assert sum(part.primal for part in ours.parts) <= 1.02 * sum(p.primal for p in exact.parts)
    assert model.score(chunks(X), chunks(CODES)) == pytest.approx(one.score(X, CODES), abs=0.02)
    assert model.certify(chunks(X), chunks(CODES)).primal == pytest.approx(ours.primal)
    with pytest.raises(ValueError, match="tight is True, which needs all rows in one place"):
        model.certify(chunks(X), chunks(CODES), tight=True)
    again = distributed.SGDSVC(alpha=0.01, random_state=0).fit(chunks(X), chunks(CODES))
    assert np.array_equal(again.coef_, model.coef_)
    assert model.fit_report_["cluster"]["rounds"] > model.n_iter_


def test_regression_and_limits(client):
    model = distributed.SGDSVR(alpha=0.01, random_state=0, tol=0, max_iter=3)
    model.fit(chunks(X), chunks(T))
    assert model.n_iter_ == 3
    assert model.t_ == 1800
    assert 0 < model.certificate_.gap < 0.5
    for refused in ({"early_stopping": True}, {"learning_rate": "adaptive"}):
        with pytest.raises(ValueError, match="needs all rows in one place"):
            distributed.SGDSVR(**refused).fit(chunks(X), chunks(T))
