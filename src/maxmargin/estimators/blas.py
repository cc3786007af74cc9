"""One thread for NumPy's matrix products while a machine is fitted.

How many threads BLAS has changes the last digits of its sums, and small matrices wait longer for
its threads than they take: the core has threads of its own, as many as `n_jobs` says.
"""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Any, ClassVar

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
    _before: ClassVar[list[tuple[Any, int]]] = []  # libraries that had more threads, and how many

    def __enter__(self) -> None:
        kind = OneBlasThread
        with kind._lock:
            if kind._entered == 0:
                counts = [(library, library.get_num_threads()) for library in _libraries()]
                kind._before = [(library, count) for library, count in counts if count > 1]
                for library, _ in kind._before:
                    library.set_num_threads(1)
            kind._entered += 1

    def __exit__(self, *_: object) -> None:
        kind = OneBlasThread
        with kind._lock:
            kind._entered -= 1
            if kind._entered == 0:
                for library, count in kind._before:
                    library.set_num_threads(count)


@cache
def _libraries() -> list[Any]:
    """Return the libraries of BLAS; looking for them takes milliseconds."""
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)
