"""Whether two classes can be separated, with the evidence where they cannot.

Two classes can be separated in the kernel's space exactly when their convex hulls do not meet. The
hulls' distance is twice the best geometric margin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class HullPoints:
    """A point of each class's hull, as convex weights of its rows, and how far apart they are.

    Parameters
    ----------
    positive_rows, negative_rows : ndarray of int64
        Rows of the data with a positive weight.
    positive_weights, negative_weights : ndarray of float64
        Their weights; each sums to one.
    distance : float
        Between the two points, in the kernel's space; below 1e-8 of the scale it is rounding.
    scale : float
        The extent of the data there; distances below 1e-8 of it count as zero.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.array([1.0])
    >>> HullPoints(np.array([0]), one, np.array([1]), one, 0.0, 1.0).meet
    True
    """

    positive_rows: NDArray[np.int64]
    positive_weights: NDArray[np.float64]
    negative_rows: NDArray[np.int64]
    negative_weights: NDArray[np.float64]
    distance: float
    scale: float

    @property
    def meet(self) -> bool:
        """Whether the points are the same as far as float64 can tell."""
        return self.distance <= 1e-8 * self.scale


class InfeasibleError(ValueError):
    """The classes cannot be separated; `evidence` holds points of both hulls that coincide.

    Examples
    --------
    >>> from maxmargin import HardMarginSVC
    >>> HardMarginSVC(kernel="linear").fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    Traceback (most recent call last):
    maxmargin.problems.hulls.InfeasibleError: the classes cannot be separated: ...
    """

    def __init__(self, evidence: HullPoints) -> None:
        self.evidence = evidence
        super().__init__(
            "the classes cannot be separated: a convex combination of "
            f"{len(evidence.positive_rows)} rows of one class and one of "
            f"{len(evidence.negative_rows)} rows of the other coincide (distance "
            f"{evidence.distance:.1e} at scale {evidence.scale:.1e}; see .evidence). Use SVC with "
            "a finite C, or another kernel."
        )

    def __reduce__(self) -> tuple[type[InfeasibleError], tuple[HullPoints]]:
        return type(self), (self.evidence,)


class UndecidableError(ValueError):
    """The margin, if there is one, is smaller than float64 can decide.

    Parameters
    ----------
    distance : float
        Between the hulls, at most.
    scale : float
        Size of the data.

    Examples
    --------
    >>> UndecidableError(1e-7, 1.0).args[0][:22]
    'the best margin, if th'
    """

    def __init__(self, distance: float, scale: float) -> None:
        self.distance = distance
        self.scale = scale
        super().__init__(
            f"the best margin, if there is one, is at most {distance / 2:.1e} at scale "
            f"{scale:.1e}: float64 cannot decide whether the classes can be separated. Use SVC "
            "with a finite C, or centre and scale the data."
        )

    def __reduce__(self) -> tuple[type[UndecidableError], tuple[float, float]]:
        return type(self), (self.distance, self.scale)
