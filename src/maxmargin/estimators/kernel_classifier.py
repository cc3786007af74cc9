"""Classification by kernel machines: all but the formulation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from maxmargin.data import Dataset, scatter
from maxmargin.estimators.calibrated_classifier import (
    CALIBRATION_RULES,
    FOLD_TOL,
    Array,
    CalibratedClassifier,
    Folds,
    by_content,
    deal,
    worst_status,
)
from maxmargin.estimators.classes import (
    ONE_CLASS_LEFT,
    ClassWeight,
    class_weights,
    classification_data,
)
from maxmargin.estimators.kernel_machine import KERNEL_RULES, KernelMachine
from maxmargin.estimators.machine import RANDOM
from maxmargin.estimators.parameters import BOOLEAN, MAPPING, NONE, Rule, one_of
from maxmargin.estimators.run import FitRun
from maxmargin.estimators.training import Training
from maxmargin.kernels import Kernel
from maxmargin.problems import (
    DualProblem,
    DualProblems,
    Pair,
    Solutions,
    Status,
    one_vs_one,
    one_vs_rest,
    stacked_pairs,
)
from maxmargin.solvers import choose

#: scikit-learn's word for what it has deprecated is its default.
PROBABILITY = BOOLEAN | one_of("deprecated")
CLASSIFIER_RULES: dict[str, Rule] = {
    **KERNEL_RULES,
    **RANDOM,
    **CALIBRATION_RULES,
    "multi_class": one_of("ovo", "ovr"),
    "decision_function_shape": one_of("ovr", "ovo"),
    "break_ties": BOOLEAN,
    "class_weight": one_of("balanced") | MAPPING | NONE,
}


class KernelClassifier(ClassifierMixin, CalibratedClassifier, KernelMachine):  # type: ignore[misc]
    """Classification by kernel machines, each pair of classes or each class against the rest."""

    #: Whether a row is stated alike whatever the others are: then all problems are stated at once.
    _row_by_row: ClassVar[bool] = True
    _one_class_left: ClassVar[str] = ONE_CLASS_LEFT
    class_weight: ClassWeight
    multi_class: str
    probability: bool | str = False
    decision_function_shape: str
    break_ties: bool

    @abstractmethod
    def _problem(self, data: Dataset, kernel: Kernel, rows: NDArray[np.int64]) -> DualProblem:
        """State the problem of one pair of classes."""

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        X = self._check_rows(X, reset=reset)
        data = classification_data(
            X,
            y,
            sample_weight,
            self.class_weight,
            one_class_left=self._one_class_left,
            scheme=self.multi_class,
        )
        assert data.classes is not None
        if not reset and not np.array_equal(data.classes.names, self.classes_):
            raise ValueError(
                f"y has classes {data.classes.names} but the model was fitted to {self.classes_}; "
                "give the same data."
            )
        if self._calibration() is not None:
            data = self._gathered(data)
        return self._with_kernel(data, reset=reset)

    def _gathered(self, data: Training) -> Training:
        """Return data as a calibrated fit takes them: rows in the order of their content."""
        assert data.classes is not None
        names = data.classes.names
        self._check_method(data.classes)
        if self._by_place():
            return data
        data = by_content(data)
        factors = class_weights(self.class_weight, names, data.y, data.weight)
        return replace(
            data,
            X=data.X[data.rows],
            rows=np.arange(len(data.rows)),
            given=data.weight,
            class_weight=factors,
            places=data.rows,
            shape=data.X.shape,
        )

    def _state(self, data: Training) -> Sequence[DualProblem]:
        kernel, X = self._stated(data)
        weight = data.factors

        def state(rows: NDArray[np.int64], y: NDArray[np.float64]) -> DualProblem:
            return self._problem(Dataset(X, y, weight[rows]), kernel, data.rows[rows])

        if not self._row_by_row:
            return [state(pair.rows, pair.y) for pair in self._pairs(data)]
        rows, y, sizes = self._stacked(data)
        return DualProblems(state(rows, y), sizes)

    def _pairs(self, data: Training) -> list[Pair]:
        """Return the binary problems that the classes make."""
        assert data.classes is not None
        split = one_vs_one if self.multi_class == "ovo" else one_vs_rest
        return split(data.y, len(data.classes.names))

    def _stacked(self, data: Training) -> tuple[NDArray[np.int64], NDArray[np.float64], list[int]]:
        """Return them in one: rows, signs, and how many each has."""
        assert data.classes is not None
        if self.multi_class == "ovo":
            return stacked_pairs(data.y, len(data.classes.names))
        pairs = self._pairs(data)
        rows = np.concatenate([pair.rows for pair in pairs])
        return rows, np.concatenate([pair.y for pair in pairs]), [len(pair.rows) for pair in pairs]

    # ---- Probabilities ----------------------------------------------------------------------

    def _deal(self, data: Training) -> Folds:
        if self._by_place():
            return deal(scatter(data.rows.astype(np.uint64)), data.y)
        return super()._deal(data)

    def _held_out(
        self, run: FitRun, data: Training, problems: Sequence[DualProblem], folds: Folds
    ) -> tuple[Array, Status]:
        """Hold rows out by empty boxes: all folds share kernel values, and none are left to do."""
        # A violation of nu-SVC is in units of rho, which may be small.
        tol = self.tol if problems[0].unit_margin else max(self.tol, FOLD_TOL)
        settings = replace(self._settings(), gradients=True, tol=tol)
        if any(choose(problem, settings) != "smo" for problem in problems):
            return super()._held_out(run, data, problems, folds)
        place = np.zeros(data.rows.max() + 1, np.int64)
        place[data.rows] = np.arange(len(data.rows))
        cells = [
            (output, problem, place[problem.rows], held)
            for output, problem in enumerate(problems)
            for held in _each_fold(folds[place[problem.rows]])
        ]
        stated = [problem.without(held) for _, problem, _, held in cells]
        solutions = run.solve_more(stated, settings)
        outputs = np.full((len(data.rows), len(problems)), np.nan)
        for (output, _, places, held), problem, found in zip(cells, stated, solutions, strict=True):
            if found.gradient is not None:  # time was left for it
                outputs[places[held], output] = problem.outputs(found)[held]
        return outputs, worst_status(solutions)

    def _calibration(self) -> Any:
        return self.calibration or ("sigmoid" if self.probability is True else None)

    def _new_rows(self, X: Any) -> Any:
        return self._check_new(X)

    def _probabilities(self, rows: Any) -> Any:
        ties = self.break_ties and self.decision_function_shape == "ovr"
        return self.model_.probabilities(rows, self._threads(), break_ties=ties)

    @property
    def probA_(self) -> Array:
        """Slopes of the pairs' sigmoids, as in LIBSVM; empty without them."""
        return self._platt("slopes")

    @property
    def probB_(self) -> Array:
        """Offsets of the pairs' sigmoids, as in LIBSVM; empty without them."""
        return self._platt("offsets")

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes in order."""
        self._check_fitted()
        assert self.model_.classes is not None
        return self.model_.classes.names

    @property
    def n_iter_(self) -> NDArray[np.int32]:
        """Steps of each problem."""
        self._check_fitted()
        return np.array(Solutions.of(self.solutions_).iterations, np.int32)

    # ---- Predicting -------------------------------------------------------------------------

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; with a precomputed kernel, its values against all training rows or against the
            support vectors alone.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            Two classes: positive speaks for `classes_[1]`. More: as `decision_function_shape` says.
        """
        outputs = self._decide(X)
        classes = self.model_.classes
        assert classes is not None
        if len(classes.names) == 2:
            return outputs[:, 0]
        if self.decision_function_shape == "ovo" or classes.scheme == "ovr":
            return outputs
        return classes.scores(outputs)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, as in `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        self._check_fitted()
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError(
                "break_ties must be False when decision_function_shape is 'ovo': ties are broken "
                'by class scores, which decision_function_shape="ovr" has.'
            )
        rows = self._check_new(X)
        return self.model_.predict(rows, self._threads(), break_ties=self.break_ties)


def _each_fold(folds: Folds) -> Iterator[NDArray[np.bool_]]:
    """Yield for each fold that some rows are in which of them are."""
    for fold in np.unique(folds[folds >= 0]):
        yield folds == fold
