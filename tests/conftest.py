"""What every numeric test is written over: seeds, number types, storage and threads; Ctrl-C."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import settings
from numpy.typing import NDArray

settings.register_profile(
    "fixed", derandomize=True, max_examples=15, deadline=None, print_blob=True, database=None
)
settings.load_profile("fixed")


def _csr(index: type[np.integer]) -> Callable[[NDArray[Any]], Any]:
    def convert(X: NDArray[Any]) -> Any:
        rows = scipy.sparse.csr_array(X)
        rows.indices, rows.indptr = rows.indices.astype(index), rows.indptr.astype(index)
        return rows

    return convert


LAYOUTS: dict[str, Callable[[NDArray[Any]], Any]] = {
    "dense": np.ascontiguousarray,
    "csr32": _csr(np.int32),
    "csr64": _csr(np.int64),
}


@pytest.fixture(params=[0, 1], ids="seed{}".format)
def seed(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture(params=[np.float32, np.float64], ids=["float32", "float64"])
def dtype(request: pytest.FixtureRequest) -> type[np.floating]:
    return request.param


@pytest.fixture(params=LAYOUTS.values(), ids=LAYOUTS.keys())
def layout(request: pytest.FixtureRequest) -> Callable[[NDArray[Any]], Any]:
    """How rows are stored: a function of a dense array."""
    return request.param


@pytest.fixture(params=[1, 2, 4], ids="{}threads".format)
def n_threads(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let Ctrl-C raise here and in children, also if the tests were started with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def interrupt_after(interruptible: None) -> Iterator[Callable[[float], list[float]]]:
    """Send Ctrl-C to this process once, later; gives the list the time is put in."""
    timers = []

    def start(seconds: float) -> list[float]:
        sent: list[float] = []

        def send() -> None:
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        timers.append(threading.Timer(seconds, send))
        timers[-1].daemon = True
        timers[-1].start()
        return sent

    yield start
    # One that comes too late is to end its own test only.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for timer in timers:
        timer.cancel()
        timer.join()
