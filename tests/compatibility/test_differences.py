"""docs/differences.md is what the code does: each entry is seen, and its remedy helps."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm as there
from sklearn.calibration import CalibratedClassifierCV

import maxmargin as here
from compatibility.exceptions import EXCEPTIONS
from compatibility.programs import NEW, TARGETS, TWO, WEIGHT, X

PAGE = (Path(__file__).parents[2] / "docs" / "differences.md").read_text()
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]
EXACT = {"tol": 1e-8}


def agree(ours, theirs):
    return bool(np.allclose(ours, theirs, rtol=0, atol=1e-4))


def free_intercept():
    rows, new = X + 3.0, NEW + 3.0
    theirs = there.LinearSVC(tol=1e-9, max_iter=10**6).fit(rows, TWO).decision_function(new)
    assert not agree(here.LinearSVC().fit(rows, TWO).decision_function(new), theirs)
    penalised = here.LinearSVC(intercept="penalized").fit(rows, TWO)
    assert agree(penalised.decision_function(new), theirs)
    options = {"epsilon": 0.1, "tol": 1e-9}
    theirs = there.LinearSVR(**options, max_iter=10**6).fit(rows, TARGETS).predict(new)
    assert not agree(here.LinearSVR(**options).fit(rows, TARGETS).predict(new), theirs)
    penalised = here.LinearSVR(**options, intercept="penalized").fit(rows, TARGETS)
    assert agree(penalised.predict(new), theirs)
    theirs = there.l1_min_c(rows, TWO)
    assert not agree(here.l1_min_c(rows, TWO), theirs)
    assert agree(here.l1_min_c(rows, TWO, intercept="penalized"), theirs)


def tol():
    exact = there.SVC(**EXACT).fit(X, TWO).decision_function(NEW)
    assert agree(here.SVC(tol=0.5).fit(X, TWO).decision_function(NEW), exact)
    assert not agree(there.SVC(tol=0.5).fit(X, TWO).decision_function(NEW), exact)
    assert here.LinearSVC(tol=0.1).fit(X, TWO).certificate_.gap < 0.1


def nothing_random():
    for kind in (here.SVC, here.LinearSVC):
        models = [kind(random_state=seed).fit(X, TWO) for seed in (0, 1)]
        first, second = (model.decision_function(NEW) for model in models)
        np.testing.assert_array_equal(first, second)
    models = [here.LinearSVC(dual=dual).fit(X, TWO) for dual in (True, False, "auto")]
    assert len({model.coef_.tobytes() for model in models}) == 1
    models = [here.SVC(shrinking=shrinking).fit(X, TWO) for shrinking in (True, False)]
    assert len({model.dual_coef_.tobytes() for model in models}) == 1


def weighted_gamma():
    theirs = there.SVC(**EXACT).fit(X, TWO, WEIGHT).decision_function(NEW)
    assert not agree(here.SVC().fit(X, TWO, WEIGHT).decision_function(NEW), theirs)
    same = here.SVC(gamma=1 / (X.shape[1] * X.var())).fit(X, TWO, WEIGHT)
    assert agree(same.decision_function(NEW), theirs)


def nu_class_weight():
    options = {"nu": 0.5, "gamma": 0.3}
    weights = {0: 1.0, 1: 1.5}
    plain = there.NuSVC(**options, **EXACT).fit(X, TWO)
    ignored = there.NuSVC(**options, **EXACT, class_weight=weights).fit(X, TWO)
    assert agree(ignored.decision_function(NEW), plain.decision_function(NEW))
    counted = here.NuSVC(**options, class_weight=weights).fit(X, TWO)
    as_rows = there.NuSVC(**options, **EXACT).fit(X, TWO, np.where(TWO == 1, 1.5, 1.0))
    assert agree(counted.decision_function(NEW), as_rows.decision_function(NEW))


def places():
    weight = np.where(X[:, 0] > 0.9, 0.0, 1.0)
    ours, theirs = (p.SVC(gamma=0.3, **EXACT).fit(X, TWO, weight) for p in (here, there))
    np.testing.assert_array_equal(X[ours.support_], ours.support_vectors_)
    left = np.searchsorted(np.flatnonzero(weight > 0), ours.support_)
    np.testing.assert_array_equal(left, theirs.support_)


def boundary_rows():
    model = here.OneClassSVM(nu=0.5, gamma=0.3).fit(X)
    free = model.support_[model.support_status_[0] == here.SupportStatus.FREE]
    assert len(free) > 2
    assert (model.predict(X[free]) == 1).all()
    assert (model.decision_function(X)[free] == 0).all()


def indefinite_kernels():
    rows = np.random.default_rng(0).normal(size=(200, 2))
    labels = (rows[:, 0] > 0) ^ (rows[:, 1] > 0)
    ours, theirs = (p.SVC(kernel="sigmoid", gamma=2.0).fit(rows, labels) for p in (here, there))
    assert not agree(ours.decision_function(rows), theirs.decision_function(rows))
    assert ours.certificate_.worst.within(ours.tol)  # a stationary point
    assert not ours.certificate_.convex


def symmetric_kernels():
    K = X @ X.T
    K[0, 1] += 0.5
    there.SVC(kernel="precomputed").fit(K, TWO)
    with pytest.raises(ValueError, match="not symmetric"):
        here.SVC(kernel="precomputed").fit(K, TWO)
    here.SVC(kernel="precomputed").fit((K + K.T) / 2, TWO)


def kernel_shapes():
    def one(A, B):
        return np.ones((1, 1))

    there.SVR(kernel=one).fit(X, TARGETS)
    with pytest.raises(ValueError, match=r"kernel .*one.* returned shape \(1, 1\)"):
        here.SVR(kernel=one).fit(X, TARGETS)


def private_names():
    ours, theirs = (package.SVC().fit(X, TWO) for package in (here, there))
    for name in ("_dual_coef_", "_n_support"):
        assert hasattr(theirs, name)
        assert not hasattr(ours, name)
    assert ours._gamma == ours.model_.kernel.gamma == pytest.approx(theirs._gamma)
    np.testing.assert_array_equal(ours.model_.weights.T, ours.dual_coef_)


def kinds():
    assert here.SVC().fit(X.astype(np.float32), TWO).support_vectors_.dtype == np.float32
    assert isinstance(here.SVC().fit(sparse.csr_array(X), TWO).dual_coef_, sparse.csr_array)
    assert isinstance(here.SVC().fit(sparse.csr_matrix(X), TWO).dual_coef_, sparse.csr_matrix)


def probabilities():
    rows, labels = np.concatenate([X, X[::-1]]), np.concatenate([TWO, TWO[::-1]])
    ours = here.SVC(probability=True).fit(rows, labels).predict_proba(NEW)
    np.testing.assert_array_equal(
        ours, here.SVC(calibration="sigmoid").fit(X, TWO, np.full(len(X), 2.0)).predict_proba(NEW)
    )
    with pytest.warns(FutureWarning, match="probability"):
        theirs = there.SVC(probability=True, random_state=0).fit(rows, labels).predict_proba(NEW)
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    assert np.corrcoef(ours[:, 0], theirs[:, 0])[0, 1] > 0.9
    wrapped = CalibratedClassifierCV(here.SVC(), ensemble=False).fit(X, TWO).predict_proba(NEW)
    assert wrapped.shape == theirs.shape


#: What shows an entry, and that its remedy helps, beyond what the programs of the suite see.
WITNESSES = {
    "free-intercept": free_intercept,
    "tol": tol,
    "nothing-random": nothing_random,
    "weighted-gamma": weighted_gamma,
    "nu-class-weight": nu_class_weight,
    "places": places,
    "boundary-rows": boundary_rows,
    "indefinite-kernels": indefinite_kernels,
    "symmetric-kernels": symmetric_kernels,
    "kernel-shapes": kernel_shapes,
    "private-names": private_names,
    "probabilities": probabilities,
    "float32": kinds,
    "sparse-arrays": kinds,
}


def test_the_page_has_every_entry_once():
    listed = [row[0].strip("`") for row in ROWS]
    assert len(listed) == len(set(listed))
    shown = {entry for _, entry in EXCEPTIONS.values()} | {*WITNESSES, "verbose"}
    assert set(listed) == shown


def test_each_entry_says_what_and_why():
    for row in ROWS:
        assert len(row) in (3, 4), row[0]
        assert all(len(cell.split()) > 2 for cell in row[1:3]), row[0]


@pytest.mark.parametrize("entry", WITNESSES)
def test_witnesses(entry):
    WITNESSES[entry]()


def test_progress_is_on_standard_error(capfd):
    here.SVC(verbose=1).fit(X, TWO)
    assert capfd.readouterr().out == ""
    there.SVC(verbose=1).fit(X, TWO)
    assert "LibSVM" in capfd.readouterr().out


@pytest.mark.parametrize("name", there.__all__)
def test_docstrings_name_the_page(name):
    assert "docs/differences.md" in re.sub(r"\s+", " ", getattr(here, name).__doc__)


def test_the_readme_names_the_page():
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    assert "docs/differences.md" in readme
    assert "patch_sklearn" in readme
