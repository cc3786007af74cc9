"""Linear classification by stochastic steps on a cluster."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from maxmargin import estimators
from maxmargin.distributed.calibration import CalibratingMachine
from maxmargin.distributed.stream_machine import ClusterStochasticMachine
from maxmargin.estimators.training import Training


class SGDSVC(CalibratingMachine, ClusterStochasticMachine, estimators.SGDSVC):
    """Stochastic linear classification of rows on the workers of a Dask cluster, the gap stated.

    The problem and its steps are those of `maxmargin.SGDSVC`. A pass goes through the partitions in
    a random order, and through the rows of each in one; the weights travel from worker to worker,
    so that one of them works at a time. The objective and its certificate are sums over all
    workers. `eta0` is chosen on the partition that comes first. ``early_stopping=True``,
    ``method="pegasos"`` and ``learning_rate="adaptive"`` are refused.

    Parameters
    ----------
    loss, penalty, alpha, l1_ratio, epsilon, method, learning_rate, eta0, power_t, average, \
fit_intercept, intercept, max_iter, tol, early_stopping, validation_fraction, n_iter_no_change, \
batch_size, shuffle, class_weight, random_state, warm_start, verbose, time_limit, callback, \
on_interrupt, n_jobs, calibration
        As in `maxmargin.SGDSVC`; a worker uses the threads that it has.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, certificate_, status_, history_, n_iter_, t_, \
eta0_, model_, solutions_
        As in `maxmargin.SGDSVC`.
    fit_report_ : dict
        Also has "cluster": rounds, tasks, bytes moved, seconds of workers and client.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.distributed import SGDSVC
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = da.from_array(X, chunks=(50, 4)), da.from_array(y == 0, chunks=50)
    >>> model = SGDSVC(tol=0.1, random_state=0).fit(X, y)
    >>> model.score(X, y), bool(model.certificate_.dual <= model.certificate_.primal)
    (1.0, True)
    >>> client.close()
    """

    _namesake = estimators.SGDSVC
    _target = "classes"

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        data = self._place(X, y, sample_weight, reset=reset and not self._going_on)
        training = self._classified(
            data, self.class_weight, reset=reset and not self._going_on, scheme="ovr", zero=0
        )
        self._check_method(training.classes)
        return training
