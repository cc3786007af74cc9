"""The perceptron by its rule.

    go through the samples; at each mistake, y_i (w'x_i + b) <= 0:   (w, b) <- (w, b) + y_i (x_i, 1)

On separable data it makes at most (R / margin)^2 mistakes, where R is the length of the longest
(x_i, 1) and margin that of any separating (w, b) in that space: then it is done. On others it
never ends. It is a stochastic subgradient step of size 1 on the perceptron loss.

References: F. Rosenblatt (1958); A. Novikoff, On convergence proofs for perceptrons (1962).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.losses.loss import Array, array
from maxmargin.problems.samples import samples
from maxmargin.prompt import Brief, Hinted, keywords


@dataclass(frozen=True, eq=False, repr=False)
class PerceptronRun(Brief, Hinted):
    """A run of the perceptron's rule.

    Attributes
    ----------
    w, b : array, float
        The last hyperplane.
    mistakes : array of int
        The rows that were mistaken, in order; its length is the number of mistakes.
    mistakes_per_pass : array of int
        Their number in each pass; 0 in the last one of a run that converged.
    converged : bool
        A whole pass went without a mistake.
    path : array of shape (n_mistakes + 1, d + 1)
        (w, b) at the start and after each mistake.

    Examples
    --------
    >>> run = perceptron([[-1.0], [3.0]], [-1.0, 1.0])
    >>> run.path
    array([[ 0.,  0.],
           [ 1., -1.]])
    """

    w: Array
    b: float
    mistakes: NDArray[np.intp]
    mistakes_per_pass: NDArray[np.intp]
    converged: bool
    path: Array

    _meant: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["n_mistakes", "n_updates", "updates"], "len(run.mistakes)"),
        **dict.fromkeys(["trace", "history", "iterates"], "path"),
        **dict.fromkeys(["n_iter", "passes", "n_passes", "epochs"], "len(run.mistakes_per_pass)"),
        **dict.fromkeys(["margin", "margins"], "maxmargin.models.Margins.of(run, X, y)"),
        **dict.fromkeys(["predict", "score"], "maxmargin.models.Hyperplane.of(run)"),
    }

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the way of the weights, from mistake to mistake. Needs matplotlib, the extra `plot`.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to; by default a new figure.
        **options
            As for `maxmargin.plots.PathDisplay.plot`.

        Returns
        -------
        Axes
        """
        # An import upwards, and only when asked for: a run does not need matplotlib.
        from maxmargin.plots import PathDisplay

        return PathDisplay.from_runs(None, self).plot(ax, **options)


@keywords(
    **dict.fromkeys(["max_iter", "n_iter", "epochs", "passes", "iterations"], "max_passes="),
    **dict.fromkeys(["lr", "eta", "learning_rate"], "nothing: any step size finds the same planes"),
)
def perceptron(X: ArrayLike, y: ArrayLike, max_passes: int = 1000) -> PerceptronRun:
    """Run the perceptron's rule from w = 0, b = 0 until a pass has no mistake.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Labels -1 and +1.
    max_passes : int

    Returns
    -------
    PerceptronRun

    Examples
    --------
    >>> X, y = [[-1.0, 0.0], [1.0, 1.0], [2.0, -1.0]], [-1.0, 1.0, 1.0]
    >>> run = perceptron(X, y)
    >>> run.converged, run.w, run.b
    (True, array([2., 1.]), 0.0)
    >>> len(run.mistakes) <= mistake_bound(X, y, run.w, run.b)
    True
    """
    X, y = samples(X, y, signs=True)
    A = _augmented(X)
    if max_passes < 1:
        raise ValueError(f"max_passes must be 1 or more, got {max_passes!r}")
    w = np.zeros(A.shape[1])
    mistakes: list[int] = []
    per_pass: list[int] = []
    path = [w]
    for _ in range(max_passes):
        before = len(mistakes)
        for i in range(len(y)):
            if y[i] * (A[i] @ w) <= 0:
                w = w + y[i] * A[i]
                mistakes.append(i)
                path.append(w)
        per_pass.append(len(mistakes) - before)
        if per_pass[-1] == 0:
            break
    return PerceptronRun(
        w=w[:-1],
        b=float(w[-1]),
        mistakes=np.array(mistakes, dtype=np.intp),
        mistakes_per_pass=np.array(per_pass, dtype=np.intp),
        converged=per_pass[-1] == 0,
        path=np.array(path),
    )


def mistake_bound(X: ArrayLike, y: ArrayLike, w: ArrayLike, b: float) -> float:
    """Return (R / margin)^2 for a separating hyperplane: no run makes more mistakes.

    The larger the margin of (w, b), the smaller the bound; infinite if it does not separate.

    Parameters
    ----------
    X : array of shape (n, d)
        Samples.
    y : array of shape (n,)
        Labels -1 and +1.
    w : array of shape (d,)
        Weights of the hyperplane.
    b : float
        Its intercept.

    Examples
    --------
    >>> X, y = [[-1.0], [3.0]], [-1.0, 1.0]
    >>> round(mistake_bound(X, y, w=[1.0], b=0.0), 9)
    10.0
    >>> mistake_bound(X, y, w=[-1.0], b=0.0)
    inf
    """
    A, theta = _augmented(X), np.append(array(w), b)
    margin = (array(y) * (A @ theta)).min() / np.linalg.norm(theta)
    R = np.linalg.norm(A, axis=1).max()
    return float((R / margin) ** 2) if margin > 0 else np.inf


def _augmented(X: ArrayLike) -> Array:
    X = array(X)
    return np.column_stack([X, np.ones(len(X))])
