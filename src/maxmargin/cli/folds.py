"""The folds of LIBSVM's cross-validation: the same rows in the same folds as in its svm-train.

svm-train shuffles by C's rand() and never seeds it, so that its folds are the same in every run.
Here rand() is the GNU C library's, on any system.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from maxmargin.storage.libsvm import libsvm_order


def libsvm_folds(n_rows: int, n_folds: int, y: NDArray[np.int64] | None) -> list[NDArray[np.int64]]:
    """Cut rows into folds, of which each is left out once.

    Parameters
    ----------
    n_rows, n_folds : int
        Rows and folds, at most as many folds as rows.
    y : ndarray of shape (n_rows,), optional
        Labels that each fold is to have in equal shares; not looked at if each row is a fold.

    Returns
    -------
    list of ndarrays
        The rows of each fold, in LIBSVM's order.

    Examples
    --------
    >>> [fold.tolist() for fold in libsvm_folds(5, 2, None)]
    [[3, 0], [2, 4, 1]]
    """
    groups = [np.arange(n_rows)]
    if y is not None and n_folds < n_rows:
        groups = [np.flatnonzero(y == label) for label in libsvm_order(y)]
    random = glibc_random()
    parts: list[list[NDArray[np.int64]]] = [[] for _ in range(n_folds)]
    for rows in groups:
        for i in range(len(rows)):
            j = i + next(random) % (len(rows) - i)
            rows[i], rows[j] = rows[j], rows[i]
        ends = np.arange(1, n_folds) * len(rows) // n_folds
        for part, cut in zip(parts, np.split(rows, ends), strict=True):
            part.append(cut)
    return [np.concatenate(part) for part in parts]


def glibc_random() -> Iterator[int]:
    """Yield the numbers of the GNU C library's rand() with its first seed, 1.

    An additive generator, r_i = r_(i-3) + r_(i-31) modulo 2^32, that leaves out the lowest bit. Its
    first 31 numbers are those of r_i = 16807 r_(i-1) modulo 2^31 - 1; 310 more are thrown away.

    Examples
    --------
    >>> list(islice(glibc_random(), 3))
    [1804289383, 846930886, 1681692777]
    """
    seeds = [1]
    while len(seeds) < 31:
        seeds.append(16807 * seeds[-1] % (2**31 - 1))
    # The last 31 numbers; the first three are repeated before the sums begin.
    state = deque(seeds[3:] + seeds[:3], maxlen=31)

    def sums() -> Iterator[int]:
        while True:
            state.append((state[0] + state[-3]) % 2**32)
            yield state[-1] >> 1

    yield from islice(sums(), 310, None)
