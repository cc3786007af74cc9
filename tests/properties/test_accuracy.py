"""Single problems of up to about 1,000 rows are solved to rounding; larger ones to tol."""

import numpy as np
import pytest

from instances import KERNELS, blobs, rings
from judge import confirm
from maxmargin import SVC, SVR, Status

kernels = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())


@kernels
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("n", [30, 300])
def test_small_to_rounding(kernel, C, n, seed):
    X, y = blobs(n, 4, seed=seed, spread=1.3)
    model = SVC(C=C, **kernel).fit(X, y)
    (verdict,) = confirm(model, X, y)
    assert verdict.violation < 1e-9
    assert abs(verdict.gap) < 1e-9


@kernels
def test_a_thousand_rows_to_rounding(kernel):
    X, y = blobs(1000, 4, spread=1.3)
    (verdict,) = confirm(SVC(**kernel).fit(X, y), X, y)
    assert verdict.violation < 1e-9


def test_small_to_rounding_whatever_tol_is(seed):
    rng = np.random.default_rng(seed)
    X = (rng.uniform(size=(400, 120)) < 0.1).astype(float)
    y = X[:, :10].sum(axis=1) + rng.normal(size=400) > 1
    (verdict,) = confirm(SVC(C=0.1, gamma=1 / 120, tol=0.1).fit(X, y), X, y)
    assert verdict.violation < 1e-9


def test_copies_to_rounding_in_few_newton_steps():
    rng = np.random.default_rng(0)
    X = rng.integers(4, size=(900, 4)) / 3
    y = X[:, 0] + 0.1 * rng.normal(size=900) > 0.5
    model = SVC(gamma=0.25).fit(X, y)
    (verdict,) = confirm(model, X, y)
    assert verdict.violation < 1e-9
    assert model.fit_report_["newton_steps"] <= 9


@pytest.mark.parametrize("tol", [1e-2, 1e-3, 1e-6])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_large_to_tol(kernel, tol, layout):
    X, y = blobs(1400, 6, spread=1.3)
    model = SVC(kernel=kernel, tol=tol).fit(layout(X), y)
    (verdict,) = confirm(model, X, y)
    assert model.status_ is Status.OPTIMAL
    assert verdict.violation <= tol
    assert -1e-12 <= verdict.gap <= tol


@pytest.mark.parametrize("C", [1.0, 10.0])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_last_digits_of_a_large_one(loss, C):
    X, y = blobs(1400, 6, spread=1.3)
    model = SVC(C=C, loss=loss, tol=1e-8).fit(X, y)
    (verdict,) = confirm(model, X, y)
    assert verdict.violation <= 1e-8
    # One system does: it starts from an exact gradient.
    assert model.fit_report_["newton_steps"] <= 2


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_last_digits_of_a_large_regression(C):
    X = np.random.default_rng(0).normal(size=(1500, 4))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    model = SVR(C=C, epsilon=0.05, tol=1e-8).fit(X, y)
    (verdict,) = confirm(model, X, y)
    assert verdict.violation <= 1e-8


def test_history_leads_to_the_certificate():
    X, y = blobs(1500, 5, 2, spread=1.5)
    model = SVC(C=10.0).fit(X, y)
    history, part = model.history_, model.certificate_.parts[0]
    assert history.dtype.names == (
        *("part", "time", "iterations", "primal", "dual"),
        *("gap", "violation", "n_support"),
    )
    assert (np.diff(history["time"]) >= 0).all()
    assert (np.diff(history["iterations"]) >= 0).all()
    assert history["dual"][0] == 0
    # The dual only ever rises; float32 kernel values blur it on the way.
    assert (np.diff(history["dual"]) >= -1e-5 * abs(part.dual)).all()
    last = history[-1]
    assert (last["primal"], last["dual"]) == (part.primal, part.dual)
    assert (last["gap"], last["violation"]) == (part.gap, part.violation)
    assert last["n_support"] == len(model.support_)


def test_history_of_several_parts():
    X, y = blobs(120, 4, 4)
    model = SVC().fit(X, y)
    assert sorted(set(model.history_["part"])) == list(range(6))
    assert (np.diff(model.history_["time"]) >= 0).all()


def test_margin_of_support_vectors():
    # KKT by its meaning: free ones on the margin, bound ones inside, the others outside.
    X, y = rings(200)
    model = SVC(C=1.0, gamma=1.0).fit(X, y)
    margin = np.where(y == 1, 1, -1) * model.decision_function(X)
    free = model.support_[model.support_status_[0] == 1]
    bound = model.support_[model.support_status_[0] == 2]
    rest = np.setdiff1d(np.arange(len(y)), model.support_)
    assert len(free) > 0
    assert len(bound) > 0
    np.testing.assert_allclose(margin[free], 1, atol=1e-9)
    assert (margin[bound] <= 1 + 1e-9).all()
    assert (margin[rest] >= 1 - 1e-9).all()
    np.testing.assert_array_equal(model.alphas_[0][model.support_status_[0] == 2], 1.0)
