"""The perceptron as linear programs: as the lectures print them, and as they must be.

    separation    find (w, b) with              y_i (w'x_i + b) >= margin
    least slack   minimise sum(s) subject to    y_i (w'x_i + b) + s_i >= margin,   s >= 0

With margin 0, as printed, both are solved by w = 0, b = 0, which separates nothing: 0 >= 0 holds.
With margin 1 the zero vector is out, and because (w, b) may be scaled up nothing else is lost: the
first is feasible exactly if the data are strictly separable, and the least slack is 0 exactly then.
Dropping s >= 0 rewards points for being far on the right side, without end: unbounded.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.losses.loss import Array, array


@dataclass(frozen=True, eq=False)
class LinearProgram:
    """Minimise q'x subject to G x <= h and x >= lower, with x = (w, b) or (w, b, s).

    Examples
    --------
    >>> program = separation([[-1.0], [3.0]], [-1.0, 1.0], margin=1.0)
    >>> program.G, program.h
    (array([[-1.,  1.],
           [-3., -1.]]), array([-1., -1.]))
    """

    q: Array
    G: Array
    h: Array
    lower: Array
    n_features: int

    def is_feasible(self, x: ArrayLike, tol: float = 1e-9) -> bool:
        """Tell whether x satisfies every constraint up to `tol`."""
        x = array(x)
        return bool(np.all(self.G @ x <= self.h + tol) and np.all(x >= self.lower - tol))


def separation(X: ArrayLike, y: ArrayLike, margin: float = 1.0) -> LinearProgram:
    """Write: find (w, b) with y_i (w'x_i + b) >= margin. The lectures print margin 0.

    Examples
    --------
    >>> X, y = [[-1.0], [3.0]], [-1.0, 1.0]
    >>> separation(X, y, margin=0.0).is_feasible([0.0, 0.0])
    True
    >>> separation(X, y, margin=1.0).is_feasible([0.0, 0.0])
    False
    """
    X, y = array(X), array(y)
    n, d = X.shape
    G = -y[:, None] * np.column_stack([X, np.ones(n)])
    free = np.full(d + 1, -np.inf)
    return LinearProgram(np.zeros(d + 1), G, np.full(n, -margin), free, d)


def least_slack(
    X: ArrayLike, y: ArrayLike, margin: float = 1.0, *, signed_slack: bool = False
) -> LinearProgram:
    """Write: minimise sum(s) subject to y_i (w'x_i + b) + s_i >= margin and s >= 0.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Labels -1 and +1.
    margin : float
        The lectures print 0.
    signed_slack : bool
        Drop s >= 0.

    Examples
    --------
    >>> least_slack([[-1.0], [3.0]], [-1.0, 1.0]).q
    array([0., 0., 1., 1.])
    """
    program = separation(X, y, margin)
    n, m = program.G.shape
    slack_floor = np.full(n, -np.inf if signed_slack else 0.0)
    return LinearProgram(
        q=np.append(np.zeros(m), np.ones(n)),
        G=np.column_stack([program.G, -np.eye(n)]),
        h=program.h,
        lower=np.append(program.lower, slack_floor),
        n_features=program.n_features,
    )
