"""Kernel machines that solve one problem: all but the formulation."""

from __future__ import annotations

from abc import abstractmethod

from maxmargin.data import Dataset
from maxmargin.estimators.kernel_machine import KernelMachine
from maxmargin.estimators.training import Training
from maxmargin.kernels import Kernel
from maxmargin.problems import DualProblem


class SingleMachine(KernelMachine):
    """A kernel machine that solves one problem: all but the formulation."""

    @abstractmethod
    def _problem(self, data: Dataset, kernel: Kernel) -> DualProblem:
        """State the problem."""

    def _state(self, data: Training) -> list[DualProblem]:
        kernel, X = self._stated(data)
        return [self._problem(Dataset(X, data.y, data.weight), kernel)]

    @property
    def n_iter_(self) -> int:
        """Number of steps."""
        self._check_fitted()
        return sum(solution.work.iterations for solution in self.solutions_)
