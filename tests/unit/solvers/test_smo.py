from dataclasses import replace
from time import process_time

import numpy as np
import pytest
from sklearn.datasets import make_classification

from instances import blobs
from maxmargin.data import check_data
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import TRACE, SolverSettings, Status, c_svc
from maxmargin.solvers import solve


def smo(problem, settings=None, start=None, progress=None):
    """Solve one problem."""
    return solve([problem], settings, progress, None if start is None else [start])[0]


#: A linear kernel of many rows would be solved in the primal.
SMO = SolverSettings(method="smo")


def make(n, C=1.0, kernel=None, spread=1.5):
    X, y = blobs(n, 5, spread=spread)
    return c_svc(check_data(X, 2.0 * y - 1), kernel or RBF(0.3), C)


@pytest.mark.parametrize("n", [2, 50, 1024, 1025, 2100])
def test_solves_and_certifies(n):
    solution = smo(make(n))
    assert solution.status is Status.OPTIMAL
    assert solution.certificate.worst.within(1e-3)
    assert abs(solution.beta.sum()) <= 1e-13 * np.abs(solution.beta).sum()
    assert solution.trace.dtype == TRACE


def test_swift_rounds_go_on_without_an_interior_point():
    """Both problems are alike, but the second round leaves a fortieth of the violation in one."""
    seconds = {}
    for seed in (1, 3):
        X, y = make_classification(900, 50, n_informative=10, random_state=seed)
        problem = c_svc(check_data(X, 2.0 * y - 1), Linear())
        taken = []
        for _ in range(3):
            before = process_time()
            solution = smo(problem, SMO)
            taken.append(process_time() - before)
            assert solution.certificate.gap < 1e-12
        seconds[seed] = min(taken)
    assert seconds[3] < 4 * seconds[1]


@pytest.mark.parametrize("n", [300, 1500])
def test_warm_start(n):
    problem = make(n)
    settings = SolverSettings(tol=1e-6)
    cold = smo(problem, settings)
    warm = smo(problem, settings, start=cold.beta)
    assert warm.work.iterations < cold.work.iterations / 2
    assert warm.certificate.dual == pytest.approx(cold.certificate.dual, rel=1e-9)
    np.testing.assert_array_equal(cold.beta, smo(problem, settings).beta)


def test_the_start_is_left_alone():
    problem = make(200)
    start = np.zeros(200)
    smo(problem, start=start)
    assert not start.any()


def test_start_of_the_wrong_length():
    with pytest.raises(ValueError, match="start"):
        smo(make(50), start=np.zeros(3))


@pytest.mark.parametrize("n", [300, 1500])
def test_step_limit(n):
    solution = smo(make(n), SolverSettings(max_iter=10))
    assert solution.status is Status.MAX_ITERATIONS
    assert solution.work.iterations <= 10


def test_progress_stops():
    rows = []

    def enough(row):
        rows.append(row)
        return True

    solution = smo(make(4000, 1e5, Linear(), 3.0), SMO, progress=enough)
    assert solution.status is Status.INTERRUPTED
    assert len(rows) == 1
    assert rows[0].dtype == TRACE


@pytest.mark.parametrize("on_interrupt", ["raise", "keep"])
def test_exception_in_progress(on_interrupt):
    def broken(row):
        raise LookupError("mine")

    problem, settings = make(4000, 1e5, Linear(), 3.0), replace(SMO, on_interrupt=on_interrupt)
    if on_interrupt == "raise":
        with pytest.raises(LookupError, match="mine"):
            smo(problem, settings, progress=broken)
    else:
        assert smo(problem, settings, progress=broken).status is Status.INTERRUPTED


def test_same_bits(n_threads):
    problem = make(1500)
    one, other = smo(problem), smo(problem, SolverSettings(n_threads=n_threads))
    np.testing.assert_array_equal(one.beta, other.beta)
    assert one.certificate == other.certificate
    for count in ("kernel_entries", "exact_entries", "cache_hits", "bytes", "flops"):
        assert getattr(one.work, count) == getattr(other.work, count)


def test_counts_and_times():
    solution = smo(make(1500))
    spent = solution.work
    assert 0 <= spent.certificate_seconds <= spent.seconds
    assert spent.kernel_rows > 0
    assert spent.iterations > 0
    parts = (spent.kernel_seconds, spent.gradient_seconds, spent.pair_seconds, spent.newton_seconds)
    assert all(part >= 0 for part in parts)
    assert sum(parts) + spent.certificate_seconds <= spent.seconds
    assert spent.kernel_entries >= 1500 * spent.kernel_rows
    assert 0 < spent.exact_entries < spent.kernel_entries
    assert spent.bytes >= 4 * 1500 * spent.cache_hits


def test_small_problems_compute_their_matrix_once():
    problem = make(100)
    work = smo(problem).work
    assert work.kernel_entries == work.exact_entries == 100 * 101 // 2
    d = problem.X.shape[1]
    assert work.flops == (2 * d + 22) * 2 * work.kernel_entries
    assert (work.cache_hits, work.bytes) == (0, 0)
