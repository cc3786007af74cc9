"""Intervals against other ways to compute them."""

import numpy as np
import pytest
from scipy.stats import binomtest, norm
from sklearn.metrics import average_precision_score, roc_auc_score

from maxmargin.intervals import area_under_roc, bootstrap, resamples, share
from maxmargin.report.scores import average_precision


@pytest.mark.parametrize(("correct", "n"), [(0, 7), (3, 10), (90, 100), (57, 57)])
def test_shares_are_those_of_scipy(correct, n):
    ends = binomtest(correct, n).proportion_ci(method="wilson")
    found = share(correct, n)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), abs=1e-12)


def test_a_share_of_nothing_is_not_known():
    assert not share(0, 0).known


def test_the_area_is_that_of_scikit_learn_and_its_interval_delongs(seed):
    rng = np.random.default_rng(seed)
    positive = rng.random(200) < 0.3
    scores = np.round(rng.normal(size=200) + positive, 1)  # with ties
    found = area_under_roc(positive, scores)
    assert found.value == pytest.approx(roc_auc_score(positive, scores))
    # The variance by its definition, over all pairs.
    x, z = scores[positive], scores[~positive]
    pairs = (x[:, None] > z) + 0.5 * (x[:, None] == z)
    variance = pairs.mean(1).var(ddof=1) / len(x) + pairs.mean(0).var(ddof=1) / len(z)
    half = norm.ppf(0.975) * np.sqrt(variance) / (found.value * (1 - found.value))
    middle = np.log(found.value / (1 - found.value))
    ends = 1 / (1 + np.exp(-np.array([middle - half, middle + half])))
    assert (found.low, found.high) == pytest.approx(tuple(ends))


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    # Scores N(1, 1) against N(0, 1): the area is P(Z < 1 / sqrt 2).
    truth, rng = norm.cdf(1 / np.sqrt(2)), np.random.default_rng(0)
    positive = np.arange(120) < 60
    found = [area_under_roc(positive, rng.normal(size=120) + positive) for _ in range(400)]
    held = np.mean([entry.low <= truth <= entry.high for entry in found])
    assert 0.92 <= held <= 0.98


def test_without_a_pair_in_the_wrong_order_there_is_no_interval():
    found = area_under_roc(np.array([True, True, False, False]), np.array([4.0, 3.0, 2.0, 1.0]))
    assert found.value == 1.0
    assert not found.known


def test_bootstrap_of_a_mean_is_near_the_normal_interval():
    values = np.random.default_rng(0).normal(size=400)
    [found] = bootstrap(lambda counts: [counts @ values / counts.sum()], 400)
    half = 1.96 * values.std() / 20
    expected = (values.mean() - half, values.mean() + half)
    assert (found.low, found.high) == pytest.approx(expected, abs=0.02)
    assert found == bootstrap(lambda counts: [counts @ values / counts.sum()], 400)[0]


def test_resamples_that_all_agree_tell_no_interval():
    [found] = bootstrap(lambda counts: [1.0], 10)
    assert found.value == 1.0
    assert not found.known
    assert resamples(10) == 1000


def test_average_precision_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    positive, scores = rng.random(150) < 0.4, np.round(rng.normal(size=150), 1)
    weight = rng.integers(0, 3, 150).astype(float)
    expected = average_precision_score(positive, scores, sample_weight=weight)
    assert average_precision(positive, scores, weight) == pytest.approx(expected)
