from itertools import combinations

import numpy as np
import pytest
from sklearn.utils.multiclass import _ovr_decision_function

from maxmargin.models import Classes


def pairs(k):
    return Classes(np.arange(k))


def against_rest(k):
    return Classes(np.arange(k), "ovr")


@pytest.mark.parametrize("classes", [3, 4, 7])
def test_against_scikit_learn(classes, seed):
    # Its function takes predictions (1: the second class) and confidences of the second class.
    decisions = np.random.default_rng(seed).normal(size=(200, classes * (classes - 1) // 2))
    theirs = _ovr_decision_function(decisions < 0, -decisions, classes)
    np.testing.assert_allclose(pairs(classes).scores(decisions), theirs, rtol=1e-14)


@pytest.mark.parametrize("classes", [3, 4, 7])
def test_votes(classes, seed):
    decisions = np.random.default_rng(seed).normal(size=(200, classes * (classes - 1) // 2))
    for row, winner in zip(decisions, pairs(classes).codes(decisions), strict=True):
        votes = [0] * classes
        for output, (first, second) in zip(row, combinations(range(classes), 2), strict=True):
            votes[first if output > 0 else second] += 1
        assert winner == votes.index(max(votes))


def test_a_score_never_outweighs_a_vote():
    decisions = np.array([[1e9, 1e-9, -1e9], [1e-9, 1e-9, 1e12]])
    np.testing.assert_array_equal(
        pairs(3).codes(decisions, break_ties=True), pairs(3).codes(decisions)
    )


@pytest.mark.parametrize("classes", [3, 4, 7])
def test_settled_rows_keep_their_class(classes, seed):
    rng = np.random.default_rng(seed)
    settled = []
    for rule in (pairs(classes), against_rest(classes), pairs(2), Classes(np.arange(2), zero=0)):
        outputs = rng.normal(size=(300, rule.n_outputs))
        errors = rng.uniform(0, 0.3, size=outputs.shape)
        rows = rule.settled(outputs, errors)
        settled.append(rows.mean())
        for _ in range(20):
            moved = outputs + errors * rng.choice([-0.999, 0.999], size=errors.shape)
            np.testing.assert_array_equal(rule.codes(moved)[rows], rule.codes(outputs)[rows])
    assert all(0 < share < 1 for share in settled)


def test_an_infinite_error_settles_nothing():
    outputs = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    errors = np.array([[0.1], [np.inf]]) * np.ones(3)
    for rule in (pairs(3), against_rest(3)):
        np.testing.assert_array_equal(rule.settled(outputs, errors), [True, False])
    np.testing.assert_array_equal(pairs(2).settled(outputs[:, :1], errors[:, :1]), [True, False])


def test_who_wins_at_zero():
    zero = np.zeros((1, 1))
    assert Classes(np.array(["a", "b"])).predict(zero) == "b"
    assert Classes(np.array(["a", "b"]), zero=0).predict(zero) == "a"
    assert Classes(np.array([-1, 1]), rounding=0.1).predict(zero - 0.05) == 1
    # Of pairs the second class each, so that the last one has most votes.
    assert Classes(np.array(["a", "b", "c"])).predict(np.zeros((1, 3))) == "c"


@pytest.mark.parametrize("labels", [[1, -1], [5, -2, 3], [3, 1, 2, 0]], ids=str)
def test_listed_classes_decide_as_a_machine_with_that_order(labels, seed):
    """LIBSVM's machine, whose pairs (i, j) are in its own order and positive for i."""
    listed, k = Classes.listed(np.array(labels)), len(labels)
    order = list(listed.precedence)
    rng = np.random.default_rng(seed)
    theirs = rng.integers(-1, 2, size=(400, k * (k - 1) // 2)).astype(float)  # zeros and ties
    ours = np.zeros_like(theirs)
    for q, (i, j) in enumerate(combinations(range(k), 2)):
        output, sign = listed.output_of(order[i], order[j])
        ours[:, output] = sign * theirs[:, q]
    expected = []
    for row in theirs:
        votes = [0] * k
        for value, (i, j) in zip(row, combinations(range(k), 2), strict=True):
            votes[i if value > 0 else j] += 1
        expected.append(labels[votes.index(max(votes))])
    np.testing.assert_array_equal(listed.predict(ours), expected)


def test_precedence_has_each_class_once():
    with pytest.raises(ValueError, match="each of the numbers 0 to 2 once"):
        Classes(np.arange(3), precedence=np.array([0, 0, 2]))
