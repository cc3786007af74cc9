"""Linear classification on a cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.distributed.linear_machine import ClusterLinearMachine
from maxmargin.distributed.linear_rows import OneAgainstRest
from maxmargin.distributed.machine import DecidingMachine, check_uncalibrated
from maxmargin.distributed.partitions import Partitions
from maxmargin.estimators import LinearSVC as OneMachineLinearSVC
from maxmargin.estimators.training import Training
from maxmargin.losses import named_loss


class LinearSVC(DecidingMachine, ClusterLinearMachine, OneMachineLinearSVC):
    """Exact linear support vector classification of rows on the workers of a Dask cluster.

    The problem, its parameters and its certificate are those of `maxmargin.LinearSVC`, and so is
    the answer, to the tolerance. Every pass of Newton's method over the rows is done where they
    are; the client holds the weights and, up to 2,048 features, the matrix of second derivatives.
    ``penalty="l1"``, ``multi_class="crammer_singer"``, ``solver="descent"`` and calibration need
    all rows in one place and are refused. The dual variables stay with the rows: there is no
    `support_`, `dual_coef_` or `alpha_`.

    Parameters
    ----------
    penalty, loss, dual, tol, C, multi_class, fit_intercept, intercept_scaling, class_weight, \
verbose, random_state, max_iter, intercept, solver, time_limit, callback, on_interrupt, n_jobs, \
calibration
        As in `maxmargin.LinearSVC`. `n_jobs` are threads of the client, which solves Newton's
        equations; each worker uses the threads that it has.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, certificate_, status_, history_, n_iter_, model_, \
solutions_
        As in `maxmargin.LinearSVC`.
    fit_report_ : dict
        Also has "cluster": rounds, tasks, bytes moved, seconds of workers and client.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.distributed import LinearSVC
    >>> client = Client(processes=False, n_workers=2, dashboard_address=":0")
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = da.from_array(X, chunks=(50, 4)), da.from_array(y, chunks=50)
    >>> model = LinearSVC(loss="hinge").fit(X, y)
    >>> model.status_.name, bool(model.certificate_.gap < 1e-4)
    ('OPTIMAL', True)
    >>> model.predict(X)[:3].compute()
    array([0, 0, 0])
    >>> client.close()
    """

    _namesake = OneMachineLinearSVC
    _target = "classes"

    def _check_combination(self) -> None:
        super()._check_combination()
        for name, needed in (("penalty", "l2"), ("multi_class", "ovr")):
            given = getattr(self, name)
            if given != needed:
                raise ValueError(
                    f"{name} is {given!r}, which needs all rows in one place; on a cluster it must "
                    f"be {needed!r}."
                )
        check_uncalibrated(self.calibration)

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        data = self._place(X, y, sample_weight, reset=reset)
        return self._classified(data, self.class_weight, reset=reset, scheme="ovr", zero=0)

    def _state(  # type: ignore[override]
        self, data: Training
    ) -> list[tuple[Partitions, OneAgainstRest]]:
        assert data.classes is not None
        assert data.class_weight is not None
        names, k = data.classes.names, len(data.classes.names)
        loss, intercept, problems = named_loss(self.loss), self._intercept(), []
        for positive in (1,) if k == 2 else range(k):
            # As in LIBLINEAR, the rest of more than two classes counts as it is.
            own = np.arange(k) == positive
            factors = data.class_weight if k == 2 else np.where(own, data.class_weight, 1.0)
            stated = OneAgainstRest(names, positive, factors, loss, self.C, intercept)
            problems.append((data.X, stated))
        return problems
