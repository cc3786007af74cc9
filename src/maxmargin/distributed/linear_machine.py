"""What the linear machines of a cluster share: Newton's method on passes of the workers' rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.distributed.linear_rows import Statement, answer, open_rows, target_moments
from maxmargin.distributed.machine import ClusterMachine
from maxmargin.distributed.partitions import Partitions
from maxmargin.distributed.share import pooled
from maxmargin.estimators.exact_linear_machine import ExactLinearMachine
from maxmargin.estimators.training import Training, check_finite
from maxmargin.losses import MarginLoss
from maxmargin.models import LinearModel
from maxmargin.problems import Solution, SolverSettings
from maxmargin.solvers import MATRIX_COLUMNS, RemoteParts, Watch, newton_on_parts, with_reason


class ClusterLinearMachine(ClusterMachine, ExactLinearMachine):
    """Base of the exact linear machines whose rows are on the workers of a cluster.

    Dual variables stay with the rows, and are let go when the fit has been certified: there is no
    `support_`, `dual_coef_` and `alpha_`, and `certify` has nothing to judge.
    """

    def _check_combination(self) -> None:
        super()._check_combination()
        if self.solver not in ("auto", "newton", "newton-cg"):
            raise ValueError(
                f"solver is {self.solver!r}, which needs all rows in one place; on a cluster it "
                'must be "auto", "newton" or "newton-cg".'
            )

    def _solve(
        self,
        problems: Sequence[tuple[Partitions, Statement]],
        settings: SolverSettings,
        watch: Watch,
        starts: Sequence[Any],
    ) -> Sequence[Solution]:
        """Solve one problem after the other; a watch that has said stop ends each at once."""
        solutions: list[Solution] = []
        for part, (rows, state) in enumerate(problems):
            watch.parts = (part,)
            solutions.append(newton(rows, state, settings, watch))
            watch.solved(solutions[-1:])
        return solutions if watch.reason is None else with_reason(solutions, watch.reason)

    def _model_of(
        self, data: Training, problems: Sequence[Any], solutions: Sequence[Solution]
    ) -> LinearModel:
        coef = np.stack([np.asarray(found.w) for found in solutions])
        intercepts = np.concatenate([found.multipliers for found in solutions])
        check_finite(coef, intercepts)
        return LinearModel.plain(coef, intercepts, data.classes)

    def _elsewhere(self, name: str) -> NoReturn:
        raise AttributeError(
            f"{name}: the dual variables of a fit on a cluster stay with the rows and are let go "
            "with them; certificate_ was computed from them."
        )

    @property
    def support_(self) -> NDArray[np.int32]:
        """Not there: dual variables stay with the rows."""
        self._elsewhere("support_")

    @property
    def dual_coef_(self) -> NDArray[np.float64]:
        """Not there: dual variables stay with the rows."""
        self._elsewhere("dual_coef_")

    def certify(self, X: Any, y: Any = None, sample_weight: Any = None) -> NoReturn:
        """Raise: there are no dual variables to judge.

        Parameters
        ----------
        X, y, sample_weight
            Of no use.
        """
        self._elsewhere("certify")


def newton(
    partitions: Partitions, state: Statement, settings: SolverSettings, watch: Watch
) -> Solution:
    """Solve a linear problem on rows of the workers down to a relative gap of tol.

    Parameters
    ----------
    partitions : Partitions
        The rows.
    state : OneAgainstRest or Regression
        The problem.
    settings : SolverSettings
        Limits; `n_threads` are those of the client, which solves Newton's equations.
    watch : Watch
        Asked about every 50 ms whether to stop.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from maxmargin.distributed.cluster import Cluster
    >>> from maxmargin.distributed.linear_rows import Regression
    >>> from maxmargin.losses import EpsilonInsensitive
    >>> from maxmargin.problems import Intercept
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> X = da.arange(6, chunks=3).reshape(-1, 1)
    >>> data = Partitions(Cluster(client), X, 2 * X[:, 0], target="numbers")
    >>> problem = Regression(EpsilonInsensitive(), 9.0, Intercept())
    >>> found = newton(data, problem, SolverSettings(tol=1e-4), Watch())
    >>> found.w.round(2), found.status.name
    (array([1.96]), 'OPTIMAL')
    >>> client.close()
    """
    method = str(settings.method)
    if method == "auto":
        method = "newton" if partitions.shape[1] <= MATRIX_COLUMNS else "newton-cg"
    return partitions.surviving(
        lambda: newton_on_parts(_opened(partitions, state), settings, watch, method)
    )


def _opened(partitions: Partitions, state: Statement) -> RemoteParts:
    """Begin a problem on all workers."""
    scale = 1.0
    if not isinstance(state.loss, MarginLoss):
        count, _, squares = pooled(partitions.map(target_moments))
        scale = float(np.sqrt(squares / count)) or 1.0
    shapes, parts, kinked = partitions.sum(open_rows, state, scale)

    def exchange(request: NDArray[np.float64], poll: Callable[[], None]) -> _core.LinearAnswer:
        def tick() -> bool:
            poll()
            return False  # what has been asked is waited for

        with partitions.cluster.asking(tick):
            return partitions.sum(answer, request)

    return RemoteParts(
        partitions.shape[1], kinked > 0, state.intercept, scale, shapes, parts, exchange
    )
