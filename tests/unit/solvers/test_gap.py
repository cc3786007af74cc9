import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from instances import blobs
from maxmargin import SVC, SVR, NuSVC, OneClassSVM, Status
from maxmargin.data import check_data
from maxmargin.kernels import RBF
from maxmargin.problems import SolverSettings, c_svc
from maxmargin.solvers import solve


def problem(n=1500):
    X, y = blobs(n, 4, spread=3.0)
    return c_svc(check_data(X, 2.0 * y - 1), RBF(0.5), C=1e4)


def test_a_fit_goes_on_until_the_gap_is_closed():
    [loose] = solve([problem()], SolverSettings(tol=0.1))
    assert loose.status is Status.OPTIMAL
    assert loose.certificate.gap > 1e-4
    [closed] = solve([problem()], SolverSettings(tol=0.1, tol_gap=1e-6))
    assert closed.status is Status.OPTIMAL
    assert closed.certificate.gap <= 1e-6
    assert (np.diff(closed.trace["iterations"]) >= 0).all()
    assert (np.diff(closed.trace["time"]) >= 0).all()
    assert closed.work.pair_steps == closed.trace[-1]["iterations"]


def test_a_gap_that_float64_does_not_reach_is_not_called_optimal():
    X, y = blobs(200, 4, spread=1.0)
    with pytest.warns(ConvergenceWarning, match="float64 no longer.*gap"):
        model = SVC(C=1e300, tol_gap=1e-3).fit(X, y)
    assert model.status_ is Status.PRECISION


def test_steps_are_counted_over_all_rounds():
    settings = SolverSettings(tol=0.1, tol_gap=1e-9, max_iter=2000)
    [found] = solve([problem()], settings)
    assert found.work.pair_steps <= 2000
    assert found.status in (Status.MAX_ITERATIONS, Status.OPTIMAL)


@pytest.mark.parametrize("machine", [SVC, NuSVC, SVR, OneClassSVM], ids=lambda kind: kind.__name__)
def test_every_kernel_machine_has_it(machine):
    X, y = blobs(300, 4, spread=2.0)
    model = machine(tol=0.1, tol_gap=1e-8).fit(X, y)
    assert model.certificate_.gap <= 1e-8
    with pytest.raises(ValueError, match=r"tol_gap is 0; it must be a finite number greater"):
        machine(tol_gap=0).fit(X, y)
