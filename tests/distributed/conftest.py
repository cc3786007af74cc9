"""A cluster of processes on this machine: two workers of two threads, one for all tests."""

import dask
import pytest
from distributed import Client, LocalCluster


@pytest.fixture(scope="session")
def local_cluster():
    # Who asks a dead worker for data gives up after this, not after half a minute. A killed worker
    # may take long to be there again on a busy machine; the cluster would give it up after 15 s.
    patience = {
        "distributed.comm.timeouts.connect": "10s",
        "distributed.deploy.lost-worker-timeout": "120s",
    }
    with dask.config.set(patience), LocalCluster(
        n_workers=2, threads_per_worker=2, processes=True, host="127.0.0.1",
        dashboard_address=":0", memory_limit=0,
    ) as cluster:  # fmt: skip
        yield cluster


@pytest.fixture
def client(local_cluster):
    """A client of it; the workers that a test has killed are there again."""
    with Client(local_cluster) as client:
        client.wait_for_workers(2, timeout=60)
        yield client
