"""The kernel problems of a search: every kernel, every split of the rows, every C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Kernel
from maxmargin.prompt import Brief


@dataclass(frozen=True, eq=False, repr=False)
class PathPart(Brief):
    """One output of the models: a pair of classes, or a regression.

    Parameters
    ----------
    rows : ndarray of int64
        Rows of the data, whether a split learns from them or not.
    target : ndarray of float64
        +1 and -1, or numbers.
    lower, upper : ndarray of float64
        The box of the dual variables for a penalty of 1: [0, 1] or [-1, 0] for the hinge loss,
        [-1, 1] for the epsilon-insensitive loss.

    Examples
    --------
    >>> PathPart.hinge(np.array([3, 5]), np.array([1.0, -1.0])).lower
    array([ 0., -1.])
    """

    rows: NDArray[np.int64]
    target: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    @classmethod
    def hinge(cls, rows: NDArray[np.int64], y: NDArray[np.float64]) -> PathPart:
        """State a pair of classes.

        Parameters
        ----------
        rows : ndarray of int64
            Rows of the data.
        y : ndarray of float64
            +1 or -1 for each.
        """
        return cls(rows, y, np.minimum(y, 0.0), np.maximum(y, 0.0))

    @classmethod
    def tube(cls, rows: NDArray[np.int64], y: NDArray[np.float64]) -> PathPart:
        """State a regression.

        Parameters
        ----------
        rows : ndarray of int64
            Rows of the data.
        y : ndarray of float64
            Their targets.
        """
        return cls(rows, y, np.full(len(y), -1.0), np.ones(len(y)))


@dataclass(frozen=True, eq=False, repr=False)
class PathGrid(Brief):
    """Kernel problems on the same rows: every kernel, split and C of a search.

    Parameters
    ----------
    X : rows
        Checked rows, or the square matrix of a `Precomputed` kernel.
    kernels : sequence of Kernel
        Compiled kernels.
    parts : sequence of PathPart
        One per output.
    penalty : ndarray of float64, shape (n_splits, n)
        What C is multiplied by for each row; 0 where a split does not learn from it.
    test : sequence of ndarray of int64
        Of each split, the rows to evaluate.
    Cs : ndarray of float64
        Ascending.
    epsilons : ndarray of float64, shape (n_splits,), optional
        Half width of the tube of a regression, of each split; 0 by default.
    n_classes : int
        More than 2 where the parts are pairs of classes that vote, in the order of `one_vs_one`.

    Examples
    --------
    >>> from maxmargin.kernels import RBF
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([-1.0, 1.0, 1.0])
    >>> part = PathPart.hinge(np.arange(3), y)
    >>> PathGrid(X, [RBF()], [part], np.ones((1, 3)), [np.arange(3)], np.array([1.0])).n_splits
    1
    """

    X: Any
    kernels: Sequence[Kernel]
    parts: Sequence[PathPart]
    penalty: NDArray[np.float64]
    test: Sequence[NDArray[np.int64]]
    Cs: NDArray[np.float64]
    epsilons: NDArray[np.float64] | None = None
    n_classes: int = 0

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return len(self.test)

    @property
    def matrix_bytes(self) -> int:
        """Memory of one kernel matrix."""
        return 8 * int(self.penalty.shape[1]) ** 2
