from itertools import combinations

import numpy as np
import pytest
from sklearn.utils.multiclass import _ovr_decision_function

from maxmargin.models import class_scores, vote


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
