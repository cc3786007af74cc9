"""Linear regression on a cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.distributed.linear_machine import ClusterLinearMachine
from maxmargin.distributed.linear_rows import Regression
from maxmargin.distributed.partitions import Partitions
from maxmargin.estimators import LinearSVR as OneMachineLinearSVR
from maxmargin.estimators.training import Training
from maxmargin.losses import named_loss


class LinearSVR(ClusterLinearMachine, OneMachineLinearSVR):
    """Exact linear support vector regression of rows on the workers of a Dask cluster.

    The problem, its parameters and its certificate are those of `maxmargin.LinearSVR`, and so is
    the answer, to the tolerance; where the work is done, and what is not there, is as in
    `maxmargin.distributed.LinearSVC`.

    Parameters
    ----------
    epsilon, tol, C, loss, fit_intercept, intercept_scaling, dual, verbose, random_state, \
max_iter, intercept, solver, time_limit, callback, on_interrupt, n_jobs
        As in `maxmargin.LinearSVR`; `n_jobs` are threads of the client.

    Attributes
    ----------
    coef_, intercept_, n_features_in_, certificate_, status_, history_, n_iter_, model_, solutions_
        As in `maxmargin.LinearSVR`.
    fit_report_ : dict
        Also has "cluster": rounds, tasks, bytes moved, seconds of workers and client.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from maxmargin.distributed import LinearSVR
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> X = da.arange(8.0, chunks=4).reshape(-1, 1)
    >>> model = LinearSVR(C=10.0).fit(X, 3 * X[:, 0] + 1)
    >>> model.coef_.round(4), model.intercept_.round(4)
    (array([3.]), array([1.]))
    >>> client.close()
    """

    _namesake = OneMachineLinearSVR
    _target = "numbers"

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        data = self._place(X, y, sample_weight, reset=reset)
        nothing = np.zeros(0)
        return Training(data, nothing, nothing, np.zeros(0, np.int64))

    def _state(  # type: ignore[override]
        self, data: Training
    ) -> list[tuple[Partitions, Regression]]:
        loss = named_loss(self.loss, self.epsilon)
        return [(data.X, Regression(loss, self.C, self._intercept()))]
