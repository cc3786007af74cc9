import numpy as np
import pytest

import maxmargin
from maxmargin import (
    SGDSVC,
    SGDSVR,
    SVC,
    SVR,
    LinearSVC,
    LinearSVR,
    OneClassSVM,
    Perceptron,
)
from maxmargin.data import check_data
from maxmargin.kernels import RBF
from maxmargin.problems import Work, c_svc
from maxmargin.solvers import least_seconds, report, solve
from maxmargin.solvers.report import _peak

KEYS = """method seconds solver_seconds problem_seconds iterations pair_steps newton_steps
kernel_rows kernel_entries exact_entries cache_hits bytes flops certificate_seconds kernel_seconds
gradient_seconds pair_seconds newton_seconds certificate_share roofline"""


def clouds(n, d=3, seed=0):
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return random.normal(size=(n, d)) + y[:, None], y


def test_work_adds_up():
    total = Work(1, 2, 3, 4, 5, flops=6.0, pair_seconds=7.0) + Work(kernel_rows=1, pair_seconds=1.0)
    assert total == Work(1, 2, 3, 5, 5, flops=6.0, pair_seconds=8.0)


def test_the_roof_is_the_higher_of_two_and_steps_come_on_top():
    work = Work(flops=6e9, bytes=8_000)
    assert least_seconds(work, 10, (3e9, 1e9, 0.25)) == 2.0 + 2.5
    assert least_seconds(work, 0, (3e9, 1e3, 0.25)) == 8.0


def test_the_peak_is_measured_once():
    first = _peak(1)
    assert _peak(1) is first
    flops, bandwidth, step = first
    assert flops > 1e8
    assert bandwidth > 1e7
    assert 0 < step < 1e-3


@pytest.mark.parametrize(
    "machine", [SVC, SVR, OneClassSVM, LinearSVC, LinearSVR, SGDSVC, SGDSVR, Perceptron]
)
def test_every_machine_reports_alike(machine):
    X, y = clouds(1200)
    report = machine().fit(X, y).fit_report_
    assert list(report) == KEYS.split()
    assert (report["kernel_entries"] > 0) == (machine in (SVC, SVR, OneClassSVM))
    assert report["roofline"] is None
    assert 0 < report["certificate_share"] < 1
    assert 0 < report["problem_seconds"] <= report["solver_seconds"] <= report["seconds"]


def test_long_fits_are_held_against_the_machine(monkeypatch, tmp_path):
    monkeypatch.setattr(report, "ROOFLINE_SECONDS", 0.0)
    X, y = clouds(1500, d=30)
    model = SVC().fit(X, y)
    assert 0 < model.fit_report_["roofline"] < 1
    maxmargin.save(model, tmp_path / "model.json")
    assert maxmargin.load(tmp_path / "model.json").fit_report_ == model.fit_report_
    # The linear engine computes no kernel values.
    assert SVC(kernel="linear").fit(X, y).fit_report_["roofline"] is None


def test_parts_of_a_fit_are_summed():
    X, _ = clouds(300)
    y = np.arange(300) % 3
    fitted = SVC(decision_function_shape="ovo").fit(X, y).fit_report_
    # Three pairs of 200 rows take their values from one matrix of all 300.
    assert fitted["kernel_entries"] == 300 * 301 // 2


def test_a_given_matrix_is_looked_up():
    X, y = clouds(1100)
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1))
    model = SVC(kernel="precomputed").fit(K, y)
    assert model.fit_report_["kernel_entries"] >= 1100 * model.fit_report_["kernel_rows"] > 0


def test_hard_margins_count_all_their_stages():
    X, y = clouds(40)
    [solution] = solve([c_svc(check_data(X, 2 * y - 1), RBF(gamma=5.0), np.inf)])
    stages, rest = divmod(solution.work.kernel_entries, 40 * 41 // 2)
    assert (stages > 1, rest) == (True, 0)
