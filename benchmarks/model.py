"""What a contestant returns, in one form for all: signed dual variables of each pair of classes."""

from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Model:
    """The decision of pair p on x is sum_s weights[s, p] k(x, x_support[s]) + intercept[p]."""

    support: NDArray[np.int64]  # rows of the training data
    weights: NDArray[np.float64]  # (support vectors, pairs): y alpha
    intercept: NDArray[np.float64]  # (pairs,)
    positive: NDArray[np.int64]  # (pairs,) the class that a positive decision speaks for
    negative: NDArray[np.int64]

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


def from_sklearn(svc, y) -> Model:
    """Take over a fitted SVC with scikit-learn's attributes; y are classes 0, 1, ..."""
    coef = svc.dual_coef_.toarray() if hasattr(svc.dual_coef_, "toarray") else svc.dual_coef_
    coef, intercept = coef.astype(np.float64), np.ravel(svc.intercept_).astype(np.float64)
    if len(svc.classes_) == 2:  # of two classes alone, the second is the positive one
        one, zero = np.array([1]), np.array([0])
        return Model(svc.support_, coef.T, intercept, positive=one, negative=zero)
    return from_libsvm(coef, svc.support_, y[svc.support_], intercept, range(len(svc.classes_)))
