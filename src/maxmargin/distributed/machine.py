"""What every machine on a cluster is: its namesake of one machine, on data that are elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.utils.validation import validate_data

from maxmargin.distributed.cluster import Cluster, releasing
from maxmargin.distributed.partitions import Partitions, is_lazy
from maxmargin.distributed.predictions import blockwise, score_of
from maxmargin.distributed.share import Target
from maxmargin.estimators.classes import ClassWeight, check_names, class_weights
from maxmargin.estimators.machine import Machine
from maxmargin.estimators.run import FitRun
from maxmargin.estimators.training import Training, check_weight
from maxmargin.models import Classes

_NOTHING = np.zeros(0)


class ClusterMachine(Machine):
    """Base of the machines whose rows are on the workers of a Dask cluster.

    A machine derives from it and from its namesake of one machine: parameters, attributes, models,
    warnings, progress and limits are those. What it overrides is how data are checked (`_check`:
    the rows of the `Training` are `Partitions`) and how problems are solved (`_solve`). A model
    file of it is one of its namesake.
    """

    #: The machine of the same name that has all rows in its process.
    _namesake: ClassVar[type[Machine]]
    #: What y is.
    _target: ClassVar[Target]

    # ---- Data -------------------------------------------------------------------------------

    def _fit(self, *args: Any) -> Training:
        with releasing():
            data: Training = super()._fit(*args)
        return data

    def _place(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> Partitions:
        """Have the data read and checked by the workers; they stay there."""
        cluster = Cluster()
        limit = np.inf if self.time_limit is None else time.monotonic() + self.time_limit
        with cluster.asking(lambda: _in_time(time.monotonic() < limit, self.time_limit)):
            data = Partitions(
                cluster, X, y, sample_weight, target=self._target, who=type(self).__name__
            )
        if sample_weight is not None:
            check_weight(np.array([part.weight for part in data.contents]), data.contents)
        seen = X._meta if hasattr(X, "_meta") and hasattr(X, "columns") else X
        if not hasattr(seen, "columns"):  # nothing but the number of columns is known of arrays
            seen = np.zeros((1, data.shape[1]))
        validate_data(self, seen, reset=reset, skip_check_array=True)
        return data

    def _classified(
        self, data: Partitions, class_weight: ClassWeight, *, reset: bool, **scheme: Any
    ) -> Training:
        """Return what is known of the classes of all partitions; rows and labels stay there."""
        present = [np.repeat(part.names, 2) for part in data.contents if len(part.names)]
        others = np.concatenate([part.others for part in data.contents if len(part.others)])
        names, _ = check_names(np.concatenate(present) if present else others[:0], others)
        if not reset and not np.array_equal(names, self.classes_):
            raise ValueError(
                f"y has classes {names} but the model was fitted to "
                f"{self.classes_}; give the same data."
            )
        weights = np.zeros(len(names))
        for part in data.contents:
            weights[np.searchsorted(names, part.names)] += part.weights
        factors = class_weights(class_weight, names, np.arange(len(names)), weights)
        return Training(
            data,
            _NOTHING,
            _NOTHING,
            np.zeros(0, np.int64),
            classes=Classes(names, **scheme),
            class_weight=factors,
        )

    def _alone(self) -> Machine:
        """Return this machine as its namesake, which workers and files know what to do with."""
        one: Any = self._namesake.__new__(self._namesake)
        vars(one).update({**vars(self), "callback": None, "verbose": False})
        return cast(Machine, one)

    def _finish(self, run: FitRun, data: Training, problems: Sequence[Any]) -> None:
        """Add to the report what the cluster has done."""
        report = data.X.cluster.report
        run.report["cluster"] = {
            **{name: report[name] for name in report if name != "waited_seconds"},
            "workers": data.X.n_workers,
            "partitions": len(data.X.contents),
            "client_seconds": run.finish()["seconds"] - report["waited_seconds"],
        }

    # ---- Predicting -------------------------------------------------------------------------

    def _on_blocks(self, method: str, X: Any) -> Any:
        """Call a method of the namesake on rows, or lazily on each block of them."""
        self._check_fitted()
        if is_lazy(X):
            return blockwise(self._sent(), X, method)
        return getattr(self._alone(), method)(X)

    def _sent(self) -> Machine:
        """Return this machine as workers get it, where every block has one of their threads."""
        one = self._alone()
        one.n_jobs = None
        return one

    def predict(self, X: Any) -> Any:
        """Predict as the machine of one process does; lazily where X is a Dask collection.

        Parameters
        ----------
        X : Dask array or dataframe, or array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        Dask array or ndarray of shape (n_samples,)
            Computed block by block, when it is asked for.
        """
        return self._on_blocks("predict", X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of a classifier, or R^2 of a regression.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`; Dask collections are read block by block, where they are.

        Returns
        -------
        float
            1 is the best.
        """
        if not is_lazy(X):
            return float(self._alone().score(X, y, sample_weight))
        return score_of(self._sent(), X, y, sample_weight)


class DecidingMachine(ClusterMachine):
    """One that has a decision function, as all but regressions have."""

    def decision_function(self, X: Any) -> Any:
        """Score rows as the machine of one process does; lazily where X is a Dask collection.

        Parameters
        ----------
        X : Dask array or dataframe, or array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        Dask array or ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return self._on_blocks("decision_function", X)


def _in_time(within: bool, limit: float | None) -> bool:
    """Whether to stop reading: never, but there is nothing to keep when the time is over."""
    if not within:
        raise TimeoutError(
            f"time_limit={limit} s was reached while the data were being read: give more time."
        )
    return False
