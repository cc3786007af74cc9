"""Regression with kernels on a cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from maxmargin import estimators
from maxmargin.distributed.kernel_machine import ClusterKernelMachine
from maxmargin.estimators.training import Training


class SVR(ClusterKernelMachine, estimators.SVR):
    """Exact support vector regression of rows on the workers of a Dask cluster.

    The problem, its parameters and its certificate are those of `maxmargin.SVR`, and so is the
    answer, to the tolerance; where the work is done, and what is refused, is as in
    `maxmargin.distributed.SVC`.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, C, epsilon, shrinking, cache_size, verbose, max_iter, \
warm_start, tol_gap, time_limit, callback, on_interrupt, n_jobs
        As in `maxmargin.SVR` and `maxmargin.distributed.SVC`.

    Attributes
    ----------
    model_, solutions_, certificate_, status_, history_, alphas_, alpha_, support_status_, \
support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, fit_status_, \
shape_fit_, n_features_in_, feature_names_in_
        As in `maxmargin.SVR`; `support_` counts the rows of all partitions in their order.
    fit_report_ : dict
        Also has "cluster": rounds of messages, tasks, bytes moved, seconds of workers and client.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from maxmargin.distributed import SVR
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> X = da.arange(8.0, chunks=4).reshape(-1, 1)
    >>> model = SVR(kernel="linear", C=10.0, epsilon=0.0).fit(X, 3 * X[:, 0] + 1)
    >>> model.predict([[10.0]]).round(4)
    array([31.])
    >>> client.close()
    """

    _namesake = estimators.SVR
    _target = "numbers"

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        data, nothing = self._place(X, y, sample_weight, reset=reset), np.zeros(0)
        return self._with_kernel(
            Training(data, nothing, nothing, np.zeros(0, np.int64)), reset=reset
        )
