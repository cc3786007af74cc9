"""Exact fits of data that the process has no memory for."""

import subprocess
import sys

import numpy as np
import pytest

from maxmargin import LinearSVC

# Megabytes: the data, and what the process may allocate beyond what it has after its imports.
DATA, ROOM = 64, 32
# In memory a fit begins on a share of the rows: two ways to the optimum, which meet only there.
TOL = 1e-13

CHILD = """
import resource, sys
import numpy as np
from maxmargin import LinearSVC, LinearSVR
from maxmargin.data import Chunks

LinearSVC().fit(np.eye(4), [0, 1, 0, 1])  # whatever is loaded or started by a first fit
X, y, loss, out = sys.argv[1:]
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + {room} * 2**20,) * 2)
try:
    np.load(X)
except MemoryError:
    pass
else:
    raise AssertionError("the data fit into memory")
machine = LinearSVC(loss=loss, C=1e-3, tol={tol})
if loss == "huber":
    machine = LinearSVR(loss=loss, C=1e-3, epsilon=0.5)
model = machine.fit(Chunks.from_npy(X, y, chunk_rows=4000))
assert model.status_.name == "OPTIMAL", model.status_
assert model.history_["passes"][-1] > 2
np.savez(out, coef=model.coef_, gap=model.certificate_.gap)
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    columns = 160
    rows = DATA * 2**20 // (4 * columns)
    rng = np.random.default_rng(0)
    X = np.lib.format.open_memmap(folder / "X.npy", "w+", np.float32, (rows, columns))
    w, y = rng.normal(size=columns), np.empty(rows)
    for begin in range(0, rows, 10_000):
        part = rng.standard_normal((min(10_000, rows - begin), columns), np.float32)
        X[begin : begin + 10_000] = part
        y[begin : begin + 10_000] = part @ w > 5 * rng.normal(size=len(part))
    X.flush()
    np.save(folder / "y.npy", y)
    return folder


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits as of Linux")
@pytest.mark.parametrize("loss", ["hinge", "huber"])
def test_a_fit_in_less_memory_than_the_data(files, loss):
    out = files / f"{loss}.npz"
    arguments = [str(files / "X.npy"), str(files / "y.npy"), loss, str(out)]
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            CHILD.replace("{room}", str(ROOM)).replace("{tol}", str(TOL)),
            *arguments,
        ],
        capture_output=True,
        text=True,
        env={"OPENBLAS_NUM_THREADS": "1", "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    with np.load(out) as found:
        assert found["gap"] <= 1e-4
        if loss == "hinge":
            exact = LinearSVC(loss=loss, C=1e-3, tol=TOL).fit(
                np.load(files / "X.npy"), np.load(files / "y.npy")
            )
            np.testing.assert_allclose(found["coef"], exact.coef_, atol=1e-9)
