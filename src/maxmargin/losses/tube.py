"""What the duals of most losses have in common: an interval, a quadratic and a tube.

For a loss C h(.) of a score f, the dual variable of a row is beta = -C h'(.) in f. Of every loss
that is piecewise linear or quadratic it is, with r = target - f,

    beta = clip(shrink(r, epsilon) / ridge, lower, upper),

shrink(r, epsilon) = sign(r) max(0, |r| - epsilon), or an end of [lower, upper] where ridge is 0:

    loss                         target      ridge       [lower, upper]            epsilon
    hinge                        y           0           between 0 and y C         0
    squared hinge                y           1 / (2 C)   between 0 and y infinity  0
    modified Huber               y           1 / (2 C)   between 0 and 4 y C       0
    perceptron                   margin y    0           between 0 and y C         0
    absolute                     y           0           [-C, C]                   0
    squared                      y           1 / (2 C)   all numbers               0
    epsilon-insensitive          y           0           [-C, C]                   epsilon
    squared epsilon-insensitive  y           1 / (2 C)   all numbers               epsilon
    Huber                        y           1 / C       [-delta C, delta C]       0
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxmargin.losses.loss import Array


class Tube(NamedTuple):
    """The dual form of a loss, row by row.

    Parameters
    ----------
    target : array of shape (n,)
        The score that costs nothing.
    lower, upper : array of shape (n,)
        The domain of the conjugate: where the dual variables may be.
    ridge : array of shape (n,) or None
        The conjugate's curvature; None where it is zero.
    epsilon : float
        Half the width of the tube in which a residual costs nothing.

    Examples
    --------
    >>> from maxmargin.losses import Hinge
    >>> Hinge().tube(np.array([-1.0, 1.0]), np.array([2.0, 2.0])).upper
    array([0., 2.])
    """

    target: Array
    lower: Array
    upper: Array
    ridge: Array | None = None
    epsilon: float = 0.0

    @classmethod
    def one_sided(cls, target: Array, ends: Array, ridge: Array | None = None) -> Tube:
        """Return the tube of a loss of margins: variables between 0 and their ends."""
        return cls(target, np.minimum(0.0, ends), np.maximum(0.0, ends), ridge)

    @classmethod
    def two_sided(
        cls, target: Array, ends: Array, ridge: Array | None = None, epsilon: float = 0.0
    ) -> Tube:
        """Return the tube of a loss of residuals: variables of at most a size."""
        return cls(target, -ends, ends, ridge, epsilon)
