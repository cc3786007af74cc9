"""The perceptron as linear programs: as the lectures print them, and as they must be.

    separation    find (w, b) with              y_i (w'x_i + b) >= margin
    least slack   minimise sum(xi) subject to   y_i (w'x_i + b) + xi_i >= margin,  xi >= 0

With margin 0, as printed, both are solved by w = 0, b = 0, which separates nothing: 0 >= 0 holds.
With margin 1 the zero vector is out, and because (w, b) may be scaled up nothing else is lost: the
first is feasible exactly if the data are strictly separable, and the least slack is 0 exactly then.
Dropping xi >= 0 rewards points for being far on the right side, without end: unbounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.losses.loss import Array, array
from maxmargin.problems.samples import samples
from maxmargin.prompt import Brief, Hinted


@dataclass(frozen=True, eq=False, repr=False)
class LinearProgram(Brief, Hinted):
    """Minimise linear'theta subject to inequalities theta <= at_most and theta >= lower.

    theta is (w, b) or (w, b, xi), with n_features weights w.

    Examples
    --------
    >>> program = separation([[-1.0], [3.0]], [-1.0, 1.0], margin=1.0)
    >>> program.inequalities, program.at_most
    (array([[-1.,  1.],
           [-3., -1.]]), array([-1., -1.]))
    """

    _meant: ClassVar[dict[str, str]] = dict.fromkeys(
        ["solve", "minimize", "w"], "maxmargin.solvers.solve_lp(program)"
    )

    linear: Array
    inequalities: Array
    at_most: Array
    lower: Array
    n_features: int

    def is_feasible(self, theta: ArrayLike, tol: float = 1e-9) -> bool:
        """Tell whether theta satisfies every constraint up to `tol`."""
        theta = array(theta)
        within = np.all(self.inequalities @ theta <= self.at_most + tol)
        return bool(within and np.all(theta >= self.lower - tol))


def separation(X: ArrayLike, y: ArrayLike, margin: float = 1.0) -> LinearProgram:
    """Write: find (w, b) with y_i (w'x_i + b) >= margin.

    Parameters
    ----------
    X, y, margin
        As in `least_slack`.

    Examples
    --------
    >>> X, y = [[-1.0], [3.0]], [-1.0, 1.0]
    >>> separation(X, y, margin=0.0).is_feasible([0.0, 0.0])
    True
    >>> separation(X, y, margin=1.0).is_feasible([0.0, 0.0])
    False
    """
    X, y = samples(X, y, signs=True)
    n, d = X.shape
    return LinearProgram(
        linear=np.zeros(d + 1),
        inequalities=-y[:, None] * np.column_stack([X, np.ones(n)]),
        at_most=np.full(n, -margin),
        lower=np.full(d + 1, -np.inf),
        n_features=d,
    )


def least_slack(
    X: ArrayLike, y: ArrayLike, margin: float = 1.0, *, signed_slack: bool = False
) -> LinearProgram:
    """Write: minimise sum(xi) subject to y_i (w'x_i + b) + xi_i >= margin and xi >= 0.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Labels -1 and +1.
    margin : float
        The lectures print 0.
    signed_slack : bool
        Drop xi >= 0.

    Examples
    --------
    >>> least_slack([[-1.0], [3.0]], [-1.0, 1.0]).linear
    array([0., 0., 1., 1.])
    """
    program = separation(X, y, margin)
    n, m = program.inequalities.shape
    slack_floor = np.full(n, -np.inf if signed_slack else 0.0)
    return LinearProgram(
        linear=np.append(np.zeros(m), np.ones(n)),
        inequalities=np.column_stack([program.inequalities, -np.eye(n)]),
        at_most=program.at_most,
        lower=np.append(program.lower, slack_floor),
        n_features=program.n_features,
    )
