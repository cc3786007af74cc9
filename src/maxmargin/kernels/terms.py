"""Kernels as sums of products over features, the form in which features can be taken out.

    k(x, z) = sum over terms of  P(u) exp(-sum_j e_j),   u = sum of x_j z_j over some columns,
    e_j = rates[0, j] (x_j - z_j)^2 + rates[1, j] |x_j - z_j| + rates[2, j] chi2(x_j, z_j)

with a polynomial P. RBF, Laplacian and chi2 kernels have P = 1, linear and polynomial ones e = 0;
sums add terms, and products multiply them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import comb

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels.columns import Columns
from maxmargin.kernels.constant import Constant
from maxmargin.kernels.decays import RBF, Chi2, Laplacian, Matern
from maxmargin.kernels.dots import Linear, Polynomial
from maxmargin.kernels.kernel import Kernel, Product, Scaled, Sum

Array = NDArray[np.float64]
#: A product of sums of kernels has as many terms as the product of their numbers.
MOST_TERMS = 64


@dataclass(frozen=True, eq=False)
class Term:
    """P(u) times a product over the features.

    Parameters
    ----------
    polynomial : ndarray of shape (degree + 1,)
        Coefficients of P, the constant first.
    dotted : ndarray of bool, shape (d,)
        Columns that u is summed over.
    rates : ndarray of shape (3, d)
        How fast each feature's factor decays with its square, its absolute value and chi2.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Linear
    >>> [term] = product_terms(2 * RBF(0.5).on([1]) * Linear(), 2)
    >>> term.polynomial, term.rates[0]
    (array([0., 2.]), array([0. , 0.5]))
    """

    polynomial: Array
    dotted: NDArray[np.bool_]
    rates: Array

    def times(self, other: Term) -> Term | None:
        """Return the product of two terms; None where it has sums over different columns.

        Parameters
        ----------
        other : Term
            The other.
        """
        one, two = self.dotted.any(), other.dotted.any()
        if one and two and (self.dotted != other.dotted).any():
            return None
        return Term(
            np.convolve(self.polynomial, other.polynomial),
            self.dotted | other.dotted,
            self.rates + other.rates,
        )

    def core(self) -> _core.ProductTerm:
        """Return the compiled core's form of this term."""
        dotted = self.dotted.astype(np.uint8)
        return _core.ProductTerm(np.asarray(self.polynomial, np.float64), dotted, self.rates)


def product_terms(kernel: Kernel, n_columns: int) -> list[Term] | None:
    """Return the terms of a kernel, or None if it is no sum of products over features.

    Parameters
    ----------
    kernel : Kernel
        With columns by number.
    n_columns : int
        Columns of the data.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Linear, Sigmoid
    >>> len(product_terms(RBF(1.0) + Linear(), 3)), product_terms(Sigmoid(), 3)
    (2, None)
    """
    return _terms(kernel, np.arange(n_columns), n_columns)


def _terms(kernel: Kernel, columns: NDArray[np.int64], width: int) -> list[Term] | None:
    if isinstance(kernel, Sum | Product):
        parts = [_terms(part, columns, width) for part in kernel.parts]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        return [term for part in known for term in part] if isinstance(kernel, Sum) else _all(known)
    if isinstance(kernel, Scaled):
        inner = _terms(kernel.kernel, columns, width)
        return inner and [
            Term(kernel.factor * term.polynomial, term.dotted, term.rates) for term in inner
        ]
    if isinstance(kernel, Columns):
        return _terms(kernel.kernel, columns[list(kernel._numbers())], width)
    return _leaf(kernel, columns, width)


def _leaf(kernel: Kernel, columns: NDArray[np.int64], width: int) -> list[Term] | None:
    """Return the one term of a kernel that is not made of others."""
    polynomial, dotted, rates = np.ones(1), np.zeros(width, np.bool_), np.zeros((3, width))
    match kernel:
        case RBF():
            rates[0, columns] = kernel.gamma
        case Matern() if kernel.nu == np.inf:
            rates[0, columns] = 0.5 / kernel.length_scale**2
        case Laplacian():
            rates[1, columns] = kernel.gamma
        case Chi2():
            rates[2, columns] = kernel.gamma
        case Constant():
            polynomial = np.array([float(kernel.value)])
        case Linear():
            polynomial, dotted[columns] = np.array([0.0, 1.0]), True
        case Polynomial():
            p, c = kernel.degree, kernel.coef0
            powers = [comb(p, q) * kernel.gamma**q * c ** (p - q) for q in range(p + 1)]
            polynomial, dotted[columns] = np.array(powers), p > 0
        case _:
            return None
    return [Term(polynomial, dotted, rates)]


def _all(parts: list[list[Term]]) -> list[Term] | None:
    """Multiply sums out."""
    if np.prod([len(part) for part in parts]) > MOST_TERMS:
        return None
    found: list[Term] = []
    for chosen in product(*parts):
        whole: Term | None = chosen[0]
        for term in chosen[1:]:
            whole = whole and whole.times(term)
        if whole is None:
            return None
        found.append(whole)
    return found
