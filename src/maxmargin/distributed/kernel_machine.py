"""What the kernel machines of a cluster share: rounds of working sets on the workers' rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.distributed.cluster import releasing
from maxmargin.distributed.machine import ClusterMachine
from maxmargin.distributed.outer_rounds import OuterRounds, Support
from maxmargin.distributed.partitions import Partitions
from maxmargin.distributed.share import pooled
from maxmargin.distributed.statement import Statement
from maxmargin.distributed.vectors import Vectors
from maxmargin.estimators.kernel_machine import KernelMachine
from maxmargin.estimators.training import Training
from maxmargin.models import KernelModel
from maxmargin.problems import Certificate, DualProblem, Solution, SolverSettings
from maxmargin.solvers import Watch


class ClusterKernelMachine(ClusterMachine, KernelMachine):
    """Base of the exact kernel machines whose rows are on the workers of a cluster."""

    def _check_combination(self) -> None:
        super()._check_combination()
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError(
                'kernel is "precomputed", which needs all rows in one place; on a cluster give a '
                "kernel of maxmargin.kernels, the name of one, or a function of two blocks of rows."
            )
        if isinf(getattr(self, "C", 1.0)):
            raise ValueError(
                "C is inf, the hard margin, which needs all rows in one place; on a cluster give a "
                "large finite C, such as 1e6."
            )
        if isinf(getattr(self, "tol", 0.0)):
            raise ValueError(
                "tol is inf, which leaves the end of the fit to tol_gap; on a cluster it must be a "
                "finite number greater than 0."
            )
        if self.warm_start:
            raise ValueError(
                "warm_start is True, which needs all rows in one place; on a cluster it must be "
                "False."
            )

    def _weighted_gamma(self, X: Any, weight: NDArray[np.float64] | None) -> float:
        """Value of gamma; "scale" takes the variance from the moments of all partitions."""
        if self.gamma != "scale":
            return super()._weighted_gamma(X, weight)
        total, _, squares = pooled([part.moments for part in X.contents])
        variance = squares / total
        if not np.isfinite(variance):
            raise ValueError(
                'gamma is "scale", which needs the variance of X, and that overflows: scale the '
                "data, or give gamma a number."
            )
        return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0

    # ---- Solving ----------------------------------------------------------------------------

    def _state(self, data: Training) -> Any:
        assert data.kernel is not None
        one: Any = self._namesake.__new__(self._namesake)
        vars(one).update({**self.get_params(deep=False), "callback": None})
        posed = Posed(data.X, Statement(one, data.kernel, data.classes, data.class_weight))
        return [posed] * (1 if data.classes is None else len(data.classes.keys))

    def _solve(
        self,
        problems: Sequence[Posed],
        settings: SolverSettings,
        watch: Watch,
        starts: Sequence[Any],
    ) -> Sequence[Solution]:
        """Solve all problems together: a pass over the rows serves all of them."""
        solutions = problems[0].begin(settings, watch).solve()
        for part, solution in enumerate(solutions):
            watch.parts = (part,)
            watch.solved([solution])
        return solutions

    def _model_of(
        self, data: Training, problems: Sequence[Any], solutions: Sequence[Solution]
    ) -> KernelModel:
        rounds: OuterRounds = problems[0].rounds
        used = np.unique(np.concatenate([each.places for each in rounds.support]))
        vectors, codes = rounds.vectors.among(used), np.zeros(1, np.int64)
        if len(used):
            codes = vectors.codes
        assert data.kernel is not None
        stated = [
            DualProblem(
                vectors.rows,
                data.kernel,
                np.searchsorted(used, each.places),
                np.zeros(len(each.places)),
                each.lower,
                each.upper,
            )
            for each in rounds.support
        ]
        own = replace(data, X=vectors.rows, y=codes, rows=np.arange(len(codes)), places=used)
        return super()._model_of(own, stated, solutions)

    def _likely_cause(self, data: Training) -> str:
        vectors = self.model_.vectors
        return super()._likely_cause(replace(data, X=vectors)) if vectors.shape[0] else ""

    # ---- The fitted state -------------------------------------------------------------------

    @property
    def history_(self) -> NDArray[np.void]:
        """How the fit got there: the rounds of each problem, all on the fit's clock."""
        return np.concatenate([solution.trace for solution in self._course()])

    def certify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Compute the certificate again from the training data, on the workers.

        Parameters
        ----------
        X, y, sample_weight : Dask collections or array-likes
            The data the model was fitted to, in the same order.

        Returns
        -------
        Certificate
            What `certificate_` should say.
        """
        self._course()
        with releasing():
            return self._certificate_on(self._check(X, y, sample_weight, reset=False))

    def _certificate_on(self, data: Training) -> Certificate:
        """Judge the model's variables on the rows of all workers."""
        if data.X.shape[0] != self._n_rows:
            raise ValueError(
                f"X has {data.X.shape[0]} rows but the model was fitted to {self._n_rows}; give "
                "the same data."
            )
        model = self.model_
        order = np.argsort(model.support)
        places = model.support[order]
        vectors = Vectors(places, model.vectors[order], np.zeros(len(order), np.int64))
        support = [_support_of(places, weights[order]) for weights in model.weights.T]
        found = self._state(data)[0].begin(self._settings(), Watch()).certify(support, vectors)
        return Certificate(tuple(part for each in found for part in each.parts))


class Posed:
    """The problems of a fit on the rows of a cluster.

    Parameters
    ----------
    partitions : Partitions
        The rows.
    state : Statement
        The problems.

    Examples
    --------
    >>> Posed(None, None).begin is None
    False
    """

    rounds: OuterRounds

    def __init__(self, partitions: Partitions, state: Statement) -> None:
        self._partitions, self._of = partitions, state

    def begin(self, settings: SolverSettings, watch: Watch) -> OuterRounds:
        """Return what solves them.

        Parameters
        ----------
        settings, watch
            As in `OuterRounds`.
        """
        self.rounds = OuterRounds(self._partitions, self._of, settings, watch)
        return self.rounds


def _support_of(places: NDArray[np.int64], weights: NDArray[np.float64]) -> Support:
    """Return the variables of a fitted model; workers know the boxes."""
    used = np.flatnonzero(weights)
    nothing = np.zeros(len(used))
    return Support(places[used], weights[used], nothing, nothing)
