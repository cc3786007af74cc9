"""The canonical signed dual, of which every kernel formulation is an instance.

With b = y alpha and f = Kb - t:

    minimise    1/2 b'Kb - t'b + epsilon |b|_1
    subject to  1'b = total,   lower <= b <= upper.

    C-SVC        t = y       epsilon = 0   total = 0          box between 0 and y C_i
    epsilon-SVR  t = target  epsilon       total = 0          box [-C_i, C_i]
    one-class    t = 0       epsilon = 0   total = nu sum w   box [0, w_i]
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.data import Dataset
from maxmargin.kernels import Kernel
from maxmargin.problems.solution import TRACE, CertificatePart, Solution, Status

#: Rows, kernel, index, target, lower, upper, epsilon and total.
CoreProblem = tuple[
    _core.Data,
    _core.Kernel,
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    float,
    float,
]


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

    def core(self) -> CoreProblem:
        """Return the problem as the compiled core takes it."""
        return (
            self.kernel.data(self.X),
            self.kernel.core(),
            self.rows,
            self.target,
            self.lower,
            self.upper,
            self.epsilon,
            self.total,
        )

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
    if not np.isfinite(end).all():
        raise ValueError(
            f"C times the weights overflows: C is {C}, the largest weight {data.weight.max()}."
        )
    return DualProblem(
        X=data.X,
        kernel=kernel,
        rows=np.ascontiguousarray(chosen[present], np.int64),
        target=y,
        lower=np.minimum(0.0, end),
        upper=np.maximum(0.0, end),
    )


def epsilon_svr(data: Dataset, kernel: Kernel, C: float = 1.0, epsilon: float = 0.1) -> DualProblem:
    """State support vector regression with one variable a row.

    Parameters
    ----------
    data : Dataset
        Rows and real targets. Rows of weight zero take no part.
    kernel : Kernel
        Kernel function.
    C : float
        Penalty of a unit outside the tube.
    epsilon : float
        Half width of the tube.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import RBF
    >>> epsilon_svr(check_data([[0.0], [1.0]], [0.5, 2.0]), RBF(), C=3.0).lower
    array([-3., -3.])
    """
    if not C > 0:
        raise ValueError(f"C is {C}; it must be greater than 0.")
    if not epsilon >= 0:
        raise ValueError(f"epsilon is {epsilon}; it must be at least 0.")
    present = np.flatnonzero(data.weight > 0)
    ends = C * data.weight[present]
    return DualProblem(
        X=data.X,
        kernel=kernel,
        rows=present,
        target=data.y[present],
        lower=-ends,
        upper=ends,
        epsilon=epsilon,
    )


def one_class(data: Dataset, kernel: Kernel, nu: float = 0.5) -> DualProblem:
    """State the support of a distribution: a share nu of the weight may lie outside.

    Parameters
    ----------
    data : Dataset
        Rows; targets are not looked at. Rows of weight zero take no part.
    kernel : Kernel
        Kernel function.
    nu : float
        Upper bound of the share of outliers, lower bound of the share of support vectors.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import RBF
    >>> one_class(check_data([[0.0], [1.0]], [0, 0]), RBF(), nu=0.5).total
    1.0
    """
    if not 0 < nu <= 1:
        raise ValueError(f"nu is {nu}; it must be greater than 0 and at most 1.")
    present = np.flatnonzero(data.weight > 0)
    weight = data.weight[present]
    return DualProblem(
        X=data.X,
        kernel=kernel,
        rows=present,
        target=np.zeros(len(present)),
        lower=np.zeros(len(present)),
        upper=weight,
        total=nu * float(weight.sum()),
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
    """State the solution that no step was taken for, certified like any other.

    Zero, or where the variables have a sum to meet, the first of them filled to their bounds.

    Parameters
    ----------
    problem : DualProblem
        A problem.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> untouched(c_svc(check_data([[0.0], [1.0]], [-1, 1]), Linear())).certificate.primal
    2.0
    """
    used_up = np.cumsum(problem.upper) - problem.upper
    b = np.clip(problem.total - used_up, 0.0, problem.upper) if problem.total else 0.0 * used_up
    core = _certify(problem, b, 1)
    return Solution(
        b=b,
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
    return _core.certify(*problem.core(), b, n_threads)
