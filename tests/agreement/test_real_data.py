"""Well-known data sets, read from the folder that MAXMARGIN_DATA names; skipped without it."""

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import sklearn.svm
from sklearn.preprocessing import StandardScaler

from judge import verdicts
from maxmargin import SVC, Status

FOLDER = os.environ.get("MAXMARGIN_DATA", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="MAXMARGIN_DATA is not set")

SMALL = ["heart_scale", "splice", "breast_cancer", "german_numer_scale", "fourclass_scale"]


def load(name):
    path = Path(FOLDER) / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    with np.load(path) as file:
        if "X" in file:
            return file["X"], file["y"]
        parts = (file["data"], file["indices"], file["indptr"])
        return scipy.sparse.csr_array(parts, shape=tuple(file["shape"])), file["y"]


def never_worse(model, X, y):
    dense = X.toarray() if scipy.sparse.issparse(X) else X
    theirs = sklearn.svm.SVC(C=model.C, gamma=model.gamma, kernel=model.kernel, tol=1e-6)
    theirs.fit(dense, y)
    for own, other in zip(verdicts(model, X, y), verdicts(theirs, X, y), strict=True):
        assert own.dual >= other.dual * (1 - max(1e-6, model.tol**2))
        assert own.dual <= other.primal * (1 + 1e-12)
    return theirs


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_small_sets_to_rounding(name, C):
    X, y = load(name)
    model = SVC(C=C).fit(X, y)
    assert model.status_ is Status.OPTIMAL
    (verdict,) = verdicts(model, X, y)
    assert verdict.violation < 1e-9
    never_worse(model, X, y)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a1a(kernel):
    X, y = load("a1a")
    sparse = SVC(kernel=kernel).fit(X, y)
    (verdict,) = verdicts(sparse, X, y)
    assert sparse.status_ is Status.OPTIMAL
    assert verdict.violation <= sparse.tol
    theirs = never_worse(sparse, X, y)
    assert (sparse.predict(X) == theirs.predict(X.toarray())).mean() > 0.995
    dense = SVC(kernel=kernel).fit(X.toarray(), y)
    np.testing.assert_allclose(
        dense.decision_function(X.toarray()),
        sparse.decision_function(X),
        atol=10 * sparse.tol,
    )


def test_splice_test_error():
    (X, y), (Z, z) = load("splice"), load("splice.test")
    ours, theirs = SVC().fit(X, y), sklearn.svm.SVC(tol=1e-6).fit(X, y)
    assert ours.score(Z, z) == pytest.approx(theirs.score(Z, z), abs=1e-3)


def test_svmguide1():
    # The accuracies of LIBSVM's guide: raw 66.925 %, scaled to [-1, 1] 96.15 %, tuned 96.875 %.
    (X, y), (Z, z) = load("svmguide1"), load("svmguide1.test")
    assert SVC(gamma=0.25).fit(X, y).score(Z, z) == pytest.approx(0.66925, abs=1e-3)
    low, high = X.min(axis=0), X.max(axis=0)
    X, Z = (2 * (V - low) / (high - low) - 1 for V in (X, Z))
    assert SVC(gamma=0.25).fit(X, y).score(Z, z) == pytest.approx(0.9615, abs=1e-3)
    assert SVC(C=2.0, gamma=2.0).fit(X, y).score(Z, z) == pytest.approx(0.96875, abs=1e-3)


def test_svmguide1_large_penalty():
    X, y = load("svmguide1")
    X = StandardScaler().fit_transform(X)
    model = SVC(C=1000.0, gamma=0.5).fit(X, y)
    part = model.certificate_.parts[0]
    assert model.status_ is Status.OPTIMAL
    assert part.violation + part.bound <= model.tol
    assert part.gap < 1e-2
