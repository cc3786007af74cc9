import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model
from sklearn import svm as peers
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from instances import blobs, sparse_rows
from maxmargin import LinearSVC, Status, _core, l1_min_c

X, Y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)


def fit(**params):
    return LinearSVC(penalty="l1", **params)


@pytest.mark.parametrize("C", [0.01, 0.3])
@pytest.mark.parametrize("scaling", [1.0, 5.0])
def test_squared_hinge_is_liblinears(C, scaling):
    ours = fit(C=C, intercept="penalized", intercept_scaling=scaling).fit(X, Y)
    options = {"penalty": "l1", "dual": False, "tol": 1e-9, "max_iter": 100_000, "random_state": 0}
    peer = peers.LinearSVC(C=C, intercept_scaling=scaling, **options).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=1e-4)
    assert ours.status_ is Status.OPTIMAL


@pytest.mark.parametrize("C", [0.01, 0.1])
def test_logistic_with_a_free_intercept(C):
    ours = fit(C=C, loss="logistic").fit(X, Y)
    peer = linear_model.LogisticRegression(
        C=C, solver="saga", tol=1e-6, max_iter=100_000, random_state=0
    )
    # Since scikit-learn 1.8 the ratio alone says which penalty it is.
    peer.set_params(**({"penalty": "l1"} if peer.l1_ratio is None else {"l1_ratio": 1.0}))
    best = peer.fit(X, Y)
    np.testing.assert_allclose(ours.coef_, best.coef_, atol=2e-3)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize("intercept", ["free", "penalized"])
def test_certificate(loss, intercept, layout, dtype):
    data = X.astype(dtype)
    model = fit(loss=loss, intercept=intercept, C=0.2).fit(layout(data), Y)
    part = model.certificate_.parts[0]
    w, c = model.coef_[0], model.intercept_[0]
    z = np.where(Y == 1, 1, -1) * (data.astype(float) @ w + c)
    h = np.maximum(0, 1 - z) ** 2 if loss == "squared_hinge" else np.logaddexp(0, -z)
    primal = np.abs(w).sum() + (abs(c) if intercept == "penalized" else 0) + 0.2 * h.sum()
    assert part.primal == pytest.approx(primal, rel=1e-12)
    b = np.zeros(len(Y))
    b[model.support_] = model.dual_coef_[0]
    assert np.abs(data.astype(float).T @ b).max() <= 1 + 1e-12
    assert abs(b.sum()) <= (1 if intercept == "penalized" else 1e-9)
    assert part.dual <= part.primal * (1 + 1e-12)
    assert part.gap < 1e-6
    assert model.certify(layout(data), Y).gap == part.gap


def test_no_other_loss():
    with pytest.raises(ValueError, match=r"Unsupported set of arguments.*penalty='l1'"):
        fit(loss="hinge").fit(X, Y)


def test_weights_are_sparse_and_many_features_are_no_trouble():
    rng = np.random.default_rng(0)
    rows = sparse_rows((300, 4000), 0.02, rng)
    y = np.asarray(rows[:, :5].sum(axis=1)).ravel() > 0.05
    model = fit(C=20.0).fit(rows, y)
    assert model.status_ is Status.OPTIMAL
    assert 0 < np.count_nonzero(model.coef_) < 400


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize(
    "options",
    [
        {"intercept": "free"},
        {"intercept": "penalized"},
        {"fit_intercept": False},
        {"intercept": "penalized", "intercept_scaling": 10.0},
    ],
)
def test_l1_min_c(loss, options):
    data, y = blobs(60, 4, 3)
    C = l1_min_c(data, y, loss=loss, **options)
    for form in (np.asarray, sparse.csr_matrix):
        for share in (0.5, 0.999999, 1 - 1e-12, 1.0):
            # Zero to the last bit, at the bound itself, too.
            assert not fit(C=share * C, loss=loss, **options).fit(form(data), y).coef_.any()
        high = fit(C=1.0001 * C, loss=loss, **options).fit(form(data), y)
        assert high.coef_.any() or high.intercept_.any()


def test_a_loose_tolerance_does_not_hide_the_first_weight():
    data, y = blobs(70_000, 4)
    C = l1_min_c(data, y)
    below, above = (LinearSVC("l1", C=share * C, tol=1e-2).fit(data, y) for share in (1.0, 1.0001))
    assert not below.coef_.any()
    assert above.coef_.any()


@pytest.mark.parametrize("loss", ["squared_hinge", "log"])
def test_l1_min_c_is_scikit_learns(loss):
    data, y = blobs(60, 4, 3)
    ours = l1_min_c(data, y, loss=loss, intercept="penalized", intercept_scaling=2.0)
    assert ours == pytest.approx(peers.l1_min_c(data, y, loss=loss, intercept_scaling=2.0))
    assert l1_min_c(data, y, loss=loss, fit_intercept=False) == pytest.approx(
        peers.l1_min_c(data, y, loss=loss, fit_intercept=False)
    )


def test_l1_min_c_takes_what_scikit_learns_takes():
    data, y = blobs(60, 4)
    names = np.array(["no", "yes"])[y].tolist()
    for rows in (
        data.tolist(),
        data.astype(np.float32),
        sparse.csc_matrix(data),
        data.round().astype(int),
    ):
        ours = l1_min_c(rows, names, intercept="penalized")
        assert ours == pytest.approx(peers.l1_min_c(rows, names), rel=1e-6)
    for module in (peers.l1_min_c, l1_min_c):
        with pytest.raises(ValueError, match=r"^Ill-posed l1_min_c calculation"):
            module(np.zeros((4, 2)), [0, 1, 0, 1])
        with pytest.raises(ValueError, match="fit_intercept"):
            module(data, y, fit_intercept="yes")
        with pytest.raises(ValueError, match="intercept_scaling"):
            module(data, y, intercept_scaling=0.0)
        with pytest.raises(ValueError, match="inconsistent"):
            module(data, y[:-1])


def test_l1_min_c_of_nothing():
    with pytest.raises(ValueError, match=r"^Ill-posed l1_min_c calculation.*no feature tells the"):
        l1_min_c(np.zeros((4, 2)), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="loss is 'hinge'"):
        l1_min_c(X, Y, loss="hinge")


@pytest.mark.parametrize("C", [1.0, 10.0, 100.0])
def test_few_rows_take_few_steps_whatever_C_is(C):
    # 27, 62 and 196 steps without smaller C on the way.
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(100, 300))
    y = rows[:, 0] + rng.normal(size=100) > 0
    model = fit(C=C, tol=1e-3).fit(rows, y)
    assert model.status_ is Status.OPTIMAL
    assert model.certificate_.gap < 1e-7
    assert model.n_iter_ <= 25


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_threads_change_no_bit(loss, layout):
    rows, y = blobs(2000, 150, spread=4)
    one, three = (fit(C=0.01, loss=loss, n_jobs=k).fit(layout(rows), y) for k in (1, 3))
    np.testing.assert_array_equal(one.coef_, three.coef_)
    assert one.certificate_ == three.certificate_


def test_a_callback_ends_the_steps_and_keeps_the_best_point():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 400))
    seen = []
    model = fit(C=100.0, callback=lambda row: seen.append(row) or True, on_interrupt="keep")
    with pytest.warns(ConvergenceWarning):
        model.fit(rows, rng.random(400) > 0.5)
    assert model.status_ is Status.INTERRUPTED
    assert len(seen) == 1
    assert np.isfinite(model.certificate_.primal)


def test_the_model_of_a_step_is_solved_where_it_is_nearly_singular():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 12)) + 1e-3 * rng.normal(size=(40, 12))
    gram, linear, penalty = A.T @ A, A.T @ rng.normal(size=40), np.full(12, 0.1)
    penalty[-1] = 0.0
    u = np.array(_core.lasso(gram, linear, penalty, np.zeros(12), 1e-24))
    slope = linear - gram @ u
    used = u != 0
    np.testing.assert_allclose(slope[used], (penalty * np.sign(u))[used], atol=1e-9)
    assert (np.abs(slope[~used]) <= penalty[~used] + 1e-9).all()
    assert 1 < used.sum() < 12


def square(n=200, d=200):
    """Sparse rows with a few informative columns, and labels of which one in ten is wrong."""
    rng = np.random.default_rng(0)
    rows = sparse.random_array((n, d), density=0.05, format="csr", rng=rng)
    scores = rows @ (rng.normal(size=d) * (rng.random(d) < 0.1))
    return rows, np.where(rng.random(n) < 0.1, -1, 1) * np.where(scores > np.median(scores), 1, -1)


@pytest.mark.parametrize("C", [0.1, 1.0])
@pytest.mark.parametrize(
    "options", [{}, {"intercept": "penalized"}, {"fit_intercept": False}], ids=str
)
def test_sparse_rows_are_solved_by_passes_to_the_same_weights(options, C):
    rows, labels = square()
    passes = fit(C=C, tol=1e-6, **options).fit(rows, labels)
    steps = fit(C=C, tol=1e-6, **options).fit(rows.toarray(), labels)
    assert passes.fit_report_["newton_steps"] == 0 < steps.fit_report_["newton_steps"]
    assert passes.status_ is steps.status_ is Status.OPTIMAL
    assert passes.certificate_.gap <= 1e-6
    assert passes.certify(rows, labels).gap <= 1e-6
    np.testing.assert_allclose(passes.certificate_.primal, steps.certificate_.primal, rtol=1e-7)
    np.testing.assert_allclose(passes.coef_, steps.coef_, atol=1e-3)
    assert ((passes.coef_ != 0) == (np.abs(steps.coef_) > 1e-12)).mean() > 0.95


def test_what_passes_are_too_slow_for_goes_on_by_newton_steps():
    rows, labels = square()
    hard = fit(C=1e4, max_iter=-1).fit(rows, labels)
    assert hard.fit_report_["newton_steps"] > 0
    assert hard.n_iter_ > hard.fit_report_["newton_steps"]
    assert hard.status_ is Status.OPTIMAL
    assert hard.certificate_.gap <= hard.tol


def test_passes_count_as_iterations():
    rows, labels = square()
    with pytest.warns(ConvergenceWarning, match="max_iter=5"):
        short = fit(C=1.0, max_iter=5).fit(rows, labels)
    assert short.n_iter_ == 5
    assert short.status_ is Status.MAX_ITERATIONS
    assert np.isclose(short.certify(rows, labels).gap, short.certificate_.gap)
