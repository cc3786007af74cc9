"""How many threads a fit may use.

All cores this process may run on, unless n_jobs says otherwise; one inside the workers of joblib,
multiprocessing or Dask, which are as many as the cores already. The environment variable
MAXMARGIN_NUM_THREADS sets the default for all.
"""

import multiprocessing
import os
import threading

from joblib.parallel import get_active_backend

from maxmargin import _core


def count_threads(n_jobs: int | None) -> int:
    """Translate n_jobs to a number of threads.

    Parameters
    ----------
    n_jobs : int or None
        A number of threads; -1 for all cores, -2 for all but one; None for the default.

    Examples
    --------
    >>> count_threads(3)
    3
    """
    if n_jobs is not None:
        return n_jobs if n_jobs > 0 else max(1, _core.usable_cores() + 1 + n_jobs)
    asked = os.environ.get("MAXMARGIN_NUM_THREADS", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    return 1 if _inside_worker() else _core.usable_cores()


def _inside_worker() -> bool:
    # joblib's own processes and threads know their nesting level; others show by their parentage.
    backend, _ = get_active_backend()
    return (
        getattr(backend, "nesting_level", 0) > 0
        or multiprocessing.parent_process() is not None
        or "LOKY_WORKER" in os.environ
        or threading.current_thread().name.startswith("Dask-")
    )
