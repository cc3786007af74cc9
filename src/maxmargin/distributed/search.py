"""Searches whose cells are tasks on a cluster: kernels and folds, each with all its C."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Self

import numpy as np
from distributed import get_worker
from joblib import parallel_config
from numpy.typing import NDArray

from maxmargin import selection
from maxmargin.distributed.cluster import Cluster, cancelled
from maxmargin.distributed.tasks import run_tasks
from maxmargin.selection.fold_rows import SearchData
from maxmargin.selection.judging import Judge, by_kernel
from maxmargin.selection.kernel_cv import RefinedSearch as OneMachineRefinedSearch
from maxmargin.selection.memory import memory_bytes
from maxmargin.selection.scoring import Scoring
from maxmargin.selection.sharing import Subject
from maxmargin.selection.table import Table
from maxmargin.selection.watch import SearchWatch

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Work:
    """What all tasks of a search have in common.

    Parameters
    ----------
    subject : Subject
        The estimator.
    data : SearchData
        Its rows and targets.
    scoring, scorer : objects
        As the search was given it, and what scikit-learn has made of it.
    memory : float or "auto"
        Megabytes for kernel matrices of a worker.
    train_scores, leaves_out : bool
        As in `Judge`.
    """

    subject: Subject
    data: SearchData
    scoring: Any
    scorer: Any
    memory: float | str
    train_scores: bool
    leaves_out: bool


class _TaskWatch(SearchWatch):
    """Stops a task that is no longer wanted."""

    def tick(self, done: int) -> bool:
        if cancelled():
            self.stopped = "the task was cancelled"
        return bool(self.stopped)


def judge_some(
    work: Work,
    params: list[dict[str, Any]],
    splits: list[tuple[Places, Places]],
    n_threads: int,
) -> tuple[dict[str, NDArray[np.float64]], dict[tuple[int, int], Exception]]:
    """Judge some candidates in some splits, on a worker.

    Parameters
    ----------
    work : Work
        Of the search.
    params : list of dict
        The candidates.
    splits : list of pairs of ndarrays
        Rows to train on and rows to test on.
    n_threads : int
        Threads for this task.

    Returns
    -------
    columns, errors
        As in `Table`, of these candidates and splits.
    """
    data, table, watch = replace(work.data, splits=splits), Table(len(splits)), _TaskWatch()
    # As many tasks as the worker has threads may run at once.
    memory = memory_bytes(work.memory) / 2**20 / get_worker().state.nthreads
    judge = Judge(
        work.subject,
        data,
        Scoring(work.subject, data, work.scoring, work.scorer),
        table,
        watch,
        memory=memory,
        n_threads=n_threads,
        train_scores=work.train_scores,
        leaves_out=work.leaves_out,
    )
    judge.judge(table.add(params), data)
    return table.columns, table.errors


class ClusterJudge(Judge):
    """Fills the table of a search with what workers find.

    A task is a kernel with all its C in all splits, which share the kernel matrix. After other
    steps of a pipeline every split has rows of its own: then a task is a split, with all kernels or
    as few as keep all workers busy. Both are calls of the engine that one machine makes, too, or
    that give the same bits; splits of the same rows, solved apart, would not.
    """

    cluster: Cluster

    def judge(self, positions: Places, data: SearchData) -> None:
        """Judge candidates until all are, or the watch says stop.

        Parameters
        ----------
        positions : ndarray of int64
            The candidates in the table.
        data : SearchData
            The search, or a part of it.
        """
        self._watch.total += len(positions) * len(data.splits)
        self.cluster.tick = lambda: self._watch.tick(0)
        threads = self.cluster.threads()
        cells = list(self._cells(positions, len(data.splits), sum(threads.values())))
        each = max(1, min(min(threads.values()), sum(threads.values()) // max(len(cells), 1)))
        tasks = {
            k: (
                [self._table.params[position] for position in chosen],
                [data.splits[number] for number in numbers],
                each,
            )
            for k, (chosen, numbers) in enumerate(cells)
        }
        work = Work(
            self._subject,
            replace(data, splits=[]),
            self._scoring.given,
            self._scoring.scorer,
            self._given_memory,
            self._train_scores,
            self._leaves_out,
        )
        run_tasks(
            self.cluster, judge_some, work, tasks, lambda k, found: self._take(*cells[k], *found)
        )

    def _cells(
        self, positions: Places, n_splits: int, n_threads: int
    ) -> list[tuple[list[int], list[int]]]:
        """Return candidates and splits of each task, in an order that ends early well."""
        groups = [group for _, group in self._grouped(positions)]
        per_chunk, n_parts = 1, 1
        if self._subject.transformers is not None:
            n_kernels = sum(len(by_kernel(group, 1)) for group in groups) // max(len(groups), 1)
            wanted = ceil(n_threads / max(n_splits * len(groups), 1))
            per_chunk, n_parts = max(1, n_kernels // wanted), n_splits
        parts = np.array_split(np.arange(n_splits), n_parts)
        return [
            ([candidate.position for candidate in chunk], part.tolist())
            for group in groups
            for chunk in by_kernel(group, per_chunk)
            for part in parts
        ]

    def _take(
        self,
        positions: list[int],
        numbers: list[int],
        columns: dict[str, NDArray[np.float64]],
        errors: dict[tuple[int, int], Exception],
    ) -> None:
        """Write down what a task has found."""
        for name, values in columns.items():
            for split, column in zip(numbers, values.T, strict=True):
                self._table.put(name, np.array(positions), split, column)
        for (position, split), error in errors.items():
            self._table.errors[positions[position], numbers[split]] = error
        self._watch.finished(len(positions) * len(numbers))


class ClusterSearch(selection.GridSearchCV):
    """Base of the searches whose tasks are done by the workers of the current Dask client."""

    _cluster: Cluster

    def _judge(self, *parts: Any, **options: Any) -> Judge:
        judge = ClusterJudge(*parts, **options)
        judge.cluster = self._cluster
        return judge

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Judge all candidates on the workers, and fit the best to all rows here.

        Parameters
        ----------
        X, y, **params
            As in `maxmargin.selection.GridSearchCV`: data of this process.

        Returns
        -------
        self : estimator
            The fitted search.
        """
        self._cluster = Cluster()
        try:
            super().fit(X, y, **params)
            report = self._cluster.report
            self.search_report_["cluster"] = {
                "workers": len(self._cluster.threads()),
                "tasks": int(report["tasks"]),
                "workers_lost": int(report["workers_lost"]),
            }
        finally:
            del self._cluster
        return self

    def _hand_over(self, run: Any, reason: str, X: Any, y: Any, params: Any) -> Self:
        """Let scikit-learn make the search, its fits on the workers too."""
        cluster = self.__dict__.pop("_cluster")  # joblib sends the search to the workers
        try:
            with parallel_config("dask"):
                return super()._hand_over(run, reason, X, y, params)
        finally:
            self._cluster = cluster


class GridSearchCV(ClusterSearch):
    """The search of `maxmargin.selection`, with its cells and folds as tasks on a Dask cluster.

    For data of this process. A kernel with all its C and all folds is a task, or after other steps
    of a pipeline a fold, which any worker may do, and another one if that is lost. What is found is
    the same to the last bit as on one machine, as long as kernel matrices fit in the memory of
    both. A grid of C alone, without other steps, is one task: more workers do not help it. What
    cannot be shared is handed to scikit-learn's search, whose fits run on the workers, too. The
    best candidate is fitted to all rows in this process. Ctrl-C, `time_limit` and `callback`
    cancel the tasks.

    Parameters
    ----------
    estimator, param_grid, scoring, refit, cv, verbose, pre_dispatch, error_score, \
    return_train_score, time_limit, callback, on_interrupt, stages
        As in `maxmargin.selection.GridSearchCV`.
    n_jobs : int or None, default=None
        Of no use: each worker has as many tasks as threads.
    memory : float or "auto", default="auto"
        Megabytes for kernel matrices of each worker; "auto" is a quarter of what its machine has
        free.

    Attributes
    ----------
    cv_results_, best_estimator_, best_params_, best_score_, best_index_, scorer_, n_splits_, \
    refit_time_, multimetric_, classes_, n_features_in_, feature_names_in_
        As in `maxmargin.selection.GridSearchCV`.
    search_report_ : dict
        Also has "cluster": how many workers, tasks, and workers that were lost.

    Examples
    --------
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.distributed import GridSearchCV
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> X, y = load_iris(return_X_y=True)
    >>> search = GridSearchCV(SVC(), {"C": [1, 10, 100], "gamma": [0.01, 0.1]}).fit(X, y)
    >>> search.best_params_, search.best_score_.round(3).item()
    ({'C': 1, 'gamma': 0.1}, 0.98)
    >>> client.close()
    """


class RefinedSearch(ClusterSearch, OneMachineRefinedSearch):
    """A search of a grid, and then about the best of it, on a cluster.

    Parameters
    ----------
    estimator, axes, own, n_iter, **options
        As in the search of one machine.
    """


class SVCCV(selection.SVCCV):
    """`maxmargin.selection.SVCCV`, with its cells and folds as tasks on a Dask cluster.

    For data of this process, as `GridSearchCV` of this package, with the attributes of its
    namesake.

    Parameters
    ----------
    Cs, gammas, kernel, degree, coef0, cv, scoring, refit, refine, n_iter, class_weight, tol, \
cache_size, break_ties, decision_function_shape, n_jobs, verbose, memory, time_limit, \
callback, on_interrupt, stages, calibration
        As in `maxmargin.selection.SVCCV`; `memory` is that of each worker.

    Examples
    --------
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.distributed import SVCCV
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(SVCCV(Cs=5, gammas=4).fit(X, y).best_score_ > 0.97)
    True
    >>> client.close()
    """

    _search = RefinedSearch


class SVRCV(selection.SVRCV):
    """`maxmargin.selection.SVRCV`, with its cells and folds as tasks on a Dask cluster.

    For data of this process, as `GridSearchCV` of this package, with the attributes of its
    namesake.

    Parameters
    ----------
    Cs, gammas, epsilons, kernel, degree, coef0, cv, scoring, refit, refine, n_iter, tol, \
cache_size, n_jobs, verbose, memory, time_limit, callback, on_interrupt, stages
        As in `maxmargin.selection.SVRCV`; `memory` is that of each worker.

    Examples
    --------
    >>> from distributed import Client
    >>> from sklearn.datasets import load_diabetes
    >>> from maxmargin.distributed import SVRCV
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> X, y = load_diabetes(return_X_y=True)
    >>> bool(SVRCV(Cs=3, gammas=3, refine=False).fit(X[:90], y[:90]).best_score_ > 0.2)
    True
    >>> client.close()
    """

    _search = RefinedSearch
