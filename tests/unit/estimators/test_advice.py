"""Warnings about fits that did as they were asked."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from instances import blobs
from maxmargin import SVC, SVR, AdviceWarning, LinearSVC, LinearSVR, NuSVC, OneClassSVM, Status


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture
def said():
    """All that fits say, which other tests ignore."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield lambda: [str(warning.message) for warning in caught]


@pytest.mark.parametrize("C", [1e12, 1e300])
def test_a_large_gap_is_said(cancer, C):
    X, y = cancer
    with pytest.warns(
        ConvergenceWarning, match=r"violation is at most tol.*gap.*tol_gap"
    ) as caught:
        SVC(C=C).fit(StandardScaler().fit_transform(X), y)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("kernel", ["sigmoid", "precomputed"])
def test_a_kernel_that_is_not_semidefinite_is_said_once(cancer, kernel, said):
    X, y = cancer
    X, y = StandardScaler().fit_transform(X[:200]), y[:200] + (np.arange(200) % 3 == 0)
    given = -np.abs(X @ X.T) if kernel == "precomputed" else X
    model = SVC(kernel=kernel).fit(given, y)
    assert not model.certificate_.convex
    assert sum("not positive semidefinite" in text for text in said()) == 1


def test_rows_known_by_heart_are_said(cancer):
    X, y = cancer
    with pytest.warns(AdviceWarning, match=r"569 of 569 rows are support vectors.*StandardScaler"):
        SVC(gamma="auto").fit(X, y)


@pytest.mark.parametrize(
    "make",
    [
        lambda X, y: SVC().fit(X, y),
        lambda X, y: SVC(C=1e-6).fit(X, y),  # all rows at their bound
        lambda X, y: SVC(kernel="linear").fit(X[:120, :], y[:120]),
        lambda X, y: NuSVC(nu=0.6).fit(X, y),
        lambda X, y: SVR(epsilon=0.0).fit(X, X[:, 0]),
        lambda X, y: OneClassSVM(nu=0.99).fit(X),
        lambda X, y: SVC(C=100.0, tol=0.1).fit(X, y),
        lambda X, y: LinearSVC(intercept="penalized", intercept_scaling=100).fit(X, y),
        lambda X, y: LinearSVC(fit_intercept=False, intercept_scaling=100).fit(X, y),
    ],
)
def test_nothing_is_said_of_usual_fits(make, said):
    X, y = make_classification(400, 20, flip_y=0.1, random_state=0)
    make(StandardScaler().fit_transform(X), y)
    assert said() == []


def test_text_is_not_known_by_heart_to_a_linear_kernel(said):
    X = sparse.random(400, 5000, density=0.004, random_state=0, format="csr")
    model = SVC(kernel="linear").fit(X, np.arange(400) % 2)
    assert len(model.support_) > 390
    assert said() == []


def test_noise_of_many_features_is_not_known_by_heart(said):
    # Nearly all rows are support vectors, as they should be: nothing is to be learnt.
    rng = np.random.default_rng(0)
    model = SVC().fit(rng.normal(size=(200, 300)), rng.integers(0, 2, 200))
    assert len(model.support_) > 190
    assert said() == []


@pytest.mark.parametrize("machine", [LinearSVC, LinearSVR])
def test_a_scaling_that_does_nothing_is_said(machine):
    X, y = blobs(60)
    with pytest.warns(AdviceWarning, match=r'intercept_scaling=100 does nothing.*"penalized"'):
        machine(intercept_scaling=100).fit(X, y)


def test_a_status_prints_its_name():
    assert f"{Status.OPTIMAL}, {Status.TIME_LIMIT!s}" == "OPTIMAL, TIME_LIMIT"
