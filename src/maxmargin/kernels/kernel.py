"""What a kernel k(x, z) is, and kernels made of kernels.

    sum       k_1 + k_2             product   k_1 k_2
    scaled    factor k              columns   k on some of the columns

All are frozen values. The compiled core evaluates them in blocks while it solves; calling one gives
its Gram matrix in float64 by numpy, the plain form that the tests hold the core against.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from math import prod
from numbers import Real
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.data import canonical
from maxmargin.data.chunks import ChunkedMatrix

#: Sums of kernels as a function of the rows to evaluate them at, and of the threads to use.
Sums: TypeAlias = Callable[[Any, int], NDArray[np.float64]]
#: The same in float32, and of each row a bound on its error, in units of an output's sum |weights|.
RoughSums: TypeAlias = Callable[[Any, int], tuple[NDArray[np.float64], NDArray[np.float64]]]


def of_points(gram: Callable[..., Any]) -> Callable[..., Any]:
    """Let the method that has a kernel's Gram matrix also take two points, or X alone.

    Parameters
    ----------
    gram : callable
        From a kernel and two matrices of rows to a matrix.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> float(Linear()([1.0, 2.0], [3.0, 4.0])), Linear()([[1.0], [2.0]])
    (11.0, array([[1., 2.],
           [2., 4.]]))
    """

    @wraps(gram)
    def call(self: Any, X: Any, Z: Any = None) -> Any:
        Z = X if Z is None else Z
        left, right = np.ndim(X), np.ndim(Z)
        if left == right == 1:
            return gram(self, np.asarray(X)[None, :], np.asarray(Z)[None, :])[0, 0]
        if 1 in (left, right):
            raise ValueError(
                f"X has {left} dimensions and Z {right}; a kernel takes two points, or two "
                "matrices with a point in each row: make a matrix of one row by x[None, :]"
            )
        return gram(self, X, Z)

    return call


class Kernel(ABC):
    """What every kernel can do.

    Kernels are added to and multiplied with each other and with positive numbers, and put on chosen
    columns by `on`.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import RBF, Linear
    >>> RBF(gamma=0.5)(np.zeros((1, 2)), np.ones((1, 2))).round(4)
    array([[0.3679]])
    >>> 2 * RBF(gamma=0.5) + Linear().on([0, 3])
    2 * RBF(gamma=0.5) + Linear().on([0, 3])
    """

    #: Whether the core evaluates it: only then can it be a part of another kernel.
    compiled: ClassVar[bool] = True
    #: numpy leaves `np.float64(2) * kernel` to the kernel.
    __array_ufunc__ = None

    @abstractmethod
    def __call__(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix k(x_i, z_j) in float64; of two points k(x, z), and of X alone that with X."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.compiled and "__call__" in vars(cls):
            cls.__call__ = of_points(cls.__call__)  # type: ignore[method-assign]

    @abstractmethod
    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return k(x, x) of each row."""

    @abstractmethod
    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel."""

    def __add__(self, other: object) -> Kernel:
        other = _constant(other)
        return Sum(_flat(Sum, self, other)) if isinstance(other, Kernel) else NotImplemented

    def __radd__(self, other: object) -> Kernel:
        other = _constant(other)
        return Sum(_flat(Sum, other, self)) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: object) -> Kernel:
        if isinstance(other, Kernel):
            return Product(_flat(Product, self, other))
        return Scaled(self, float(other)) if isinstance(other, Real) else NotImplemented

    __rmul__ = __mul__

    def on(self, columns: Sequence[int] | Sequence[str]) -> Kernel:
        """Return this kernel as a function of some columns only.

        Parameters
        ----------
        columns : sequence of int or of str
            Columns of the data, counted from 0, or their names in the table that a machine is
            fitted to.

        Examples
        --------
        >>> from maxmargin.kernels import Linear
        >>> Linear().on([1])([[1.0, 2.0]], [[3.0, 4.0]])
        array([[8.]])
        """
        from maxmargin.kernels.columns import Columns  # which derives from what is defined here

        return Columns(self, columns)

    def resolve(self, names: Sequence[str] | None) -> Kernel:
        """Return this kernel with the numbers of columns in the place of their names.

        Parameters
        ----------
        names : sequence of str or None
            Those of all columns of the data, None where they have none.

        Examples
        --------
        >>> from maxmargin.kernels import Linear
        >>> Linear().on(["b"]).resolve(["a", "b"])
        Linear().on([1])
        """
        return self

    def nonnegative_columns(self, n_columns: int) -> NDArray[np.int64]:
        """Return the columns in which this kernel is defined for values of at least 0 only.

        Parameters
        ----------
        n_columns : int
            Columns of the data.
        """
        return np.zeros(0, np.int64)

    def check(self, X: Any) -> None:
        """Refuse rows that this kernel is not defined on.

        Parameters
        ----------
        X : ndarray or CSR of shape (n, d)
            Rows.
        """
        columns = self.nonnegative_columns(X.shape[1])
        if len(columns) == 0 or _least(X) >= 0:
            return
        chosen = X if len(columns) == X.shape[1] else X[:, columns]
        if _least(chosen) >= 0:
            return
        row, place = (int(where[0]) for where in (chosen < 0).nonzero())
        raise ValueError(
            f"X[{row}, {columns[place]}] is {chosen[row, place]}: {self!r} needs values of at "
            "least 0. Scale the data, e.g. with sklearn.preprocessing.MinMaxScaler(clip=True)."
        )

    def data(self, X: Any) -> _core.Data:
        """Return the core's view of the rows this kernel works on: dense, CSR or in chunks."""
        if isinstance(X, ChunkedMatrix):
            return X.core()
        self.check(X)
        if sparse.issparse(X):
            X = canonical(X)
            return _core.Data.sparse(X.data, X.indices, X.indptr, X.shape[1])
        return _core.Data.dense(X)

    def norms(
        self, X: Any, rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return k(x, x) of some rows, and k(x, x_0) with the first of them.

        Parameters
        ----------
        X : ndarray or CSR of shape (n, d)
            Rows.
        rows : ndarray of int64
            Which of them.
        """
        chosen = X[rows]
        first = self.expand(chosen, chosen[:1], np.ones((1, 1)))[:, 0]
        return self.diagonal(chosen), first

    def expansion(self, centres: Any, weights: NDArray[np.float64], n_threads: int = 1) -> Sums:
        """Pack centres and weights for many calls: f(Z, n_threads) is `expand` at the rows of Z.

        Parameters
        ----------
        centres : rows of shape (m, d)
            Where the kernels stand.
        weights : ndarray of shape (m, p)
            One column per output.
        n_threads : int
            Threads to pack with.
        """
        packed = _core.Expansion(self.core(), self.data(centres), weights, n_threads)
        return lambda Z, n_threads: packed.at(self.data(Z), n_threads)

    def rough_expansion(
        self, centres: Any, weights: NDArray[np.float64], n_threads: int = 1
    ) -> RoughSums | None:
        """Pack centres and weights for sums in float32; None where their error is not known.

        Parameters
        ----------
        centres, weights, n_threads
            As in `expansion`.
        """
        kernel = self.core()
        if not _core.RoughExpansion.offers(kernel):
            return None
        packed = _core.RoughExpansion(kernel, self.data(centres), weights, n_threads)
        return lambda Z, n_threads: packed.at(self.data(Z), n_threads)

    def expand(
        self, Z: Any, centres: Any, weights: NDArray[np.float64], n_threads: int = 1
    ) -> NDArray[np.float64]:
        """Sum kernels at centres: out[i, p] = sum_k k(z_i, c_k) weights[k, p].

        Parameters
        ----------
        Z : ndarray or CSR of shape (n, d)
            Where to evaluate.
        centres : rows of shape (m, d)
            Where the kernels stand.
        weights : ndarray of shape (m, p)
            One column per output.
        n_threads : int
            Threads to use.
        """
        return self.expansion(centres, weights, n_threads)(Z, n_threads)


def _least(X: Any) -> float:
    """Return the smallest value, 0 where there is none."""
    values = X.data if sparse.issparse(X) else X
    return float(values.min(initial=0.0))


def _flat(kind: type[Sum] | type[Product], *kernels: Kernel) -> tuple[Kernel, ...]:
    """List the parts of kernels, those of sums of sums (or products of products) one by one."""
    return tuple(
        part
        for kernel in kernels
        for part in (kernel.parts if isinstance(kernel, kind) else (kernel,))
    )


def _constant(value: object) -> object:
    """Return a number as a kernel, anything else as it is."""
    if not isinstance(value, Real):
        return value
    from maxmargin.kernels.constant import Constant  # which derives from what is defined here

    return Constant(float(value))


def check_parts(parts: Sequence[Kernel]) -> None:
    """Refuse what no kernel can be made of.

    Parameters
    ----------
    parts : sequence of Kernel
        What is put together.

    Examples
    --------
    >>> check_parts([])
    Traceback (most recent call last):
    ValueError: parts is empty; a kernel is made of at least one.
    """
    if len(parts) == 0:
        raise ValueError("parts is empty; a kernel is made of at least one.")
    for part in parts:
        if not isinstance(part, Kernel):
            raise TypeError(f"{part!r} is not a kernel of maxmargin.kernels.")
        if not part.compiled:
            raise TypeError(
                f"{part!r} cannot be a part of another kernel, because the compiled core does not "
                "evaluate it: write the whole as one function of two blocks of rows."
            )


def in_brackets(kernel: Kernel, *kinds: type[Kernel]) -> str:
    """Write a kernel, in brackets if it is of one of these kinds.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> in_brackets(Linear() + Linear(), Sum)
    '(Linear() + Linear())'
    """
    return f"({kernel!r})" if isinstance(kernel, kinds) else repr(kernel)


@dataclass(frozen=True, repr=False)
class Sum(Kernel):
    """The sum of kernels; written `k_1 + k_2`.

    Parameters
    ----------
    parts : tuple of Kernel
        What is added.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Linear
    >>> (RBF(0.5) + Linear())([[1.0]], [[1.0]])
    array([[2.]])
    """

    parts: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        check_parts(self.parts)

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.parts))

    def __call__(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        """Sum the parts' Gram matrices."""
        return np.asarray(sum(part(X, Z) for part in self.parts))

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return the sum of the parts' values k(x, x)."""
        return np.asarray(sum(part.diagonal(X) for part in self.parts))

    def resolve(self, names: Sequence[str] | None) -> Kernel:
        """Return the sum of the resolved parts."""
        return Sum(tuple(part.resolve(names) for part in self.parts))

    def nonnegative_columns(self, n_columns: int) -> NDArray[np.int64]:
        """Return the columns that any part needs to be at least 0."""
        return _union(self.parts, n_columns)

    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel."""
        return _core.Kernel(_core.KernelKind.sum, parts=[part.core() for part in self.parts])


@dataclass(frozen=True, repr=False)
class Product(Kernel):
    """The product of kernels, value by value; written `k_1 * k_2`.

    Parameters
    ----------
    parts : tuple of Kernel
        What is multiplied.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> (Linear() * Linear())([[2.0]], [[3.0]])
    array([[36.]])
    """

    parts: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        check_parts(self.parts)

    def __repr__(self) -> str:
        return " * ".join(in_brackets(part, Sum) for part in self.parts)

    def __call__(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        """Multiply the parts' Gram matrices value by value."""
        return np.asarray(prod(part(X, Z) for part in self.parts))

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return the product of the parts' values k(x, x)."""
        return np.asarray(prod(part.diagonal(X) for part in self.parts))

    def resolve(self, names: Sequence[str] | None) -> Kernel:
        """Return the product of the resolved parts."""
        return Product(tuple(part.resolve(names) for part in self.parts))

    def nonnegative_columns(self, n_columns: int) -> NDArray[np.int64]:
        """Return the columns that any part needs to be at least 0."""
        return _union(self.parts, n_columns)

    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel."""
        return _core.Kernel(_core.KernelKind.product, parts=[part.core() for part in self.parts])


def _union(parts: Sequence[Kernel], n_columns: int) -> NDArray[np.int64]:
    return np.unique(np.concatenate([part.nonnegative_columns(n_columns) for part in parts]))


@dataclass(frozen=True, repr=False)
class Scaled(Kernel):
    """A kernel times a positive number; written `2 * k`.

    Parameters
    ----------
    kernel : Kernel
        What is multiplied.
    factor : float
        The number.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> (2 * Linear())([[2.0]], [[3.0]])
    array([[12.]])
    """

    kernel: Kernel
    factor: float

    def __post_init__(self) -> None:
        check_parts([self.kernel])
        check_positive("factor", self.factor)

    def __repr__(self) -> str:
        return f"{self.factor:g} * {in_brackets(self.kernel, Sum, Scaled)}"

    def __call__(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        """Multiply the Gram matrix."""
        return np.asarray(self.factor * self.kernel(X, Z))

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return factor k(x, x) of each row."""
        return np.asarray(self.factor * self.kernel.diagonal(X))

    def resolve(self, names: Sequence[str] | None) -> Kernel:
        """Return the resolved kernel times the number."""
        return Scaled(self.kernel.resolve(names), self.factor)

    def nonnegative_columns(self, n_columns: int) -> NDArray[np.int64]:
        """Return the columns that the kernel needs to be at least 0."""
        return self.kernel.nonnegative_columns(n_columns)

    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel."""
        return self.kernel.core().scaled(self.factor)


def check_positive(name: str, value: object, *, zero: bool = False) -> None:
    """Refuse a parameter that is not a finite positive number.

    Parameters
    ----------
    name : str
        Its name.
    value : object
        What was given.
    zero : bool
        Whether 0 is allowed too.

    Examples
    --------
    >>> check_positive("gamma", -1.0)
    Traceback (most recent call last):
    ValueError: gamma is -1.0; it must be a finite number greater than 0.
    """
    finite = isinstance(value, Real) and not isinstance(value, bool) and abs(float(value)) < np.inf
    if not finite or float(value) < 0 or (float(value) == 0 and not zero):  # type: ignore[arg-type]
        bound = "of at least 0" if zero else "greater than 0"
        raise ValueError(f"{name} is {value!r}; it must be a finite number {bound}.")
