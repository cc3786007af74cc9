import pytest
from joblib import Parallel, delayed

from maxmargin import _core
from maxmargin.estimators.threads import count_threads


def test_given():
    assert count_threads(3) == 3
    assert count_threads(-1) == _core.usable_cores()
    assert count_threads(-1000) == 1


def test_default(monkeypatch):
    monkeypatch.delenv("MAXMARGIN_NUM_THREADS", raising=False)
    assert count_threads(None) == _core.usable_cores()


def test_environment(monkeypatch):
    monkeypatch.setenv("MAXMARGIN_NUM_THREADS", "7")
    assert count_threads(None) == 7
    assert count_threads(2) == 2


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_one_inside_workers(backend, monkeypatch):
    monkeypatch.delenv("MAXMARGIN_NUM_THREADS", raising=False)
    found = Parallel(n_jobs=2, backend=backend)(delayed(count_threads)(None) for _ in range(3))
    assert found == [1, 1, 1]
