"""What programs written for scikit-learn's SVM classes do beyond fit and predict."""

import pickle
import re
from operator import eq

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm as peers
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score

import maxmargin
from instances import blobs
from maxmargin import (
    SGDSVC,
    SGDSVR,
    SVC,
    SVR,
    HardMarginSVC,
    InfeasibleError,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
    load,
    save,
)

MACHINES = [
    SVC(),
    NuSVC(nu=0.3),
    HardMarginSVC(gamma=5.0),
    SVR(),
    NuSVR(),
    OneClassSVM(nu=0.3),
    LinearSVC(),
    LinearSVR(),
    SGDSVC(random_state=0, shuffle=False, eta0=0.1, tol=0.0, max_iter=3),
    SGDSVR(random_state=0, shuffle=False, eta0=0.1, tol=0.0, max_iter=3),
    Perceptron(),
]
machines = pytest.mark.parametrize("machine", MACHINES, ids=lambda m: type(m).__name__)


@machines
def test_rows_of_negative_weight_are_left_out(machine):
    X, y = blobs(60, 3, spread=0.5)
    weight = np.where(np.arange(60) % 4 == 0, -1.5, 1.0)
    kept = weight > 0
    options = {"gamma": 0.5} if "gamma" in machine.get_params() else {}
    machine.set_params(**options)
    found = machine.fit(X, y, weight).predict(X)
    np.testing.assert_allclose(found, machine.fit(X[kept], y[kept]).predict(X), atol=1e-9)


@pytest.mark.parametrize("sign", [0.0, -1.0])
def test_weights_that_leave_nothing_are_told_as_there(sign):
    X, y = blobs(40, 3)
    for weight in (np.full(40, sign), np.where(y == 0, 1.0, sign)):
        with pytest.raises(ValueError, match="Invalid input") as theirs:
            peers.SVC().fit(X, y, weight)
        with pytest.raises(ValueError, match="Invalid input") as ours:
            SVC().fit(X, y, weight)
        assert str(ours.value).startswith(str(theirs.value).rstrip("."))


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_an_infinite_C_is_the_hard_margin(loss):
    X, y = blobs(60, 3, classes=3, spread=0.1)
    soft, hard = SVC(C=np.inf, loss=loss).fit(X, y), HardMarginSVC().fit(X, y)
    np.testing.assert_array_equal(soft.dual_coef_, hard.dual_coef_)
    np.testing.assert_array_equal(soft.decision_function(X), hard.decision_function(X))
    assert soft.certify(X, y).primal == pytest.approx(soft.certificate_.primal, rel=1e-12)
    with pytest.raises(InfeasibleError):
        SVC(C=float("inf"), kernel="linear").fit([[0.0], [1.0], [2.0]], [0, 1, 0])


@pytest.mark.parametrize(
    "machine",
    [LinearSVC("l1", C=0.05), LinearSVC(), SGDSVC(random_state=0), LinearSVR(), Perceptron()],
    ids=lambda m: type(m).__name__,
)
def test_weights_can_be_sparse_and_dense(machine, tmp_path):
    X, y = blobs(80, 6, classes=3 if hasattr(machine, "class_weight") else 2)
    machine.fit(X, y)
    expected, coef = machine.predict(X), machine.coef_
    assert machine.sparsify() is machine
    assert sparse.issparse(machine.coef_)
    save(machine, tmp_path / "model")
    for model in (machine, load(tmp_path / "model")):
        for rows in (X, sparse.csr_array(X)):
            np.testing.assert_allclose(model.predict(rows), expected, atol=1e-12)
    assert machine.certify(X, y).primal == pytest.approx(machine.certificate_.primal, rel=1e-9)
    np.testing.assert_array_equal(machine.densify().coef_, coef)


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (SVC, peers.SVC),
        (NuSVC, peers.NuSVC),
        (SVR, peers.SVR),
        (NuSVR, peers.NuSVR),
        (OneClassSVM, peers.OneClassSVM),
    ],
    ids=lambda kind: kind.__module__.partition(".")[0],
)
def test_coefficients_of_sparse_fits_are_sparse(ours, theirs, form):
    X, y = blobs(60, 4, classes=3, spread=0.3)
    X[np.abs(X) < 0.3] = 0
    model, peer = (kind(kernel="linear", tol=1e-6).fit(form(X), y) for kind in (ours, theirs))
    alone = ours(kernel="linear", tol=1e-6).fit(X, y)
    for name in ("dual_coef_", "coef_"):
        found, expected = getattr(model, name), getattr(peer, name)
        assert sparse.issparse(found)
        assert found.format == expected.format == "csr"
        assert len(found.shape) == 2
        assert found.shape[0] == expected.shape[0]
        np.testing.assert_allclose(found.toarray(), getattr(alone, name), atol=1e-9)
    assert model.dual_coef_.nnz == np.prod(model.dual_coef_.shape)


def test_sparse_weights_of_a_linear_kernel_can_be_measured():
    # They are read-only, and scikit-learn sums them, which sorts what is not sorted.
    X, y = blobs(60, 4, classes=3, spread=0.3)
    found = []
    for kind in (SVC, peers.SVC):
        model = kind(kernel="linear", tol=1e-6).fit(sparse.csr_matrix(X), y)
        assert model.coef_.has_sorted_indices
        found.append(SelectFromModel(model, prefit=True).get_support())
    np.testing.assert_array_equal(*found)


def test_one_weight_for_all_rows():
    X, y = blobs(40, 3)
    alone = LinearSVC().fit(X, y, np.full(40, 0.5))
    np.testing.assert_array_equal(LinearSVC().fit(X, y, 0.5).coef_, alone.coef_)
    peers.LinearSVC().fit(X, y, 0.5)
    with pytest.raises(ValueError, match="zero or negative weights"):
        SVC().fit(X, y, 0.0)


def test_no_support_vectors_at_all():
    X = sparse.csr_matrix(np.arange(8.0).reshape(4, 2))
    model = SVR(kernel="linear").fit(X, np.ones(4))
    assert model.dual_coef_.shape == (1, 0)
    assert model.coef_.nnz == 0
    np.testing.assert_array_equal(model.predict(X), np.ones(4))


@pytest.mark.parametrize("rows", [np.asarray, sparse.csr_matrix])
def test_weights_of_a_linear_kernel_cannot_be_changed(rows):
    X, y = blobs(40, 3)
    model = SVC(kernel="linear").fit(rows(X), y)
    with pytest.raises(AttributeError):
        model.coef_ = np.arange(3)
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 0


def test_weights_can_be_set():
    X, y = blobs(60, 3)
    model = LinearSVC().fit(X, y)
    expected = model.decision_function(X)
    model.coef_, model.intercept_ = 2 * model.coef_, 2 * model.intercept_
    np.testing.assert_allclose(model.decision_function(X), 2 * expected, atol=1e-12)


def test_errors_begin_with_their_words():
    X, y = blobs(40, 3, classes=3)
    with pytest.raises(ValueError, match=r"^break_ties must be False"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(X, y).predict(X)
    with pytest.raises(
        ValueError, match=r"^cannot use sparse input in 'SVC' trained on dense data"
    ):
        SVC().fit(X, y).predict(sparse.csr_matrix(X))
    with pytest.raises(ValueError, match=r"^Unsupported set of arguments"):
        LinearSVC("l1", "hinge").fit(X, y)


ROWS, LABELS = blobs(20, 3)
MATRIX = ROWS @ ROWS.T
#: What fails in both packages, by the name of a class, and how many of the words are the same.
FAILURES = {
    "sparse kernel matrix": (
        "SVC",
        {"kernel": "precomputed"},
        lambda m: m.fit(sparse.csr_matrix(MATRIX), LABELS),
    ),
    "sparse rows of a kernel matrix": (
        "SVR",
        {"kernel": "precomputed"},
        lambda m: m.fit(MATRIX, LABELS).predict(sparse.csr_matrix(MATRIX)),
    ),
    "kernel matrix that is not square": (
        "NuSVR",
        {"kernel": "precomputed"},
        lambda m: m.fit(MATRIX[:, :5], LABELS),
    ),
    "too few columns": (
        "SVC",
        {"kernel": "precomputed"},
        lambda m: m.fit(MATRIX, LABELS).predict(MATRIX[:, :3]),
    ),
    "one class": ("SVC", {}, lambda m: m.fit(ROWS, np.ones(20))),
    "one class, nu": ("NuSVC", {}, lambda m: m.fit(ROWS, np.ones(20))),
    "no targets": ("SVR", {}, lambda m: m.fit(ROWS, None)),
    "infeasible nu": ("NuSVC", {"nu": 1.0}, lambda m: m.fit(ROWS, np.arange(20) < 5)),
    "weights of a nonlinear kernel": ("SVC", {}, lambda m: m.fit(ROWS, LABELS).coef_),
    "values that overflow": ("SVC", {"kernel": "linear"}, lambda m: m.fit(ROWS * 1e200, LABELS)),
    "variance that overflows": ("OneClassSVM", {}, lambda m: m.fit(ROWS * 1e200)),
    "values that are not numbers": (
        "SVC",
        {"kernel": lambda A, B: A @ B.T * np.nan},
        lambda m: m.fit(ROWS, LABELS),
    ),
    "unknown class": ("SVC", {"class_weight": {5: 2.0}}, lambda m: m.fit(ROWS, LABELS)),
    "weights of other rows": ("SVC", {}, lambda m: m.fit(ROWS, LABELS, np.ones(7))),
    "one class left": ("SVC", {}, lambda m: m.fit(ROWS, LABELS, LABELS)),
    "one class left, nu": ("NuSVC", {}, lambda m: m.fit(ROWS, LABELS, LABELS)),
    "no weights": ("NuSVR", {}, lambda m: m.fit(ROWS, LABELS, np.zeros(20))),
    "labels of other rows": ("SVC", {}, lambda m: m.fit(ROWS, LABELS[:-1])),
    "one class, linear": ("LinearSVC", {}, lambda m: m.fit(ROWS, np.ones(20))),
}


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
@pytest.mark.parametrize(("name", "params", "act"), FAILURES.values(), ids=FAILURES.keys())
def test_errors_have_their_type_and_begin_with_their_words(name, params, act):
    with pytest.raises(Exception, match=r"\w") as theirs:
        act(getattr(peers, name)(**params))
    with pytest.raises(type(theirs.value), match=r"\w") as ours:
        act(getattr(maxmargin, name)(**params))
    # Up to where numbers or a second sentence begin.
    words = re.split(r"[.:\n]", str(theirs.value))[0]
    assert str(ours.value).startswith(words)


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_targets_too_large_for_any_model():
    X = np.linspace(-1, 1, 20)[:, None]
    y = np.where(X[:, 0] > 0.3, 1.7e308, 1.6e308)
    machine = LinearSVR()
    with pytest.raises(ValueError, match=r"^The dual coefficients or intercepts are not finite"):
        machine.fit(X, y)
    assert not hasattr(machine, "model_")
    # A kernel machine has a finite point, of which nothing can be proven.
    with pytest.warns(ConvergenceWarning, match="gap is inf"):
        assert np.isfinite(SVR().fit(X, y).predict(X)).all()


def test_l1_min_c_of_nothing_is_told_as_there():
    X, y = np.zeros((4, 2)), [0, 1, 0, 1]
    with pytest.raises(ValueError, match="Ill-posed") as theirs:
        peers.l1_min_c(X, y)
    with pytest.raises(ValueError, match="Ill-posed") as ours:
        maxmargin.l1_min_c(X, y)
    assert str(ours.value).startswith(str(theirs.value))


# ---- Too few steps ------------------------------------------------------------------------------


@pytest.mark.parametrize("max_iter", [1, 2, 5])
@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"])
def test_too_few_steps_are_told_as_there(name, max_iter):
    X, y = blobs(120, 4, classes=3, spread=1.5)
    message = rf"^Solver terminated early \(max_iter={max_iter}\)"
    with pytest.warns(ConvergenceWarning, match=message):
        theirs = getattr(peers, name)(max_iter=max_iter).fit(X, y)
    with pytest.warns(ConvergenceWarning, match=message):
        ours = getattr(maxmargin, name)(max_iter=max_iter).fit(X, y)
    assert ours.fit_status_ == theirs.fit_status_ == 1
    assert type(ours.n_iter_) is type(theirs.n_iter_)
    np.testing.assert_array_equal(ours.n_iter_, theirs.n_iter_)
    enough = getattr(maxmargin, name)(max_iter=10_000).fit(X, y)
    assert enough.fit_status_ == 0
    assert np.asarray(enough.n_iter_).dtype == np.asarray(theirs.n_iter_).dtype


@pytest.mark.parametrize(
    ("machine", "rows"), [(LinearSVR(max_iter=1), 60), (LinearSVC(loss="hinge", max_iter=1), 300)]
)
def test_too_few_steps_of_a_linear_machine(machine, rows):
    X, y = blobs(rows, 5, spread=2.0)
    with pytest.warns(ConvergenceWarning, match="failed to converge, increase the number of itera"):
        machine.fit(X, y)
    assert type(machine.n_iter_) is int
    assert machine.n_iter_ == 1
    machine.set_params(max_iter=1000).fit(X, y)


# ---- Kernels written in Python ------------------------------------------------------------------

KERNEL_MACHINES = [
    (SVC, {"C": 2.0}),
    (SVC, {"multi_class": "ovr"}),
    (NuSVC, {"nu": 0.6}),
    (SVR, {}),
    (NuSVR, {}),
    (OneClassSVM, {"nu": 0.4}),
]
kernel_machines = pytest.mark.parametrize(
    ("kind", "params"), KERNEL_MACHINES, ids=lambda v: getattr(v, "__name__", "")
)


def agreeing(A, B):
    """Count the places at which words agree: small numbers, hence many ties."""
    return np.array([[sum(map(eq, a, b)) for b in B] for a in A], float)


def words(n, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    return ["".join(row) for row in rng.choice(list("abc"), (n, 4))], rng.integers(0, classes, n)


def scores(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


FORMS = {
    "list": list,
    "tuple": tuple,
    "objects": lambda w: np.array(w, object),
    "strings": np.array,
    "series": lambda w: pytest.importorskip("pandas").Series(w, index=range(7, 7 + len(w))),
}


@pytest.mark.filterwarnings("ignore:nu=")
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize(
    "result", [np.asarray, np.ndarray.tolist, sparse.csr_matrix, sparse.coo_array]
)
@kernel_machines
def test_a_kernel_of_words_is_its_matrix(kind, params, result, form):
    # To the last bit, so that ties are decided alike.
    train, y = words(60)
    new, _ = words(40, seed=1)

    def kernel(A, B):
        return result(agreeing(A, B))

    model = kind(kernel=kernel, **params).fit(form(train), y)
    given = kind(kernel="precomputed", **params).fit(agreeing(train, train), y)
    np.testing.assert_array_equal(model.support_, given.support_)
    np.testing.assert_array_equal(model.dual_coef_, given.dual_coef_)
    np.testing.assert_array_equal(model.intercept_, given.intercept_)
    for rows in (train, new):
        K = agreeing(rows, train)
        np.testing.assert_array_equal(scores(model, form(rows)), scores(given, K))
        np.testing.assert_array_equal(model.predict(form(rows)), given.predict(K))


@pytest.mark.filterwarnings("ignore:probability:FutureWarning", "ignore:The `prob:FutureWarning")
@pytest.mark.parametrize("probability", [False, True])
def test_a_kernel_is_called_with_all_rows_at_once(probability):
    # As there, so that a function of all of its rows, here of their mean, is the same kernel.
    X, y = blobs(300, 3, spread=1.5)
    new, _ = blobs(400, 3)
    seen, found = [], []

    def centred(A, B):
        seen.append((A.tobytes(), B.tobytes()))
        return (A - B.mean(axis=0)) @ (B - B.mean(axis=0)).T

    for package in (peers, maxmargin):
        seen.clear()
        model = package.SVC(kernel=centred, tol=1e-8, probability=probability).fit(X, y)
        found.append((model.decision_function(new), list(seen)))
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-6)
    assert found[0][1] == found[1][1]


@pytest.mark.parametrize("layout", [sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix])
def test_a_kernel_of_sparse_rows_may_be_sparse(layout):
    X, y = blobs(50, 3)
    model = SVC(kernel=lambda A, B: A @ B.T).fit(layout(X), y)
    given = SVC(kernel="precomputed").fit(X @ X.T, y)
    np.testing.assert_allclose(model.decision_function(layout(X)), given.decision_function(X @ X.T))


def test_words_in_company():
    train, _ = words(60)
    y = np.array(["a" in word for word in train]).astype(int)
    model = SVC(kernel=agreeing)
    ours = cross_val_score(model, train, y, cv=3, error_score="raise")
    theirs = cross_val_score(peers.SVC(kernel=agreeing), train, y, cv=3, error_score="raise")
    np.testing.assert_allclose(ours, theirs)
    search = GridSearchCV(model, {"C": [0.1, 1.0]}, cv=3, error_score="raise").fit(train, y)
    copy = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(copy.predict(train), search.predict(train))
    np.testing.assert_array_equal(clone(copy).fit(train, y).predict(train), copy.predict(train))
