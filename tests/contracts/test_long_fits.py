"""Fits that are stopped: by Ctrl-C, the clock, the callback or a step limit.

Control is to come back within 0.1 s; a second is allowed for here, because a test machine may be
busy with other things.
"""

import multiprocessing
import os
import signal
import threading
import time
from itertools import pairwise

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from instances import blobs, laplacian
from judge import confirm
from maxmargin import SVC, Status

SLACK = 1.0


def slow(X, Z):
    time.sleep(1e-6 * len(X) * len(Z))
    return laplacian(X, Z)


# Each takes three seconds and more on two fast cores when left alone, and is stopped in another
# phase of the solver.
LONG = {
    "large": lambda: (SVC(), *blobs(45000, 100, spread=8.0)),
    "classes": lambda: (SVC(C=1e3, gamma=0.5), *blobs(40000, 6, 12, spread=3.0)),
    "newton": lambda: (SVC(C=1e5, gamma=0.02, cache_size=500), *blobs(12000, 8, spread=3.0)),
}
interrupted = pytest.mark.parametrize(
    "make",
    [*LONG.values(), lambda: (SVC(kernel=slow), *blobs(3000, 10, spread=3.0))],
    ids=[*LONG.keys(), "callable"],
)
long_fits = pytest.mark.parametrize("make", LONG.values(), ids=LONG.keys())


def judged(model, X, y):
    """Confirm the certificate of what was kept: once more by itself, and by the judge if quick."""
    again = model.certify(X, y)
    for new, old in zip(again.parts, model.certificate_.parts, strict=True):
        assert abs(new.violation - old.violation) <= new.bound + old.bound
    if len(y) <= 3000:
        confirm(model, X, y)
    assert np.isfinite(model.decision_function(X[:50])).all()


@interrupted
@pytest.mark.parametrize("after", [0.2, 0.7])
def test_interrupt_raises_and_changes_nothing(make, after, interrupt_after):
    model, X, y = make()
    Z, z = blobs(30)
    model.fit(Z, z)
    before = dict(vars(model))
    sent = interrupt_after(after)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert time.perf_counter() - sent[0] < SLACK
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


@long_fits
@pytest.mark.parametrize("after", [0.2, 0.5])
def test_interrupt_can_keep(make, after, interrupt_after):
    model, X, y = make()
    model.set_params(on_interrupt="keep")
    sent = interrupt_after(after)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model.fit(X, y)
    assert time.perf_counter() - sent[0] < SLACK
    assert model.status_ is Status.INTERRUPTED
    judged(model, X, y)


@pytest.mark.parametrize("on_interrupt", ["raise", "keep"])
def test_an_ignored_interrupt_stays_ignored(on_interrupt, interruptible):
    handlers = []

    def interrupt(row):
        handlers.append(signal.getsignal(signal.SIGINT))
        os.kill(os.getpid(), signal.SIGINT)

    X, y = blobs(3000, 5, spread=3.0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    model = SVC(C=1e3, on_interrupt=on_interrupt, callback=interrupt).fit(X, y)
    assert set(handlers) == {signal.SIG_IGN}
    assert model.status_ is Status.OPTIMAL


@long_fits
def test_time_limit(make):
    model, X, y = make()
    model.set_params(time_limit=0.5)
    start = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match=r"time_limit=0\.5 s"):
        model.fit(X, y)
    assert time.perf_counter() - start < 0.5 + SLACK
    assert model.status_ is Status.TIME_LIMIT
    judged(model, X, y)


def test_a_stopped_fit_keeps_its_progress():
    model, X, y = LONG["newton"]()
    with pytest.warns(ConvergenceWarning):
        model.set_params(time_limit=2.0).fit(X, y)
    assert len(model.support_) > 0
    assert model.certify(X, y).dual > 0


@long_fits
def test_callback_stops(make):
    model, X, y = make()
    rows = []

    def enough(row):
        rows.append((row["part"], row["time"], row["iterations"], row["dual"]))
        return len(rows) == 3

    with pytest.warns(ConvergenceWarning):
        model.set_params(callback=enough).fit(X, y)
    assert model.status_ is Status.INTERRUPTED
    assert len(rows) == 3
    times = [row[1] for row in rows]
    assert all(later - earlier > 0.05 for earlier, later in pairwise(times))
    judged(model, X, y)


@pytest.mark.parametrize("calls", [1, 2])
def test_certificate_of_a_fit_stopped_half_way(calls, layout):
    # Its gradient is what float32 kernel values made it: the bound has to cover that.
    X, y = blobs(2500, 10, spread=3.0)
    rows = []

    def enough(row):
        rows.append(row)
        return len(rows) == calls

    model = SVC(C=1e6, gamma=0.005, callback=enough)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model.fit(layout(X), y)
    assert model.status_ is Status.INTERRUPTED
    confirm(model, X, y)


@long_fits
def test_exception_in_the_callback_acts_like_an_interrupt(make):
    def broken(row):
        raise LookupError("mine")

    model, X, y = make()
    with pytest.raises(LookupError, match="mine"):
        model.set_params(callback=broken).fit(X, y)
    assert not hasattr(model, "support_")
    with pytest.warns(ConvergenceWarning, match=r"LookupError\('mine'\)"):
        model.set_params(on_interrupt="keep").fit(X, y)
    assert model.status_ is Status.INTERRUPTED


@pytest.mark.parametrize("max_iter", [0, 1, 20])
@pytest.mark.parametrize("n", [300, 1500])
def test_max_iter(max_iter, n):
    X, y = blobs(n, 4, spread=2.0)
    model = SVC(max_iter=max_iter)
    with pytest.warns(ConvergenceWarning, match=f"max_iter={max_iter}.*gap"):
        model.fit(X, y)
    assert model.status_ is Status.MAX_ITERATIONS
    assert model.fit_status_ == 1
    assert model.n_iter_[0] <= max_iter
    confirm(model, X, y)


def test_certificate_of_a_fit_without_a_step():
    X, y = blobs(200)
    with pytest.warns(ConvergenceWarning):
        model = SVC(max_iter=0).fit(X, y)
    assert len(model.support_) == 0
    assert model.certify(X, y) == model.certificate_
    assert model.certificate_.gap == 1


def test_warning_points_at_the_caller():
    X, y = blobs(200, spread=2.0)
    with pytest.warns(ConvergenceWarning) as caught:
        SVC(max_iter=3).fit(X, y)
    assert caught[0].filename == __file__


def test_warning_names_the_likely_cause():
    X, y = blobs(200, 4, spread=2.0)
    X[:, 2] *= 1e4
    with pytest.warns(ConvergenceWarning, match=r"columns 2 .*StandardScaler"):
        SVC(max_iter=5).fit(X, y)
    with pytest.warns(ConvergenceWarning, match=r"C=1e\+07"):
        SVC(max_iter=5, C=1e7).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="degree=6"):
        SVC(max_iter=5, kernel="poly", degree=6).fit(X, y)


@pytest.mark.parametrize("verbose", [True, 1])
def test_verbose_writes_to_stderr_only(verbose, capfd):
    model, X, y = LONG["large"]()
    with pytest.warns(ConvergenceWarning):
        model.set_params(verbose=verbose, time_limit=0.6).fit(X, y)
    out, err = capfd.readouterr()
    assert out == ""
    assert "gap" in err
    assert "violation" in err


def test_quiet_by_default(capfd):
    model, X, y = LONG["large"]()
    with pytest.warns(ConvergenceWarning):
        model.set_params(time_limit=0.4).fit(X, y)
    assert capfd.readouterr() == ("", "")


def test_fits_in_several_threads_at_once():
    X, y = blobs(400, 5, 3)
    expected = SVC(n_jobs=1).fit(X, y).dual_coef_
    found = [None] * 4

    def run(k):
        found[k] = SVC(n_jobs=2).fit(X, y).dual_coef_

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(found))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for coef in found:
        np.testing.assert_array_equal(coef, expected)


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_fits_in_joblib_workers(backend):
    from joblib import Parallel, delayed

    X, y = blobs(300, 5, 3)
    expected = SVC().fit(X, y).dual_coef_
    fits = Parallel(n_jobs=2, backend=backend)(delayed(SVC().fit)(X, y) for _ in range(3))
    for model in fits:
        np.testing.assert_array_equal(model.dual_coef_, expected)


def _fit_large(_):
    X, y = blobs(1300, 5)
    return SVC(n_jobs=2).fit(X, y).dual_coef_


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_fits_in_child_processes(method):
    # The parent has used its threads before: a fork has to do without them.
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    expected = _fit_large(0)
    with multiprocessing.get_context(method).Pool(1) as pool:
        np.testing.assert_array_equal(pool.map_async(_fit_large, [0]).get(60)[0], expected)
