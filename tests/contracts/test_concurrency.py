"""Fits beside each other, in threads and in processes that fork meanwhile: the same bits."""

import multiprocessing
import os
import subprocess
import sys
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from instances import blobs
from maxmargin import SVC, LinearSVC, Status

X, Y = blobs(300, 4, 3)
LARGE, LABELS = blobs(1500, 6, spread=2.0)


def bits(model):
    return model.dual_coef_.tobytes() + np.asarray(model.intercept_).tobytes()


def fitted(_=None):
    return bits(SVC(C=2.0, n_jobs=2).fit(X, Y))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_in_the_middle_of_a_fit():
    """The child has the thread that forked and no other, and fits all the same."""
    expected, begun = fitted(), threading.Event()
    found = []

    def fit():
        model = SVC(C=10.0, tol=1e-8, n_jobs=2, callback=lambda row: begun.set())
        found.append(bits(model.fit(LARGE, LABELS)))

    alone = bits(SVC(C=10.0, tol=1e-8, n_jobs=2).fit(LARGE, LABELS))
    thread = threading.Thread(target=fit)
    thread.start()
    begun.wait(20)
    for _ in range(3):
        child = os.fork()
        if child == 0:
            os._exit(0 if fitted() == expected else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    thread.join()
    assert found == [alone]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_server_of_forks():
    with multiprocessing.get_context("forkserver").Pool(1) as pool:
        assert pool.map(fitted, range(2)) == [fitted()] * 2


class RefusalError(Exception):
    """What a callback raises."""


def _refuse(row):
    raise RefusalError


def _interrupt(row):
    raise KeyboardInterrupt


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_two_hundred_fits_in_eight_threads_some_of_which_end_early():
    """One in four stops, one fails, one is interrupted; the fourth has its bits."""
    expected = fitted()
    linear = LinearSVC(loss="hinge").fit(X, Y).coef_.tobytes()

    def fit(number):
        model = SVC(C=2.0, n_jobs=1 + number % 2)
        match number % 4:
            case 0:
                model.set_params(callback=lambda row: True).fit(X, Y)
                return model.status_ in (Status.INTERRUPTED, Status.OPTIMAL)
            case 1 | 2:
                model.set_params(callback=_refuse if number % 4 == 1 else _interrupt)
                try:
                    model.fit(X, Y)
                except (RefusalError, KeyboardInterrupt):
                    return not hasattr(model, "model_")
                return bits(model) == expected  # it was done before it was asked
            case _:
                same = LinearSVC(loss="hinge", n_jobs=2).fit(X, Y).coef_.tobytes() == linear
                return bits(model.fit(X, Y)) == expected and same

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(fit, range(200)))


def test_a_fit_switches_no_gil_on():
    """As a module would, when it is imported, that does not say that it needs none."""
    program = """if True:
        import sys
        from maxmargin import SVC
        SVC().fit([[0.0], [1.0]], [0, 1])
        print(getattr(sys, "_is_gil_enabled", lambda: True)())
    """
    told = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert told.strip() == str(not sysconfig.get_config_var("Py_GIL_DISABLED"))


def test_threads_of_dask():
    dask = pytest.importorskip("dask")
    fits = [dask.delayed(fitted)(k) for k in range(8)]
    assert dask.compute(*fits, scheduler="threads", num_workers=4) == (fitted(),) * 8
