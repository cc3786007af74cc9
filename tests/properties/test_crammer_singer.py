"""Crammer and Singer's machine: certificates, weights, layouts, threads, extremes, stopped fits."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from crammer_singer_judge import confirm, objectives
from maxmargin import LinearSVC, Status, load, save
from maxmargin.data import Chunks, check_data
from maxmargin.problems import Solution, SolverSettings, crammer_singer_problem
from maxmargin.solvers import choose, solve

INTERCEPTS = (
    {},
    {"intercept": "penalized", "intercept_scaling": 3.0},
    {"fit_intercept": False},
)


def clouds(n=120, d=4, k=4, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return rng.normal(size=(n, d)) + 1.5 * rng.normal(size=(k, d))[y], y


def machine(**options):
    return LinearSVC(multi_class="crammer_singer", **options)


@pytest.mark.parametrize("options", INTERCEPTS)
@pytest.mark.parametrize("C", [1e-6, 0.1, 10.0, 1e6])
def test_certified_for_any_C(options, C):
    X, y = clouds()
    model = machine(C=C, max_iter=-1, **options).fit(X, y)
    confirm(model, X, y)
    assert model.status_ is Status.OPTIMAL
    assert model.certificate_.gap < 1e-9
    # They have differed in the last bit since rounding counts in the gap.
    assert model.certify(X, y).gap == pytest.approx(model.certificate_.gap, rel=1e-12)
    assert model.solver_ == "crammer-singer"


@pytest.mark.parametrize("options", INTERCEPTS)
def test_weights_are_copies(options):
    X, y = clouds()
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weight)
    one = machine(**options).fit(X, y, weight)
    other = machine(**options).fit(X[copies], y[copies])
    confirm(one, X, y, weight)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-6)
    np.testing.assert_allclose(one.intercept_, other.intercept_, atol=1e-5)
    assert not np.isin(np.flatnonzero(weight == 0), one.support_).any()


def test_class_weight_is_a_factor_of_the_rows():
    X, y = clouds()
    factors = np.array([1.0, 2.0, 0.5, 4.0])
    one = machine(class_weight=dict(enumerate(factors))).fit(X, y)
    other = machine().fit(X, y, factors[y])
    confirm(one, X, y)
    np.testing.assert_array_equal(one.coef_, other.coef_)


@pytest.mark.parametrize(
    ("k", "options"), [(40, {}), *((k, options) for k in (3, 17) for options in INTERCEPTS)]
)
def test_same_bits_for_any_threads_and_layout(k, options):
    X, y = clouds(400, 30, k)
    X *= np.random.default_rng(0).random(X.shape) < 0.2
    dense = [machine(n_jobs=jobs, **options).fit(X, y) for jobs in (1, 2, 3)]
    confirm(dense[0], X, y)
    for model in dense[1:]:
        np.testing.assert_array_equal(model.coef_, dense[0].coef_)
        np.testing.assert_array_equal(model.dual_coef_, dense[0].dual_coef_)
    shuffled = sp.csr_matrix(X)
    shuffled.indices = shuffled.indices.copy()
    for row in range(len(y)):
        part = slice(shuffled.indptr[row], shuffled.indptr[row + 1])
        shuffled.indices[part] = shuffled.indices[part][::-1]
        shuffled.data[part] = shuffled.data[part][::-1]
    shuffled.has_sorted_indices = False
    wide = sp.csr_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for rows in (sp.csr_matrix(X), sp.csc_matrix(X), shuffled, wide):
        model = machine(**options).fit(rows, y)
        P, D = objectives(model, X, y)
        np.testing.assert_allclose(P, dense[0].certificate_.primal, rtol=2e-4)
        assert P - D <= 1.01e-4 * P


def test_single_precision_rows_are_used_as_they_are():
    X, y = clouds()
    single = X.astype(np.float32)
    one, other = machine().fit(single, y), machine().fit(single.astype(float), y)
    confirm(one, single, y)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-8)


@pytest.mark.parametrize("options", INTERCEPTS)
def test_classes_of_one_row_copies_and_rows_of_zeros(options):
    X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 2.0], [0.0, 0.0], [5.0, 5.0]])
    y = np.array([0, 1, 2, 3, 1, 4])
    model = machine(**options).fit(X, y)
    confirm(model, X, y)
    assert model.certificate_.gap < 1e-12
    assert model.coef_.shape == (5, 2)


def test_constant_rows_leave_nothing_to_learn():
    y = np.arange(12) % 3
    for options in INTERCEPTS:
        model = machine(**options).fit(np.ones((12, 2)), y)
        confirm(model, np.ones((12, 2)), y)
        assert model.certificate_.gap < 1e-9


def test_two_classes_are_the_hinge_with_twice_C():
    X, y = clouds(k=2)
    one, other = machine(C=0.3).fit(X, y), LinearSVC(loss="hinge", C=0.6).fit(X, y)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    assert one.coef_.shape == (1, 4)
    assert one.decision_function(X).shape == (120,)


def test_loss_penalty_and_dual_are_ignored():
    X, y = clouds()
    one = machine(loss="logistic", penalty="l1", dual=False).fit(X, y)
    np.testing.assert_array_equal(one.coef_, machine().fit(X, y).coef_)


def test_weights_are_those_of_the_dual_variables():
    X, y = clouds()
    model = machine(C=0.5).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_ @ X[model.support_], model.coef_, atol=1e-7)
    np.testing.assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-7)
    assert abs(model.intercept_.sum()) < 1e-12
    scores = model.decision_function(X)
    assert scores.shape == (120, 4)
    np.testing.assert_array_equal(model.predict(X), scores.argmax(axis=1))


@pytest.mark.parametrize("options", INTERCEPTS)
def test_few_iterations_are_certified_and_told(options):
    X, y = clouds(600, 10, 5)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 was reached"):
        model = machine(max_iter=1, **options).fit(X, y)
    confirm(model, X, y)
    assert model.status_ is Status.MAX_ITERATIONS
    assert model.n_iter_ == 1


def test_a_fit_can_be_stopped_by_its_callback():
    X, y = clouds(20000, 60, 8)
    model = machine(callback=lambda row: True, tol=1e-12, max_iter=-1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    confirm(model, X, y)
    assert model.status_ is Status.INTERRUPTED


def test_the_trace_ends_at_the_certificate():
    X, y = clouds()
    model = machine().fit(X, y)
    assert model.history_["primal"][-1] == model.certificate_.primal
    assert model.fit_report_["method"] == "crammer-singer"


def test_pickles_and_model_files(tmp_path):
    X, y = clouds()
    model = machine().fit(X, y)
    save(model, tmp_path / "model")
    for again in (pickle.loads(pickle.dumps(model)), load(tmp_path / "model")):
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        np.testing.assert_array_equal(again.dual_coef_, model.dual_coef_)
        assert again.certificate_ == model.certificate_
        assert again.certify(X, y) == model.certify(X, y)


def test_other_data_are_refused_by_certify():
    X, y = clouds()
    model = machine().fit(X, y)
    with pytest.raises(ValueError, match="not feasible"):
        model.certify(X, np.roll(y, 1))


def test_bad_input():
    X, y = clouds()
    with pytest.raises(ValueError, match="solver is 'newton' and multi_class"):
        machine(solver="newton").fit(X, y)
    with pytest.raises(ValueError, match='for a source of chunks it must be "ovr"'):
        machine().fit(Chunks.from_arrays(X, y))
    with pytest.raises(ValueError, match="C is 0"):
        crammer_singer_problem(check_data(X, y), C=0)
    with pytest.raises(ValueError, match="numbers of classes"):
        crammer_singer_problem(check_data(X, y - 1))


def test_the_problem_by_itself():
    X, y = clouds()
    problem = crammer_singer_problem(check_data(X, y), C=0.7)
    assert choose(problem, SolverSettings()) == "crammer-singer"
    [found] = solve([problem], SolverSettings(tol=1e-6))
    assert isinstance(found, Solution)
    assert found.status is Status.OPTIMAL
    assert problem.feasible(found.beta)
    assert not problem.feasible(-found.beta)
    assert not problem.feasible(found.beta[:, 1:])
    assert problem.untouched().certificate.gap == 1.0
