"""Kernels on some of the columns, by number or by name; written `k.on(columns)`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin import _core
from maxmargin.kernels.kernel import Kernel, Product, Scaled, Sum, check_parts, in_brackets


@dataclass(frozen=True, repr=False)
class Columns(Kernel):
    """A kernel that sees some of the columns; written `k.on(columns)`.

    Parameters
    ----------
    kernel : Kernel
        A function of rows of that many values.
    columns : sequence of int or of str
        Columns of the data, counted from 0 and kept in ascending order; or their names, which a
        machine turns into numbers when it is fitted.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> Columns(Linear(), [2, 0])
    Linear().on([0, 2])
    """

    kernel: Kernel
    columns: Sequence[int] | Sequence[str]

    def __post_init__(self) -> None:
        check_parts([self.kernel])
        given: tuple[Any, ...] = () if isinstance(self.columns, str) else tuple(self.columns)
        whole = all(
            isinstance(k, Integral) and not isinstance(k, bool) and int(k) >= 0 for k in given
        )
        named = all(isinstance(k, str) for k in given)
        if not (whole or named) or len(set(given)) < len(given) or len(given) == 0:
            raise ValueError(
                f"columns is {self.columns!r}; it must be different integers of at least 0, one or "
                "more, or different names."
            )
        kept = tuple(map(str, given)) if named else tuple(sorted(int(k) for k in given))
        object.__setattr__(self, "columns", kept)

    def __repr__(self) -> str:
        return f"{in_brackets(self.kernel, Sum, Product, Scaled)}.on({list(self.columns)})"

    def __call__(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix of the chosen columns."""
        return self.kernel(self._of(np.asarray(X)), self._of(np.asarray(Z)))

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return k(x, x) of each row's chosen columns."""
        return self.kernel.diagonal(self._of(X))

    def resolve(self, names: Sequence[str] | None) -> Kernel:
        """Return the kernel on the columns that have these names."""
        places = self._places(names)
        inner = None if names is None else [names[k] for k in places if k < len(names)]
        return Columns(self.kernel.resolve(inner), places)

    def _places(self, names: Sequence[str] | None) -> tuple[int, ...]:
        """Return the numbers of the columns."""
        chosen = [name for name in self.columns if isinstance(name, str)]
        if not chosen:
            return self._numbers()
        if names is None:
            raise ValueError(
                f"{self!r} chooses columns by name, but the data have no names: give a table with "
                "names that are text, or the columns' numbers."
            )
        known = {str(name): place for place, name in enumerate(names)}
        missing = [name for name in chosen if name not in known]
        if missing:
            raise ValueError(
                f"column {missing[0]!r} of {self!r} is not there: the data have "
                f"{', '.join(map(repr, known))}."
            )
        return tuple(sorted(known[name] for name in chosen))

    def nonnegative_columns(self, n_columns: int) -> NDArray[np.int64]:
        """Return the chosen columns that the kernel needs to be at least 0."""
        self._check_width(n_columns)
        return np.array(self._numbers())[self.kernel.nonnegative_columns(len(self.columns))]

    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel."""
        return self.kernel.core().on(list(self._numbers()))

    def _numbers(self) -> tuple[int, ...]:
        """Return the columns, which must be numbers by now."""
        numbers = tuple(k for k in self.columns if isinstance(k, int))
        if not numbers:
            raise ValueError(
                f"{self!r} chooses columns by name: `resolve(names)` tells which these are."
            )
        return numbers

    def _check_width(self, n_columns: int) -> None:
        if self._numbers()[-1] >= n_columns:
            raise ValueError(
                f"column {self.columns[-1]} of {self!r} is not there: the data have {n_columns} "
                "columns, counted from 0."
            )

    def _of(self, X: Any) -> Any:
        self._check_width(X.shape[1])
        return X[:, list(self._numbers())]
