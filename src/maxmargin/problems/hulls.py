"""Whether a hard margin or a hard tube exists, with the evidence where it does not.

Two classes can be separated in the kernel's space exactly when their convex hulls do not meet. The
hulls' distance is twice the best geometric margin. A function passes within epsilon of all targets
exactly when no convex combination of rows coincides with another one whose targets, combined with
the same weights, are more than 2 epsilon lower.
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

    @property
    def conclusion(self) -> str:
        """What follows where they meet."""
        return (
            "the classes cannot be separated: a convex combination of "
            f"{len(self.positive_rows)} rows of one class and one of "
            f"{len(self.negative_rows)} rows of the other coincide (distance "
            f"{self.distance:.1e} at scale {self.scale:.1e}; see .evidence). Use SVC with "
            "a finite C, or another kernel."
        )

    @property
    def question(self) -> str:
        """What float64 cannot decide where they are close and do not meet."""
        return (
            f"the best margin, if there is one, is at most {self.distance / 2:.1e} at scale "
            f"{self.scale:.1e}: float64 cannot decide whether the classes can be separated. Use "
            "SVC with a finite C, or centre and scale the data."
        )


@dataclass(frozen=True, eq=False)
class TubePoints(HullPoints):
    """Two points that a function would have to tell apart to be within epsilon of all targets.

    Parameters
    ----------
    positive_rows, positive_weights, negative_rows, negative_weights, distance, scale
        As in `HullPoints`: convex weights of rows above the tube and of rows below it.
    excess : float
        By how much more than 2 epsilon the combined targets of the first are above those of the
        second.
    spread : float
        Half the range of all targets.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.array([1.0])
    >>> TubePoints(np.array([0]), one, np.array([1]), one, 0.0, 1.0, 0.2, 1.0).meet
    True
    """

    excess: float
    spread: float

    @property
    def meet(self) -> bool:
        """Whether the points are the same as far as float64 can tell, and their targets are not."""
        return super().meet and self.excess > 1e-6 * self.spread

    @property
    def conclusion(self) -> str:
        """What follows where they meet."""
        return (
            "no function of this kernel is within epsilon of all targets: a convex combination of "
            f"{len(self.positive_rows)} rows and one of {len(self.negative_rows)} rows coincide "
            f"(distance {self.distance:.1e} at scale {self.scale:.1e}; see .evidence), but their "
            f"targets are {self.excess:.2g} farther apart than 2 epsilon. Use a finite C, such as "
            "1e6 for nearly the same, a larger epsilon, or another kernel."
        )

    @property
    def question(self) -> str:
        """What float64 cannot decide where they are close and do not meet."""
        return (
            "float64 cannot decide whether a function of this kernel is within epsilon of all "
            f"targets: rows that are {self.distance:.1e} apart at scale {self.scale:.1e} have "
            f"targets that are {self.excess:.2g} farther apart than 2 epsilon. Use a finite C, or "
            "a larger epsilon."
        )


class InfeasibleError(ValueError):
    """There is no hard margin or tube; `evidence` holds two points that coincide.

    Examples
    --------
    >>> from maxmargin import HardMarginSVC
    >>> HardMarginSVC(kernel="linear").fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    Traceback (most recent call last):
    maxmargin.problems.hulls.InfeasibleError: the classes cannot be separated: ...
    """

    def __init__(self, evidence: HullPoints) -> None:
        self.evidence = evidence
        super().__init__(evidence.conclusion)

    def __reduce__(self) -> tuple[type[InfeasibleError], tuple[HullPoints]]:
        return type(self), (self.evidence,)


class UndecidableError(ValueError):
    """The margin, if there is one, is smaller than float64 can decide; or so is a hard tube.

    Parameters
    ----------
    evidence : HullPoints
        The closest points that were found.

    Examples
    --------
    >>> import numpy as np
    >>> rows, one = np.array([0]), np.array([1.0])
    >>> str(UndecidableError(HullPoints(rows, one, rows + 1, one, 1e-7, 1.0)))[:22]
    'the best margin, if th'
    """

    def __init__(self, evidence: HullPoints) -> None:
        self.evidence = evidence
        super().__init__(evidence.question)

    def __reduce__(self) -> tuple[type[UndecidableError], tuple[HullPoints]]:
        return type(self), (self.evidence,)
