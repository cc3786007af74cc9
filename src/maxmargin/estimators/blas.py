"""One thread for NumPy's matrix products while a machine is fitted.

How many threads BLAS has changes the last digits of its sums, and small matrices wait longer for
its threads than they take: the core has threads of its own, as many as `n_jobs` says.
"""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


class OneBlasThread:
    """A context in which BLAS has one thread; contexts may overlap, in several threads.

    Examples
    --------
    >>> with OneBlasThread():
    ...     pass
    """

    # Threads of BLAS belong to the process: the first context sets them, the last sets them back.
    _lock = Lock()
    _entered = 0
    _limit: Any = None

    def __enter__(self) -> None:
        kind = OneBlasThread
        with kind._lock:
            if kind._entered == 0:
                kind._limit = _controller().limit(limits=1, user_api="blas")
            kind._entered += 1

    def __exit__(self, *_: object) -> None:
        kind = OneBlasThread
        with kind._lock:
            kind._entered -= 1
            if kind._entered == 0:
                kind._limit.restore_original_limits()


#: Looking for the libraries takes milliseconds.
_controller = cache(ThreadpoolController)
