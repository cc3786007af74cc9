"""What the values of a stored object must be: types, shapes that fit together, finite numbers.

A rule is a function of a value and of the sizes known so far. Sizes have names: the first array
that mentions "m" says what it is, the others must agree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

Sizes = dict[str, int]
#: Returns what is wrong with a value, or None.
Rule = Callable[[Any, Sizes], str | None]

#: A dimension that may be anything.
ANY = -1
#: The core's own limit.
_MOST_COLUMNS = 2**31 - 1


def array(kinds: str, *shape: str | int, finite: bool = True, low: float | None = None) -> Rule:
    """Demand an array.

    Parameters
    ----------
    kinds : str
        numpy's letters of the types that are allowed, "f" for floating, "i" for integer and so on.
    *shape : str or int
        A name or a number for each dimension, `ANY` for one that nothing else has.
    finite : bool
        Whether NaN and infinities are refused.
    low : float, optional
        The least value.

    Examples
    --------
    >>> rule = array("f", "m", "p")
    >>> sizes = {"m": 3}
    >>> rule(np.zeros((3, 2)), sizes), sizes
    (None, {'m': 3, 'p': 2})
    >>> rule(np.zeros((4, 2)), sizes)
    'has shape (4, 2) where (m=3, p=2) is needed'
    """

    def check(value: Any, sizes: Sizes) -> str | None:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds:
            return f"is {_kind(value)} where an array of kind {kinds!r} is needed"
        problem = _fit(value.shape, shape, sizes)
        if problem is None and finite and value.dtype.kind == "f" and not np.isfinite(value).all():
            problem = "has a value that is not finite"
        if problem is None and low is not None and value.size and value.min() < low:
            problem = f"has the value {value.min()}, below {low:g}"
        return problem

    return check


def rows(n_rows: str, n_columns: str) -> Rule:
    """Demand rows of features, dense or compressed.

    Examples
    --------
    >>> rows("m", "d")(sparse.csr_array(np.eye(2)), {"d": 3})
    'has shape (2, 2) where (m, d=3) is needed'
    """
    dense = array("f", n_rows, n_columns)

    def check(value: Any, sizes: Sizes) -> str | None:
        if not sparse.issparse(value):
            return dense(value, sizes)
        problem = _fit(value.shape, (n_rows, n_columns), sizes)
        return problem or array("f", ANY)(value.data, sizes)

    return check


def count(name: str) -> Rule:
    """Demand the whole number that is the size of this name.

    Examples
    --------
    >>> count("d")(3, {"d": 2})
    'is 3 where d=2 is needed'
    """

    def check(value: Any, sizes: Sizes) -> str | None:
        if type(value) is not int or not 0 <= value <= _MOST_COLUMNS:
            return f"is {value!r} where a whole number is needed"
        if sizes.setdefault(name, value) != value:
            return f"is {value} where {name}={sizes[name]} is needed"
        return None

    return check


def records(dtype: np.dtype[np.void]) -> Rule:
    """Demand a table of these columns.

    Examples
    --------
    >>> records(np.dtype([("t", "f8")]))(np.zeros(2, [("t", "f8")]), {}) is None
    True
    """

    def check(value: Any, sizes: Sizes) -> str | None:
        good = isinstance(value, np.ndarray) and value.dtype == dtype and value.ndim == 1
        return None if good else f"is {_kind(value)} where a table of {dtype.names} is needed"

    return check


def instance(*types: type) -> Rule:
    """Demand an object of one of these types.

    Examples
    --------
    >>> instance(str)(3, {})
    'is 3 where str is needed'
    """

    def check(value: Any, sizes: Sizes) -> str | None:
        if isinstance(value, types) and not (isinstance(value, bool) and bool not in types):
            return None
        return f"is {_kind(value)} where {' or '.join(t.__name__ for t in types)} is needed"

    return check


def listed(rule: Rule) -> Rule:
    """Demand a list or tuple whose items follow a rule.

    Examples
    --------
    >>> listed(instance(float))([0.5, "a"], {})
    "has an item that is 'a' where float is needed"
    """

    def check(value: Any, sizes: Sizes) -> str | None:
        if not isinstance(value, list | tuple):
            return f"is {_kind(value)} where a list is needed"
        problems = (rule(item, sizes) for item in value)
        problem = next((problem for problem in problems if problem), None)
        return f"has an item that {problem}" if problem else None

    return check


def either(*choices: Rule) -> Rule:
    """Demand that one of several rules holds.

    Examples
    --------
    >>> either(instance(str), instance(int))(None, {})
    'is None where int is needed'
    """

    def check(value: Any, sizes: Sizes) -> str | None:
        problem = None
        for rule in choices:
            problem = rule(value, sizes)
            if problem is None:
                return None
        return problem

    return check


def _fit(found: tuple[int, ...], shape: tuple[str | int, ...], sizes: Sizes) -> str | None:
    named = {name: size for name, size in zip(shape, found, strict=False) if isinstance(name, str)}
    if len(found) == len(shape) and all(
        size == sizes.get(n, named[n]) if isinstance(n, str) else n in (ANY, size)
        for n, size in zip(shape, found, strict=True)
    ):
        sizes.update(named)
        return None
    needed = ", ".join(
        str(n) if isinstance(n, int) else f"{n}={sizes[n]}" if n in sizes else n for n in shape
    )
    return f"has shape {found} where ({needed}) is needed"


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}"
    return (
        repr(value)
        if value is None or isinstance(value, str | int | float)
        else (f"of type {type(value).__name__}")
    )
