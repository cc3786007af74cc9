from itertools import combinations

import numpy as np
import pytest
from sklearn.utils.multiclass import _ovr_decision_function

from maxmargin.models import class_scores, highest_settled, signs_settled, vote, vote_settled


@pytest.mark.parametrize("classes", [3, 4, 7])
def test_against_scikit_learn(classes, seed):
    # Its function takes predictions (1: the second class) and confidences of the second class.
    decisions = np.random.default_rng(seed).normal(size=(200, classes * (classes - 1) // 2))
    theirs = _ovr_decision_function(decisions < 0, -decisions, classes)
    np.testing.assert_allclose(class_scores(decisions, classes), theirs, rtol=1e-14)


@pytest.mark.parametrize("classes", [3, 4, 7])
def test_votes(classes, seed):
    decisions = np.random.default_rng(seed).normal(size=(200, classes * (classes - 1) // 2))
    for row, winner in zip(decisions, vote(decisions, classes), strict=True):
        votes = [0] * classes
        for output, (first, second) in zip(row, combinations(range(classes), 2), strict=True):
            votes[first if output > 0 else second] += 1
        assert winner == votes.index(max(votes))


def test_a_score_never_outweighs_a_vote():
    decisions = np.array([[1e9, 1e-9, -1e9], [1e-9, 1e-9, 1e12]])
    np.testing.assert_array_equal(class_scores(decisions, 3).argmax(axis=1), vote(decisions, 3))


@pytest.mark.parametrize("classes", [3, 4, 7])
def test_settled_rows_keep_their_class(classes, seed):
    rng = np.random.default_rng(seed)
    votes = rng.normal(size=(300, classes * (classes - 1) // 2))
    heights = rng.normal(size=(300, classes))
    settled = []
    for outputs, rule, label in (
        (votes, vote_settled, lambda f: vote(f, classes)),
        (heights, highest_settled, lambda f: f.argmax(axis=1)),
        (heights, signs_settled, lambda f: (f >= 0) @ 2 ** np.arange(classes)),
    ):
        errors = rng.uniform(0, 0.3, size=outputs.shape)
        rows = rule(outputs, errors)
        settled.append(rows.mean())
        for _ in range(20):
            moved = outputs + errors * rng.choice([-0.999, 0.999], size=errors.shape)
            np.testing.assert_array_equal(label(moved)[rows], label(outputs)[rows])
    assert all(0 < share < 1 for share in settled)


def test_an_infinite_error_settles_nothing():
    outputs = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    errors = np.array([[0.1], [np.inf]]) * np.ones(3)
    for rule in (vote_settled, highest_settled, signs_settled):
        np.testing.assert_array_equal(rule(outputs, errors), [True, False])
