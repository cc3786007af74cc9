"""The contract of the linear machines: scikit-learn's checks, bad input, stopped fits, state."""

import inspect
import os
import pickle
import re
import signal
import time

import numpy as np
import pytest
import scipy.sparse
from sklearn import svm as peers
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from instances import blobs
from linear_judge import confirm
from maxmargin import LinearSVC, LinearSVR, Status

X, Y = blobs(40, 3)
SLACK = 1.0


@parametrize_with_checks(
    [
        LinearSVC(),
        LinearSVC(loss="hinge", on_interrupt="keep", n_jobs=2),
        LinearSVC(loss="logistic", class_weight="balanced"),
        LinearSVC(multi_class="crammer_singer"),
        LinearSVC(calibration="sigmoid"),
        LinearSVR(),
        LinearSVR(loss="huber", epsilon=1.0),
        LinearSVR(loss="squared_epsilon_insensitive", epsilon=0.1),
    ]
)
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("ours", "peer"), [(LinearSVC, peers.LinearSVC), (LinearSVR, peers.LinearSVR)]
)
def test_every_parameter_of_scikit_learn_with_its_default(ours, peer):
    mine = inspect.signature(ours).parameters
    for name, parameter in inspect.signature(peer).parameters.items():
        assert mine[name].default == parameter.default, name
        assert mine[name].kind == parameter.kind, name


PARAMETERS = {
    "C": [0.0, -1.0, np.nan, np.inf, "1", None],
    "tol": [0.0, np.nan, "small"],
    "penalty": ["l3", None],
    "loss": ["hinges", "huber", None],
    "dual": ["yes", None],
    "multi_class": ["ovo", None],
    "fit_intercept": ["yes", None],
    "intercept_scaling": [0.0, -1, np.nan],
    "intercept": ["regularized", True],
    "solver": ["lbfgs", None],
    "class_weight": ["heavy", 3],
    "verbose": [-1, "yes"],
    "max_iter": [-2, 1.5],
    "time_limit": [0, -1.0, "1 s"],
    "callback": [3],
    "on_interrupt": ["stop", None],
    "n_jobs": [0, 1.5],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name in PARAMETERS for value in PARAMETERS[name]]
)
def test_parameters(name, value):
    with pytest.raises(ValueError, match=f"^{name} is {re.escape(repr(value))}; it must "):
        LinearSVC(**{name: value}).fit(X, Y)


def test_combinations():
    with pytest.raises(ValueError, match='solver is "descent" and loss is "logistic"'):
        LinearSVC(loss="logistic", solver="descent").fit(X, Y)
    with pytest.raises(ValueError, match="epsilon is 0"):
        LinearSVR(loss="huber").fit(X, Y)


@pytest.mark.parametrize(
    ("rows", "labels", "weight", "message"),
    [
        (np.where(np.eye(40, 3) > 0, np.nan, X), Y, None, "NaN"),
        (np.where(np.eye(40, 3) > 0, np.inf, X), Y, None, "infinity"),
        (X * 1e160, Y, None, "square overflows"),
        (X[:0], Y[:0], None, "0 sample"),
        (X, Y[:-1], None, "inconsistent numbers of samples"),
        (X, np.zeros(40), None, "at least two classes"),
        (X, np.linspace(0, 1, 40), None, "continuous"),
        (X, Y, -np.ones(40), "all samples have zero or negative weights"),
        (X, Y, np.zeros(40), "non-zero"),
        (X, Y, np.where(Y == 0, 0.0, 1.0), "at least two classes"),
    ],
)
def test_bad_data(rows, labels, weight, message):
    with pytest.raises(ValueError, match=message):
        LinearSVC().fit(rows, labels, weight)


def test_overflow_of_C_times_weight():
    with pytest.raises(ValueError, match="C times the weights overflows"):
        LinearSVC(C=1e200).fit(X, Y, np.full(40, 1e200))


def test_pickle_and_certify():
    model = LinearSVC(loss="hinge").fit(X, Y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    assert copy.certify(X, Y) == model.certificate_
    with pytest.raises(ValueError, match="has 39 rows"):
        model.certify(X[1:], Y[1:])
    with pytest.raises(ValueError, match="not feasible"):
        model.certify(X, 1 - Y)
    with pytest.raises(ValueError, match="format 999"):
        LinearSVC().__setstate__({**model.__getstate__(), "_pickle_format": 999})


def test_in_company():
    search = GridSearchCV(
        make_pipeline(StandardScaler(), LinearSVC()), {"linearsvc__C": [0.1, 1.0]}, cv=3
    )
    assert search.fit(X, Y).best_score_ > 0.5


def test_index_types():
    rows = scipy.sparse.csr_array(X)
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    model = LinearSVC().fit(rows, Y)
    np.testing.assert_allclose(model.coef_, LinearSVC().fit(X, Y).coef_, atol=1e-9)


def test_history_and_report():
    model = LinearSVC(loss="hinge").fit(*blobs(60, 3, 3))
    assert list(np.unique(model.history_["part"])) == [0, 1, 2]
    last = [model.history_[model.history_["part"] == p][-1] for p in range(3)]
    for row, part in zip(last, model.certificate_.parts, strict=True):
        assert (row["primal"], row["gap"], row["violation"]) == (
            part.primal,
            part.gap,
            part.violation,
        )
    assert model.fit_report_["newton_steps"] == model.fit_report_["iterations"] > 0


# Each takes more than the time limit on two fast cores when left alone.
LONG = {
    "newton": lambda: (LinearSVC(loss="hinge", tol=1e-14), *blobs(100_000, 50, 16, spread=6.0)),
    "newton-cg": lambda: (
        LinearSVC(loss="hinge", C=1e6, solver="newton-cg", tol=1e-9),
        *blobs(20_000, 300, spread=10.0),
    ),
    "descent": lambda: (
        LinearSVC(loss="hinge", C=10.0, solver="descent", tol=1e-9),
        *blobs(60_000, 100, 6, spread=9.0),
    ),
}
long_fits = pytest.mark.parametrize("make", LONG.values(), ids=LONG.keys())


@long_fits
def test_time_limit(make):
    model, rows, labels = make()
    model.set_params(time_limit=0.3)
    start = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="time_limit=0.3 s was reached"):
        model.fit(rows, labels)
    assert time.perf_counter() - start < 0.3 + 2 * SLACK
    assert model.status_ is Status.TIME_LIMIT
    assert model.certify(rows, labels) == model.certificate_


def interrupt(row):
    """Ctrl-C, as soon as the fit first looks up."""
    os.kill(os.getpid(), signal.SIGINT)


@long_fits
@pytest.mark.usefixtures("interruptible")
def test_interrupt_leaves_the_estimator_alone(make):
    model, rows, labels = make()
    model.set_params(callback=interrupt)
    before = dict(vars(model))
    with pytest.raises(KeyboardInterrupt):
        model.fit(rows, labels)
    assert vars(model) == before


@pytest.mark.usefixtures("interruptible")
def test_interrupt_kept():
    model, rows, labels = LONG["newton"]()
    once = iter([interrupt])  # a second Ctrl-C would not be kept
    model.set_params(on_interrupt="keep", callback=lambda row: next(once, lambda row: None)(row))
    with pytest.warns(ConvergenceWarning, match="it was interrupted"):
        model.fit(rows, labels)
    assert model.status_ is Status.INTERRUPTED
    assert 0.5 < model.certificate_.parts[-1].gap <= 1.0  # begun on some of its rows at most


def test_callback_ends_the_fit():
    model, rows, labels = LONG["newton"]()
    seen = []
    model.set_params(callback=lambda row: seen.append(row.copy()) or len(seen) == 2)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model.fit(rows, labels)
    assert len(seen) == 2
    assert seen[1]["time"] > seen[0]["time"]


def test_step_limit():
    rows, labels = blobs(2000, 10, spread=3.0)
    with pytest.warns(ConvergenceWarning, match="max_iter=3 was reached"):
        model = LinearSVC(loss="hinge", max_iter=3).fit(rows, labels)
    assert model.n_iter_ == 3
    confirm(model, rows, labels)


def test_verbose(capsys):
    LinearSVC(loss="hinge", verbose=1).fit(X, Y)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "gap" in shown.err
    assert "violation" not in shown.err
