"""The nu formulations: shares of errors and support vectors, fixed sums, and the nu that exist."""

import pickle

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from instances import blobs, formulation, sample
from judge import confirm, machines
from maxmargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM, Status

nus = pytest.mark.parametrize("nu", [0.01, 0.2, 0.371, 0.8])
#: No line through overlapping classes has few errors: its nu is not small.
existing = pytest.mark.parametrize(
    ("kernel", "nu"),
    [("linear", 0.8), *((k, nu) for k in ("rbf", "laplacian") for nu in (0.01, 0.2, 0.371, 0.8))],
)
kernels = pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
#: A row this near to an edge is on it.
EDGE = 1e-7


def shares(model, errors, weight):
    """Weighted shares of the errors and of the support vectors."""
    total = weight.sum()
    return weight[errors].sum() / total, weight[model.support_].sum() / total


@pytest.mark.parametrize("weighted", [False, True])
@existing
def test_classifier(nu, kernel, weighted, seed):
    X, y = sample("nu-svc", 90, seed, spread=1.5)
    weight = np.random.default_rng(seed).choice([0.5, 1.0, 3.0], 90) if weighted else np.ones(90)
    # Whatever the weights are, this nu exists.
    weight[y == 1] *= weight[y == 0].sum() / weight[y == 1].sum()
    model = NuSVC(nu=nu, kernel=kernel).fit(X, y, sample_weight=weight)
    confirm(model, X, y, weight)
    z = np.where(y == 1, 1, -1) * model.decision_function(X)
    errors, support = shares(model, z < 1 - EDGE, weight)
    assert errors <= nu + 1e-9 <= support + 2e-9
    free = model.support_[model.support_status_[0] == 1]
    np.testing.assert_allclose(z[free], 1, atol=EDGE)
    (machine,) = machines(model, X, y, weight)
    for sign in (-1, 1):
        half = sign * machine.b[machine.y == sign].sum()
        assert half == pytest.approx(nu * weight.sum() / 2, rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@kernels
@nus
def test_regression(nu, kernel, weighted, seed):
    X, y = sample("nu-svr", 90, seed)
    weight = np.random.default_rng(seed).choice([0.5, 1.0, 3.0], 90) if weighted else np.ones(90)
    model = NuSVR(nu=nu, C=3.0, kernel=kernel).fit(X, y, sample_weight=weight)
    confirm(model, X, y, weight)
    beyond = np.abs(y - model.predict(X)) - model.epsilon_
    errors, support = shares(model, beyond > EDGE, weight)
    assert model.epsilon_ >= 0
    assert errors <= nu + 1e-9 or model.epsilon_ < EDGE
    b, budget = model.dual_coef_[0], 3.0 * nu * weight.sum()
    assert abs(b.sum()) <= 1e-12 * np.abs(b).sum()
    assert np.abs(b).sum() <= budget * (1 + 1e-12)
    if model.epsilon_ > EDGE:  # a tube without width does not use up its budget
        assert support >= nu - 1e-9
        assert np.abs(b).sum() == pytest.approx(budget, rel=1e-12)


@kernels
@nus
def test_one_class(nu, kernel, seed):
    X, _ = sample("one-class", 90, seed)
    weight = np.random.default_rng(seed).choice([0.5, 1.0, 3.0], 90)
    model = OneClassSVM(nu=nu, kernel=kernel).fit(X, sample_weight=weight)
    confirm(model, X, None, weight)
    errors, support = shares(model, model.decision_function(X) < -EDGE, weight)
    assert errors <= nu + 1e-9 <= support + 2e-9
    assert model.dual_coef_.sum() == pytest.approx(nu * weight.sum(), rel=1e-12)


# ---- The same machine by its price --------------------------------------------------------------


@kernels
def test_classifier_is_svc_with_another_parameter(kernel, seed):
    # nu-SVC divided by rho solves C-SVC with C = 1 / rho.
    X, y = sample("nu-svc", 80, seed)
    model = NuSVC(nu=0.37, kernel=kernel).fit(X, y)
    (machine,) = machines(model, X, y)
    priced = SVC(C=1 / machine.width, kernel=kernel).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(X), priced.decision_function(X), rtol=1e-7, atol=1e-7
    )


@kernels
def test_regression_is_svr_with_its_tube(kernel, seed):
    X, y = sample("nu-svr", 80, seed)
    model = NuSVR(nu=0.37, kernel=kernel).fit(X, y)
    given = SVR(epsilon=model.epsilon_, kernel=kernel).fit(X, y)
    np.testing.assert_allclose(model.predict(X), given.predict(X), atol=1e-7)


# ---- What exists --------------------------------------------------------------------------------


def test_nu_that_does_not_exist():
    X, y = blobs(100, 3)
    y = (np.arange(100) < 20).astype(int)
    with pytest.raises(ValueError, match=r"nu is 0\.5 .*greater than 0 and at most .*0\.4\b"):
        NuSVC(nu=0.5).fit(X, y)
    assert NuSVC(nu=0.4).fit(X, y).status_ is Status.OPTIMAL


def degenerate(seed=0, n=120):
    """Three clouds of which the first two overlap; no line has few errors between those."""
    X, y = blobs(n, 2, 3, seed, spread=0.3)
    X[y == 1] = X[y == 0][: (y == 1).sum()] + 0.2
    return X, y


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.5])
def test_nu_below_the_share_of_errors(nu, layout):
    # The nearest nu with a margin is that of the soft margin with a large C.
    X, y = degenerate()
    chosen = y < 2
    X, y = X[chosen], y[chosen]
    with pytest.warns(ConvergenceWarning, match=r"too small for 1 of 1 .*used instead, 0\.[5-9]"):
        model = NuSVC(kernel="linear", nu=nu).fit(layout(X), y)
    assert model.status_ is Status.DEGENERATE
    assert model.fit_status_ == 1
    (found,) = model.solutions_
    priced = SVC(kernel="linear", C=found.soft_c).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(X), priced.decision_function(X), rtol=1e-6, atol=1e-6
    )
    # A larger C hardly changes nu any more, and nothing below it has a margin.
    larger = SVC(kernel="linear", C=100 * found.soft_c).fit(X, y)
    used, least = (
        np.abs(machine.dual_coef_).sum() / machine.C / len(y) for machine in (priced, larger)
    )
    assert least <= used <= 1.002 * least
    again = NuSVC(kernel="linear", nu=1.01 * used).fit(X, y)
    assert again.status_ is Status.OPTIMAL
    assert (again.predict(X) == model.predict(X)).mean() > 0.95
    # It is certified as the nu-SVC that it is, in units of its rho, 1 / C.
    assert model.certificate_.worst.within(1e-4 / found.soft_c)
    assert model.certify(layout(X), y).primal == pytest.approx(model.certificate_.primal, rel=1e-9)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_one_degenerate_pair_leaves_the_others_alone(multi_class):
    X, y = degenerate()
    with pytest.warns(ConvergenceWarning, match=r"too small for [12] of 3 .*for \(0, "):
        model = NuSVC(kernel="linear", nu=0.3, multi_class=multi_class, warm_start=True).fit(X, y)
    statuses = [solution.status for solution in model.solutions_]
    assert statuses[0] is Status.DEGENERATE
    assert statuses[2] is Status.OPTIMAL
    if multi_class == "ovo":
        pair = NuSVC(kernel="linear", nu=0.3).fit(X[y != 0], y[y != 0])
        np.testing.assert_allclose(model.coef_[2], -pair.coef_[0], atol=1e-9)
    assert model.score(X, y) > 0.6
    copy = pickle.loads(pickle.dumps(model))
    assert copy.status_ is Status.DEGENERATE
    expected = model.decision_function(X)
    with pytest.warns(ConvergenceWarning, match="too small"):
        model.fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-6)


def test_no_boundary_at_all():
    # The classes lie upon each other: the nearest nu is 1, and all that is left is a constant.
    X, y = np.repeat(np.arange(10.0), 2)[:, None], np.arange(20) % 2
    with pytest.warns(ConvergenceWarning, match=r"nu=0\.3 is too small .*used instead, 1 for"):
        model = NuSVC(kernel="linear", nu=0.3).fit(X, y)
    assert len(set(model.predict(X))) == 1
    assert len(np.unique(model.decision_function(X))) == 1


def test_a_degenerate_pair_can_be_stopped():
    X, y = degenerate(n=400)
    with pytest.warns(ConvergenceWarning):
        model = NuSVC(kernel="linear", nu=0.3, max_iter=1).fit(X, y)
    assert model.status_ is Status.MAX_ITERATIONS
    assert np.isfinite(model.decision_function(X)).all()


def test_nu_that_weights_forbid():
    X, y = blobs(100, 3)
    weight = np.where(y == 1, 0.25, 1.0)
    with pytest.raises(ValueError, match=r"^specified nu is infeasible: .*at most .*0\.4\b"):
        NuSVC(nu=0.5).fit(X, y, sample_weight=weight)
    assert NuSVC(nu=0.5, class_weight="balanced").fit(X, y).status_ is Status.OPTIMAL


def test_class_weights_forbid_no_nu_that_the_rows_allow():
    X, y = blobs(100, 3)
    with pytest.warns(ConvergenceWarning, match=r"nu=0\.5 is more than class_weight .*, 0\.4 for"):
        model = NuSVC(nu=0.5, class_weight={1: 0.25}).fit(X, y)
    largest = NuSVC(nu=0.4, class_weight={1: 0.25}).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), largest.decision_function(X))
    assert model.certify(X, y).gap < 1e-9
    # They can allow what the rows do not.
    few = np.flatnonzero((y == 0) | (np.arange(100) < 30))
    with pytest.raises(ValueError, match="specified nu is infeasible"):
        NuSVC(nu=0.6).fit(X[few], y[few])
    assert NuSVC(nu=0.6, class_weight="balanced").fit(X[few], y[few]).status_ is Status.OPTIMAL


def test_largest_nu():
    # All rows of the smaller class are at their bounds: its multiplier is an end of an interval.
    X, y = blobs(60, 3)
    model = NuSVC(nu=1.0).fit(X, y)
    confirm(model, X, y)
    assert len(model.support_) == 60
    X, y = sample("nu-svr", 60)
    confirm(NuSVR(nu=1.0).fit(X, y), X, y)
    confirm(OneClassSVM(nu=1.0).fit(X), X)


@pytest.mark.parametrize("nu", [0.0, -0.1, 1.1, np.nan, "half", None])
@pytest.mark.parametrize("form", ["nu-svc", "nu-svr", "one-class"])
def test_nu_that_is_no_share(form, nu):
    X, y = sample(form, 20)
    with pytest.raises(ValueError, match=r"^nu is .*; it must be a number greater than 0 and at"):
        formulation(form, nu=nu).fit(X, y)


def test_targets_on_a_line():
    # Every tube of width 0 fits: epsilon is 0, not a small negative number.
    X = np.linspace(0, 1, 30)[:, None]
    model = NuSVR(kernel="linear", C=1e4).fit(X, 3 * X[:, 0] + 1)
    assert abs(model.epsilon_) < 1e-9
    np.testing.assert_allclose(model.predict([[2.0]]), [7.0], atol=1e-6)


@pytest.mark.filterwarnings("ignore:The KKT violation is at most tol")
def test_many_equal_violations():
    # Of a kernel matrix near the identity, all free rows cost the same: none may crowd out others.
    X, y = np.arange(1100.0)[:, None], np.arange(1100) % 2
    model = NuSVC(gamma=50.0, nu=0.01).fit(X, y)
    assert model.status_ is Status.OPTIMAL
    np.testing.assert_allclose(np.abs(model.solutions_[0].beta), 0.01, atol=1e-3)
