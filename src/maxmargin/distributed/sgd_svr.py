"""Linear regression by stochastic steps on a cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from maxmargin import estimators
from maxmargin.distributed.stream_machine import ClusterStochasticMachine
from maxmargin.estimators.training import Training


class SGDSVR(ClusterStochasticMachine, estimators.SGDSVR):
    """Stochastic linear regression of rows on the workers of a Dask cluster, the gap stated.

    The problem and its steps are those of `maxmargin.SGDSVR`; how partitions are gone through, and
    what is refused, is as in `maxmargin.distributed.SGDSVC`.

    Parameters
    ----------
    loss, penalty, alpha, l1_ratio, epsilon, delta, method, learning_rate, eta0, power_t, average, \
fit_intercept, intercept, max_iter, tol, early_stopping, validation_fraction, n_iter_no_change, \
batch_size, shuffle, random_state, warm_start, verbose, time_limit, callback, on_interrupt, n_jobs
        As in `maxmargin.SGDSVR`; a worker uses the threads that it has.

    Attributes
    ----------
    coef_, intercept_, n_features_in_, certificate_, status_, history_, n_iter_, t_, eta0_, \
model_, solutions_
        As in `maxmargin.SGDSVR`.
    fit_report_ : dict
        Also has "cluster": rounds, tasks, bytes moved, seconds of workers and client.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from maxmargin.distributed import SGDSVR
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> X = da.linspace(-1, 1, 100, chunks=50).reshape(-1, 1)
    >>> model = SGDSVR(alpha=1e-3, random_state=0).fit(X, 3 * X[:, 0] + 1)
    >>> bool(abs(model.coef_[0] - 3) < 0.3)
    True
    >>> client.close()
    """

    _namesake = estimators.SGDSVR
    _target = "numbers"

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        data = self._place(X, y, sample_weight, reset=reset and not self._going_on)
        nothing = np.zeros(0)
        return Training(data, nothing, nothing, np.zeros(0, np.int64))
