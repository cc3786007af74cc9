"""Fits without memory raise MemoryError and leave machines as they were; many fits leak none."""

import gc
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from maxmargin import SGDSVC, SVC, SVR, LinearSVC

#: Refits a machine with ever more address space, until there is enough.
PROGRAM = """
import resource, sys, warnings
import numpy as np
from maxmargin import *
warnings.simplefilter("ignore")
machine = {machine}
rng = np.random.default_rng(0)
X = rng.normal(size=({rows}, 40))
y = (X[:, 0] + rng.normal(size={rows}) > 0).astype(int)
machine.fit(X[:1000], y[:1000])
before, known = machine.decision_function(X), vars(machine).copy()
page, free = resource.getpagesize(), resource.getrlimit(resource.RLIMIT_AS)
refused = 0
for extra in [1 << k for k in range(14, 32)]:
    size = int(open("/proc/self/statm").read().split()[0]) * page
    resource.setrlimit(resource.RLIMIT_AS, (size + extra, free[1]))
    try:
        machine.fit(X, y)
        break
    except MemoryError:
        refused += 1
    finally:
        resource.setrlimit(resource.RLIMIT_AS, free)
    assert vars(machine).keys() == known.keys()
    assert all(vars(machine)[name] is known[name] for name in known)
    assert np.array_equal(machine.decision_function(X), before)
else:
    sys.exit("no fit")
assert not np.array_equal(machine.decision_function(X), before)
print(refused)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS and /proc")
@pytest.mark.parametrize(
    ("machine", "rows"),
    [
        ("SVC(tol=0.1, n_jobs=2)", 3000),
        ("LinearSVC(n_jobs=2)", 4000),
        ("SGDSVC(max_iter=2, random_state=0)", 100_000),
    ],
)
def test_a_fit_without_memory_raises_and_changes_nothing(machine, rows):
    program = PROGRAM.format(machine=machine, rows=rows)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 0, "the limit was never met"


def resident() -> int:
    """Return the bytes that this process has in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "machine", [SVC(probability=True), SVR(), LinearSVC(), SGDSVC(max_iter=1)], ids=repr
)
def test_a_thousand_fits_keep_no_memory(machine):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 50))
    y = (X[:, 0] > 0).astype(int)

    def fits(count):
        for _ in range(count):
            machine.fit(X, y).predict(X)
        gc.collect()

    fits(50)
    tracemalloc.start()
    fits(10)
    traced, bytes_before = tracemalloc.get_traced_memory()[0], resident()
    fits(20)
    grown = tracemalloc.get_traced_memory()[0] - traced
    tracemalloc.stop()
    assert grown < 20 * 1000, "Python objects of each fit are kept"
    fits(170)
    # A copy of the data that each fit kept would be 12 kB, and the whole more than 2 MB.
    assert resident() - bytes_before < 1 << 20
