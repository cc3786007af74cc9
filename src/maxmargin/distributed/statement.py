"""What a fit states about a partition: its part of the problems."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from maxmargin.distributed.share import Partition
from maxmargin.estimators.classes import numbers
from maxmargin.estimators.machine import Machine
from maxmargin.estimators.training import Training
from maxmargin.kernels import Kernel, Precomputed
from maxmargin.models import Classes
from maxmargin.problems import DualProblem


@dataclass(frozen=True, eq=False)
class Statement:
    """What turns a partition into its part of the problems of a fit, on its worker.

    Parameters
    ----------
    machine : Machine
        The machine of one process, whose formulation it is.
    kernel : Kernel
        The kernel.
    classes : Classes, optional
        Of a classifier.
    class_weight : ndarray of float64, optional
        Its factor of each class.

    Examples
    --------
    >>> from maxmargin import SVR
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.distributed.share import read_partition
    >>> part = read_partition(0, [[0.0], [1.0]], [1.5, 2.0], None, "numbers", "SVR")
    >>> Statement(SVR(C=3.0), RBF())(part)[0][0].upper
    array([3., 3.])
    """

    machine: Machine
    kernel: Kernel
    classes: Classes | None = None
    class_weight: NDArray[np.float64] | None = None

    def __call__(self, partition: Partition) -> tuple[list[DualProblem], NDArray[np.int64]]:
        """State the problems of a partition's rows, and return the numbers of their classes."""
        n = len(partition.weight)
        rows, y, weight, codes = np.arange(n), partition.y, partition.weight, np.zeros(n, np.int64)
        if self.classes is not None:
            codes = numbers(partition.y, self.classes.names)
            rows = np.flatnonzero(weight > 0)
            y, weight = codes[rows], weight[rows]
        # A kernel that nobody calls: its values are not needed to state a problem.
        data = Training(
            partition.X, y, weight, rows, None, self.classes, self.class_weight, Precomputed()
        )
        stated: list[DualProblem] = list(self.machine._state(data))
        return [replace(problem, kernel=self.kernel) for problem in stated], codes

    @property
    def pairs(self) -> list[tuple[int, int]] | None:
        """The two classes of each problem, where a row is in some of the problems only."""
        if self.classes is None or self.classes.scheme == "ovr" or len(self.classes.names) == 2:
            return None
        return list(combinations(range(len(self.classes.names)), 2))
