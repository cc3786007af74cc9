"""The learning curve: the score by the number of rows that were learnt from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from maxmargin.plots.display import PlainDisplay
from maxmargin.plots.search import band

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LearningDisplay(PlainDisplay):
    """Scores on training rows and on held-out ones, by the number of training rows.

    Where both meet, more rows will not help; where they are far apart, they may.

    Parameters
    ----------
    n_rows : ndarray of shape (n_sizes,)
        Rows that were learnt from.
    training, held_out : ndarrays of shape (n_sizes, n_splits)
        Scores.
    title : str
        What is shown.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> scores = np.array([[0.7, 0.8], [0.8, 0.9]])
    >>> display = LearningDisplay(np.array([10, 20]), scores, scores - 0.1)
    >>> display.frame()["held out"][0]
    array([0.65, 0.75])
    >>> display.plot().get_xlabel()
    'training rows'
    """

    _size = (5.2, 3.6)

    n_rows: NDArray[np.int64]
    training: Array
    held_out: Array
    title: str = "Learning curve"

    def frame(self) -> dict[str, Any]:
        """Return the curves.

        Returns
        -------
        dict
            `n_rows`, and for "training" and "held out" pairs of mean and standard error.
        """
        pairs = {"held out": self.held_out, "training": self.training}
        return {"n_rows": self.n_rows, **{name: _curve(s) for name, s in pairs.items()}}

    def _draw(self, axes: Axes) -> None:
        frame = self.frame()
        for place, name in enumerate(("held out", "training")):
            mean, error = frame[name]
            band(axes, np.asarray(self.n_rows, np.float64), mean, error, place, name)
        axes.set_xlabel("training rows")
        axes.set_ylabel("mean score")
        axes.set_title(self.title)
        axes.legend()


def _curve(scores: Array) -> tuple[Array, Array]:
    n = scores.shape[1]
    error = scores.std(axis=1) / np.sqrt(max(n - 1, 1))
    return scores.mean(axis=1), error
