"""Independent tasks on a cluster: any worker may do them, and another one if it is lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

from distributed import Future, KilledWorker, wait

from maxmargin.distributed.cluster import Cluster, NoWorkers, WorkerLost
from maxmargin.distributed.partitions import MOST_LOSSES

#: Seconds between two looks at whether there are workers.
_LOOK = 1.0


def run_tasks(
    cluster: Cluster,
    function: Callable[..., Any],
    common: Any,
    tasks: Mapping[Any, tuple[Any, ...]],
    take: Callable[[Any, Any], None],
) -> None:
    """Have tasks done by any workers, until all are done or the cluster's tick says stop.

    Whatever ends this, no task is left behind on the workers.

    Parameters
    ----------
    cluster : Cluster
        The workers; its `tick` is asked about ten times a second.
    function : callable
        Called on a worker as ``function(common, *arguments)``; it may ask `cancelled`.
    common : object
        Sent to each worker once.
    tasks : mapping of key to tuple
        The arguments of each task.
    take : callable
        Called here with the key and the result of each task, as they come.

    Examples
    --------
    >>> from distributed import Client
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> found = {}
    >>> run_tasks(Cluster(client), pow, 2, {k: (k,) for k in range(4)}, found.__setitem__)
    >>> sorted(found.values())
    [1, 2, 4, 8]
    >>> client.close()
    """
    left = dict(tasks)
    while left:
        try:
            _run(cluster, function, common, left, take)
            return
        except NoWorkers:
            raise
        except (WorkerLost, KilledWorker, CancelledError, asyncio.CancelledError) as error:
            cluster.report["workers_lost"] += 1
            if cluster.report["workers_lost"] > MOST_LOSSES:
                raise WorkerLost(
                    f"{error}; tasks were begun again {MOST_LOSSES} times, each time a worker was "
                    "lost: look at the workers' logs (memory is the usual cause)."
                ) from error


def _run(
    cluster: Cluster,
    function: Callable[..., Any],
    common: Any,
    left: dict[Any, tuple[Any, ...]],
    take: Callable[[Any, Any], None],
) -> None:
    """Do what is left once, as far as workers with what tasks have in common are there."""
    cluster.threads()
    sent = cluster.send(common, broadcast=True)
    futures: dict[Future, Any] = {
        cluster.client.submit(function, sent, *arguments, pure=False): key
        for key, arguments in left.items()
    }
    cluster.report["tasks"] += len(futures)
    look = time.monotonic() + _LOOK
    try:
        while futures and not cluster.tick():
            for future in _finished(futures):
                [result] = cluster.asked(cluster.client.gather, [future])
                key = futures.pop(future)
                del left[key]
                take(key, result)
            if time.monotonic() >= look:
                cluster.threads()
                look = time.monotonic() + _LOOK
    finally:
        if futures:
            cluster.client.cancel(list(futures), force=True)


def _finished(futures: Mapping[Future, Any]) -> list[Future]:
    """Wait a moment; return what has ended, well or not."""
    with suppress(TimeoutError):
        wait(list(futures), timeout=0.1, return_when="FIRST_COMPLETED")
    return [future for future in futures if future.status in ("finished", "error", "cancelled")]
