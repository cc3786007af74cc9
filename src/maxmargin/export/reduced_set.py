"""A smaller set of vectors for an expansion: f_p = sum_j a_jp k(., x_j) by N vectors z_i.

    minimise   sum_p |f_p - f'_p|^2,   f'_p = sum_i w_ip k(., z_i)

in the norm of the kernel's space, over w and z. For given z the best weights solve K_zz w = K_zx a.
The z begin as those x that a greedy choice takes one after the other (orthogonal matching pursuit);
then they move, all at once, by quasi-Newton steps on what is left when the weights are the best.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, lstsq
from scipy.optimize import minimize

from maxmargin.estimators.blas import OneBlasThread
from maxmargin.export.gradients import pulled, values
from maxmargin.kernels import Columns, Kernel, Polynomial, Product, Scaled, Sigmoid, Sum

Array: TypeAlias = NDArray[np.float64]

#: Quasi-Newton steps. More move the vectors by little.
_MOST_STEPS = 200
#: Share of the largest kernel value that steadies the weights while vectors move.
_RIDGE = 1e-9
#: Rows of a Gram matrix at a time.
_BLOCK = 256


def reduced_set(kernel: Kernel, X: Array, A: Array, n: int) -> tuple[Array, Array]:
    """Return n vectors and their weights.

    Parameters
    ----------
    kernel : Kernel
        A positive semidefinite kernel.
    X, A : ndarrays of shapes (m, d) and (m, p)
        Vectors of the expansion, and weights.
    n : int
        How many vectors are wanted, fewer than m.

    Examples
    --------
    Two vectors next to each other are one nearly as well.

    >>> from maxmargin.kernels import RBF
    >>> Z, W = reduced_set(RBF(1.0), np.array([[0.0], [0.1]]), np.ones((2, 1)), 1)
    >>> Z.round(3), W.round(3)
    (array([[0.05]]), array([[1.995]]))
    """
    with OneBlasThread():
        Z = _moved(kernel, X, A, X[greedy_choice(kernel, X, A, n)])
        # By the plain form of the kernel, and without directions that rounding alone tells apart.
        W = lstsq(kernel(Z, Z), kernel(Z, X) @ A, cond=1e-13)[0]
    return Z, np.asarray(W)


def greedy_choice(kernel: Kernel, X: Array, A: Array, n: int) -> NDArray[np.int64]:
    """Choose rows of X one after the other, each time the one that leaves least of f.

    In the Newton basis of the chosen rows, v_1, v_2, ..., what is left of f at all rows and of the
    diagonal of K are updated by one kernel column per row chosen.

    Parameters
    ----------
    kernel, X, A, n
        As in `reduced_set`.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> greedy_choice(Linear(), np.array([[1.0, 0.0], [0.0, 5.0]]), np.ones((2, 1)), 1)
    array([1])
    """
    left = values(kernel, X, X) @ A if len(X) <= 4096 else _in_blocks(kernel, X, A)
    diagonal = kernel.diagonal(X)
    smallest = 1e-12 * diagonal.max()
    basis = np.zeros((n, len(X)))
    chosen: list[int] = []
    for k in range(n):
        gains = (left**2).sum(axis=1) / np.where(diagonal > smallest, diagonal, np.inf)
        best = int(gains.argmax())
        if diagonal[best] <= smallest:
            break  # the chosen rows span all others
        column = values(kernel, X, X[[best]])[:, 0] - basis[:k].T @ basis[:k, best]
        basis[k] = column / np.sqrt(diagonal[best])
        left = left - basis[k][:, None] * (left[best] / np.sqrt(diagonal[best]))
        diagonal = np.maximum(diagonal - basis[k] ** 2, 0.0)
        diagonal[best] = 0.0
        chosen.append(best)
    return np.array(chosen, np.int64)


def _in_blocks(kernel: Kernel, X: Array, A: Array) -> Array:
    parts = [values(kernel, X[i : i + _BLOCK], X) @ A for i in range(0, len(X), _BLOCK)]
    return np.concatenate(parts)


def _moved(kernel: Kernel, X: Array, A: Array, Z: Array) -> Array:
    """Move the vectors to where the best weights leave least."""
    spread = X.std(axis=0)
    unit = np.where(spread > 0, spread, 1.0)
    bound = np.zeros(X.shape[1], bool)
    bound[kernel.nonnegative_columns(X.shape[1])] = True
    bounds = [(0.0, None) if low else (None, None) for low in np.tile(bound, len(Z))]

    def left(flat: Array) -> tuple[float, Array]:
        return _left(kernel, X, A, flat.reshape(Z.shape) * unit, unit)

    found: Any = minimize(
        left,
        (Z / unit).ravel(),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": _MOST_STEPS, "ftol": 1e-10},
    )
    return np.asarray(found.x.reshape(Z.shape) * unit)


def _left(kernel: Kernel, X: Array, A: Array, Z: Array, unit: Array) -> tuple[float, Array]:
    """Return |f'|^2 - 2 <f, f'> at the best weights, and its gradient in Z / unit.

    Where the weights are the best, moving them changes nothing: only Z counts.
    """
    among, target = values(kernel, Z, Z), values(kernel, Z, X) @ A
    ridge = _RIDGE * np.abs(among).max()
    W = cho_solve(cho_factor(among + ridge * np.eye(len(Z))), target)
    gradient = 2 * pulled(kernel, Z, Z, W @ W.T) - 2 * pulled(kernel, Z, X, W @ A.T)
    return -float((W * target).sum()), (gradient * unit).ravel()


def distance_bound(kernel: Kernel, X: Array, A: Array, Z: Array, W: Array) -> Array:
    """Bound |f_p - f'_p| in the kernel's space, for each output p, rounding included.

    |f_p - f'_p|^2 = a'K_xx a - 2 w'K_zx a + w'K_zz w. A kernel value k(x, z), computed from
    differences or products of d columns, is wrong by at most c u s(x) s(z), with s(x)^2 = k(x, x),
    u the unit roundoff and c a small multiple of d and the degree; sums of n terms add n u.

    Parameters
    ----------
    kernel, X, A
        As in `reduced_set`.
    Z, W : ndarrays of shapes (n, d) and (n, p)
        The other vectors, and weights.

    Returns
    -------
    ndarray of shape (p,)
        At no row x do the two outputs differ by more than this times sqrt(k(x, x)).

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> one, two = np.ones((1, 1)), np.ones((2, 1))
    >>> distance_bound(Linear(), np.eye(2), two, np.ones((1, 2)), one) < 1e-6
    array([ True])
    """
    both, weights = np.concatenate([X, Z]), np.concatenate([A, -W])
    squares = np.zeros(A.shape[1])
    for i in range(0, len(both), _BLOCK):
        rows = slice(i, i + _BLOCK)
        squares += (weights[rows] * (kernel(both[rows], both) @ weights)).sum(axis=0)
    sizes = np.sqrt(np.maximum(kernel.diagonal(both), 0.0)) @ np.abs(weights)
    constant = 4 * (both.shape[1] + 10) * _degree(kernel) + 2 * len(both) + 10
    rounding = constant * np.finfo(np.float64).eps * sizes**2
    return np.asarray(np.sqrt(np.maximum(squares, 0.0) + rounding))


def _degree(kernel: Kernel) -> int:
    """Return how many factors a kernel value is made of, at most."""
    match kernel:
        case Sum() | Product():
            return sum(_degree(part) for part in kernel.parts)
        case Scaled() | Columns():
            return _degree(kernel.kernel)
        case Polynomial():
            return 1 + kernel.degree
    return 1


def is_semidefinite(kernel: Kernel) -> bool:
    """Tell whether a kernel is known to be positive semidefinite.

    Parameters
    ----------
    kernel : Kernel
        One of `maxmargin.kernels`.

    Examples
    --------
    >>> is_semidefinite(Polynomial(coef0=1.0)), is_semidefinite(Sigmoid())
    (True, False)
    """
    match kernel:
        case Sum() | Product():
            return all(is_semidefinite(part) for part in kernel.parts)
        case Scaled() | Columns():
            return is_semidefinite(kernel.kernel)
        case Polynomial():
            return kernel.coef0 >= 0 and kernel.gamma >= 0
        case Sigmoid():
            return False
    return True
