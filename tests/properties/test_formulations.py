"""What holds for every formulation, kernel, number type and storage, held to the judge."""

import numpy as np
import pytest
import scipy.sparse

from instances import FORMULATIONS, NAMED, blobs, formulation, outputs, sample
from judge import confirm
from maxmargin import Status

forms = pytest.mark.parametrize("form", FORMULATIONS)
soft = pytest.mark.parametrize("form", [name for name in FORMULATIONS if name != "hard-margin"])
kernels = pytest.mark.parametrize("kernel", NAMED.values(), ids=NAMED.keys())
some_kernels = pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
#: No line through the origin's image separates the data of the hard margin.
INSEPARABLE = ("poly2", "sigmoid", "cosine")


def agree(one, other, X, Z=None, atol=1e-8):
    """Two models of the same problem; Z are the rows as the other one knows them."""
    Z = X if Z is None else Z
    np.testing.assert_allclose(outputs(one, X), outputs(other, Z), rtol=1e-8, atol=atol)
    np.testing.assert_allclose(one.certificate_.dual, other.certificate_.dual, rtol=1e-9)


# ---- Optimality ---------------------------------------------------------------------------------


@forms
@kernels
def test_judged(form, kernel, dtype, layout):
    if form == "hard-margin" and kernel in [NAMED[name] for name in INSEPARABLE]:
        pytest.skip("no hard margin")
    X, y = sample(form, 50, dtype=dtype)
    model = formulation(form, **kernel).fit(layout(X), y)
    (verdict,) = confirm(model, X, y)
    assert model.status_ is Status.OPTIMAL
    assert verdict.violation < 1e-9
    if model.certificate_.convex:
        assert abs(verdict.gap) < 1e-8


@soft
def test_judged_with_weights(form, seed):
    X, y = sample(form, 60, seed)
    weight = np.random.default_rng(seed).choice([0.0, 0.1, 1.0, 7.5], len(y))
    model = formulation(form).fit(X, y, sample_weight=weight)
    (verdict,) = confirm(model, X, y, weight)
    assert verdict.violation < 1e-9
    assert (weight[model.support_] > 0).all()


@pytest.mark.parametrize("form", ["hinge", "squared-hinge", "nu-svc"])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 0.5, 2: 2.0}], ids=str)
def test_judged_with_classes(form, multi_class, class_weight):
    X, y = blobs(90, 4, 3, spread=1.5)
    weight = np.random.default_rng(1).choice([0.0, 0.5, 1.0], len(y), p=[0.1, 0.3, 0.6])
    model = formulation(form, multi_class=multi_class, class_weight=class_weight)
    if form == "nu-svc":
        model.set_params(nu=0.2)
    model.fit(X, y, sample_weight=weight)
    found = confirm(model, X, y, weight)
    assert len(found) == 3
    assert max(verdict.violation for verdict in found) < 1e-9


@forms
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.filterwarnings("ignore:The fit ended early.*no longer improve")
def test_large_to_rounding(form, kernel):
    # More rows than are solved with the whole matrix at hand.
    X, y = sample(form, 1100, spread=1.5)
    model = formulation(form, kernel=kernel, tol=1e-10).fit(X, y)
    (verdict,) = confirm(model, X, y)
    assert verdict.violation <= 1e-8
    assert -1e-12 <= verdict.gap <= 1e-8


# ---- What must not change a solution ------------------------------------------------------------


@forms
@some_kernels
def test_row_order(form, kernel, seed):
    X, y = sample(form, seed=seed)
    order = np.random.default_rng(seed).permutation(len(y))
    one = formulation(form, kernel=kernel).fit(X, y)
    agree(one, formulation(form, kernel=kernel).fit(X[order], y[order]), X)


@some_kernels
@pytest.mark.parametrize("form", [name for name in FORMULATIONS if name != "one-class"])
def test_sign_of_targets(form, kernel, seed):
    X, y = sample(form, seed=seed)
    one = formulation(form, kernel=kernel).fit(X, y)
    other = formulation(form, kernel=kernel).fit(X, -y)
    np.testing.assert_allclose(outputs(one, X), -outputs(other, X), rtol=1e-8, atol=1e-8)
    assert one.certificate_.dual == pytest.approx(other.certificate_.dual, rel=1e-9)


@soft
@some_kernels
def test_weight_is_copies(form, kernel, seed):
    X, y = sample(form, seed=seed)
    times = np.random.default_rng(seed).integers(0, 4, len(y))
    weighted = formulation(form, kernel=kernel).fit(X, y, sample_weight=times)
    copies = formulation(form, kernel=kernel).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    agree(weighted, copies, X)


@soft
@some_kernels
def test_weight_zero_is_absence(form, kernel):
    X, y = sample(form)
    weight = (np.arange(len(y)) % 5 > 0).astype(float)
    weighted = formulation(form, kernel=kernel).fit(X, y, sample_weight=weight)
    absent = formulation(form, kernel=kernel).fit(X[weight > 0], y[weight > 0])
    agree(weighted, absent, X)
    np.testing.assert_array_equal(weighted.support_, np.flatnonzero(weight)[absent.support_])


@forms
@some_kernels
def test_storage(form, kernel, layout):
    X, y = sample(form)
    dense = formulation(form, kernel=kernel).fit(X, y)
    agree(dense, formulation(form, kernel=kernel).fit(layout(X), y), X, layout(X))


@forms
@some_kernels
def test_number_types(form, kernel):
    X, y = sample(form, dtype=np.float32)
    one = formulation(form, kernel=kernel, gamma=0.3).fit(X, y)
    agree(one, formulation(form, kernel=kernel, gamma=0.3).fit(X.astype(float), y), X, atol=1e-7)


@forms
def test_given_matrix(form):
    X, y = sample(form)
    K = X @ X.T
    own = formulation(form, kernel="linear").fit(X, y)
    agree(own, formulation(form, kernel="precomputed").fit(K, y), X, K)
    agree(own, formulation(form, kernel=lambda A, B: A @ B.T).fit(X, y), X)


@forms
@pytest.mark.parametrize("n", [200, 1100])
def test_threads(form, n):
    X, y = sample(form, n)
    one, other = (formulation(form, n_jobs=k).fit(X, y) for k in (1, 3))
    for name in ("support_", "dual_coef_", "intercept_", "n_iter_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.certificate_ == other.certificate_
    np.testing.assert_array_equal(outputs(one, X), outputs(other, X))


@soft
@some_kernels
def test_duplicated_rows(form, kernel):
    X, y = sample(form, 20)
    X, y = np.repeat(X, 3, axis=0), np.repeat(y, 3)
    (verdict,) = confirm(formulation(form, kernel=kernel).fit(X, y), X, y)
    assert verdict.violation < 1e-9


# ---- A fit that is not finished -----------------------------------------------------------------


@soft
@pytest.mark.parametrize(("n", "max_iter"), [(100, 0), (100, 1), (100, 7), (1100, 7)])
@pytest.mark.filterwarnings("ignore:Solver terminated early")
def test_certificate_of_a_stopped_fit(form, max_iter, n):
    X, y = sample(form, n)
    model = formulation(form, max_iter=max_iter).fit(X, y)
    assert model.status_ is Status.MAX_ITERATIONS
    confirm(model, X, y)
    assert np.isfinite(outputs(model, X)).all()


@forms
def test_certify_repeats_it(form):
    X, y = sample(form)
    model = formulation(form).fit(X, y)
    again = model.certify(X, y)
    assert again.primal == pytest.approx(model.certificate_.primal, rel=1e-12)
    assert again.dual == pytest.approx(model.certificate_.dual, rel=1e-12)
    assert abs(again.violation - model.certificate_.violation) <= 2 * again.bound


# ---- Far apart ----------------------------------------------------------------------------------


@soft
@pytest.mark.parametrize("gamma", [1e-9, 0.3])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.filterwarnings("ignore:The fit ended early")
def test_weights_of_all_sizes(form, gamma, seed):
    # Twelve orders of magnitude in the box, and a kernel of hardly more than rank two.
    X, y = sample(form, 60, seed, spread=2.0)
    weight = np.random.default_rng(seed).choice([1e-6, 0.1, 1.0, 5.0, 1e6], len(y))
    if form == "nu-svc":
        weight[y == 1] *= weight[y == 0].sum() / weight[y == 1].sum()
    model = formulation(form, gamma=gamma, time_limit=20)
    confirm(model.fit(X, y, sample_weight=weight), X, y, weight)


def test_variance_of_sparse_data_far_from_zero():
    # gamma="scale" is the same number for both layouts, to all but its last digits.
    X, y = sample("hinge")
    for shift in (0.0, 1e3, 1e6):
        dense = formulation("hinge").fit(X + shift, y).model_.kernel.gamma
        sparse = formulation("hinge").fit(scipy.sparse.csr_array(X + shift), y).model_.kernel.gamma
        assert sparse == pytest.approx(dense, rel=1e-12)
