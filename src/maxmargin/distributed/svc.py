"""Classification with kernels on a cluster."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from maxmargin import estimators
from maxmargin.distributed.calibration import CalibratingMachine
from maxmargin.distributed.kernel_machine import ClusterKernelMachine
from maxmargin.estimators.training import Training


class SVC(CalibratingMachine, ClusterKernelMachine, estimators.SVC):
    """Exact support vector classification of rows on the workers of a Dask cluster.

    The problem, its parameters and its certificate are those of `maxmargin.SVC`, and so is the
    answer, to the tolerance. Workers keep their rows, with the gradient of each; support vectors
    and the worst violators of all rows make problems that one worker solves, until no row of any
    worker violates by more than `tol`. All pairs of classes take part in each round.
    ``kernel="precomputed"``, ``C=inf`` and `warm_start` need all rows in one place and are refused.

    Parameters
    ----------
    C, kernel, degree, gamma, coef0, shrinking, probability, tol, cache_size, class_weight, \
verbose, max_iter, decision_function_shape, break_ties, random_state, loss, multi_class, \
warm_start, tol_gap, time_limit, callback, on_interrupt, n_jobs, calibration
        As in `maxmargin.SVC`. The kernel values of a problem that one worker solves fit into
        `cache_size`: 200 megabytes are about 7,200 rows, support vectors that are free or may
        leave their bound among them. Each worker uses the threads that it has.

    Attributes
    ----------
    model_, solutions_, certificate_, status_, history_, alphas_, alpha_, support_status_, \
support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_, \
n_iter_, fit_status_, shape_fit_, n_features_in_, feature_names_in_, probA_, probB_
        As in `maxmargin.SVC`; `support_` counts the rows of all partitions in their order.
    fit_report_ : dict
        Also has "cluster": rounds of messages, tasks, bytes moved, seconds of workers and client.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.distributed import SVC
    >>> client = Client(processes=False, n_workers=2, dashboard_address=":0")
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = da.from_array(X, chunks=(50, 4)), da.from_array(y, chunks=50)
    >>> model = SVC(tol=1e-6).fit(X, y)
    >>> model.status_.name, bool(model.certificate_.gap < 1e-6), model.n_support_
    ('OPTIMAL', True, array([ 7, 29, 24], dtype=int32))
    >>> model.predict(X)[:3].compute()
    array([0, 0, 0])
    >>> client.close()
    """

    _namesake = estimators.SVC
    _target = "classes"

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        data = self._place(X, y, sample_weight, reset=reset)
        classified = self._classified(data, self.class_weight, reset=reset, scheme=self.multi_class)
        if self._calibration() is not None:
            self._check_method(classified.classes)
        return self._with_kernel(classified, reset=reset)
