"""How good predictions are, each number with its interval and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from maxmargin.intervals import Estimate, area_under_roc, bootstrap, share
from maxmargin.report.subject import Subject, Task

Array = NDArray[np.float64]
#: Probabilities are taken to be at least this in a logarithm.
_LEAST = 1e-15


@dataclass(frozen=True)
class Score:
    """One measure.

    Parameters
    ----------
    name : str
        What it is called.
    estimate : Estimate
        Its value and interval.
    meaning : str
        What it says, in a sentence.
    percent : bool
        Whether it is a share, to be shown in percent.

    Examples
    --------
    >>> Score("accuracy", Estimate(0.9, 0.8, 0.95, "Wilson"), "Rows that are right.", True).name
    'accuracy'
    """

    name: str
    estimate: Estimate
    meaning: str
    percent: bool = False


@dataclass(frozen=True)
class ClassScores:
    """How well one class is told from the others.

    Parameters
    ----------
    rows : int
        As many rows are of this class.
    recall, precision, auc : Estimate
        Rows of the class that are found; rows taken for it that are; area under its ROC curve.
    f1 : float
        Harmonic mean of recall and precision.

    Examples
    --------
    >>> one = Estimate(1.0, 0.5, 1.0, "Wilson")
    >>> ClassScores(3, one, one, one, 1.0).rows
    3
    """

    rows: int
    recall: Estimate
    precision: Estimate
    auc: Estimate
    f1: float


def confusion(subject: Subject) -> NDArray[np.int64]:
    """Return how many rows of each class (down) are taken for which (across).

    Parameters
    ----------
    subject : Subject
        A model of classes and rows; or one class with labels 1 and -1.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = [[0.0], [1.0], [5.0]], [0, 1, 1]
    >>> confusion(Subject.of(SVC().fit(X, y), X, y)).sum()
    np.int64(3)
    """
    k = len(subject.classes)
    places = {label: code for code, label in enumerate(subject.classes.tolist())}
    found = np.array([places[label] for label in subject.predicted.tolist()], np.int64)
    return np.bincount(k * subject.codes + found, minlength=k * k).reshape(k, k)


def class_scores(subject: Subject) -> list[ClassScores]:
    """Return the scores of each class.

    Parameters
    ----------
    subject : Subject
        A model of classes and rows.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = [[0.0], [1.0], [5.0]], [0, 1, 1]
    >>> [scores.rows for scores in class_scores(Subject.of(SVC().fit(X, y), X, y))]
    [1, 2]
    """
    matrix = confusion(subject)
    found = []
    for code in range(len(matrix)):
        right, true, taken = matrix[code, code], matrix[code].sum(), matrix[:, code].sum()
        found.append(
            ClassScores(
                int(true),
                share(int(right), int(true)),
                share(int(right), int(taken)),
                _auc_of_class(subject, code),
                float(2 * right / (true + taken)) if true + taken > 0 else nan,
            )
        )
    return found


def _auc_of_class(subject: Subject, code: int) -> Estimate:
    scores, unknown = subject.scores, Estimate(nan, nan, nan, "DeLong")
    if scores is None or (len(subject.classes) == 2 and scores.shape[1] != 1):
        return unknown
    if scores.shape[1] == 1:
        return area_under_roc(subject.codes == 1, scores[:, 0])
    if scores.shape[1] != len(subject.classes):
        return unknown
    return area_under_roc(subject.codes == code, scores[:, code])


def scores_of(subject: Subject) -> list[Score]:
    """Return all measures of a model on rows; the first is the one to look at first.

    Parameters
    ----------
    subject : Subject
        The model and the rows.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = [[0.0], [1.0], [5.0]], [0, 1, 1]
    >>> score = scores_of(Subject.of(SVC(C=10).fit(X, y), X, y))[0]
    >>> score.name, score.estimate.value
    ('accuracy', 1.0)
    """
    if subject.task is Task.NUMBERS:
        return _of_numbers(subject)
    return _of_one_class(subject) if subject.task is Task.ONE_CLASS else _of_classes(subject)


def _of_classes(subject: Subject) -> list[Score]:
    matrix = confusion(subject)
    right, n = int(np.trace(matrix)), subject.n
    found = [Score("accuracy", share(right, n), "Share of rows that are classified right.", True)]
    balanced, f1 = _balanced(matrix, subject)
    found.append(
        Score(
            "balanced accuracy",
            balanced,
            "Mean over the classes of the share that is found: each class counts the same.",
            True,
        )
    )
    found.append(Score("macro F1", f1, "Mean over the classes of their F1 scores."))
    if len(subject.classes) == 2:
        found += _of_two_classes(subject)
    return found + _of_probabilities(subject)


def _balanced(matrix: NDArray[np.int64], subject: Subject) -> list[Estimate]:
    """Balanced accuracy and macro F1 of resampled rows."""
    k, code = len(matrix), subject.codes
    places = {label: place for place, label in enumerate(subject.classes.tolist())}
    cells = k * code + np.array([places[label] for label in subject.predicted.tolist()])

    def statistics(counts: Array) -> list[float]:
        drawn = np.bincount(cells, counts, minlength=k * k).reshape(k, k)
        right, true, taken = np.diag(drawn), drawn.sum(axis=1), drawn.sum(axis=0)
        there, met = true > 0, true + taken > 0
        recall = float(np.mean(right[there] / true[there]))
        return [recall, float(np.mean(2 * right[met] / (true + taken)[met]))]

    return bootstrap(statistics, subject.n)


def _of_two_classes(subject: Subject) -> list[Score]:
    if subject.scores is None or len(np.unique(subject.codes)) < 2:
        return []
    positive, values, name = subject.codes == 1, subject.scores[:, 0], subject.classes[1]
    auc = area_under_roc(positive, values)
    [precision] = bootstrap(lambda w: [average_precision(positive, values, w)], subject.n)
    return [
        Score(
            "area under ROC",
            auc,
            f"Share of pairs, one row of each class, in which the one of {name} scores higher.",
        ),
        Score(
            "average precision",
            precision,
            f"Mean precision on the way to finding every row of {name}; "
            f"a guess has {positive.mean():.3g}.",
        ),
    ]


def average_precision(positive: NDArray[np.bool_], scores: Array, weight: Array) -> float:
    """Return sum_k (recall_k - recall_{k-1}) precision_k over the different scores, descending.

    Parameters
    ----------
    positive : ndarray of bool, shape (n,)
        Which rows are of the kind that high scores speak for.
    scores, weight : ndarrays of shape (n,)
        The scores, and what each row counts.

    Examples
    --------
    >>> average_precision(np.array([True, False, True]), np.array([3.0, 2.0, 1.0]), np.ones(3))
    0.8333333333333333
    """
    order = np.argsort(-scores, kind="stable")
    last = np.r_[np.flatnonzero(np.diff(scores[order])), len(order) - 1]
    found = np.cumsum((weight * positive)[order])[last]
    taken = np.cumsum(weight[order])[last]
    if found[-1] == 0:
        return nan
    precision = np.divide(found, taken, out=np.zeros_like(found), where=taken > 0)
    return float(np.diff(found, prepend=0.0) @ precision / found[-1])


def _of_probabilities(subject: Subject) -> list[Score]:
    P = subject.probabilities
    if P is None:
        return []
    own = P[np.arange(subject.n), subject.codes]
    # Of two classes the usual half: (p - 1)^2 of one class is that of the other.
    squares = ((P - np.eye(P.shape[1])[subject.codes]) ** 2).sum(axis=1)
    squares = squares / 2 if P.shape[1] == 2 else squares
    losses = -np.log(np.maximum(own, _LEAST))
    brier, loss = bootstrap(
        lambda w: [float(w @ squares / w.sum()), float(w @ losses / w.sum())], subject.n
    )
    return [
        Score("Brier score", brier, "Mean squared error of the probabilities; 0 is best."),
        Score("log loss", loss, "Mean of -log of the probability of the true class; 0 is best."),
    ]


def _of_numbers(subject: Subject) -> list[Score]:
    assert subject.y is not None
    y, errors = subject.y, subject.predicted - subject.y
    centred = y - y.mean()  # sums of squares about the mean of all lose no digits

    def statistics(w: Array) -> list[float]:
        n, squares = w.sum(), w @ errors**2
        spread = w @ centred**2 - (w @ centred) ** 2 / n
        r2 = 1 - squares / spread if spread > 0 else nan
        return [float(r2), float(np.sqrt(squares / n)), float(w @ np.abs(errors) / n)]

    r2, rmse, mae = bootstrap(statistics, subject.n)
    found = [
        Score("R²", r2, "Share of the targets' variance that is explained; 1 is best."),
        Score(
            "root mean squared error",
            rmse,
            f"Typical error, large ones counting most; always the mean would have {y.std():.4g}.",
        ),
        Score("mean absolute error", mae, "Mean distance of prediction and target."),
    ]
    if subject.epsilon is not None:
        inside = int((np.abs(errors) <= subject.epsilon * (1 + 1e-6) + 1e-12).sum())
        meaning = f"Share of rows within ±{subject.epsilon:.4g} of the prediction."
        found.append(Score("inside the tube", share(inside, subject.n), meaning, True))
    return found


def _of_one_class(subject: Subject) -> list[Score]:
    outside = int((subject.predicted < 0).sum())
    found = [Score("outliers", share(outside, subject.n), "Share of rows told as outliers.", True)]
    if subject.y is None:
        return found
    matrix = confusion(subject)
    caught, alarms = share(int(matrix[0, 0]), int(matrix[0].sum())), int(matrix[1, 0])
    found += [
        Score("outliers found", caught, "Share of the labelled outliers that are found.", True),
        Score(
            "false alarms",
            share(alarms, int(matrix[1].sum())),
            "Share of the labelled inliers that are told as outliers.",
            True,
        ),
    ]
    if subject.margins is not None and len(np.unique(subject.y)) == 2:
        auc = area_under_roc(subject.y == 1, subject.margins)
        meaning = "Share of pairs, an inlier and an outlier, in which the inlier scores higher."
        found.append(Score("area under ROC", auc, meaning))
    return found
