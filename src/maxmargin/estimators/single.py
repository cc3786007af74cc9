"""Kernel machines with one problem and one output: regression and one-class."""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.data import Dataset
from maxmargin.estimators.base import (
    KernelMachine,
    check_gram,
    check_weight,
    unchanged_on_error,
)
from maxmargin.estimators.callbacks import FitTasks, with_callbacks
from maxmargin.estimators.parameters import Rule, check_parameters
from maxmargin.estimators.warm_start import Memory
from maxmargin.kernels import Kernel
from maxmargin.models import KernelModel
from maxmargin.problems import DualProblem, RowVariables


class SingleMachine(KernelMachine):
    """A kernel machine that solves one problem: all but the formulation."""

    _rules: ClassVar[dict[str, Rule]]

    @abstractmethod
    def _problem(self, data: Dataset, kernel: Kernel) -> DualProblem:
        """State the problem."""

    @abstractmethod
    def _check_targets(self, y: Any, X: Any) -> NDArray[np.float64]:
        """Targets as numbers, a value a row."""

    def _check_data(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool
    ) -> Dataset:
        X = self._check_rows(X, reset=reset)
        targets = self._check_targets(y, X)
        weight = check_weight(sample_weight, targets)
        if self.kernel == "precomputed":
            X = check_gram(X)
        return Dataset(X, targets, weight)

    def _fit_checked(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Self:
        check_parameters(self.get_params(deep=False), self._rules)
        with unchanged_on_error(self):
            rows = self._fit(X, y, sample_weight)
        self._warn_if_not_converged(rows, stacklevel=4)
        return self

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Any:
        start = time.perf_counter()
        data = self._check_data(X, y, sample_weight, reset=True)
        kernel = self._make_kernel(data.X, None if sample_weight is None else data.weight)
        problems = [self._state(data, kernel)]
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        tasks = FitTasks(self, {"X": X, "y": y, "metadata": metadata}, 1)
        starts = self._starts([None], problems, data.X)
        problems, solutions, status = self._solve(problems, starts, tasks, start)
        found = RowVariables.of(problems, [solution.b for solution in solutions])
        model = KernelModel.from_solutions(problems, solutions, kernel, found)
        memory = Memory.of([None], found, solutions)
        self._assign_solutions(model, data.X, solutions, status, memory)
        self.dual_coef_ = np.ascontiguousarray(model.weights.T)
        self.n_support_ = np.array([len(model.support)], np.int32)
        self.n_iter_ = solutions[0].iterations
        tasks.finish()
        return data.X

    def _state(self, data: Dataset, kernel: Kernel) -> DualProblem:
        stated, X = self._stated(kernel, data.X)
        return self._problem(Dataset(X, data.y, data.weight), stated)

    def _state_again(
        self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None
    ) -> list[DualProblem]:
        data = self._check_data(X, y, sample_weight, reset=False)
        return [self._state(data, self._model.kernel)]
