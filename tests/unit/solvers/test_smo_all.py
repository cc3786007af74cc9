from dataclasses import replace

import numpy as np
import pytest

from instances import blobs
from maxmargin.data import check_data
from maxmargin.kernels import RBF
from maxmargin.problems import SolverSettings, Status, c_svc, nu_svc, nu_svr, one_vs_one
from maxmargin.solvers import Watch, solve
from maxmargin.solvers.smo import smo

SIZES = [30, 5, 1100, 80, 31]


def stated(kind, X, parts):
    """Problems of some rows and their labels each, on the same data."""
    problems = [kind(check_data(X[rows], y), RBF(0.3), rows=rows) for rows, y in parts]
    return [replace(problem, X=X) for problem in problems]


def several(kind=c_svc):
    """Some rows are in many problems, and one problem is larger than the rest."""
    X, y = blobs(1100, 4, spread=1.5)
    return stated(kind, X, [(np.arange(size), 2.0 * y[:size] - 1) for size in SIZES])


@pytest.mark.parametrize("kind", [c_svc, nu_svc])
def test_as_if_alone(kind, n_threads):
    problems = several(kind)
    nothing = [None] * len(problems)
    found = smo(problems, SolverSettings(n_threads=n_threads), Watch(), nothing)
    for problem, solution in zip(problems, found, strict=True):
        [alone] = solve([problem])
        np.testing.assert_array_equal(solution.beta, alone.beta)
        assert solution.certificate == alone.certificate
        assert solution.multipliers == alone.multipliers
        assert solution.status is Status.OPTIMAL
        assert solution.trace["violation"][-1] == solution.certificate.violation


def test_problems_of_the_same_rows_with_two_variables_for_each():
    """Their matrix is shared, and is half as wide as they have variables; found by fuzzing."""
    X, y = blobs(60, 3)
    data = check_data(X, X[:, 0] + y)
    problems = [nu_svr(data, RBF(0.5), C=C) for C in (1.0, 5.0)]
    for problem, solution in zip(problems, solve(problems), strict=True):
        [alone] = solve([problem])
        np.testing.assert_allclose(solution.beta, alone.beta, atol=1e-9)
        assert solution.status is Status.OPTIMAL


def test_starts():
    problems = several()
    cold = solve(problems)
    starts = [None, *(solution.beta for solution in cold[1:])]
    warm = solve(problems, starts=starts)
    assert warm[0].work.iterations == cold[0].work.iterations
    for new, old in zip(warm[1:], cold[1:], strict=True):
        assert new.work.iterations <= 1
        assert new.certificate.dual == pytest.approx(old.certificate.dual, rel=1e-6)


def test_stopped(n_threads):
    # Those that were not begun when it stopped are certified at their first point.
    X, y = blobs(16000, 6, 16, spread=3.0)
    problems = stated(c_svc, X, [(pair.rows, pair.y) for pair in one_vs_one(y, 16)])
    parts = []

    def stop(row):
        parts.append(row["part"])
        return True

    found = solve(problems, SolverSettings(n_threads=n_threads), stop)
    assert len(parts) == 1
    assert 0 <= parts[0] < len(problems)
    untouched = [solution for solution in found if solution.work.iterations == 0]
    assert len(untouched) > len(found) / 2
    for solution in untouched:
        assert solution.status is Status.INTERRUPTED
        assert solution.certificate.gap == 1
        assert not solution.beta.any()
