"""Partitions on workers: what is in them, where they stay, and what is said of bad ones."""

import asyncio
import os
import signal
import time

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask import delayed
from distributed import Client
from scipy import sparse

from maxmargin.distributed import cluster as cluster_module
from maxmargin.distributed import partitions
from maxmargin.distributed.cluster import Cluster, NoWorkers, Stopped, WorkerLost, cancelled
from maxmargin.distributed.partitions import Partitions
from maxmargin.distributed.share import count_rows, pooled

pytestmark = pytest.mark.timeout(90)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = np.where(X[:, 0] > 0, "yes", "no")


def blocks(arrays, width=3):
    """A Dask array of unknown chunk sizes, of blocks of any kind."""
    parts = [
        da.from_delayed(delayed(a), (np.nan, width), meta=np.zeros((0, width))) for a in arrays
    ]
    return da.concatenate(parts, allow_unknown_chunksizes=True)


def gather(share):
    return [(part.number, part.X, part.y, part.weight) for part in share.partitions]


def whole(data):
    """All partitions, in order, as one machine would see them."""
    parts = sorted((part for share in data.map(gather) for part in share), key=lambda part: part[0])
    rows = [part[1].toarray() if sparse.issparse(part[1]) else part[1] for part in parts]
    return np.vstack(rows), np.concatenate([part[2] for part in parts])


FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(
    a=lambda frame: (frame["a"] * 3).astype(int).astype("category"),
    b=lambda frame: frame["b"] > 0,
)
FORMS = {
    "chunks": lambda: (da.from_array(X, chunks=(17, 2)), da.from_array(Y, chunks=20)),
    "unknown": lambda: (
        blocks([X[:10], X[10:10], X[10:]]),
blocks([Y[:10, None], Y[:0, None], Y[10:, None]], 1),
    ),
    "csr": lambda: (
        blocks([sparse.csr_array(X[:45]), sparse.csr_matrix(X[45:])]), Y,
    ),
    "frame": lambda: (
        dd.from_pandas(FRAME, npartitions=4), dd.from_pandas(pd.Series(Y), npartitions=4),
    ),
    "arrays": lambda: (X, Y),
    "plain csr": lambda: (sparse.coo_array(X), list(Y)),
    "plain frame": lambda: (FRAME, pd.Series(Y)),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_rows_arrive_as_one_machine_has_them(client, form):
    data = Partitions(Cluster(client), *FORMS[form](), target="classes")
    rows, labels = whole(data)
    expected = FRAME.astype(float).to_numpy() if "frame" in form else X
    assert np.array_equal(rows, expected)
    assert np.array_equal(labels, Y)
    assert data.shape == (60, 3)
    assert data.sum(count_rows) == 60
    names = np.unique(np.concatenate([part.names for part in data.contents]))
    assert names.tolist() == ["no", "yes"]
    assert sum(part.counts.sum() for part in data.contents) == 60
    total, mean, squares = pooled([part.moments for part in data.contents])
    assert np.isclose(squares / total, rows.var(), rtol=1e-13)
    assert np.isclose(mean, rows.mean(), rtol=1e-13)


def test_weights_are_counted(client):
    weight = np.linspace(-1, 2, 60)
    data = Partitions(
        Cluster(client), da.from_array(X, chunks=20), Y, da.from_array(weight, 20), target="classes"
    )
    assert np.isclose(sum(part.weight for part in data.contents), weight[weight > 0].sum())
    assert sum(part.counts.sum() for part in data.contents) == (weight > 0).sum()


def unreadable():
    raise OSError("no such file")


def test_a_partition_that_cannot_be_read_is_named(client):
    broken = da.from_delayed(delayed(unreadable)(), (5, 3), float)
    with pytest.raises(ValueError, match="partition 1 cannot be read: OSError: no such file"):
        Partitions(Cluster(client), da.concatenate([da.from_array(X, 60), broken]))


def test_a_partition_with_a_hole_is_named(client):
    holes = X.copy()
    holes[50, 1] = np.nan
    with pytest.raises(ValueError, match=r"partition 2: Input X contains NaN"):
        Partitions(Cluster(client), da.from_array(holes, chunks=20))


def test_columns_of_objects_are_numbers_where_they_can_be(client):
    frame = pd.DataFrame({"a": np.arange(4.0), "b": pd.Series([1, 2.5, 3, 4], dtype=object)})
    with dask.config.set({"dataframe.convert-string": False}):
        data = Partitions(Cluster(client), dd.from_pandas(frame, npartitions=2))
        assert np.array_equal(whole(data)[0], frame.astype(float))
        text = frame.assign(b=["u", "v", "w", "x"]).astype({"b": object})
        with pytest.raises(ValueError, match=r"partition \d: X has a column 'b' of object"):
            Partitions(Cluster(client), dd.from_pandas(text, npartitions=2))


def test_partitions_that_do_not_match_are_refused(client):
    cluster = Cluster(client)
    with pytest.raises(ValueError, match="y has 3 partitions and X has 2"):
        Partitions(cluster, blocks([X[:20], X[20:]]), da.from_array(Y, 20), target="classes")
    with pytest.raises(ValueError, match="y has 59 values but X has 60 rows"):
        Partitions(cluster, da.from_array(X, 20), Y[:59], target="classes")
    with pytest.raises(ValueError, match="partition 1 has 2 columns and partition 0 has 3"):
        Partitions(cluster, blocks([X[:20], X[20:, :2]]))
    with pytest.raises(ValueError, match="no rows in any of its 2 partitions"):
        Partitions(cluster, blocks([X[:0], X[:0]]))


def test_without_a_client_the_error_says_what_to_do():
    with pytest.raises(ValueError, match="there is no Dask client; make one first"):
        Cluster()


def remember(share, value):
    share.kept["value"] = share.kept.get("value", 0) + value
    return np.array([share.kept["value"]]), share.n_threads


def test_shares_remember_and_threads_are_the_workers(client):
    data = Partitions(Cluster(client), da.from_array(X, 15))
    data.map(remember, 1)
    total, threads = data.sum(remember, 2)
    assert total.tolist() == [3 * data.n_workers]
    assert threads == 2 * data.n_workers
    report = data.cluster.report
    assert report["tasks"] > 4
    assert report["bytes_moved"] > 0
    assert report["worker_seconds"] > 0


def go_back(share):
    share.step -= 1


def test_a_share_at_another_step_is_found_out(client):
    data = Partitions(Cluster(client), da.from_array(X, 15))
    data.map(go_back)
    attempts = []

    def attempt():
        attempts.append(None)
        return data.sum(count_rows)

    assert data.surviving(attempt) == 60
    assert len(attempts) == 2


def die(share, once):
    if not os.path.exists(once):
        with open(once, "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return count_rows(share)


@pytest.mark.parametrize("plain", [False, True])
def test_a_killed_worker_is_survived(client, tmp_path, plain):
    data = Partitions(Cluster(client), X if plain else da.from_array(X, 15))
    once = str(tmp_path / "once")
    assert data.surviving(lambda: data.sum(die, once)) == 60
    assert data.cluster.report["workers_lost"] == 1


def always_die(share):
    os.kill(os.getpid(), signal.SIGKILL)


def test_workers_that_die_again_and_again_are_an_error(client, monkeypatch):
    monkeypatch.setattr(partitions, "MOST_LOSSES", 0)
    data = Partitions(Cluster(client), da.from_array(X, 15))
    with pytest.raises(WorkerLost, match="begun again 0 times"):
        data.surviving(lambda: data.sum(always_die))


def test_nothing_is_waited_for_in_vain(client):
    cluster = Cluster(client)

    async def never():
        await asyncio.sleep(60)

    with pytest.raises(WorkerLost, match=r"has not answered within 0\.2 s"):
        cluster.asked(never, patience=0.2)
    cluster.tick = lambda: True
    with pytest.raises(Stopped):
        cluster.asked(never)


def test_a_cluster_without_workers_is_said_once(monkeypatch):
    monkeypatch.setattr(cluster_module, "_PATIENCE", 0.2)
    with Client(processes=False, n_workers=0, dashboard_address=":0") as nobody:
        began = time.monotonic()
        with pytest.raises(NoWorkers, match="no workers; start some"):
            Partitions(Cluster(nobody), da.from_array(X, 15))
        assert time.monotonic() < began + 20


def wait_to_be_cancelled(share, path):
    end = time.monotonic() + 30
    while time.monotonic() < end and not cancelled():
        time.sleep(0.02)
    with open(path, "a") as file:
        file.write(f"{time.monotonic() < end}\n")


def test_tasks_end_when_the_fit_is_to_stop(client, tmp_path):
    data = Partitions(Cluster(client), da.from_array(X, 15))
    end, path = time.monotonic() + 0.3, tmp_path / "ends"
    data.cluster.tick = lambda: time.monotonic() > end
    with pytest.raises(Stopped):
        data.map(wait_to_be_cancelled, str(path))
    while not path.exists() or len(path.read_text().split()) < data.n_workers:
        assert time.monotonic() < end + 20
        time.sleep(0.05)
    assert set(path.read_text().split()) == {"True"}
