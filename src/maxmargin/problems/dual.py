"""The canonical signed dual, of which every kernel formulation is an instance.

With b = y alpha and f = Kb - t:

    minimise    1/2 b'Kb - t'b + epsilon |b|_1
    subject to  1'b = total,   lower <= b <= upper.

C-SVC has t = y, epsilon = 0, total = 0 and the box between 0 and y C_i.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.data import Dataset
from maxmargin.kernels import Kernel
from maxmargin.problems.solution import TRACE, CertificatePart, Solution, Status


@dataclass(frozen=True, eq=False)
class DualProblem:
    """One instance of the canonical dual.

    Parameters
    ----------
    X : ndarray or CSR of shape (N, d)
        Rows, shared between problems; with a precomputed kernel, its matrix.
    kernel : Kernel
        Kernel function on those rows.
    rows : ndarray of int64, shape (n,)
        The rows of `X` that take part, one variable each.
    target, lower, upper : ndarray of shape (n,)
        t and the box.
    epsilon, total : float
        Weight of the absolute values, and the sum of the variables.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> c_svc(check_data([[0.0], [1.0]], [-1, 1]), Linear(), C=2.0).upper
    array([0., 2.])
    """

    X: Any
    kernel: Kernel
    rows: NDArray[np.int64]
    target: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    epsilon: float = 0.0
    total: float = 0.0

    @property
    def n_variables(self) -> int:
        """Number of dual variables."""
        return len(self.target)


def c_svc(
    data: Dataset, kernel: Kernel, C: float = 1.0, rows: NDArray[np.int64] | None = None
) -> DualProblem:
    """State the soft-margin classifier with penalty C times each row's weight.

    Parameters
    ----------
    data : Dataset
        Targets are -1 and +1. Rows of weight zero take no part.
    kernel : Kernel
        Kernel function.
    C : float
        Penalty of a unit of slack.
    rows : ndarray of int64, optional
        The rows of `data.X` that `data.y` and `data.weight` belong to; all of them by default.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import RBF
    >>> c_svc(check_data([[0.0], [1.0]], [-1, 1], [1, 3]), RBF(), C=2.0).upper
    array([0., 6.])
    """
    if not C > 0:
        raise ValueError(f"C is {C}; it must be greater than 0.")
    if not np.isin(data.y, (-1.0, 1.0)).all():
        raise ValueError("y must be -1 and +1; one_vs_one makes such problems of classes.")
    present = data.weight > 0
    chosen = np.arange(data.n_rows) if rows is None else rows
    y, end = data.y[present], (data.y * data.weight * C)[present]
    return DualProblem(
        X=data.X,
        kernel=kernel,
        rows=np.ascontiguousarray(chosen[present], np.int64),
        target=y,
        lower=np.minimum(0.0, end),
        upper=np.maximum(0.0, end),
    )


def certify(problem: DualProblem, b: NDArray[np.float64], n_threads: int = 1) -> CertificatePart:
    """Judge a feasible point of a problem in float64, apart from any solver.

    Parameters
    ----------
    problem : DualProblem
        The problem.
    b : ndarray of shape (n,)
        Its variables.
    n_threads : int
        Threads to compute kernel values with.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> problem = c_svc(check_data([[-1.0], [1.0]], [-1, 1]), Linear())
    >>> certify(problem, np.array([-0.5, 0.5])).gap
    0.0
    """
    return CertificatePart.from_core(_certify(problem, b, n_threads))


def untouched(problem: DualProblem) -> Solution:
    """State the solution that no step was taken for: b = 0, certified like any other.

    Parameters
    ----------
    problem : DualProblem
        A problem that zero is feasible for.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> untouched(c_svc(check_data([[0.0], [1.0]], [-1, 1]), Linear())).certificate.primal
    2.0
    """
    zero = np.zeros(problem.n_variables)
    core = _certify(problem, zero, 1)
    return Solution(
        b=zero,
        intercept=core.intercept,
        status=Status.INTERRUPTED,
        certificate=CertificatePart.from_core(core),
        trace=np.zeros(0, TRACE),
        iterations=0,
        newton_steps=0,
        rows_computed=0,
        seconds=0.0,
        certificate_seconds=0.0,
    )


def _certify(problem: DualProblem, b: NDArray[np.float64], n_threads: int) -> _core.Certificate:
    return _core.certify(
        problem.kernel.data(problem.X),
        problem.kernel.core(),
        problem.rows,
        problem.target,
        problem.lower,
        problem.upper,
        problem.epsilon,
        problem.total,
        b,
        n_threads,
    )
