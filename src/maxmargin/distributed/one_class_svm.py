"""Support of a distribution on a cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from maxmargin import estimators
from maxmargin.distributed.kernel_machine import ClusterKernelMachine
from maxmargin.distributed.machine import DecidingMachine
from maxmargin.estimators.training import Training


class OneClassSVM(DecidingMachine, ClusterKernelMachine, estimators.OneClassSVM):
    """Where most of a distribution lies, exactly, from rows on the workers of a Dask cluster.

    The problem, its parameters and its certificate are those of `maxmargin.OneClassSVM`, and so is
    the answer, to the tolerance; where the work is done, and what is refused, is as in
    `maxmargin.distributed.SVC`. A share of at least nu of all rows are support vectors, and every
    worker is sent each of them: choose nu as small as the outliers are few.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, nu, shrinking, cache_size, verbose, max_iter, warm_start, \
tol_gap, time_limit, callback, on_interrupt, n_jobs
        As in `maxmargin.OneClassSVM` and `maxmargin.distributed.SVC`.

    Attributes
    ----------
    offset_, model_, solutions_, certificate_, status_, history_, alphas_, alpha_, \
support_status_, support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, \
fit_status_, shape_fit_, n_features_in_, feature_names_in_
        As in `maxmargin.OneClassSVM`; `support_` counts the rows of all partitions in their order.
    fit_report_ : dict
        Also has "cluster": rounds of messages, tasks, bytes moved, seconds of workers and client.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from maxmargin.distributed import OneClassSVM
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> X = da.from_array([[0.0], [0.4], [0.6], [0.9], [9.0]], chunks=(3, 1))
    >>> model = OneClassSVM(gamma=0.1, nu=0.5).fit(X)
    >>> model.predict([[0.5], [9.0]])
    array([ 1, -1])
    >>> client.close()
    """

    _namesake = estimators.OneClassSVM
    _target = "none"

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        data, nothing = self._place(X, None, sample_weight, reset=reset), np.zeros(0)
        return self._with_kernel(
            Training(data, nothing, nothing, np.zeros(0, np.int64)), reset=reset
        )
