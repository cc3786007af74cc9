"""The rows of a search as the machine gets them, and which of them each split trains on."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing

from maxmargin.estimators.classes import check_labels, check_names, class_weights, numbered
from maxmargin.estimators.training import check_gram, check_targets, check_weight
from maxmargin.kernels import Kernel
from maxmargin.problems import PathPart, one_vs_one, one_vs_rest
from maxmargin.selection.sharing import Subject, copied

#: From so many rows on the matrix of a linear kernel costs more than what its fits would share.
TALL_ROWS = 4096

Places = NDArray[np.int64]
Split = tuple[Places, Places]


@dataclass(frozen=True, eq=False)
class SearchData:
    """What a search is made on.

    Parameters
    ----------
    X, y : array-likes
        As they were given.
    targets : ndarray of shape (n,)
        Numbers of classes, or the targets of a regression.
    names : ndarray or None
        The classes.
    splits : list of pairs of ndarrays
        Rows to train on and rows to test on.
    weight, score_weight : ndarray or None
        What rows count in fits, and in scores.
    """

    X: Any
    y: Any
    targets: NDArray[Any]
    names: NDArray[Any] | None
    splits: Sequence[Split]
    weight: NDArray[np.float64] | None = None
    score_weight: NDArray[Any] | None = None

    @classmethod
    def of(cls, subject: Subject, X: Any, y: Any, splits: Sequence[Split], **weights: Any) -> Any:
        """Check targets and weights.

        Parameters
        ----------
        subject : Subject
            The estimator.
        X, y : array-likes
            As they were given.
        splits : list of pairs of ndarrays
            Rows to train on and rows to test on.
        **weights
            `weight` and `score_weight`.
        """
        if weights["weight"] is not None:
            check_weight(weights["weight"], y)
            weights["weight"] = np.asarray(weights["weight"], np.float64)
        if not subject.classifies:
            targets = check_targets(y, X, type(subject.machine).__name__)
            return cls(X, y, targets, None, splits, **weights)
        names, codes = numbered(check_labels(y, X))
        subject.machine._check_method(_Names(names))
        return cls(X, y, codes, names, splits, **weights)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.targets)

    def on(self, rows: Places) -> SearchData:
        """Return the same search with splits that have some of the rows only.

        Parameters
        ----------
        rows : ndarray of int64
            The rows.
        """
        chosen = np.zeros(self.n_rows, np.bool_)
        chosen[rows] = True
        splits = [(train[chosen[train]], test[chosen[test]]) for train, test in self.splits]
        return replace(self, splits=splits)


@dataclass(frozen=True)
class _Names:
    """Classes, for the check of what probabilities can be learnt for them."""

    names: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Fold:
    """A split of some rows.

    Parameters
    ----------
    number : int
        Of the split.
    train, test : ndarrays of int64
        Places among the rows.
    """

    number: int
    train: Places
    test: Places


class FoldRows:
    """Rows that the engine gets, and folds of them.

    Parameters
    ----------
    data : SearchData
        The search.
    subject : Subject
        Its estimator.
    X : rows
        As the transformers give them.
    places : ndarray of int64
        Where each of them stands in the data.
    folds : sequence of Fold
        Splits of them.
    seconds : float
        What the transformers have taken.
    """

    def __init__(
        self,
        data: SearchData,
        subject: Subject,
        X: Any,
        places: Places,
        folds: Sequence[Fold],
        seconds: float = 0.0,
    ) -> None:
        self.base = copied(subject.machine)
        self.X = self.base._check_rows(X, reset=True)
        if subject.machine.kernel == "precomputed":
            self.X = check_gram(self.X)
        self.places = places
        self.folds = folds
        self.seconds = seconds
        self._data = data
        self._subject = subject
        self._targets = data.targets[places]
        self._kernels: dict[Hashable, list[Kernel]] = {}
        self._parts: dict[tuple[int, ...], list[PathPart]] = {}

    @property
    def tall(self) -> bool:
        """Whether fits of a linear kernel, which are solved on the primal, need no matrix."""
        n, d = self.X.shape
        return bool(n > max(TALL_ROWS, 2 * d))

    @classmethod
    def whole(cls, data: SearchData, subject: Subject) -> FoldRows:
        """Return all rows of a search without transformers, for all splits.

        Parameters
        ----------
        data, subject
            The search.
        """
        used = np.zeros(data.n_rows, np.bool_)
        for split in data.splits:
            for places in split:
                used[places] = True
        if used.all() or subject.machine.kernel == "precomputed":
            places, X = np.arange(data.n_rows), data.X
        else:
            places = np.flatnonzero(used)
            X = _safe_indexing(data.X, places)
        at = np.cumsum(used) - 1 if len(places) < data.n_rows else places
        folds = [Fold(k, at[train], at[test]) for k, (train, test) in enumerate(data.splits)]
        return cls(data, subject, X, places, folds)

    @classmethod
    def transformed(
        cls, data: SearchData, subject: Subject, params: dict[str, Any], number: int
    ) -> FoldRows:
        """Fit transformers to the training rows of a split, and return its rows.

        Parameters
        ----------
        data, subject
            The search.
        params : dict
            Of the transformers.
        number : int
            Of the split.
        """
        began = time.perf_counter()
        train, test = data.splits[number]
        steps = subject.transformer(params)
        inside = steps.fit_transform(_safe_indexing(data.X, train), _safe_indexing(data.y, train))
        outside = steps.transform(_safe_indexing(data.X, test))
        seconds = time.perf_counter() - began
        n = len(train)
        fold = Fold(number, np.arange(n), np.arange(n, n + len(test)))
        places = np.concatenate([train, test])
        return cls(data, subject, _stacked(inside, outside), places, [fold], seconds)

    def kernels(self, params: dict[str, Any]) -> list[Kernel]:
        """Return the kernel of a candidate in each fold, as a fit to its training rows has it.

        Parameters
        ----------
        params : dict
            The parameters of the candidate's kernel.
        """
        key: Hashable = tuple(params.items())
        try:
            known = self._kernels.get(key)
        except TypeError:  # a value without a hash
            key = (repr(params),)
            known = self._kernels.get(key)
        if known is None:
            known = self._kernels[key] = self._made(params)
        return known

    def _made(self, params: dict[str, Any]) -> list[Kernel]:
        machine = self._subject.with_kernel(self.base, params)
        kernel = machine.kernel
        by_rows = isinstance(kernel, str) and kernel not in ("linear", "cosine", "precomputed")
        if machine.gamma != "scale" or not by_rows:
            return [machine._make_kernel(self.X, None)] * len(self.folds)
        weight = None if self._data.weight is None else np.maximum(self._data.weight, 0.0)
        return [
            machine._make_kernel(
                self.X[fold.train], None if weight is None else weight[self.places[fold.train]]
            )
            for fold in self.folds
        ]

    def penalty(self, fold: Fold, class_weight: Any) -> tuple[NDArray[np.float64], Places]:
        """Return what each row counts in the training of a fold, and the classes that do.

        Raises ValueError where a fit would.

        Parameters
        ----------
        fold : Fold
            One of `folds`.
        class_weight : dict, "balanced" or None
            Of a candidate.
        """
        given, n = self._data.weight, len(self.places)
        raw = None if given is None else given[self.places[fold.train]]
        weight = check_weight(raw, fold.train)
        if self._data.names is None:
            return np.bincount(fold.train, weight, n).astype(np.float64), np.zeros(0, np.int64)
        counting = weight > 0
        codes = self._targets[fold.train][counting]
        present = np.flatnonzero(np.bincount(codes, minlength=len(self._data.names)))
        names = self._data.names
        if len(present) < 2:
            check_names(names[codes], names[self._targets[fold.train]])
        number = np.full(len(names), -1)
        number[present] = np.arange(len(present))
        factors = class_weights(class_weight, names[present], number[codes], weight[counting])
        weight[counting] *= factors[number[codes]]
        return np.bincount(fold.train, weight, n).astype(np.float64), present

    def parts(self, present: Places) -> list[PathPart]:
        """Return the problems of some classes, or that of a regression.

        Parameters
        ----------
        present : ndarray of int64
            The classes, by their numbers.
        """
        key = tuple(present.tolist())
        if key not in self._parts:
            self._parts[key] = list(self._stated(present))
        return self._parts[key]

    def _stated(self, present: Places) -> Iterator[PathPart]:
        if self._data.names is None:
            yield PathPart.tube(np.arange(len(self.places)), self._targets)
            return
        number = np.full(len(self._data.names), -1)
        number[present] = np.arange(len(present))
        codes = number[self._targets]
        rows = np.flatnonzero(codes >= 0)
        split = one_vs_one if self._subject.votes else one_vs_rest
        for pair in split(codes[rows], len(present)):
            yield PathPart.hinge(rows[pair.rows], pair.y)


def _stacked(above: Any, below: Any) -> Any:
    """Put rows under rows, whatever holds them."""
    if sparse.issparse(above) or sparse.issparse(below):
        return sparse.vstack([above, below], format="csr")
    if hasattr(above, "columns"):
        import pandas as pd

        return pd.concat([above, below])
    return np.concatenate([above, below])
