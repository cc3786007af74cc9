"""Which kernels, splits and C a set of candidates asks for, as products that the engine solves."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Kernel


@dataclass(frozen=True, eq=False)
class Candidate:
    """One set of parameters of a search.

    Parameters
    ----------
    position : int
        Among all candidates.
    C, epsilon, tol : float
        Of the machine.
    class_weight : dict, "balanced" or None
        Of the machine.
    kernel : dict
        The parameters that its kernel is made of.

    Examples
    --------
    >>> Candidate(0, 1.0, 0.0, 1e-3, None, {"gamma": 0.5}).weight_key
    """

    position: int
    C: float
    epsilon: float
    tol: float
    class_weight: Any
    kernel: dict[str, Any]

    @property
    def weight_key(self) -> Hashable:
        """What equal class weights have in common."""
        weight = self.class_weight
        return tuple(weight.items()) if isinstance(weight, dict) else weight


#: A split, by its place among the folds of some rows, and class weights, by their key.
Training = tuple[int, Hashable]
#: The same with an epsilon.
Variant = tuple[int, Hashable, float]


@dataclass(frozen=True, eq=False)
class Product:
    """Every kernel with every variant and every C.

    Parameters
    ----------
    kernels : list of Kernel
        Different kernels.
    variants : list of (int, key, epsilon)
        Folds with class weights and epsilon.
    Cs : ndarray of float64
        Ascending.
    tol : float
        Of all of them.
    positions : ndarray of int64, shape (n_kernels, n_variants, n_Cs)
        The candidate that each of them is.
    copies : list of (position, position, int)
        Candidates that ask for the same as another one in a fold.
    """

    kernels: list[Kernel]
    variants: list[Variant]
    Cs: NDArray[np.float64]
    tol: float
    positions: NDArray[np.int64]
    copies: list[tuple[int, int, int]]


def products(
    candidates: Sequence[Candidate],
    kernels_of: Callable[[dict[str, Any]], list[Kernel]],
    usable: Container[Training],
) -> Iterator[Product]:
    """Cover what candidates ask for by products, each thing once.

    Parameters
    ----------
    candidates : sequence of Candidate
        All different in position.
    kernels_of : callable
        The kernels of a candidate's parameters, one for each fold.
    usable : container of (int, key)
        The folds and class weights that can be trained.

    Examples
    --------
    >>> from maxmargin.kernels import RBF
    >>> cells = [Candidate(p, C, 0.0, 1e-3, None, {}) for p, C in enumerate([4.0, 1.0])]
    >>> [found] = products(cells, lambda params: [RBF(1.0)] * 2, {(0, None), (1, None)})
    >>> found.Cs, found.positions.tolist()
    (array([1., 4.]), [[[1, 0], [1, 0]]])
    """
    kernels: dict[Hashable, int] = {}
    values: list[Kernel] = []
    paths: dict[float, dict[tuple[int, Variant], dict[float, list[int]]]] = {}
    for candidate in candidates:
        key = candidate.weight_key
        group = paths.setdefault(candidate.tol, {})
        last, number = None, 0
        for fold, kernel in enumerate(kernels_of(candidate.kernel)):
            if (fold, key) not in usable:
                continue
            if kernel is not last:
                last, number = kernel, kernels.setdefault(_value_or_identity(kernel), len(values))
            if number == len(values):
                values.append(kernel)
            path = group.setdefault((number, (fold, key, candidate.epsilon)), {})
            path.setdefault(candidate.C, []).append(candidate.position)
    for tol, group in paths.items():
        for (Cs, variants), numbers in _covered(group).items():
            cells = [[[group[k, v][C] for C in Cs] for v in variants] for k in numbers]
            first = np.array([[[at[0] for at in row] for row in part] for part in cells])
            copies = [
                (at[0], other, v[0])
                for part in cells
                for v, row in zip(variants, part, strict=True)
                for at in row
                for other in at[1:]
            ]
            yield Product(
                [values[k] for k in numbers],
                list(variants),
                np.array(Cs),
                tol,
                first,
                copies,
            )


def _covered(
    group: dict[tuple[int, Variant], dict[float, list[int]]],
) -> dict[tuple[tuple[float, ...], tuple[Variant, ...]], list[int]]:
    """Gather paths of the same C, then kernels that have them in the same variants."""
    by_kernel: dict[tuple[int, tuple[float, ...]], list[Variant]] = {}
    for (kernel, variant), path in group.items():
        by_kernel.setdefault((kernel, tuple(sorted(path))), []).append(variant)
    found: dict[tuple[tuple[float, ...], tuple[Variant, ...]], list[int]] = {}
    for (kernel, Cs), variants in by_kernel.items():
        found.setdefault((Cs, tuple(variants)), []).append(kernel)
    return found


def _value_or_identity(kernel: Kernel) -> Hashable:
    try:
        hash(kernel)
    except TypeError:
        return id(kernel)
    return kernel
