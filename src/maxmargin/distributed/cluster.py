"""The workers of a Dask cluster, and how one fit has work done on them.

All tasks of a fit go through here: they are pinned to the worker whose data they are about, are
waited for without ever hanging, are cancelled when the fit is to end, and are counted.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import reduce
from math import inf
from typing import Any
from weakref import WeakSet

import dask
from dask.sizeof import sizeof
from distributed import Client, Future, KilledWorker, get_client, get_worker, wait
from distributed.worker import thread_state

#: Arguments of more bytes are sent once, and by workers to each other.
_LARGE = 1 << 16
#: Partial results are added up by this many.
FAN_IN = 8
#: Seconds between two calls of the tick.
_TURN = 0.05
#: Seconds that sending data to a worker may take: one that is about to end never takes them.
_SENDING = 100.0
#: Seconds between two looks at which workers are still there, and to wait for one if none is, or
#: for the scheduler to answer.
_LOOK, _PATIENCE = 0.5, 30.0


#: Lists of clusters whose tasks are to be released, innermost last.
_to_release: ContextVar[tuple[list[Cluster], ...]] = ContextVar("_to_release", default=())


@contextmanager
def releasing() -> Iterator[None]:
    """Have workers forget, at the end of a block, what was done and sent in it.

    Futures are freed when Python frees them, which may be late where objects refer to each other or
    an error is kept. By then rows would still be on the workers; and where the caller has the same
    rows computed again, Dask finds tasks of the same name that were made otherwise, and may never
    end (dask/dask#9888).
    """
    clusters: list[Cluster] = []
    token = _to_release.set((*_to_release.get(), clusters))
    try:
        yield
    finally:
        _to_release.reset(token)
        for cluster in clusters:
            cluster.release()


class WorkerLost(RuntimeError):  # noqa: N818 - what happened, and mostly handled
    """A worker is gone, with what it held of a fit; beginning again from what is known helps.

    Parameters
    ----------
    message : str
        Which one, and what to do.

    Examples
    --------
    >>> raise WorkerLost("worker tcp://127.0.0.1:40001 is gone")
    Traceback (most recent call last):
    maxmargin.distributed.cluster.WorkerLost: worker tcp://127.0.0.1:40001 is gone
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)


class NoWorkers(WorkerLost):
    """Nobody is there, and nobody has come for a while: beginning again would not help.

    Examples
    --------
    >>> issubclass(NoWorkers, WorkerLost)
    True
    """


class Stopped(Exception):  # noqa: N818 - no error
    """The fit was asked to stop while workers were at work: their tasks are cancelled.

    Examples
    --------
    >>> raise Stopped
    Traceback (most recent call last):
    maxmargin.distributed.cluster.Stopped
    """


class Measured:
    """What a task returns: a value, and what it has cost the worker.

    Parameters
    ----------
    value : object
        The result.
    seconds : float
        Time on the worker.
    size : int
        Bytes that were sent, those of the results that it is the sum of included.

    Examples
    --------
    >>> Measured(1, 0.5, 8).value
    1
    """

    def __init__(self, value: Any, seconds: float, size: int) -> None:
        self.value, self.seconds, self.size = value, seconds, size


class Cluster:
    """The workers of a Dask client, for one fit.

    Parameters
    ----------
    client : distributed.Client, optional
        By default the one that was made last.

    Attributes
    ----------
    tick : callable
        Called while workers are waited for; when it returns True, their tasks are cancelled and
        `Stopped` is raised.

    Examples
    --------
    >>> from distributed import Client
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> cluster = Cluster(client)
    >>> cluster.run([(address, max, (2, 3)) for address in cluster.threads()])
    [3]
    >>> cluster.report["tasks"]
    1
    >>> client.close()
    """

    def __init__(self, client: Client | None = None) -> None:
        self.client = client or _current_client()
        self._futures: WeakSet[Future] = WeakSet()
        for clusters in _to_release.get():
            clusters.append(self)
        self.tick: Callable[[], bool] = lambda: False
        self.report: dict[str, float] = dict.fromkeys(
            ("rounds", "tasks", "bytes_moved", "worker_seconds", "waited_seconds", "workers_lost"),
            0,
        )

    def compute(self, values: Sequence[Any]) -> list[Future]:
        """Have delayed values computed by any workers.

        Parameters
        ----------
        values : sequence of Delayed
            What to compute.
        """
        futures: list[Future] = self.client.compute(list(values))
        self.report["tasks"] += len(futures)
        self._futures.update(futures)
        return futures

    def release(self) -> None:
        """Have workers forget everything that was done and sent here."""
        for future in list(self._futures):
            future.release()
        # The client's loop tells the scheduler in its next turns, and what the caller asks for next
        # must come behind that.
        if self._futures and self.client.status == "running":
            turn = asyncio.run_coroutine_threadsafe(asyncio.sleep(0), self.client.loop.asyncio_loop)
            with suppress(TimeoutError):
                turn.result(timeout=1.0)

    @contextmanager
    def asking(self, tick: Callable[[], bool]) -> Iterator[None]:
        """Ask another `tick` for a while.

        Parameters
        ----------
        tick : callable
            Called while workers are waited for inside the block.
        """
        before, self.tick = self.tick, tick
        try:
            yield
        finally:
            self.tick = before

    def asked(
        self,
        method: Callable[..., Any],
        *args: Any,
        patience: float = _PATIENCE,
        addresses: Sequence[str] = (),
        **options: Any,
    ) -> Any:
        """Return what a method of the client returns, without ever waiting for it in vain.

        Parameters
        ----------
        method : callable
            Of the client: one that waits for an answer of the cluster.
        *args, **options
            For the method.
        patience : float
            Seconds after which it is given up.
        addresses : sequence of str
            Workers whose end is the end of it.
        """

        async def call() -> Any:
            return await method(*args, **options)

        # The client's own waiting has no end, and would not let the tick be called.
        pending = asyncio.run_coroutine_threadsafe(call(), self.client.loop.asyncio_loop)
        now = time.monotonic()
        end, look = now + patience, now + _LOOK
        try:
            while True:
                try:
                    return pending.result(timeout=_TURN)
                except TimeoutError:
                    if pending.done():
                        raise
                if self.tick():
                    raise Stopped
                now = time.monotonic()
                if now > end:
                    raise WorkerLost(f"the cluster has not answered within {patience:g} s")
                if addresses and now > look:
                    self.check_alive(addresses)
                    look = time.monotonic() + _LOOK
        finally:
            pending.cancel()

    def threads(self) -> Mapping[str, int]:
        """Return how many threads each worker has, by address; wait a while if there is none."""
        end = time.monotonic() + _PATIENCE
        while not (found := self._present()):
            if time.monotonic() > end:
                raise NoWorkers("the cluster has no workers; start some, then fit again")
            self._pause(_LOOK)
        return dict(sorted(found.items()))

    def share(self, value: Any) -> Any:
        """Return an argument for many tasks: itself, or a large one as data on the cluster.

        Parameters
        ----------
        value : object
            What many tasks need.
        """
        return value if sizeof(value) <= _LARGE else self.send(value)

    def send(self, value: Any, **options: Any) -> Future:
        """Send data to workers.

        Parameters
        ----------
        value : object
            The data.
        **options
            Of `distributed.Client.scatter`: which workers, or all of them.
        """
        try:
            sent: Future = self.asked(
                self.client.scatter, value, hash=False, patience=_SENDING, **options
            )
        except (TimeoutError, OSError) as error:
            raise WorkerLost(f"no worker has taken data: {error}") from error
        self._futures.add(sent)
        return sent

    def start(self, address: str, function: Callable[..., Any], *args: Any) -> Future:
        """Have a worker do something; nobody else will.

        Parameters
        ----------
        address : str
            The worker.
        function, *args
            What to call; arguments may be futures.
        """
        self.report["tasks"] += 1
        future = self.client.submit(function, *args, workers=[address], pure=False)
        self._futures.add(future)
        return future

    def run(self, tasks: Sequence[tuple[str, Callable[..., Any], tuple[Any, ...]]]) -> list[Any]:
        """Have workers call functions, and return the results in order.

        Parameters
        ----------
        tasks : sequence of (address, function, arguments)
            At most one for each worker at a time keeps within its threads.
        """
        futures = [self.start(to, measured, function, args) for to, function, args in tasks]
        return self.results(futures, [to for to, _, _ in tasks])

    def sum(self, tasks: Sequence[tuple[str, Callable[..., Any], tuple[Any, ...]]]) -> Any:
        """Have workers call functions, and return the sum of the results.

        Workers add them up in a tree, in the order of the tasks, until few are left for the client.

        Parameters
        ----------
        tasks : sequence of (address, function, arguments)
            Whose results can be added; tuples are added item by item.
        """
        addresses = [to for to, _, _ in tasks]
        partial = [self.start(to, measured, function, args) for to, function, args in tasks]
        level = list(zip(addresses, partial, strict=True))
        held = list(partial)
        while len(level) > FAN_IN:
            groups = [level[k : k + FAN_IN] for k in range(0, len(level), FAN_IN)]
            level = [
                (group[0][0], self.start(group[0][0], added, *(part for _, part in group)))
                for group in groups
            ]
            held += [part for _, part in level]
        return reduce(_plus, self.results([part for _, part in level], addresses, held))

    def results(
        self,
        futures: Sequence[Future],
        addresses: Sequence[str],
        held: Sequence[Future] = (),
    ) -> list[Any]:
        """Wait for tasks that are pinned to workers, and return what they measured.

        Parameters
        ----------
        futures : sequence of Future
            Of `Measured` values.
        addresses : sequence of str
            Workers whose end would be the end of these tasks.
        held : sequence of Future
            All tasks that are to be cancelled if it comes to that.
        """
        found = self.wait(futures, addresses, held or futures)
        self.report["rounds"] += 1
        self.report["worker_seconds"] += sum(result.seconds for result in found)
        self.report["bytes_moved"] += sum(result.size for result in found)
        return [result.value for result in found]

    def wait(
        self,
        futures: Sequence[Future],
        addresses: Sequence[str] = (),
        held: Sequence[Future] = (),
        fetch: bool = True,
    ) -> list[Any]:
        """Wait for futures, whatever happens to the workers; return their results.

        Parameters
        ----------
        futures : sequence of Future
            What to wait for.
        addresses : sequence of str
            Workers without which they cannot come.
        held : sequence of Future
            All tasks that are to be cancelled if it comes to that.
        fetch : bool
            Whether the results are to be brought here.
        """
        began = time.perf_counter()
        try:
            self._until_done(futures, addresses)
            return self._gather(futures, addresses) if fetch else []
        except (KilledWorker, CancelledError, asyncio.CancelledError) as error:
            raise WorkerLost(f"a worker was lost: {error}") from error
        except BaseException:
            self.client.cancel(list(held or futures), force=True)
            raise
        finally:
            self.report["waited_seconds"] += time.perf_counter() - began

    def _until_done(self, futures: Sequence[Future], addresses: Sequence[str]) -> None:
        look = time.monotonic() + _LOOK
        while True:
            try:
                wait(list(futures), timeout=_TURN)
                return
            except TimeoutError:
                if any(future.status == "error" for future in futures):
                    return
            if self.tick():
                raise Stopped
            if time.monotonic() >= look:
                self.check_alive(addresses)
                look = time.monotonic() + _LOOK

    def _gather(self, futures: Sequence[Future], addresses: Sequence[str]) -> list[Any]:
        """Fetch results; where the worker that has them is gone, no answer ever comes."""
        failed = [future for future in futures if future.status == "error"]
        found: list[Any] = self.asked(
            self.client.gather, failed[:1] or list(futures), patience=inf, addresses=addresses
        )
        return found

    def check_alive(self, addresses: Sequence[str] = ()) -> None:
        """Raise `WorkerLost` if one of some workers is gone; wait a while if all are.

        Parameters
        ----------
        addresses : sequence of str
            Workers that are needed.
        """
        there = self._present() if addresses else self.threads()
        for address in addresses:
            if address not in there:
                raise WorkerLost(f"worker {address} is gone")

    def _present(self) -> Mapping[str, int]:
        """Return the workers that the scheduler knows."""
        try:
            found: Mapping[str, int] = self.asked(self.client.nthreads)
        except (OSError, WorkerLost) as error:
            raise ConnectionError(
                f"the scheduler of the cluster does not answer: {error}"
            ) from error
        return found

    def _pause(self, seconds: float) -> None:
        if self.tick():
            raise Stopped
        time.sleep(seconds)


def computed(values: Sequence[Any]) -> list[Any]:
    """Compute delayed values on the current cluster, or in this process where there is none.

    Parameters
    ----------
    values : sequence of Delayed
        What to compute.

    Examples
    --------
    >>> computed([dask.delayed(max)(2, 3)])
    [3]
    """
    try:
        cluster = Cluster()
    except ValueError:
        return list(dask.compute(*values))
    try:
        return cluster.wait(cluster.compute(values))
    finally:
        cluster.release()


def measured(function: Callable[..., Any], args: tuple[Any, ...]) -> Measured:
    """Call a function on a worker and take the time.

    Parameters
    ----------
    function, args
        What to call.

    Examples
    --------
    >>> measured(max, (2, 3)).value
    3
    """
    began = time.perf_counter()
    value = function(*args)
    return Measured(value, time.perf_counter() - began, int(sizeof(value)))


def added(*parts: Measured) -> Measured:
    """Add results up, on a worker, and what they have cost.

    Parameters
    ----------
    *parts : Measured
        At least one.

    Examples
    --------
    >>> added(Measured((1, 2.0), 0.1, 16), Measured((3, 4.0), 0.2, 16)).value
    (4, 6.0)
    """
    began = time.perf_counter()
    value = reduce(_plus, (part.value for part in parts))
    seconds = sum(part.seconds for part in parts) + time.perf_counter() - began
    return Measured(value, seconds, sum(part.size for part in parts) + int(sizeof(value)))


def _plus(first: Any, second: Any) -> Any:
    if isinstance(first, tuple):
        return tuple(_plus(a, b) for a, b in zip(first, second, strict=True))
    return first + second


def cancelled() -> bool:
    """Whether the task that this is asked in is no longer wanted; asked on a worker."""
    task = get_worker().state.tasks.get(thread_state.key)
    return task is None or task.state in ("cancelled", "resumed")


def _current_client() -> Client:
    try:
        return get_client()
    except ValueError:
        raise ValueError(
            "there is no Dask client; make one first: client = distributed.Client(address), or "
            "distributed.Client() for the cores of this machine."
        ) from None
