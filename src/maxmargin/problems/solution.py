"""What a solver answers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems.certificate import Certificate
from maxmargin.problems.iterate import Iterate
from maxmargin.problems.status import Status
from maxmargin.problems.trace import TRACE
from maxmargin.problems.work import Work


@dataclass(frozen=True, eq=False)
class Solution:
    """A point, how good it is, and how it was found.

    Parameters
    ----------
    status : Status
        How the solver ended.
    certificate : Certificate
        Its quality.
    multipliers : tuple of float
        Of the sums of the dual variables' groups; what they mean: `DualProblem.decision`. Of a
        linear problem the intercept, or one per output.
    beta : ndarray of shape (n,), optional
        Signed dual variables; stochastic steps have none.
    w : ndarray of shape (d,) or (n_outputs, d), optional
        Weights of the features of a linear problem. Beside dual variables they are X'beta up to the
        square root of twice the gap, P - D.
    trace : structured ndarray
        Rows of `TRACE`.
    work : Work
        What it took.
    method : str
        The method that found it.
    iterate : Iterate, optional
        Where stochastic steps can go on from.
    gradient : ndarray of shape (n,), optional
        (K + R) beta - target, where `SolverSettings.gradients` asks for it; what decision values
        follow from: `DualProblem.outputs`.
    soft_c : float, optional
        Of a hard margin: the C of the soft margin with the same solution, which is the problem
        that the certificate speaks of.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> from maxmargin.solvers import solve
    >>> [solution] = solve([c_svc(check_data([[-1.0], [1.0]], [-1, 1]), Linear())])
    >>> solution.beta, solution.status.name
    (array([-0.5,  0.5]), 'OPTIMAL')
    """

    status: Status
    certificate: Certificate
    multipliers: tuple[float, ...]
    beta: NDArray[np.float64] | None = None
    w: NDArray[np.float64] | None = None
    trace: NDArray[np.void] = field(default_factory=lambda: np.zeros(0, TRACE))
    work: Work = field(default_factory=Work)
    method: str = "none"
    iterate: Iterate | None = None
    soft_c: float | None = None
    gradient: NDArray[np.float64] | None = None
