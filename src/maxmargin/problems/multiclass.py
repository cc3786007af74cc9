"""From k classes to binary problems: each pair of classes, or each class against the rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, combinations, pairwise

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Pair:
    """Two classes and the rows that belong to them.

    Parameters
    ----------
    positive, negative : int
        Class numbers; -1 for all other classes.
    rows : ndarray of int64
        Rows of the first class and then those of the second, each in the order of the data; all
        rows in that order where there are two classes, or one against all others.
    y : ndarray of float64
        +1 for `positive`, -1 for `negative`, one value per row.

    Examples
    --------
    >>> import numpy as np
    >>> [pair.y for pair in one_vs_one(np.array([0, 1, 1]), 2)]
    [array([-1.,  1.,  1.])]
    """

    positive: int
    negative: int
    rows: NDArray[np.int64]
    y: NDArray[np.float64]


def one_vs_one(codes: NDArray[np.integer], n_classes: int) -> list[Pair]:
    """Pair every class with every later one.

    The first class of a pair is the positive one, except that of two classes alone the second is:
    these are scikit-learn's signs.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        Class number of each row, 0 to n_classes - 1.
    n_classes : int
        Number of classes.

    Examples
    --------
    >>> import numpy as np
    >>> [(p.positive, p.negative) for p in one_vs_one(np.array([0, 1, 2]), 3)]
    [(0, 1), (0, 2), (1, 2)]
    """
    pairs = [(1, 0)] if n_classes == 2 else combinations(range(n_classes), 2)
    rows, y, sizes = stacked_pairs(codes, n_classes)
    ends = pairwise([0, *accumulate(sizes)])
    return [
        Pair(first, second, rows[begin:end], y[begin:end])
        for (first, second), (begin, end) in zip(pairs, ends, strict=True)
    ]


def stacked_pairs(
    codes: NDArray[np.integer], n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], list[int]]:
    """Return the pairs of `one_vs_one` in one: all their rows, all y, and how many each has.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        Class number of each row, 0 to n_classes - 1.
    n_classes : int
        Number of classes.

    Examples
    --------
    >>> import numpy as np
    >>> stacked_pairs(np.array([0, 1, 2, 2]), 3)[::2]
    (array([0, 1, 0, 2, 3, 1, 2, 3]), [2, 3, 3])
    """
    codes = np.asarray(codes)
    if n_classes == 2:
        return np.arange(len(codes)), np.where(codes == 1, 1.0, -1.0), [len(codes)]
    counts = np.bincount(codes, minlength=n_classes)
    by_class = codes.argsort(kind="stable")
    # Class after class: what a class has in common with itself is the same in all its pairs.
    parts, signs = _classes_of_pairs(n_classes)
    sizes = counts[parts]
    # From places among all parts to places in `by_class`.
    moved = (counts.cumsum() - counts)[parts] - (sizes.cumsum() - sizes)
    places = moved.repeat(sizes)
    places += np.arange(len(places))
    return by_class[places], signs.repeat(sizes), (sizes[::2] + sizes[1::2]).tolist()


@lru_cache(maxsize=8)
def _classes_of_pairs(n_classes: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the two classes of each pair, pair after pair, and their signs."""
    parts = np.stack(np.triu_indices(n_classes, 1), axis=1).ravel()
    return parts, np.resize([1.0, -1.0], len(parts))


def one_vs_rest(codes: NDArray[np.integer], n_classes: int) -> list[Pair]:
    """Set every class against all others; two classes are one problem.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        Class number of each row, 0 to n_classes - 1.
    n_classes : int
        Number of classes.

    Examples
    --------
    >>> import numpy as np
    >>> [pair.y for pair in one_vs_rest(np.array([0, 1, 2]), 3)]
    [array([ 1., -1., -1.]), array([-1.,  1., -1.]), array([-1., -1.,  1.])]
    """
    codes, rows = np.asarray(codes), np.arange(len(codes))
    if n_classes == 2:
        return [Pair(1, 0, rows, np.array([-1.0, 1.0])[codes])]
    return [Pair(k, -1, rows, np.where(codes == k, 1.0, -1.0)) for k in range(n_classes)]
