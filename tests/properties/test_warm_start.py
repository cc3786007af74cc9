"""A warm start changes how long a fit takes, never where it ends."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from instances import FORMULATIONS, blobs, formulation, laplacian, outputs, sample
from judge import confirm
from maxmargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM, Status

forms = pytest.mark.parametrize("form", [name for name in FORMULATIONS if name != "hard-margin"])

CHANGES = {
    "hinge": [{"C": 20.0}, {"C": 0.05}, {"gamma": 2.0}, {"kernel": "linear"}],
    "squared-hinge": [{"C": 20.0}, {"C": 0.05}, {"gamma": 2.0}, {"loss": "hinge"}],
    "nu-svc": [{"nu": 0.6}, {"nu": 0.05}, {"gamma": 2.0}],
    "svr": [{"C": 20.0}, {"C": 0.05}, {"epsilon": 0.5}, {"epsilon": 0.0}, {"gamma": 2.0}],
    "nu-svr": [{"C": 20.0}, {"C": 0.05}, {"nu": 0.9}, {"nu": 0.05}, {"gamma": 2.0}],
    "one-class": [{"nu": 0.9}, {"nu": 0.05}, {"gamma": 2.0}],
}


def same_end(warm, X, y, sample_weight=None, atol=1e-8):
    """Fit again: warm, and cold with the same parameters."""
    warm.fit(X, y, sample_weight=sample_weight)
    cold = clone(warm).fit(X, y, sample_weight=sample_weight)
    confirm(warm, X, y, sample_weight)
    assert warm.status_ is Status.OPTIMAL
    np.testing.assert_allclose(outputs(warm, X), outputs(cold, X), rtol=1e-8, atol=atol)
    np.testing.assert_allclose(warm.certificate_.dual, cold.certificate_.dual, rtol=1e-9)
    return warm, cold


@pytest.mark.parametrize(
    ("form", "change"), [(form, change) for form in CHANGES for change in CHANGES[form]], ids=str
)
def test_parameters(form, change):
    X, y = sample(form, 80)
    model = formulation(form, warm_start=True).fit(X, y)
    same_end(model.set_params(**change), X, y)


@forms
@pytest.mark.parametrize("change", ["added", "removed", "permuted", "replaced", "weighted"])
def test_rows(form, change, layout):
    X, y = sample(form, 80)
    rng = np.random.default_rng(0)
    model = formulation(form, gamma=0.5, warm_start=True)
    order = rng.permutation(80)
    before, after = {
        "added": (order[:60], order),
        "removed": (order, order[:60]),
        "permuted": (np.arange(80), order),
        "replaced": (order[:60], order[20:]),
        "weighted": (order, order),
    }[change]
    weight = rng.choice([0.0, 0.5, 2.0], 80) if change == "weighted" else None
    model.fit(layout(X[before]), y[before])
    model.fit(layout(X[after]), y[after], sample_weight=weight)
    cold = clone(model).fit(X[after], y[after], sample_weight=weight)
    confirm(model, X[after], y[after], weight)
    np.testing.assert_allclose(outputs(model, X), outputs(cold, X), rtol=1e-8, atol=1e-8)


@forms
def test_duplicated_rows(form):
    X, y = sample(form, 30)
    X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    model = formulation(form, gamma=0.5, warm_start=True).fit(X, y)
    same_end(model, X[::-1], y[::-1])
    same_end(model, X[:45], y[:45])


@forms
def test_other_data_altogether(form):
    # Nothing is recognised, nothing is in the way.
    X, y = sample(form, 40)
    model = formulation(form, warm_start=True).fit(np.c_[X, X] + 1, y)
    same_end(model, X, y)
    same_end(model, X.astype(np.float32), y)


@forms
@pytest.mark.parametrize("kernel", ["precomputed", laplacian], ids=["precomputed", "callable"])
def test_given_matrix(form, kernel):
    X, y = sample(form, 60)
    X = laplacian(X, X) if kernel == "precomputed" else X
    model = formulation(form, kernel=kernel, warm_start=True).fit(X, y)
    again = same_end(model, X, y)[0].n_iter_
    assert np.max(again) <= 2
    fewer = X[:50, :50] if kernel == "precomputed" else X[:50]
    same_end(model, fewer, y[:50])
    same_end(model, X, y)


@forms
@pytest.mark.parametrize("n", [150, 1300])
def test_nothing_changed_is_nothing_to_do(form, n):
    X, y = sample(form, n)
    model = formulation(form, warm_start=True).fit(X, y)
    first, dual = np.max(model.n_iter_), model.certificate_.dual
    again = pickle.loads(pickle.dumps(model)).fit(X, y)
    assert np.max(again.n_iter_) <= 0.1 * first + 2
    assert again.certificate_.dual == pytest.approx(dual, rel=1e-5)


@forms
@pytest.mark.parametrize(("n", "max_iter"), [(150, 0), (150, 1), (150, 20), (1100, 20)])
def test_goes_on_after_max_iter(form, max_iter, n):
    X, y = sample(form, n)
    model = formulation(form, warm_start=True, max_iter=max_iter, tol=1e-6)
    with pytest.warns(ConvergenceWarning, match=f"max_iter={max_iter}"):
        model.fit(X, y)
    same_end(model.set_params(max_iter=-1), X, y, atol=1e-5)


@forms
def test_goes_on_after_time_limit(form):
    X, y = sample(form, 300)
    model = formulation(form, warm_start=True, time_limit=1e-9, tol=1e-6)
    with pytest.warns(ConvergenceWarning, match="time_limit=1e-09"):
        model.fit(X, y)
    assert model.status_ is Status.TIME_LIMIT
    confirm(model, X, y)
    same_end(model.set_params(time_limit=None), X, y, atol=1e-5)


class Halfway:
    """Interrupts a fit at its n-th report."""

    def __init__(self, calls):
        self.left = calls

    def __call__(self, row):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("calls", [1, 3])
def test_goes_on_after_an_interrupt(calls):
    X, y = blobs(6000, 8, spread=3.0)
    model = SVC(C=1e5, gamma=0.02, warm_start=True, on_interrupt="keep", callback=Halfway(calls))
    with pytest.warns(ConvergenceWarning, match="interrupted|KeyboardInterrupt"):
        model.fit(X, y)
    assert model.status_ is Status.INTERRUPTED
    stopped = model.certificate_.dual
    model.set_params(callback=None, max_iter=0)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    # It starts where it was, which the kept certificate may have underrated.
    assert model.certificate_.dual >= stopped * (1 - 1e-12)


def test_classes_come_and_go():
    X, y = blobs(120, 4, 4)
    model = SVC(gamma=0.3, warm_start=True).fit(X[y < 3], y[y < 3])
    same_end(model, X, y)
    same_end(model, X[y > 0], y[y > 0])
    same_end(model, X[y > 1], y[y > 1])
    same_end(model, X, np.array(["a", "b", "c", "d"])[y])
    same_end(model.set_params(multi_class="ovr"), X, y)
    same_end(model.set_params(multi_class="ovo"), X, y)


def test_a_path_of_penalties_takes_fewer_steps():
    X, y = sample("hinge", 400, spread=2.0)
    warm, steps = SVC(warm_start=True), []
    for C in 2.0 ** np.arange(6):
        one, other = same_end(warm.set_params(C=C), X, y)
        steps.append((one.n_iter_[0], other.n_iter_[0]))
    mine, theirs = np.sum(steps, axis=0)
    assert mine < theirs


@pytest.mark.parametrize("model", [SVC(), NuSVC(nu=0.2), SVR(), NuSVR(), OneClassSVM()], ids=str)
def test_off_by_default(model):
    X, y = sample("hinge", 60)
    model = clone(model)
    once = model.fit(X, y).dual_coef_
    np.testing.assert_array_equal(model.fit(X[::-1], y[::-1]).fit(X, y).dual_coef_, once)
