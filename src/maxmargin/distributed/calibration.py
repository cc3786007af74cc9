"""Probabilities on a cluster: from the outputs of rows that a machine has not seen.

As on one machine, folds of rows are held out, machines are fitted without each of them, and their
outputs of the held-out rows are calibrated. A row's fold is told by its content, wherever it is, so
that copies are held out together and nothing depends on how the data are partitioned.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from maxmargin.data import hashes
from maxmargin.distributed.machine import DecidingMachine
from maxmargin.distributed.partitions import Partitions
from maxmargin.distributed.share import Contents, Partition, Share, contents_of
from maxmargin.estimators.calibrated_classifier import (
    ENOUGH,
    N_FOLDS,
    CalibratedClassifier,
    worst_status,
)
from maxmargin.estimators.classes import numbers
from maxmargin.estimators.run import FitRun
from maxmargin.estimators.training import Training
from maxmargin.models import calibrate
from maxmargin.problems import Status

#: Held-out rows of a class that the client is sent, about, and they stand for all: what two numbers
#: of a sigmoid are learnt from, and a Venn-Abers interval, becomes no better with more.
MOST = 50_000

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Folds:
    """Which rows are held out, and when.

    Parameters
    ----------
    names : ndarray
        All classes, in order.
    held : ndarray of bool, shape (n_classes,)
        Whether rows of a class are held out: not those that would leave none.
    shares : ndarray of shape (n_classes,)
        The share of a class's held-out rows that speak for all of them.

    Examples
    --------
    >>> from maxmargin.distributed.share import read_partition
    >>> part = read_partition(0, [[0.0], [1.0], [0.0]], ["a", "b", "a"], None, "classes", "SVC")
    >>> found = Folds(np.array(["a", "b"]), np.array([True, False]), np.ones(2)).of(part)
    >>> bool(found[0] == found[2]), int(found[1])
    (True, -1)
    """

    names: NDArray[Any]
    held: NDArray[np.bool_]
    shares: NDArray[np.float64]

    def of(self, partition: Partition) -> NDArray[np.int64]:
        """Return the fold of each row; -1 where it is in none.

        Parameters
        ----------
        partition : Partition
            Rows.
        """
        codes = numbers(partition.y, self.names)
        dealt = (partition.weight > 0) & self.held[codes]
        return np.where(dealt, _folds(partition), -1)

    def without(self, partition: Partition, fold: int) -> Partition:
        """Return a partition in which the rows of a fold do not count.

        Parameters
        ----------
        partition : Partition
            Rows.
        fold : int
            Its number.
        """
        return replace(partition, weight=np.where(self.of(partition) == fold, 0, partition.weight))


def _folds(partition: Partition) -> NDArray[np.int64]:
    return (hashes(partition.X) % np.uint64(N_FOLDS)).astype(np.int64)


class WithoutFold(Partitions):
    """Partitions as they are without the rows of a fold; they stay where they are.

    Parameters
    ----------
    whole : Partitions
        All rows.
    folds : Folds
        Which rows are in which.
    fold : int
        The one that is left out.
    """

    def __init__(self, whole: Partitions, folds: Folds, fold: int) -> None:
        self.cluster, self._whole, self._left = whole.cluster, whole, (folds, fold)
        self.contents = whole.surviving(self._look)

    def _look(self) -> list[Contents]:
        found = [contents for part in self.map(contents_of) for contents in part]
        return sorted(found, key=lambda contents: contents.number)

    @property
    def n_workers(self) -> int:
        """How many workers hold rows."""
        return self._whole.n_workers

    @property
    def holders(self) -> dict[int, str]:
        """The address of the worker that holds each partition."""
        return self._whole.holders

    def _calls(self, function: Callable[..., Any], args: tuple[Any, ...]) -> list[Any]:
        return self._whole._calls(without_fold, (*self._left, function, *args))

    def _call(self, address: str, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        return self._whole._call(address, without_fold, (*self._left, function, *args))

    def surviving(self, attempt: Callable[[], T]) -> T:
        """Do something with the partitions, as `Partitions.surviving` does.

        Parameters
        ----------
        attempt : callable
            What to do.
        """
        return self._whole.surviving(attempt)


def without_fold(
    share: Share, folds: Folds, fold: int, function: Callable[..., T], *args: Any
) -> T:
    """Call a function on what a worker holds beside a fold.

    Parameters
    ----------
    share : Share
        The worker's.
    folds, fold
        What is left out.
    function, *args
        What to call.

    Examples
    --------
    >>> from maxmargin.distributed.share import count_rows
    >>> none = Folds(np.array(["a", "b"]), np.zeros(2, bool), np.ones(2))
    >>> without_fold(Share("fit", []), none, 0, count_rows)
    0
    """
    key = f"without fold {fold}"
    if key not in share.kept:
        share.kept[key] = [folds.without(part, fold) for part in share.partitions]
    return function(replace(share, partitions=share.kept[key]), *args)


def count_folds(share: Share, names: NDArray[Any]) -> NDArray[np.int64]:
    """Return how many rows that count a worker has, of each fold and class.

    Parameters
    ----------
    share : Share
        The worker's.
    names : ndarray
        All classes, in order.

    Examples
    --------
    >>> count_folds(Share("fit", []), np.array(["a", "b"])).sum()
    np.int64(0)
    """
    counts = np.zeros((N_FOLDS, len(names)), np.int64)
    for partition in share.partitions:
        counting = partition.weight > 0
        codes = numbers(partition.y[counting], names)
        np.add.at(counts, (_folds(partition)[counting], codes), 1)
    return counts


def plan_folds(counts: NDArray[np.int64], names: NDArray[Any]) -> tuple[Folds, int]:
    """Return what is held out, and how many folds make enough held-out rows of every class.

    Parameters
    ----------
    counts : ndarray of shape (n_folds, n_classes)
        Rows of each fold and class.
    names : ndarray
        The classes.

    Examples
    --------
    >>> folds, n = plan_folds(np.array([[9000, 1], [9000, 0], [9000, 0], [9000, 0]]), np.arange(2))
    >>> folds.held.tolist(), n
    ([True, False], 1)
    """
    held = (counts > 0).sum(axis=0) > 1
    if not held.any():
        return Folds(names, held, np.ones(len(names))), 0
    enough = (np.cumsum(counts, axis=0)[:, held] >= ENOUGH).all(axis=1)
    n_folds = 1 + int(np.argmax(enough)) if enough.any() else N_FOLDS
    seen = counts[:n_folds].sum(axis=0)
    return Folds(names, held, np.minimum(1.0, MOST / np.maximum(seen, 1))), n_folds


def held_outputs(
    share: Share, model: Any, folds: Folds, fold: int, factors: NDArray[np.float64]
) -> list[tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]]:
    """Return outputs, classes and weights of a worker's rows of a fold.

    Parameters
    ----------
    share : Share
        The worker's.
    model : LinearModel or KernelModel
        Fitted without these rows.
    folds, fold
        What was held out.
    factors : ndarray of shape (n_classes,)
        Of the weights of each class.

    Examples
    --------
    >>> none = Folds(np.array(["a", "b"]), np.zeros(2, bool), np.ones(2))
    >>> held_outputs(Share("fit", []), None, none, 0, np.ones(2))
    []
    """
    found = []
    for partition in share.partitions:
        codes = numbers(partition.y, folds.names)
        # Other bits of the content than those that told the fold.
        chance = (hashes(partition.X) >> np.uint64(11)) * 2.0**-53
        rows = np.flatnonzero((folds.of(partition) == fold) & (chance < folds.shares[codes]))
        own = codes[rows]
        outputs = model.decide(partition.X[rows], share.n_threads)
        found.append((outputs, own, partition.weight[rows] * (factors / folds.shares)[own]))
    return found


class CalibratingMachine(DecidingMachine, CalibratedClassifier):
    """Base of the classifiers on a cluster that tell probabilities when they are asked to."""

    def _finish(self, run: FitRun, data: Training, problems: Sequence[Any]) -> None:
        if self._calibration() is not None:
            self._calibrate(run, data)
        super()._finish(run, data, problems)

    def _calibrate(self, run: FitRun, data: Training) -> None:
        """Learn probabilities from machines that are fitted without a fold each."""
        assert data.classes is not None
        began, names, rows = time.perf_counter(), data.classes.names, data.X
        counts = rows.surviving(lambda: rows.sum(count_folds, names))
        folds, n_folds = plan_folds(counts, names)
        nothing = (np.zeros((0, data.classes.n_outputs)), np.zeros(0, np.int64), np.zeros(0))
        held, worst = [nothing], Status.OPTIMAL
        for fold in range(n_folds):
            outcome, status = self._held(run, data, folds, fold)
            held, worst = held + outcome, max(worst, status)
        outputs, codes, weight = (np.concatenate(column) for column in zip(*held, strict=True))
        method, threads = self._calibration(), self._threads()
        found = calibrate(method, data.classes, outputs, codes, weight, threads)
        self.model_ = replace(self.model_, calibration=found)
        run.report["calibration"] = {
            "method": method,
            "folds": n_folds,
            "rows": len(codes),
            "seconds": time.perf_counter() - began,
        }
        if worst in (Status.TIME_LIMIT, Status.INTERRUPTED):
            warnings.warn(
                f"The calibration ended early: {run.limit(worst)}. Probabilities rest on fits "
                "that are not finished; predictions do not.",
                ConvergenceWarning,
                stacklevel=6,
            )

    def _held(
        self, run: FitRun, data: Training, folds: Folds, fold: int
    ) -> tuple[list[Any], Status]:
        """Return what `held_outputs` says of a fold's rows, and how the fit without them ended."""
        part = replace(data, X=WithoutFold(data.X, folds, fold))
        problems = self._state(part)
        solutions = run.solve_more(problems, self._settings())
        model = self._model_of(part, problems, solutions)
        found: list[list[Any]] = data.X.surviving(
            lambda: data.X.map(held_outputs, model, folds, fold, data.class_weight)
        )
        return [each for worker in found for each in worker], worst_status(solutions)

    @available_if(lambda machine: machine._alone().predict_proba)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Estimate the probability of each class; lazily where X is a Dask collection.

        Parameters
        ----------
        X : Dask array or dataframe, or array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        Dask array or ndarray of shape (n_samples, n_classes)
            A row per sample, with sum 1, the classes as in `classes_`.
        """
        return self._on_blocks("predict_proba", X)

    @available_if(lambda machine: machine._alone().predict_proba)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Any:
        """Estimate the logarithm of the probability of each class, as `predict_proba` does.

        Parameters
        ----------
        X : Dask array or dataframe, or array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        Dask array or ndarray of shape (n_samples, n_classes)
        """
        return self._on_blocks("predict_log_proba", X)

    @available_if(lambda machine: machine._alone().predict_proba_interval)  # type: ignore[untyped-decorator]
    def predict_proba_interval(self, X: Any) -> Any:
        """Bound the probability of the second of two classes by its Venn-Abers interval.

        Parameters
        ----------
        X : Dask array or dataframe, or array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        Dask array or ndarray of shape (n_samples, 2)
            Lower and upper end.
        """
        return self._on_blocks("predict_proba_interval", X)
