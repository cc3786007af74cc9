"""What a contestant returns, in one form for all: signed dual variables of each problem it solved.

An SVC solves one for each pair of classes, the other machines one: their `positive` and `negative`
are empty.
"""

from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

_none = partial(np.zeros, 0, np.int64)


@dataclass(frozen=True, eq=False)
class Model:
    """The decision of pair p on x is sum_s weights[s, p] k(x, x_support[s]) + intercept[p].

    A positive one speaks for the class positive[p].
    """

    support: NDArray[np.int64]  # rows of the training data
    weights: NDArray[np.float64]  # (support vectors, pairs): y alpha
    intercept: NDArray[np.float64]  # (pairs,)
    positive: NDArray[np.int64] = field(default_factory=_none)  # (pairs,)
    negative: NDArray[np.int64] = field(default_factory=_none)

    def save(self, path: Path) -> None:
        np.savez(path, **asdict(self))

    @classmethod
    def load(cls, path: Path) -> Self:
        with np.load(path) as file:
            return cls(**file)


def from_libsvm(coef, support, codes, intercept, labels) -> Model:
    """Take LIBSVM's layout apart, which scikit-learn and oneDAL share for three classes or more.

    Row r of `coef` has, in the columns of a class, its variables against its r-th other class;
    `codes` are the support vectors' classes as places in `labels`.
    """
    pairs = list(combinations(range(len(labels)), 2))
    weights = np.zeros((len(support), len(pairs)))
    for p, (first, second) in enumerate(pairs):
        weights[codes == first, p] = coef[second - 1, codes == first]
        weights[codes == second, p] = coef[first, codes == second]
    positive, negative = np.array(labels)[np.array(pairs)].T
    return Model(np.asarray(support), weights, np.asarray(intercept), positive, negative)


def from_sklearn(machine, y) -> Model:
    """Take over a fitted machine with scikit-learn's attributes; an SVC's y: classes 0, 1, ..."""
    svc, coef = machine, machine.dual_coef_
    coef = (coef.toarray() if hasattr(coef, "toarray") else coef).astype(np.float64)
    intercept = np.ravel(svc.intercept_).astype(np.float64)
    if not hasattr(svc, "classes_"):
        return Model(svc.support_, coef.T, intercept)
    if len(svc.classes_) == 2:  # of two classes alone, the second is the positive one
        one, zero = np.array([1]), np.array([0])
        return Model(svc.support_, coef.T, intercept, positive=one, negative=zero)
    return from_libsvm(coef, svc.support_, y[svc.support_], intercept, range(len(svc.classes_)))
