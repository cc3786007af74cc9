"""Dual variables and slack of every row."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from maxmargin import SGDSVR, SVC, SVR, HardMarginSVC, LinearSVC, LinearSVR, NuSVR, OneClassSVM

X, y = make_classification(60, 4, flip_y=0.2, random_state=0)
targets = X @ [1.0, -2.0, 0.5, 0.0]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_primal_objective_from_slack_and_alpha(kernel):
    model = SVC(kernel=kernel, C=2.0, tol=1e-10).fit(X, y)
    signs = np.where(y == 1, 1.0, -1.0)
    f = model.decision_function(X)
    assert model.alpha_.shape == (60,)
    norm = (model.alpha_ * signs) @ (f - model.intercept_)
    primal = norm / 2 + 2.0 * model.slack(X, y).sum()
    assert primal == pytest.approx(model.certificate_.primal)
    assert np.allclose(model.alpha_[model.slack(X, y) > 1e-6], 2.0)


def test_calibrated_fits_keep_the_order_of_the_rows():
    plain, calibrated = (SVC(calibration=c).fit(X, y) for c in (None, "sigmoid"))
    assert np.allclose(plain.alpha_, calibrated.alpha_, atol=1e-2)


def test_of_several_problems_a_row_each():
    model = SVC().fit(X, np.arange(60) % 3)
    assert model.alpha_.shape == (3, 60)
    assert np.array_equal(model.alpha_[:, model.support_], model.alphas_)
    with pytest.raises(ValueError, match="two classes, but there are 3"):
        model.slack(X, np.arange(60) % 3)


def test_of_a_linear_machine():
    linear = LinearSVC(loss="hinge", C=1.0, tol=1e-10).fit(X, y)
    kernel = SVC(kernel="linear", C=1.0, tol=1e-10).fit(X, y)
    assert np.allclose(linear.alpha_, kernel.alpha_, atol=1e-5)
    assert np.allclose(linear.slack(X, y), kernel.slack(X, y), atol=1e-5)


@pytest.mark.parametrize("model", [SVR(epsilon=0.3), NuSVR(), LinearSVR(epsilon=0.3)])
def test_of_a_tube(model):
    model.fit(X, targets)
    width = getattr(model, "epsilon_", None) or model.epsilon
    beyond = np.abs(model.predict(X) - targets) - width
    assert np.allclose(model.slack(X, targets), np.maximum(0, beyond))
    assert model.alpha_.shape == (60,)
    assert np.all(model.alpha_[beyond < -1e-3] == 0)


def test_of_one_class():
    model = OneClassSVM(nu=0.2).fit(X)
    assert np.array_equal(model.slack(X) > 0, model.predict(X) == -1)


@pytest.mark.parametrize(
    ("ask", "error", "text"),
    [
        (lambda: SVC().fit(X, y).slack(X), ValueError, r"slack\(X, y\)"),
        (lambda: SVC().fit(X, y).slack(X, y + 1), ValueError, "label 2, .* its classes are 0, 1"),
        (lambda: SVC().fit(X, y).slack(X, y[:9]), ValueError, "inconsistent numbers"),
        (
            lambda: SGDSVR(loss="squared_error").fit(X, targets).slack(X, targets),
            ValueError,
            "no tube",
        ),
        (lambda: SVC().fit(X, y).slack_, AttributeError, r"use slack\(X, y\)"),
        (lambda: SVC().fit(X, y).w, AttributeError, "use coef_"),
        (lambda: SVC().fit(X, y).alphas, AttributeError, "use alpha_"),
        (
            lambda: SVC().fit(X, y).support_vector_,
            AttributeError,
            "mean 'support_vectors_'",
        ),
        (lambda: SVC(kernel="rbf").fit(X, y).coef_, AttributeError, "linear"),
        (lambda: SVC().margin_, AttributeError, "Margins.of"),
    ],
)
def test_wrong_guesses(ask, error, text):
    with pytest.raises(error, match=text):
        ask()


def test_the_hard_margin_has_its_own():
    assert HardMarginSVC(gamma=9.0).fit(X, y).margin_.shape == (1,)
