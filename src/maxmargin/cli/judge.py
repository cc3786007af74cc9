"""How good the predictions of a model are, on rows of a file with their targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.cli.preparation import is_missing
from maxmargin.cli.scores import ClassScore, NumberScore
from maxmargin.cli.terminal import Terminal, counted
from maxmargin.data.files import Block

#: With more classes, the confusion matrix is shown on request only.
MOST_SHOWN = 10


class Judge:
    """Compares predictions with targets, block by block.

    Parameters
    ----------
    model : estimator
        Fitted.

    Attributes
    ----------
    score : ClassScore or NumberScore
        What was counted.
    n_rows : int
        Number of rows seen, with or without a target.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    >>> judge = Judge(SVC().fit(X, y))
    >>> judge.add(Block(X, y), y)
    >>> str(judge)
    'accuracy 1 (2 of 2), 95% interval 0.342 to 1'
    """

    def __init__(self, model: Any) -> None:
        self._classes = getattr(model, "classes_", None)
        self._one_class = self._classes is None and hasattr(model, "score_samples")
        self.score: ClassScore | NumberScore = (
            NumberScore() if self._classes is None else ClassScore()
        )
        self.n_rows, self._n_outside = 0, 0
        self._target: str | None = None
        self._strangers: dict[Any, None] = {}

    def add(self, block: Block, predicted: NDArray[Any]) -> None:
        """Take note of some predictions; rows without a target do not count.

        Parameters
        ----------
        block : Block
            The rows.
        predicted : ndarray
            What the model says of them.
        """
        self.n_rows += block.n_rows
        if self._one_class:
            self._n_outside += int((predicted < 0).sum())
        elif block.y is not None:
            self._target = f"the target {block.target!r}" if block.target else "the target"
            known = ~is_missing(block.y)
            y, predicted = block.y[known], predicted[known]
            if len(y) > 0 and self._knows(y):
                self.score.add(y, predicted)
            else:
                self._strangers.update(dict.fromkeys(y.tolist()[:100]))

    def _knows(self, y: NDArray[Any]) -> bool:
        """Whether the target says something: a file without labels has 0 in their place."""
        if self._classes is None:
            return y.dtype.kind in "fiu"
        return (y.dtype.kind in "OU") == (self._classes.dtype.kind in "OU") and bool(
            np.isin(y, self._classes).any()
        )

    def __str__(self) -> str:
        if self._one_class:
            return counted(self._n_outside, "outlier")
        if self.score.n > 0:
            return str(self.score)
        if self._target is None:
            return "no target to score by"
        found = _listed(list(self._strangers))
        if self._classes is None:
            return f"{self._target} is no number but {found}: no score"
        return f"{self._target} is {found}, none of the classes {_listed(self._classes)}: no score"


def show_classes(score: ClassScore | NumberScore, terminal: Terminal, every: bool) -> None:
    """Write the confusion matrix and the scores of each class, if they are few.

    Parameters
    ----------
    score : ClassScore or NumberScore
        What was counted; of numbers nothing is written.
    terminal : Terminal
        Where to.
    every : bool
        Whether to write it also of many classes.

    Examples
    --------
    >>> import sys
    >>> show_classes(NumberScore(), Terminal(sys.stdout), True)
    """
    if (
        isinstance(score, ClassScore)
        and score.n > 0
        and (every or len(score.classes) <= MOST_SHOWN)
    ):
        terminal.table(*score.table())


def _listed(values: Any) -> str:
    return ", ".join(map(str, values[:5])) + (", ..." if len(values) > 5 else "")
