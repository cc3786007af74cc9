"""Linear machines on a cluster of processes: the answers of one machine, with its certificates."""

import pickle
from itertools import pairwise

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask import delayed
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification

import maxmargin
from maxmargin import distributed
from maxmargin.storage import load, save

pytestmark = pytest.mark.timeout(90)
TIGHT = 1e-10
#: Where a test is not about the optimum.
ROUGH = {"tol": 0.1}
RNG = np.random.default_rng(5)
X, CODES = make_classification(
    400, 6, n_informative=4, n_redundant=0, n_classes=3, class_sep=0.7, random_state=5
)
NAMES = np.array(["ant", "bee", "cat"])[CODES]
TWO = np.where(CODES > 0, "yes", "no")
T = X @ [1.0, -2.0, 0.5, 0.0, 3.0, 0.2] + 0.3 * RNG.standard_t(3, size=400)
WEIGHT = RNG.uniform(-0.3, 2.0, size=400)  # negative ones leave rows out
#: Unequal, one of them empty.
BOUNDS = [0, 30, 30, 210, 400]


def cut(rows, bounds=BOUNDS, kind=lambda part: part):
    """A Dask array of unknown chunk sizes."""
    shape = (np.nan, *rows.shape[1:])
    blocks = [
        da.from_delayed(delayed(kind(rows[a:b])), shape, meta=rows[:0]) for a, b in pairwise(bounds)
    ]
    return da.concatenate(blocks, allow_unknown_chunksizes=True)


def agree(found, expected):
    """Assert that two fits are equally good, and know it."""
    for ours, theirs in zip(found.certificate_.parts, expected.certificate_.parts, strict=True):
        assert np.isclose(ours.primal, theirs.primal, rtol=1e-9)
        assert ours.gap <= found.tol
        assert ours.dual <= ours.primal * (1 + 1e-14)
    assert found.status_.name == expected.status_.name == "OPTIMAL"
    assert np.allclose(found.coef_, expected.coef_, atol=2e-4)
    assert np.allclose(found.intercept_, expected.intercept_, atol=2e-4)


#: Losses with kinks take many rounds, so that few of these have one.
CLASSIFIERS = {
    "hinge": (TWO, {"loss": "hinge", "class_weight": {"yes": 0.5}}),
    "squared hinge": (NAMES, {"loss": "squared_hinge", "C": 0.3}),
    "logistic": (NAMES, {"loss": "logistic", "class_weight": "balanced"}),
    "penalised": (TWO, {"intercept": "penalized", "intercept_scaling": 2.0}),
    "without": (TWO, {"loss": "logistic", "C": 5.0, "fit_intercept": False}),
    "newton-cg": (TWO, {"loss": "logistic", "solver": "newton-cg"}),
}
REGRESSIONS = {
    "tube": {"epsilon": 0.2},
    "squared": {"loss": "squared_epsilon_insensitive", "C": 0.1, "intercept": "penalized"},
}


@pytest.mark.parametrize("case", CLASSIFIERS)
def test_classifiers_agree_with_one_machine(client, case):
    labels, own = CLASSIFIERS[case]
    parameters = {**own, "tol": TIGHT}
    found = distributed.LinearSVC(**parameters).fit(cut(X), cut(labels), cut(WEIGHT))
    expected = maxmargin.LinearSVC(**parameters).fit(X, labels, WEIGHT)
    agree(found, expected)
    assert found.classes_.tolist() == expected.classes_.tolist()
    assert np.allclose(found.class_weight_, expected.class_weight_)


@pytest.mark.parametrize("case", REGRESSIONS)
def test_regressions_agree_with_one_machine(client, case):
    parameters = {**REGRESSIONS[case], "tol": TIGHT}
    found = distributed.LinearSVR(**parameters).fit(cut(X), cut(T))
    agree(found, maxmargin.LinearSVR(**parameters).fit(X, T))


FORMS = {
    "dense": lambda rows: (da.from_array(rows, chunks=(150, 4)), da.from_array(TWO, chunks=100)),
    "csr": lambda rows: (cut(rows, kind=sparse.csr_array), cut(TWO)),
    "mixed": lambda rows: (
        da.concatenate([cut(rows, [0, 100], sparse.csr_matrix), cut(rows, [100, 400])]),
        cut(TWO, [0, 100, 400]),
    ),
    "here": lambda rows: (rows, TWO),
    "labels here": lambda rows: (cut(rows), TWO),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_data(client, form):
    rows = np.where(np.abs(X) > 0.3, X, 0).astype(np.float32 if "e" in form else np.float64)
    given = FORMS[form](rows)
    found = distributed.LinearSVC(tol=TIGHT).fit(*given)
    agree(found, maxmargin.LinearSVC(tol=TIGHT).fit(rows, TWO))
    assert found.n_features_in_ == 6


def test_partitions_of_one_class(client):
    order = np.argsort(NAMES, kind="stable")
    bounds = [0, *np.flatnonzero(NAMES[order][1:] != NAMES[order][:-1]) + 1, 400]
    found = distributed.LinearSVC(tol=TIGHT).fit(cut(X[order], bounds), cut(NAMES[order], bounds))
    agree(found, maxmargin.LinearSVC(tol=TIGHT).fit(X, NAMES))


def test_more_features_than_a_matrix_is_for(client):
    rows = sparse.random_array((120, 2500), density=0.02, rng=RNG, format="csr")
    labels = np.where(rows @ RNG.normal(size=2500) > 0, 1, 0)
    bounds = [0, 50, 120]
    blocks = cut(rows, bounds)
    found = distributed.LinearSVC(C=0.1, tol=1e-10).fit(blocks, cut(labels, bounds))
    assert found.solver_ == "newton-cg"
    agree(found, maxmargin.LinearSVC(C=0.1, tol=1e-10, solver="newton-cg").fit(rows, labels))


def test_many_rows_are_approached_by_a_share_of_them(client):
    # Beyond a million entries Newton's method begins on a subsample, level by level.
    n = 130_000
    make = np.random.default_rng
    rows = da.concatenate([da.from_delayed(delayed(lambda s: make(s).normal(size=(n // 4, 9)))(s),
                                           (n // 4, 9), float) for s in range(4)])  # fmt: skip
    labels = (rows.sum(axis=1) + 2 * rows[:, 0] ** 2 > 1).astype(int)
    found = distributed.LinearSVC(tol=1e-6).fit(rows, labels)
    # One after the other, the scheduler of Dask itself would keep some of their tasks for ever.
    expected = maxmargin.LinearSVC(tol=1e-6).fit(*dask.compute(rows, labels))
    assert np.isclose(found.certificate_.primal, expected.certificate_.primal, rtol=2e-6)
    assert found.certificate_.gap <= 1e-6
    report = found.fit_report_["cluster"]
    assert report["bytes_moved"] < 2_000_000  # rows have 9.4 MB


def test_predictions_are_lazy_and_those_of_one_machine(client):
    model = distributed.LinearSVC(**ROUGH).fit(cut(X), cut(NAMES))
    one = maxmargin.LinearSVC(**ROUGH).fit(X, NAMES)
    one.model_ = model.model_
    lazy = da.from_array(X, chunks=(150, 6))
    for method in ("predict", "decision_function"):
        found = getattr(model, method)(lazy)
        assert isinstance(found, da.Array)
        assert np.array_equal(found.compute(), getattr(one, method)(X))
        assert np.array_equal(getattr(model, method)(X), getattr(one, method)(X))
    assert model.predict(cut(X)).compute().shape == (400,)
    assert np.isclose(model.score(cut(X), cut(NAMES)), one.score(X, NAMES))
    assert np.isclose(model.score(cut(X), NAMES, cut(np.abs(WEIGHT))),
                      one.score(X, NAMES, np.abs(WEIGHT)))  # fmt: skip
    regression = distributed.LinearSVR(**ROUGH).fit(cut(X), cut(T))
    assert np.isclose(regression.score(cut(X), cut(T)), regression._alone().score(X, T))


def test_models_are_ordinary_ones(client, tmp_path):
    model = distributed.LinearSVC(C=0.5, **ROUGH).fit(cut(X), cut(NAMES))
    save(model, tmp_path / "model")
    read = load(tmp_path / "model")
    assert type(read) is maxmargin.LinearSVC
    assert np.array_equal(read.predict(X), model.predict(X))
    assert np.isclose(read.certificate_.primal, model.certificate_.primal, rtol=0)
    again = pickle.loads(pickle.dumps(model))
    assert type(again) is distributed.LinearSVC
    assert np.array_equal(again.predict(cut(X)).compute(), model.predict(X))
    fresh = clone(model)
    assert fresh.get_params() == {**maxmargin.LinearSVC(C=0.5, **ROUGH).get_params()}
    assert not hasattr(fresh, "model_")


def test_what_stays_with_the_rows_is_said(client):
    model = distributed.LinearSVC(**ROUGH).fit(cut(X), cut(TWO))
    for name in ("support_", "dual_coef_", "alpha_"):
        with pytest.raises(AttributeError, match="stay with the rows"):
            getattr(model, name)
    assert model.margin_.shape == (1,)
    assert model.n_iter_ > 0


FRAME = pd.DataFrame(X, columns=list("abcdef"))


def test_dataframes(client):
    rows = dd.from_pandas(FRAME, npartitions=3)
    labels = dd.from_pandas(pd.Series(NAMES).astype("category"), npartitions=3)
    model = distributed.LinearSVC(tol=TIGHT).fit(rows, labels)
    agree(model, maxmargin.LinearSVC(tol=TIGHT).fit(FRAME, NAMES))
    assert model.feature_names_in_.tolist() == list("abcdef")
    assert model.predict(rows).compute().tolist() == model.predict(FRAME).tolist()
    with pytest.raises(ValueError, match="feature names"):
        model.predict(rows.rename(columns={"a": "z"}))


def test_categories_of_texts_are_numbers_when_they_are_made_so(client):
    frame = FRAME[["a", "b"]].assign(kind=NAMES)
    rows, labels = dd.from_pandas(frame, npartitions=3), cut(TWO, [0, 134, 267, 400])
    for given in (rows, rows.categorize()):
        with pytest.raises(ValueError, match=r"a column 'kind' of .*get_dummies"):
            distributed.LinearSVC().fit(given, labels)
    encoded = dd.get_dummies(rows.categorize())
    model = distributed.LinearSVC(tol=TIGHT).fit(encoded, labels)
    agree(model, maxmargin.LinearSVC(tol=TIGHT).fit(pd.get_dummies(frame), TWO))
    assert model.feature_names_in_[-1] == "kind_cat"


@pytest.mark.parametrize(("labels", "method"), [(NAMES, "sigmoid"), (TWO, "venn-abers")])
def test_probabilities(client, labels, method):
    model = distributed.LinearSVC(calibration=method).fit(cut(X), cut(labels))
    one = maxmargin.LinearSVC(calibration=method).fit(X, labels)
    found = model.predict_proba(da.from_array(X, chunks=(150, 6)))
    assert isinstance(found, da.Array)
    found = found.compute()
    assert np.allclose(found.sum(axis=1), 1)
    assert model.classes_[found.argmax(axis=1)].tolist() == model.predict(X).tolist()
    # Other folds of few rows, and so other probabilities, but about as good ones.
    own = one.classes_.searchsorted(labels)
    loss, expected = (-np.log(p[np.arange(400), own]).mean() for p in (found, one.predict_proba(X)))
    assert abs(loss - expected) < 0.05
    assert model.fit_report_["calibration"]["folds"] == 4
    assert model.fit_report_["calibration"]["rows"] == 400
    if method == "venn-abers":
        ends = model.predict_proba_interval(cut(X)).compute()
        assert (ends[:, 0] <= ends[:, 1]).all()
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_folds_do_not_depend_on_partitions(client):
    models = [
        distributed.LinearSVC(calibration="sigmoid", tol=TIGHT).fit(
            cut(X, bounds), cut(TWO, bounds)
        )
        for bounds in ([0, 400], [0, 100, 300, 400])
    ]
    first, second = (model.predict_proba(X) for model in models)
    assert np.allclose(first, second, atol=1e-6)


def test_what_needs_all_rows_in_one_place_is_refused(client):
    for parameters in ({"penalty": "l1"}, {"multi_class": "crammer_singer"}, {"solver": "descent"}):
        with pytest.raises(ValueError, match="needs all rows in one place"):
            distributed.LinearSVC(**parameters).fit(cut(X), cut(TWO))
    with pytest.raises(ValueError, match="intervals are for two classes"):
        distributed.LinearSVC(calibration="venn-abers").fit(cut(X), cut(NAMES))
    with pytest.raises(AttributeError, match="no attribute 'predict_proba'"):
        distributed.LinearSVC(**ROUGH).fit(cut(X), cut(TWO)).predict_proba(X)
