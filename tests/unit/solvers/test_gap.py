import numpy as np
import pytest
from sklearn.base import clone
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


class TestWithoutATolerance:
    """With tol=inf a fit is approximate, and ends as soon as tol_gap is proven."""

    @pytest.mark.parametrize("gap", [0.1, 0.01, 1e-6])
    @pytest.mark.parametrize("C", [1.0, 1e4])
    def test_the_gap_is_proven_over_all_rows(self, C, gap):
        X, y = blobs(1500, 4, spread=3.0)
        model = SVC(C=C, gamma=0.5, tol=np.inf, tol_gap=gap).fit(X, y)
        assert model.status_ is Status.OPTIMAL
        judged = model.certify(X, y)
        assert judged.gap <= gap
        assert judged.gap == pytest.approx(model.certificate_.gap, rel=1e-6, abs=1e-9)

    def test_it_ends_earlier_than_an_exact_fit(self):
        X, y = blobs(3000, 4, spread=3.0)
        exact = SVC(gamma=0.5).fit(X, y)
        model = SVC(gamma=0.5, tol=np.inf, tol_gap=0.1).fit(X, y)
        assert model.certificate_.gap > 100 * exact.certificate_.gap
        assert model.fit_report_["pair_steps"] < exact.fit_report_["pair_steps"] / 2
        assert exact.certificate_.dual <= model.certificate_.primal
        assert model.certificate_.dual <= exact.certificate_.primal

    @pytest.mark.parametrize(
        "machine",
        [SVC(), SVC(kernel="linear"), SVC(loss="squared_hinge"), SVR(), OneClassSVM(nu=0.1)],
        ids=str,
    )
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_machines_that_have_it(self, machine, n_classes):
        X, y = blobs(1300, 3, n_classes, spread=2.0)
        model = clone(machine).set_params(tol=np.inf, tol_gap=0.05).fit(X, y)
        assert model.status_ is Status.OPTIMAL
        assert model.certificate_.gap <= 0.05

    def test_a_stopped_fit_falls_back_on_the_best_that_was_proven(self):
        X, y = blobs(3000, 4, spread=3.0)
        with pytest.warns(ConvergenceWarning):
            stopped = SVC(gamma=0.5, C=100, tol=np.inf, tol_gap=1e-9, max_iter=9000).fit(X, y)
        assert stopped.status_ is Status.MAX_ITERATIONS
        assert stopped.certify(X, y).gap == pytest.approx(stopped.certificate_.gap, rel=1e-6)

    def test_the_gap_has_to_be_named(self):
        with pytest.raises(ValueError, match=r"tol is inf.*tol_gap, and that is None"):
            SVC(tol=np.inf).fit([[0.0], [1.0]], [0, 1])
        with pytest.raises(ValueError, match=r"tol is inf and so is C"):
            SVC(tol=np.inf, tol_gap=0.1, C=np.inf).fit([[0.0], [1.0]], [0, 1])
        with pytest.raises(ValueError, match=r"tol is inf; it must be a finite number"):
            NuSVC(tol=np.inf, tol_gap=0.1).fit([[0.0], [1.0]], [0, 1])
