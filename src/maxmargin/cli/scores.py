"""How good predictions are: accuracy and errors, with intervals, also in passing."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from maxmargin.intervals import wilson


def mean_interval(
    values: NDArray[np.float64], share: float = 0.0, confidence: float = 0.95
) -> tuple[float, float]:
    """Return Student's interval of the mean of a few values, as of folds.

    Folds share their training rows, so that their scores are not independent: each of them counts
    as less than one, by Nadeau and Bengio's correction, variance (1 / K + share).

    Parameters
    ----------
    values : ndarray
        At least two, K of them.
    share : float
        Rows left out of a fold over rows in it; 0 for values that are independent.
    confidence : float
        As in `wilson`.

    Examples
    --------
    >>> low, high = mean_interval(np.array([1.0, 2.0, 3.0]))
    >>> round(low, 2), round(high, 2)
    (-0.48, 4.48)
    """
    half = float(t.ppf((1 + confidence) / 2, len(values) - 1)) * float(np.std(values, ddof=1))
    half *= sqrt(1 / len(values) + share)
    return float(values.mean()) - half, float(values.mean()) + half


class ClassScore:
    """Counts which classes are taken for which, block by block.

    Examples
    --------
    >>> score = ClassScore()
    >>> score.add(np.array([1, 2]), np.array([1, 1]))
    >>> str(score)
    'accuracy 0.5 (1 of 2), 95% interval 0.0945 to 0.905'
    """

    def __init__(self) -> None:
        self._counts: Counter[tuple[Any, Any]] = Counter()

    def add(self, y: NDArray[Any], predicted: NDArray[Any]) -> None:
        """Take note of some predictions."""
        self._counts.update(zip(y.tolist(), predicted.tolist(), strict=True))

    @property
    def n(self) -> int:
        """Number of predictions."""
        return self._counts.total()

    @property
    def correct(self) -> int:
        """Number of those that are right."""
        return sum(n for (true, found), n in self._counts.items() if true == found)

    @property
    def classes(self) -> list[Any]:
        """All classes that occur, sorted."""
        found = {label for pair in self._counts for label in pair}
        return sorted(found, key=lambda label: (isinstance(label, str), label))

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return the confusion matrix with each class's precision, recall and F1: header and rows.

        Examples
        --------
        >>> score = ClassScore()
        >>> score.add(np.array([1, 2, 2]), np.array([1, 1, 2]))
        >>> score.table()[1][0]
        ['1', '1', '0', '0.5000', '1.0000', '0.6667']
        """
        classes = self.classes
        matrix = np.array([[self._counts[true, found] for found in classes] for true in classes])
        right, n_true, n_found = np.diag(matrix), matrix.sum(axis=1), matrix.sum(axis=0)
        # precision = right / found, recall = right / true, and F1 is their harmonic mean.
        measures = zip(
            *(
                _shares(right, n_found),
                _shares(right, n_true),
                _shares(2 * right, n_true + n_found),
            ),
            strict=True,
        )
        header = ["true, predicted:", *map(_shown, classes), "precision", "recall", "F1"]
        rows = [
            [_shown(label), *map(str, row), *measure]
            for label, row, measure in zip(classes, matrix, measures, strict=True)
        ]
        return header, rows

    def __str__(self) -> str:
        low, high = wilson(self.correct, self.n)
        share = f"accuracy {self.correct / self.n:.4g} ({self.correct} of {self.n})"
        return f"{share}, 95% interval {low:.3g} to {high:.3g}"


def _shares(parts: NDArray[Any], wholes: NDArray[Any]) -> list[str]:
    """Quotients as text; where there is nothing to divide by, a dash."""
    return [
        f"{a / b:.4f}" if b else "-" for a, b in zip(parts.tolist(), wholes.tolist(), strict=True)
    ]


def _shown(label: Any) -> str:
    text = str(label)
    return text if len(text) <= 20 else f"{text[:17]}..."


class NumberScore:
    """Sums squared errors of predicted numbers, block by block, and what a correlation needs.

    Examples
    --------
    >>> score = NumberScore()
    >>> score.add(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]))
    >>> round(score.mean_squared_error, 3), round(score.squared_correlation, 3)
    (0.333, 0.964)
    """

    def __init__(self) -> None:
        self.n, self.errors = 0, 0.0
        # Moments about the first target, so that a large offset loses no digits.
        self._origin: float | None = None
        self._moments = np.zeros(5)

    def add(self, y: NDArray[Any], predicted: NDArray[Any]) -> None:
        """Take note of some predictions."""
        if self._origin is None:
            self._origin = float(y[0])
        a, b = y - self._origin, predicted - self._origin
        self._moments += [a.sum(), b.sum(), (a * a).sum(), (b * b).sum(), (a * b).sum()]
        self.errors += float(((y - predicted) ** 2).sum())
        self.n += len(y)

    @property
    def mean_squared_error(self) -> float:
        """The mean of the squared errors."""
        return self.errors / self.n

    @property
    def squared_correlation(self) -> float:
        """The squared correlation of targets and predictions."""
        y, f, yy, ff, yf = self._moments
        spread = (self.n * yy - y * y) * (self.n * ff - f * f)
        return float((self.n * yf - y * f) ** 2 / spread) if spread > 0 else float("nan")

    @property
    def r2(self) -> float:
        """The share of the targets' variance that is explained."""
        y, _, yy, *_ = self._moments
        spread = yy - y * y / self.n
        return 1 - self.errors / spread if spread > 0 else float("nan")

    def __str__(self) -> str:
        return f"R2 {self.r2:.4g}, root mean squared error {sqrt(self.mean_squared_error):.4g}"
