"""Every formulation against scikit-learn's LIBSVM and against Clarabel's interior point."""

import inspect
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.exceptions import ConvergenceWarning

from instances import CONVEX, blobs, formulation, outputs, sample
from judge import machines, verdicts
from maxmargin import SVC, NuSVC, NuSVR

PEERS = {
    "hinge": sklearn.svm.SVC,
    "nu-svc": sklearn.svm.NuSVC,
    "svr": sklearn.svm.SVR,
    "nu-svr": sklearn.svm.NuSVR,
    "one-class": sklearn.svm.OneClassSVM,
}
forms = pytest.mark.parametrize("form", PEERS)
kernels = pytest.mark.parametrize("kernel", CONVEX.values(), ids=CONVEX.keys())
weighted = pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])


def weights(n, seed=0):
    return np.random.default_rng(seed).choice([0.3, 1.0, 4.0], n)


def peer(form, model, X, y, sample_weight=None, **params):
    """LIBSVM with a model's parameters."""
    names = inspect.signature(PEERS[form]).parameters
    given = {name: value for name, value in model.get_params().items() if name in names}
    given.pop("probability", None)  # which scikit-learn warns of
    theirs = PEERS[form](**{**given, "gamma": 0.3, "max_iter": 200_000, **params})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return theirs.fit(X, y, sample_weight=sample_weight)


# ---- scikit-learn -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs"), [(NuSVC, sklearn.svm.NuSVC), (NuSVR, sklearn.svm.NuSVR)], ids=str
)
def test_signature(ours, theirs):
    mine, its = (inspect.signature(cls).parameters for cls in (ours, theirs))
    left_out = {"probability"}
    assert {n: p.default for n, p in its.items() if n not in left_out}.items() <= {
        n: p.default for n, p in mine.items()
    }.items()


@forms
@kernels
@weighted
def test_same_optimum(form, kernel, weighted):
    X, y = sample(form, 80)
    weight = weights(80) if weighted else None
    # Its "scale" does not look at weights.
    kernel = {**kernel, "gamma": kernel.get("gamma", 0.3)}
    model = formulation(form, **kernel).fit(X, y, sample_weight=weight)
    theirs = peer(form, model, X, y, weight, tol=1e-7, gamma=kernel["gamma"])
    (own,), (other,) = verdicts(model, X, y, weight), verdicts(theirs, X, y, weight)
    rounding = 1e-12 * abs(own.dual) + abs(own.dual) * other.infeasibility
    assert own.dual >= other.dual - rounding
    if theirs.fit_status_ == 0 and other.violation < 1e-4:
        assert own.dual == pytest.approx(other.dual, rel=1e-5)
        np.testing.assert_allclose(outputs(model, X), outputs(theirs, X), rtol=2e-3, atol=2e-3)


@forms
@pytest.mark.parametrize(("n", "tol"), [(200, 1e-1), (200, 1e-3), (1100, 1e-3)])
def test_never_worse_at_the_same_tol(form, tol, n):
    X, y = sample(form, n, spread=1.5)
    model = formulation(form, gamma=0.3, tol=tol).fit(X, y)
    theirs = peer(form, model, X, y)
    (own,), (other,) = verdicts(model, X, y), verdicts(theirs, X, y)
    # What float32 cannot tell apart is not worse; below 1,024 rows we solve to rounding.
    rounding = max(other.infeasibility, 1e-7 if n > 1024 else 1e-12) * abs(own.dual)
    assert own.dual >= other.dual - rounding


@pytest.mark.parametrize("shape", ["ovo", "ovr"])
def test_nu_classes(shape):
    X, y = blobs(120, 4, 4)
    Z, _ = blobs(200, 4, 4, seed=3)
    params = {"nu": 0.2, "gamma": 0.3, "decision_function_shape": shape}
    ours, theirs = NuSVC(**params).fit(X, y), sklearn.svm.NuSVC(tol=1e-7, **params).fit(X, y)
    np.testing.assert_allclose(
        ours.decision_function(Z), theirs.decision_function(Z), rtol=1e-3, atol=1e-3
    )
    assert (ours.predict(Z) == theirs.predict(Z)).mean() > 0.99
    for name in ("support_", "dual_coef_", "intercept_", "n_support_", "classes_"):
        assert getattr(ours, name).shape == getattr(theirs, name).shape, name


def test_attributes_of_nu_regression():
    X, y = sample("nu-svr", 80)
    ours, theirs = NuSVR(C=2.0, gamma=0.3).fit(X, y), sklearn.svm.NuSVR(C=2.0, gamma=0.3).fit(X, y)
    for name in ("support_", "support_vectors_", "dual_coef_", "intercept_", "n_support_"):
        assert np.ndim(getattr(ours, name)) == np.ndim(getattr(theirs, name)), name


# ---- Clarabel -----------------------------------------------------------------------------------


def reference(K, linear, sums, totals, lower, upper):
    """The least value of 1/2 v'Kv + linear'v with sums v = totals, lower <= v <= upper."""
    clarabel = pytest.importorskip("clarabel")
    n = len(linear)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = 500
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    settings.static_regularization_constant = 1e-14
    below, above = np.isfinite(lower), np.isfinite(upper)
    answer = clarabel.DefaultSolver(
        sp.csc_matrix(np.triu(np.asarray(K, float))),
        np.asarray(linear, float),
        sp.csc_matrix(np.vstack([sums, -np.eye(n)[below], np.eye(n)[above]])),
        np.concatenate([totals, -lower[below], upper[above]]),
        [
            clarabel.ZeroConeT(len(totals)),
            clarabel.NonnegativeConeT(int(below.sum() + above.sum())),
        ],
        settings,
    ).solve()
    assert str(answer.status) in ("Solved", "AlmostSolved")
    return answer.obj_val


def dual_value(machine):
    """The optimum of a formulation's dual, written in its textbook variables alpha >= 0."""
    K, y, C = (machine.K + machine.offset).astype(float), machine.y, machine.C
    n, nu, inf = len(y), machine.nu, np.full(len(y), np.inf)
    zero, one, Q = np.zeros(n), np.ones(n), np.outer(y, y) * K
    match machine.form:
        case "hinge":
            value = reference(Q, -one, y[None], [0.0], zero, C)
        case "squared_hinge":
            value = reference(Q + np.diag(0.5 / C), -one, y[None], [0.0], zero, inf)
        case "nu-margin":
            sums, totals = np.vstack([y, one]), [0.0, nu * C.sum()]
            value = reference(Q, zero, sums, totals, zero, C)
        case "origin":
            value = reference(K, zero, one[None], [nu * C.sum()], zero, C)
        case "tube" | "nu-tube":
            both = np.block([[K, -K], [-K, K]])
            sums, totals, width = np.r_[one, -one][None], [0.0], machine.width
            if machine.form == "nu-tube":
                sums, totals, width = np.vstack([sums, np.ones(2 * n)]), [0.0, nu * C.sum()], 0.0
            linear = np.r_[width - y, width + y]
            value = reference(both, linear, sums, totals, np.zeros(2 * n), np.r_[C, C])
    return -value


@pytest.mark.parametrize("form", ["squared-hinge", "nu-svc", "svr", "nu-svr", "one-class"])
@kernels
@weighted
def test_interior_point(form, kernel, weighted):
    X, y = sample(form, 50)
    weight = weights(50) if weighted else None
    model = formulation(form, **kernel).fit(X, y, sample_weight=weight)
    (machine,), (verdict,) = machines(model, X, y, weight), verdicts(model, X, y, weight)
    assert verdict.dual == pytest.approx(dual_value(machine), rel=1e-7)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e2, 1e4], ids="C{:.0e}".format)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_squared_hinge(kernel, C):
    X, y = sample("squared-hinge", 60, spread=1.5)
    model = SVC(C=C, kernel=kernel, loss="squared_hinge").fit(X, y)
    (machine,), (verdict,) = machines(model, X, y), verdicts(model, X, y)
    assert verdict.dual == pytest.approx(dual_value(machine), rel=1e-7)


def test_squared_hinge_is_liblinears():
    # Its intercept is penalised as one more feature; a large constant feature makes that vanish.
    X, y = blobs(100, 3)
    ours = SVC(kernel="linear", loss="squared_hinge", C=0.7).fit(X, y)
    theirs = sklearn.svm.LinearSVC(
        C=0.7, intercept_scaling=1e4, tol=1e-10, max_iter=10**6, random_state=0
    )
    theirs.fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-3)
