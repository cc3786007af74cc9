"""Probabilities: what is learnt from rows that a machine was not fitted to."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.metaestimators import available_if

from maxmargin.data import distinct
from maxmargin.estimators.machine import Machine
from maxmargin.estimators.parameters import NONE, Rule, one_of
from maxmargin.estimators.run import FitRun
from maxmargin.estimators.training import Training
from maxmargin.models import Classes, Sigmoids, VennAbers, calibrate
from maxmargin.problems import Solution, Status

Array: TypeAlias = NDArray[np.float64]
Folds: TypeAlias = NDArray[np.int64]

CALIBRATION_RULES: dict[str, Rule] = {"calibration": one_of("sigmoid", "venn-abers") | NONE}

#: Rows are dealt out to so many folds: with three, fits of few rows per
#: class are too pessimistic.
N_FOLDS = 4
#: Held-out rows of each class that are enough for the two numbers of a sigmoid: what these cost in
#: log-loss is about one over the rows. Folds beyond are not solved.
ENOUGH = 2000
#: The fits without a fold are solved to this violation: the error of their outputs is small beside
#: the width of a sigmoid.
FOLD_TOL = 1e-2


def deal(keys: NDArray[Any], codes: NDArray[np.int64]) -> Folds:
    """Deal the rows of each class out to folds in turn, in the order of their keys.

    Parameters
    ----------
    keys : ndarray of shape (n,)
        Rows with equal keys are copies, and stay together.
    codes : ndarray of int64, shape (n,)
        Number of the class of each row.

    Returns
    -------
    ndarray of int64, shape (n,)
        Number of the fold of each row; -1, none, where a class has nothing but copies of one row,
        and in folds that are not needed.

    Examples
    --------
    >>> deal(np.array([7, 3, 7, 5, 1]), np.array([0, 0, 0, 0, 1])).tolist()
    [2, 0, 2, 1, -1]
    """
    order = np.lexsort((keys, codes))
    first = np.concatenate([[True], np.diff(codes[order]) != 0])
    new = first | np.concatenate([[True], keys[order][1:] != keys[order][:-1]])
    place = np.cumsum(new) - 1
    rank = place - np.maximum.accumulate(np.where(first, place, 0))
    folds = np.empty(len(codes), np.int64)
    folds[order] = rank % N_FOLDS
    single = np.flatnonzero(np.bincount(codes[order], new) == 1)
    folds[np.isin(codes, single)] = -1
    return _needed(folds, codes)


def _needed(folds: Folds, codes: NDArray[np.int64]) -> Folds:
    """Return the folds up to that which makes the held-out rows of every class enough."""
    dealt = folds >= 0
    if not dealt.any():
        return folds
    counts = np.zeros((N_FOLDS, int(codes.max()) + 1), np.int64)
    np.add.at(counts, (folds[dealt], codes[dealt]), 1)
    enough = (np.cumsum(counts, axis=0) >= ENOUGH).all(axis=1)
    last = int(np.argmax(enough)) if enough.any() else N_FOLDS - 1
    return np.where(folds <= last, folds, -1)


def by_content(data: Training) -> Training:
    """Order rows by class and content and merge copies, so that nothing depends on their order.

    Parameters
    ----------
    data : Training
        Of a classifier, with rows of numbers.

    Returns
    -------
    Training
        The same data: `rows` are distinct ones, their weights those of all copies.
    """
    order, number = distinct(data.X[data.rows], data.y, data.weight)
    chosen = order[np.flatnonzero(np.diff(number, prepend=-1))]
    weight = np.bincount(number, data.weight[order]).astype(np.float64)
    return replace(data, y=data.y[chosen], weight=weight, rows=data.rows[chosen])


def worst_status(solutions: Sequence[Solution]) -> Status:
    """Return how the worst of some fits ended."""
    return max((solution.status for solution in solutions), default=Status.OPTIMAL)


def _calibrated(machine: Any) -> bool:
    """Whether a machine is asked for probabilities; the reason is in the words of scikit-learn."""
    if machine._calibration() is None:
        raise AttributeError(
            f"predict_proba is not available when {_switch(machine)}: set "
            'calibration="sigmoid" and fit again'
        )
    return True


def _switch(machine: Any) -> str:
    """Return what leaves probabilities out; where scikit-learn has a name for it, that."""
    return "probability=False" if "probability" in vars(machine) else "calibration=None"


def _interval(machine: Any) -> bool:
    if machine._calibration() != "venn-abers":
        raise AttributeError(
            'predict_proba_interval is available when calibration="venn-abers": set it and fit '
            "again"
        )
    return True


class CalibratedClassifier(Machine):
    """Base of the classifiers that tell probabilities when they are asked to."""

    calibration: str | None
    _rules: ClassVar[dict[str, Rule]]

    def _calibration(self) -> Any:
        """Return the method, or None."""
        return self.calibration

    def _check_method(self, classes: Classes | None) -> None:
        """Refuse a method that is not for these classes."""
        assert classes is not None
        if self._calibration() == "venn-abers" and len(classes.names) > 2:
            raise ValueError(
                f'calibration is "venn-abers" and y has {len(classes.names)} classes; intervals '
                'are for two classes. Use calibration="sigmoid".'
            )

    # ---- Fitting ----------------------------------------------------------------------------

    def _finish(self, run: FitRun, data: Training, problems: Sequence[Any]) -> None:
        method = self._calibration()
        if method is None:
            return
        assert data.classes is not None
        began = time.perf_counter()
        folds = self._deal(data)
        outputs, status = self._held_out(run, data, problems, folds)
        held = folds >= 0
        found = calibrate(
            method,
            data.classes,
            outputs[held],
            data.y[held],
            data.factors[held],
            self._threads(),
        )
        self.model_ = replace(self.model_, calibration=found)
        seconds = time.perf_counter() - began
        run.report["calibration"] = {
            "method": method,
            "folds": len(np.unique(folds[held])),
            "rows": int(held.sum()),
            "seconds": seconds,
        }
        if status in (Status.TIME_LIMIT, Status.INTERRUPTED):
            warnings.warn(
                f"The calibration ended early: {run.limit(status)}. Probabilities rest on fits "
                "that are not finished; predictions do not.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _deal(self, data: Training) -> Folds:
        """Return the fold of each of the data's rows."""
        return deal(np.arange(len(data.y)), data.y)

    def _without(self, data: Training, held: NDArray[np.bool_]) -> Training:
        """Return the data without some of its rows."""
        kept = ~held
        return replace(data, y=data.y[kept], weight=data.weight[kept], rows=data.rows[kept])

    def _held_out(
        self, run: FitRun, data: Training, problems: Sequence[Any], folds: Folds
    ) -> tuple[Array, Status]:
        """Return the outputs of each row by a machine that has not seen its fold.

        Not a number in rows of no fold; and how the worst of the fits ended.
        """
        assert data.classes is not None
        outputs = np.full((len(data.y), data.classes.n_outputs), np.nan)
        parts = [self._without(data, folds == fold) for fold in np.unique(folds[folds >= 0])]
        stated = [self._state(part) for part in parts]
        solutions = run.solve_more([p for each in stated for p in each], self._settings())
        found = iter(solutions)
        for fold, part, each in zip(np.unique(folds[folds >= 0]), parts, stated, strict=True):
            model = self._model_of(part, each, [next(found) for _ in each])
            held = folds == fold
            outputs[held] = model.decide(data.X[data.rows[held]], self._threads())
        return outputs, worst_status(solutions)

    # ---- The fitted state -------------------------------------------------------------------

    def _check_calibrated(self) -> None:
        self._check_fitted()
        if self.model_.calibration is None:
            raise NotFittedError(
                f"predict_proba is not available when fitted with {_switch(self)}: fit again with "
                'calibration="sigmoid" (a stream learns no probabilities).'
            )

    def _new_rows(self, X: Any) -> Any:
        """Check rows to predict."""
        return self._check_rows(X, reset=False)

    def _probabilities(self, rows: Any) -> Any:
        return self.model_.probabilities(rows, self._threads())

    @available_if(_calibrated)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Estimate the probability of each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, as in `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            A row per sample, with sum 1, the classes as in `classes_`. The class that `predict`
            names has the largest. With weights they are those of the weighted population.
        """
        self._check_calibrated()
        return np.asarray(self._probabilities(self._new_rows(X)))

    @available_if(_calibrated)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Array:
        """Estimate the logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, as in `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of `predict_proba`.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    @available_if(_interval)  # type: ignore[untyped-decorator]
    def predict_proba_interval(self, X: Any) -> Array:
        """Bound the probability of the second of two classes by its Venn-Abers interval.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, as in `predict`.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Lower and upper end. One of them is calibrated, whatever the distribution of rows;
            they are close where rows with similar outputs are many.
        """
        self._check_calibrated()
        calibration = self.model_.calibration
        assert isinstance(calibration, VennAbers)
        return calibration.interval(self.model_.decide(self._new_rows(X), self._threads()))

    def _platt(self, part: str) -> Array:
        """Return the numbers of the sigmoids as LIBSVM has them; none where there are none."""
        self._check_fitted()
        calibration = self.model_.calibration
        if not isinstance(calibration, Sigmoids):
            return np.zeros(0)
        # Of two classes alone LIBSVM's first label is the positive one: P becomes 1 - P, f -f.
        if part == "slopes":
            return calibration.slopes.copy()
        return (-1.0 if len(calibration.offsets) == 1 else 1.0) * calibration.offsets
