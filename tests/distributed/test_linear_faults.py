"""Fits on a cluster that are watched, limited, interrupted, or lose what they stand on."""

import gc
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import dask.array as da
import numpy as np
import pytest
from dask import delayed
from distributed import Client
from sklearn.exceptions import ConvergenceWarning

import maxmargin
from maxmargin import distributed
from maxmargin.distributed import linear_machine
from maxmargin.distributed.linear_rows import answer
from maxmargin.problems import Status

pytestmark = pytest.mark.timeout(120)
RNG = np.random.default_rng(1)
X = RNG.normal(size=(300, 4))
Y = np.where(X @ [1.0, -1.0, 0.5, 0.0] + RNG.normal(size=300) > 0, 1, 0)
ROWS, LABELS = da.from_array(X, chunks=(75, 4)), da.from_array(Y, chunks=75)
#: Of `LinearSVC()` on one machine.
BEST = maxmargin.LinearSVC(tol=1e-8).fit(X, Y).certificate_.primal


def assert_right(model):
    assert model.status_ is Status.OPTIMAL
    assert np.isclose(model.certificate_.primal, BEST, rtol=1e-9)


def die_once(path):
    """End this process, the first time that it is called."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def read_and_die(path, rows):
    die_once(path)
    return rows


def answer_and_die(path, step, share, request):
    if share.step >= step:
        die_once(path)
    return answer(share, request)


def test_a_worker_killed_while_it_reads(client, tmp_path):
    once = str(tmp_path / "once")
    first = da.from_delayed(delayed(read_and_die)(once, X[:75]), (75, 4), float)
    model = distributed.LinearSVC(tol=1e-8).fit(da.concatenate([first, ROWS[75:]]), LABELS)
    assert os.path.exists(once)
    assert_right(model)


@pytest.mark.parametrize("phase", ["passes", "certificate"])
def test_a_worker_killed_at_work(client, tmp_path, monkeypatch, phase):
    once, step = str(tmp_path / "once"), 6
    if phase == "certificate":
        whole = distributed.LinearSVC(tol=1e-8).fit(ROWS, LABELS).fit_report_["cluster"]
        step = int(whole["rounds"])  # the last one
    monkeypatch.setattr(linear_machine, "answer", partial(answer_and_die, once, step))
    model = distributed.LinearSVC(tol=1e-8).fit(ROWS, LABELS)
    assert os.path.exists(once)
    assert_right(model)
    assert model.fit_report_["cluster"]["workers_lost"] == 1


def answer_slowly(seconds, number, share, request):
    if number in [part.number for part in share.partitions] and share.step % 4 == 0:
        time.sleep(seconds)
    return answer(share, request)


def test_a_slow_worker_is_waited_for(client, monkeypatch):
    monkeypatch.setattr(linear_machine, "answer", partial(answer_slowly, 0.3, 0))
    assert_right(distributed.LinearSVC(tol=1e-8).fit(ROWS, LABELS))


def unreadable():
    raise OSError("no such file")


def test_a_partition_that_cannot_be_read_is_named_and_changes_nothing(client):
    model = distributed.LinearSVC().fit(ROWS, LABELS)
    before = model.coef_.copy()
    broken = da.concatenate([ROWS, da.from_delayed(delayed(unreadable)(), (75, 4), float)])
    with pytest.raises(ValueError, match="partition 4 cannot be read: OSError: no such file"):
        model.fit(broken, np.r_[Y, Y[:75]])
    assert np.array_equal(model.coef_, before)


def test_the_time_limit_keeps_what_is_there(client, monkeypatch):
    monkeypatch.setattr(linear_machine, "answer", partial(answer_slowly, 0.3, 0))
    clock, late = time.perf_counter, []
    monkeypatch.setattr(time, "perf_counter", lambda: clock() + 1000 * bool(late))
    model = distributed.LinearSVC(loss="hinge", time_limit=500, callback=late.append)
    with pytest.warns(ConvergenceWarning, match=r"time_limit=500 s was reached"):
        model.fit(ROWS, LABELS)
    assert model.status_ is Status.TIME_LIMIT
    assert model.certificate_.dual <= model.certificate_.primal < np.inf


def sleep_and_read(rows):
    time.sleep(2.0)
    return rows


def test_a_time_limit_that_is_over_before_all_is_read_is_an_error(client):
    slow = da.from_delayed(delayed(sleep_and_read)(X[:75]), (75, 4), float)
    with pytest.raises(TimeoutError, match="while the data were being read: give more time"):
        distributed.LinearSVC(time_limit=0.5).fit(da.concatenate([slow, ROWS[75:]]), LABELS)


def test_callbacks_see_the_gap_and_end_the_fit(client, monkeypatch, capsys):
    monkeypatch.setattr(linear_machine, "answer", partial(answer_slowly, 0.3, 0))
    seen = []

    def stop(row):
        seen.append(float(row["gap"]))
        return len(seen) > 2

    model = distributed.LinearSVC(loss="hinge", callback=stop, verbose=1)
    with pytest.warns(ConvergenceWarning, match="it was interrupted"):
        model.fit(ROWS, LABELS)
    assert model.status_ is Status.INTERRUPTED
    assert len(seen) == 3
    assert "gap" in capsys.readouterr().err


def interrupt(row):
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_raises_cancels_and_changes_nothing(client, monkeypatch):
    monkeypatch.setattr(linear_machine, "answer", partial(answer_slowly, 0.3, 0))
    model = distributed.LinearSVC(loss="hinge", callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(ROWS, LABELS)
    assert not hasattr(model, "model_")
    end = time.monotonic() + 20
    while any(client.processing().values()):
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_keeps_what_is_there(client, monkeypatch):
    monkeypatch.setattr(linear_machine, "answer", partial(answer_slowly, 0.3, 0))
    model = distributed.LinearSVC(loss="hinge", callback=interrupt, on_interrupt="keep")
    with pytest.warns(ConvergenceWarning, match="it was interrupted"):
        model.fit(ROWS, LABELS)
    assert model.status_ is Status.INTERRUPTED
    assert model.certificate_.dual <= model.certificate_.primal < np.inf


def answer_alone(share, request):
    assert share.kept.setdefault("inside", 0) == 0  # one task of a worker at a time
    share.kept["inside"] += 1
    found = answer(share, request)
    share.kept["inside"] -= 1
    return found


def test_workers_use_the_threads_that_they_have(client, monkeypatch):
    monkeypatch.setattr(linear_machine, "answer", answer_alone)
    model = distributed.LinearSVC(n_jobs=7, tol=1e-8).fit(ROWS, LABELS)
    assert_right(model)
    report = model.fit_report_["cluster"]
    assert report["workers"] == 2
    assert report["partitions"] == 4
    assert 0 < report["rounds"] < report["tasks"]
    assert report["bytes_moved"] > 0
    assert report["worker_seconds"] > 0
    assert 0 < report["client_seconds"] < model.fit_report_["seconds"]
    assert model._sent().n_jobs is None


def known(client):
    """Tasks that the scheduler knows of."""
    return set(client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks)))


def left_behind(client, before):
    """Tasks that are known and were not before."""
    end = time.monotonic() + 20
    while (tasks := known(client) - before) and time.monotonic() < end:
        time.sleep(0.05)
    return tasks


@pytest.mark.parametrize("kind", ["LinearSVC", "SVC", "SGDSVC"])
def test_nothing_is_left_on_the_workers(client, kind):
    # Nor anything that the same rows, computed again by other names, would be mistaken for.
    before = known(client)
    gc.disable()
    try:
        model = getattr(distributed, kind)(tol=0.1).fit(ROWS, LABELS)
        assert left_behind(client, before) == set()
        broken = da.concatenate([ROWS, da.from_delayed(delayed(unreadable)(), (75, 4), float)])
        with pytest.raises(ValueError, match="partition 4 cannot be read") as error:
            model.fit(broken, np.r_[Y, Y[:75]])
        assert left_behind(client, before) == set()
        assert error.value is not None  # kept until here
    finally:
        gc.enable()


def start(*arguments):
    dask = Path(sys.executable).parent / "dask"
    command = [dask, *arguments, "--host", "127.0.0.1", "--no-dashboard"]
    # Where workers find this file, and when they give up on a dead one.
    own = {
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "10s",
    }
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, env={**os.environ, **own}, **quiet)


def test_a_cluster_of_commands_that_loses_a_worker_for_good(tmp_path, monkeypatch):
    file, once = tmp_path / "scheduler.json", str(tmp_path / "once")
    served = ["--scheduler-file", str(file)]
    processes = [start("scheduler", "--port", "0", *served)]
    try:
        workers = ["--nthreads", "1", "--no-nanny", "--memory-limit", "0"]
        processes += [start("worker", *served, *workers) for _ in range(2)]
        with Client(scheduler_file=str(file), timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            assert_right(distributed.LinearSVC(tol=1e-8).fit(ROWS, LABELS))
            monkeypatch.setattr(linear_machine, "answer", partial(answer_and_die, once, 6))
            model = distributed.LinearSVC(tol=1e-8).fit(ROWS, LABELS)
            assert_right(model)
            assert model.fit_report_["cluster"]["workers"] == 1
    finally:
        for process in processes:
            process.kill()  # a worker whose scheduler is gone takes long to end by itself
            process.wait(timeout=30)
