"""What the exact linear machines share: chunks, the method, dual variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.data import ChunkedMatrix, Chunks
from maxmargin.estimators.advice import AdviceWarning
from maxmargin.estimators.linear_machine import LinearMachine
from maxmargin.estimators.machine import MACHINE_RULES, RANDOM
from maxmargin.estimators.parameters import BOOLEAN, LIMIT, POSITIVE, Rule, one_of
from maxmargin.estimators.row_values import alpha_of
from maxmargin.estimators.training import Training, check_finite
from maxmargin.models import LinearModel
from maxmargin.problems import (
    CrammerSingerProblem,
    LinearProblem,
    Solution,
    Solutions,
    SolverSettings,
)
from maxmargin.solvers import LINEAR_METHODS

LINEAR_RULES: dict[str, Rule] = {
    **MACHINE_RULES,
    **RANDOM,
    "tol": POSITIVE,
    "C": POSITIVE,
    "dual": one_of("auto") | BOOLEAN,
    "fit_intercept": BOOLEAN,
    "intercept_scaling": POSITIVE,
    "intercept": one_of("free", "penalized"),
    "max_iter": LIMIT,
    "solver": one_of(*LINEAR_METHODS),
}


class ExactLinearMachine(LinearMachine):
    """Base of the linear machines that are solved to a certified gap."""

    _measure = "gap"
    _at_limit = "failed to converge, increase the number of iterations: max_iter={} was reached"

    loss: str
    C: float
    intercept_scaling: float
    solver: str

    def _check_combination(self) -> None:
        if self.solver == "descent" and self.loss == "logistic":
            raise ValueError(
                'solver is "descent" and loss is "logistic"; coordinate descent takes the other '
                'losses only. Use solver="newton-cg".'
            )

    def _scanned(
        self, X: Any, y: Any, sample_weight: ArrayLike | None
    ) -> tuple[Any, Any, ArrayLike | None]:
        """Go through a source of chunks once, for its shape and what is there as a whole."""
        if not isinstance(X, Chunks):
            return X, y, sample_weight
        if y is not None or sample_weight is not None:
            raise ValueError("y and sample_weight must be None: a source of chunks has its own.")
        if self.solver not in ("auto", "newton", "newton-cg"):
            raise ValueError(
                f"solver is {self.solver!r}, which goes through rows in any order; for a source "
                'of chunks it must be "auto", "newton" or "newton-cg".'
            )
        if getattr(self, "penalty", "l2") != "l2":
            raise ValueError('penalty is "l1"; for a source of chunks it must be "l2".')
        matrix = ChunkedMatrix.scan(X)
        return matrix, matrix.y, matrix.weight

    def _check_rows(self, X: Any, *, reset: bool) -> Any:
        if isinstance(X, ChunkedMatrix):
            self.n_features_in_ = X.shape[1]
            return X
        X = super()._check_rows(X, reset=reset)
        if reset:
            refuse_overflow(X)
        return X

    def _settings(self, **own: Any) -> SolverSettings:
        return super()._settings(method=self.solver, **own)

    def _model_of(
        self,
        data: Training,
        problems: Sequence[LinearProblem | CrammerSingerProblem],
        solutions: Sequence[Solution],
    ) -> LinearModel:
        model = LinearModel.of(problems, solutions, classes=data.classes)
        check_finite(model.dense_coef, model.intercepts)
        return model

    def _kept(self, solutions: Sequence[Solution]) -> Sequence[Solution]:
        """Return all but what the model has."""
        return Solutions(replace(solution, beta=None, w=None) for solution in solutions)

    def _solution_of(self, output: int, problem: LinearProblem | CrammerSingerProblem) -> Solution:
        model, whole = self.model_, isinstance(problem, CrammerSingerProblem)
        outputs = slice(None) if whole else output
        return replace(
            self.solutions_[output],
            beta=model.variables(outputs, self._n_rows)[..., problem.rows],
            w=model.dense_coef[outputs],
            multipliers=tuple(np.atleast_1d(model.intercepts[outputs]).tolist()),
        )

    def _advice(self, good: bool) -> Iterator[Warning]:
        if self.fit_intercept and self.intercept == "free" and self.intercept_scaling != 1:
            yield AdviceWarning(
                f"intercept_scaling={self.intercept_scaling:g} does nothing, because a free "
                'intercept is not penalised; with intercept="penalized", as in LIBLINEAR, it does.'
            )

    def _good(self) -> bool:
        return self.certificate_.gap <= self.tol

    @property
    def support_(self) -> NDArray[np.int32]:
        """Rows with a dual variable other than zero."""
        self._course()
        return self.model_.support.astype(np.int32)

    @property
    def dual_coef_(self) -> NDArray[np.float64]:
        """Their signed dual variables, exactly at their bounds where they are."""
        self._course()
        return self.model_.weights

    @property
    def alpha_(self) -> NDArray[np.float64]:
        """Size of each row's dual variable: (n_samples,), or of several problems a row each."""
        return alpha_of(np.abs(self.dual_coef_), self.support_, self._n_rows)

    @property
    def margin_(self) -> NDArray[np.float64]:
        """Geometric margin 1 / |w| of each problem; infinite where all weights are zero."""
        self._check_fitted()
        with np.errstate(divide="ignore"):
            return np.asarray(1.0 / np.linalg.norm(self.model_.dense_coef, axis=1))

    @property
    def n_iter_(self) -> int:
        """Most steps of a problem."""
        self._check_fitted()
        return max((solution.work.iterations for solution in self.solutions_), default=0)

    @property
    def solver_(self) -> str:
        """The method that was used."""
        return self._course()[0].method


def refuse_overflow(X: Any) -> None:
    """Refuse rows with entries whose squares, which are summed, have no room.

    Parameters
    ----------
    X : ndarray or CSR
        Rows.
    """
    largest = _core.largest(X.data if sparse.issparse(X) else X)
    limit = 1e150 / sqrt(max(1, X.shape[0] * X.shape[1]))
    if largest > limit:
        raise ValueError(
            f"X has an entry of size {largest:.1e}, whose square overflows in sums: scale the "
            "data, e.g. with sklearn.preprocessing.StandardScaler."
        )
