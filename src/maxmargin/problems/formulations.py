"""The formulations: how data, a kernel and a loss become a problem.

    C-SVC, squared hinge, epsilon-SVR   `loss_dual` with the loss of that name
    nu-SVC, nu-SVR, one-class           sums of the dual variables in place of a price

`problems.dual` has the table of what each of them is in the canonical dual.
"""

from __future__ import annotations

from math import inf, isfinite, isinf

import numpy as np
from numpy.typing import NDArray

from maxmargin.data import Dataset
from maxmargin.kernels import Kernel
from maxmargin.losses import EpsilonInsensitive, Hinge, Loss, MarginLoss, SquaredHinge, Tube
from maxmargin.problems.dual import DualProblem


def loss_dual(
    data: Dataset,
    kernel: Kernel,
    loss: Loss,
    C: float = 1.0,
    rows: NDArray[np.int64] | None = None,
) -> DualProblem:
    """State the kernel machine of a loss, with penalty C times each row's weight.

    Parameters
    ----------
    data : Dataset
        Targets are -1 and +1 for a loss of margins. Rows of weight zero take no part.
    kernel : Kernel
        Kernel function.
    loss : Loss
        One with a `tube`.
    C : float
        Factor of the losses; infinite for a hard margin, or for a tube that all rows must be in.
    rows : ndarray of int64, optional
        The rows of `data.X` that `data.y` and `data.weight` belong to; all of them by default.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.losses import Huber
    >>> loss_dual(check_data([[0.0], [1.0]], [0.5, 2.0]), RBF(), Huber(0.1), C=3.0).ridge
    array([0.33333333, 0.33333333])
    """
    if not C > 0:
        raise ValueError(f"C is {C}; it must be greater than 0.")
    if isinstance(loss, MarginLoss):
        check_signs(data.y)
    y, weight, chosen = counting_rows(data, rows)
    tube = needed_tube(loss, y, penalties(C, weight), "a kernel machine")
    if isinf(C):  # what has no upper bound then has no ridge either
        tube = tube._replace(ridge=None)
    return DualProblem(X=data.X, kernel=kernel, rows=chosen, **tube._asdict())


def counting_rows(
    data: Dataset, rows: NDArray[np.int64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return targets, weights and places of the rows of positive weight.

    Parameters
    ----------
    data : Dataset
        The data.
    rows : ndarray of int64 or None
        The rows of `data.X` that `data.y` and `data.weight` belong to; None for all of them.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> counting_rows(check_data([[0.0], [1.0]], [-1, 1], [0, 3]), None)
    (array([1.]), array([3.]), array([1]))
    """
    chosen = np.arange(data.n_rows) if rows is None else np.ascontiguousarray(rows, np.int64)
    if np.count_nonzero(data.weight) == data.n_rows:  # they are not negative
        return data.y, data.weight, chosen
    present = data.weight > 0
    return data.y[present], data.weight[present], chosen[present]


def needed_tube(loss: Loss, y: NDArray[np.float64], C: NDArray[np.float64], who: str) -> Tube:
    """Return the dual form of a loss, or say why it cannot be used.

    Parameters
    ----------
    loss : Loss
        The loss.
    y, C : ndarray of shape (n,)
        Targets, and the factor of each row's loss.
    who : str
        What needs it.

    Examples
    --------
    >>> from maxmargin.losses import Logistic
    >>> needed_tube(Logistic(), np.ones(1), np.ones(1), "a kernel machine")
    Traceback (most recent call last):
    ValueError: loss is Logistic(scaled=False); a kernel machine needs one whose dual is ...
    """
    tube = loss.tube(y, C)
    if tube is None:
        raise ValueError(
            f"loss is {loss}; {who} needs one whose dual is an interval and a quadratic (see "
            "maxmargin.losses.Tube), such as Hinge()."
        )
    return tube


def penalties(C: float, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return C times each weight, or say that it overflows.

    Parameters
    ----------
    C : float
        Factor of the losses; may be infinite.
    weight : ndarray of shape (n,)
        Weights of the rows, greater than 0.

    Examples
    --------
    >>> penalties(2.0, np.array([0.5, 1.0]))
    array([1., 2.])
    """
    if 1 < C < inf and not isfinite(C * (largest := float(weight.max(initial=0.0)))):
        raise ValueError(f"C times the weights overflows: C is {C}, the largest weight {largest}.")
    return np.asarray(C * weight)


def check_signs(y: NDArray[np.float64]) -> None:
    """Refuse targets of a binary problem that are not -1 and +1.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Targets.

    Examples
    --------
    >>> check_signs(np.array([0.0, 1.0]))
    Traceback (most recent call last):
    ValueError: y must be -1 and +1; one_vs_one and one_vs_rest make such problems of classes.
    """
    if np.count_nonzero(np.abs(y) == 1.0) < len(y):
        raise ValueError(
            "y must be -1 and +1; one_vs_one and one_vs_rest make such problems of classes."
        )


def c_svc(
    data: Dataset,
    kernel: Kernel,
    C: float = 1.0,
    rows: NDArray[np.int64] | None = None,
    *,
    squared: bool = False,
) -> DualProblem:
    """State the soft-margin classifier: the hinge loss.

    Parameters
    ----------
    data, kernel, rows
        As in `loss_dual`.
    C : float
        Penalty of a unit of slack; infinite for a hard margin.
    squared : bool
        Penalise the squares of the slacks instead.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import RBF
    >>> c_svc(check_data([[0.0], [1.0]], [-1, 1], [1, 3]), RBF(), C=2.0).upper
    array([0., 6.])
    """
    return loss_dual(data, kernel, SquaredHinge() if squared else Hinge(), C, rows)


def nu_svc(
    data: Dataset, kernel: Kernel, nu: float = 0.5, rows: NDArray[np.int64] | None = None
) -> DualProblem:
    """State the classifier that bounds the share of margin errors by nu instead of pricing them.

    Parameters
    ----------
    data : Dataset
        Targets are -1 and +1. Rows of weight zero take no part.
    kernel : Kernel
        Kernel function.
    nu : float
        Upper bound of the share of margin errors, lower bound of the share of support vectors.
    rows : ndarray of int64, optional
        The rows of `data.X` that `data.y` and `data.weight` belong to; all of them by default.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import RBF
    >>> nu_svc(check_data([[0.0], [1.0]], [-1, 1]), RBF(), nu=0.5).totals
    (0.5, -0.5)
    """
    if not 0 < nu <= 1:
        raise ValueError(f"nu is {nu}; it must be greater than 0 and at most 1.")
    check_signs(data.y)
    y, weight, chosen = counting_rows(data, rows)
    check_nu(nu, largest_nu(y, weight))
    half = min(nu * float(weight.sum()) / 2, *_class_weights(y, weight))
    return DualProblem(
        X=data.X,
        kernel=kernel,
        rows=chosen,
        target=np.zeros(len(y)),
        lower=np.minimum(0.0, y * weight),
        upper=np.maximum(0.0, y * weight),
        totals=(half, -half),
        group=(y < 0).astype(np.uint8),
        unit_margin=True,
    )


def largest_nu(y: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    """Return the largest nu of nu-SVC: twice the share of the smaller class.

    Parameters
    ----------
    y, weight : ndarray of shape (n,)
        Labels and weights of the rows.

    Examples
    --------
    >>> largest_nu(np.array([-1.0, 1.0, 1.0, 1.0]), np.ones(4))
    0.5
    """
    return 2 * min(_class_weights(y, weight)) / float(weight.sum())


def _class_weights(y: NDArray[np.float64], weight: NDArray[np.float64]) -> tuple[float, float]:
    """Return the weight of each of two classes."""
    return float(weight[y > 0].sum()), float(weight[y < 0].sum())


def check_nu(nu: float, largest: float) -> None:
    """Refuse a nu that is too large for one of the classes.

    Parameters
    ----------
    nu : float
        Share of margin errors.
    largest : float
        The largest that there is.

    Examples
    --------
    >>> check_nu(0.5, 0.4)
    Traceback (most recent call last):
    ValueError: specified nu is infeasible: nu is 0.5 but the smaller class has a share of 0.2 ...
    """
    if nu > largest * (1 + 1e-12):
        raise ValueError(
            f"specified nu is infeasible: nu is {nu} but the smaller class has a share of "
            f"{largest / 2:.4g} of the weight: nu must be greater than 0 and at most twice that, "
            f"{largest:.4g}."
        )


def epsilon_svr(data: Dataset, kernel: Kernel, C: float = 1.0, epsilon: float = 0.1) -> DualProblem:
    """State support vector regression: the epsilon-insensitive loss, one variable per row.

    Parameters
    ----------
    data, kernel
        As in `loss_dual`, with real targets.
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
    return loss_dual(data, kernel, EpsilonInsensitive(epsilon), C)


def nu_svr(data: Dataset, kernel: Kernel, C: float = 1.0, nu: float = 0.5) -> DualProblem:
    """State the regression whose tube is as wide as a share nu of rows outside it allows.

    Parameters
    ----------
    data : Dataset
        Rows and real targets. Rows of weight zero take no part.
    kernel : Kernel
        Kernel function.
    C : float
        Penalty of a unit outside the tube.
    nu : float
        Upper bound of the share outside the tube, lower bound of the share of support vectors.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import RBF
    >>> nu_svr(check_data([[0.0], [1.0]], [0.5, 2.0]), RBF(), C=3.0).lower
    array([ 0.,  0., -3., -3.])
    """
    if not C > 0:
        raise ValueError(f"C is {C}; it must be greater than 0.")
    if not 0 < nu <= 1:
        raise ValueError(f"nu is {nu}; it must be greater than 0 and at most 1.")
    y, weight, chosen = counting_rows(data, None)
    ends, zeros = C * weight, np.zeros(len(y))
    half = nu * float(ends.sum()) / 2
    return DualProblem(
        X=data.X,
        kernel=kernel,
        rows=chosen,
        target=np.tile(y, 2),
        lower=np.concatenate([zeros, -ends]),
        upper=np.concatenate([ends, zeros]),
        totals=(half, -half),
        group=np.repeat(np.array([0, 1], np.uint8), len(y)),
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
    >>> one_class(check_data([[0.0], [1.0]], [0, 0]), RBF(), nu=0.5).totals
    (1.0,)
    """
    if not 0 < nu <= 1:
        raise ValueError(f"nu is {nu}; it must be greater than 0 and at most 1.")
    y, weight, chosen = counting_rows(data, None)
    return DualProblem(
        X=data.X,
        kernel=kernel,
        rows=chosen,
        target=np.zeros(len(y)),
        lower=np.zeros(len(y)),
        upper=weight,
        totals=(nu * float(weight.sum()),),
    )
