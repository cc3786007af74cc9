"""Outputs of a model when one feature is shuffled, from what changes alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline

from maxmargin import _core
from maxmargin.estimators.machine import Machine
from maxmargin.explain.gaussian import Feature, gaussian_shuffles, quick_features
from maxmargin.kernels import Linear
from maxmargin.kernels.terms import Term, product_terms
from maxmargin.models import LinearModel

Array = NDArray[np.float64]


def split(model: Any) -> tuple[Any, Any]:
    """Return the transformers of a pipeline, None without any, and its last step.

    Parameters
    ----------
    model : estimator
        A machine, a pipeline, or anything.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> split(SVC())
    (None, SVC())
    """
    if isinstance(model, Pipeline) and len(model.steps) > 1:
        return model[:-1], model[-1]
    return (None, model[-1]) if isinstance(model, Pipeline) else (None, model)


@dataclass(frozen=True, eq=False)
class Shuffles:
    """Rows as a machine has them, and the shuffles of each feature.

    Parameters
    ----------
    machine : Machine
        Fitted.
    terms : list of Term or None
        What its kernel is made of; None for weights of the features.
    data : ndarray of shape (n, d)
        The rows, transformed.
    outputs : ndarray of shape (n, p)
        What the model says of them.
    groups : list of ndarrays of int64
        Columns of `data` that each feature becomes.
    orders : ndarray of int64, shape (n_repeats, n)
        Which row each one's feature is taken from.
    """

    machine: Machine
    terms: list[Term] | None
    data: Array
    outputs: Array
    groups: list[NDArray[np.int64]]
    orders: NDArray[np.int64]

    @classmethod
    def of(cls, model: Any, X: Any, seed: int, n_repeats: int) -> Shuffles | None:
        """Return the shuffles of all features, or None where all must be predicted again.

        Parameters
        ----------
        model : estimator
            A machine or a pipeline.
        X : table of shape (n, d)
            Rows as they are given to the model.
        seed, n_repeats : int
            Of the shuffles.
        """
        transformers, machine = split(model)
        if not isinstance(machine, Machine) or sparse.issparse(X):
            return None
        X = X if hasattr(X, "iloc") else np.asarray(X)
        orders = _orders(len(X), seed, n_repeats)
        given = X if transformers is None else transformers.transform(X)
        data = machine._check_new(given)
        if sparse.issparse(data) or not isinstance(data, np.ndarray) or data.dtype.kind != "f":
            return None
        data = np.ascontiguousarray(data, np.float64)
        linear = isinstance(machine.model_, LinearModel) or machine.model_.kernel == Linear()
        terms = None if linear else product_terms(machine.model_.kernel, data.shape[1])
        if not linear and terms is None:
            return None
        groups: list[NDArray[np.int64]] | None = [np.array([j]) for j in range(data.shape[1])]
        if transformers is not None:
            groups = _groups(transformers, machine, X, data, orders)
        if groups is None:
            return None
        outputs = machine.model_.decide(data, machine._threads())
        return cls(machine, terms, data, outputs, groups, orders)

    def rows(self, feature: int, shuffle: int | None) -> Array:
        """Return the rows with a feature shuffled, or as they are.

        Parameters
        ----------
        feature : int
            Which feature.
        shuffle : int or None
            Which shuffle.
        """
        rows = self.data.copy()
        if shuffle is not None:
            columns = self.groups[feature]
            rows[:, columns] = self.data[self.orders[shuffle][:, None], columns]
        return rows

    def shuffled(self, features: slice) -> Array:
        """Return the outputs when each of some features is shuffled.

        Parameters
        ----------
        features : slice
            Which features.

        Returns
        -------
        ndarray of shape (n_features, n_repeats, n, p)
        """
        groups = self.groups[features]
        if self.terms is None:
            return np.stack([self._linear(columns) for columns in groups])
        alone = {g: self._quick[int(of[0])] for g, of in enumerate(groups) if len(of) == 1}
        quick = {g: feature for g, feature in alone.items() if feature is not None}
        others = [g for g in range(len(groups)) if g not in quick]
        model = self.machine.model_
        sums = np.empty((len(groups), *self.orders.shape, model.weights.shape[1]))
        if quick:
            sums[list(quick)] = gaussian_shuffles(
                self.terms[0], {int(groups[g][0]): quick[g] for g in quick}, self.data,
                self._centres, model.weights, self.orders, self.machine._threads(),
            )  # fmt: skip
        if others:
            sums[others] = self._changes([groups[g] for g in others])
        return np.asarray(sums + model.intercepts)

    @cached_property
    def _centres(self) -> Array:
        vectors = self.machine.model_.vectors
        return np.asarray(vectors.toarray() if sparse.issparse(vectors) else vectors, np.float64)

    @cached_property
    def _quick(self) -> list[Feature | None]:
        """What is known of each column, where one set of sums does for all shuffles."""
        assert self.terms is not None
        if len(self.terms) > 1:
            return [None] * self.data.shape[1]
        weights, shuffles = self.machine.model_.weights, len(self.orders)
        return quick_features(self.terms[0], self.data, self._centres, weights, shuffles)

    def _changes(self, groups: list[NDArray[np.int64]]) -> Array:
        """Return shuffled outputs without their intercepts, by the compiled core."""
        assert self.terms is not None
        model = self.machine.model_
        return _core.shuffled_outputs(
            [term.core() for term in self.terms],
            model.kernel.data(self.data),
            model.kernel.data(model.vectors),
            model.weights,
            np.concatenate(groups).astype(np.int64),
            np.cumsum([0, *map(len, groups)]).astype(np.int64),
            self.orders,
            self.machine._threads(),
        )

    def _linear(self, columns: NDArray[np.int64]) -> Array:
        """Return f + w_g (x'_g - x_g)."""
        coef = self.machine.model_.coef
        weights = (coef.toarray() if sparse.issparse(coef) else np.asarray(coef))[:, columns]
        own = self.data[:, columns]
        return np.asarray(self.outputs + (own[self.orders] - own) @ weights.T)


def _orders(n: int, seed: int, n_repeats: int) -> NDArray[np.int64]:
    """Return scikit-learn's shuffles: each one of the column as the last one has left it."""
    rng, places, whole = np.random.RandomState(seed), np.arange(n), np.arange(n)
    orders = np.empty((n_repeats, n), np.int64)
    for row in orders:
        rng.shuffle(places)
        whole = whole[places]
        row[:] = whole
    return orders


def _groups(
    transformers: Any, machine: Machine, X: Any, data: Array, orders: NDArray[np.int64]
) -> list[NDArray[np.int64]] | None:
    """Return the columns that each feature becomes; None where one depends on several features.

    Every shuffle of every feature is transformed, and must be a shuffle of some columns.
    """
    found = []
    for j in range(X.shape[1]):
        changed = [_transformed(transformers, machine, X, j, order) for order in orders]
        columns = np.flatnonzero(np.any([(rows != data).any(axis=0) for rows in changed], axis=0))
        for rows, order in zip(changed, orders, strict=True):
            if not np.array_equal(rows[:, columns], data[order][:, columns]):
                return None
        found.append(columns)
    return found


def _transformed(
    transformers: Any, machine: Machine, X: Any, column: int, order: NDArray[np.int64]
) -> Array:
    rows = X.copy()
    if hasattr(X, "iloc"):
        values = X.iloc[order, column]
        values.index = X.index
        rows[X.columns[column]] = values
    else:
        rows[:, column] = X[order, column]
    return np.asarray(machine._check_new(transformers.transform(rows)), np.float64)
