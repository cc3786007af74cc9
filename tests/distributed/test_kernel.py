"""Kernel machines on a cluster: the answers of one machine, with certificates of all rows."""

import os
import signal
import time
from dataclasses import replace

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask import delayed
from scipy import sparse

import maxmargin
from maxmargin import distributed
from maxmargin.data import check_data
from maxmargin.distributed import machine, outer_rounds
from maxmargin.distributed.cluster import cancelled
from maxmargin.distributed.kernel_rows import open_rows
from maxmargin.distributed.working_set import Candidates
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import c_svc

pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.filterwarnings("ignore:.*support vectors:UserWarning"),
]
RNG = np.random.default_rng(0)
N = 360
X = RNG.normal(size=(N, 3))
SCORE = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * RNG.normal(size=N)
Y = np.where(SCORE > 0.2, "yes", "no")
MANY = np.digitize(SCORE, [-0.8, 0.0, 0.8])
WEIGHT = RNG.integers(0, 4, N).astype(float)
NEW = RNG.normal(size=(40, 3))
CSR = sparse.csr_array(NEW)
TIGHT = {"tol": 1e-8}


def blocks(arrays, width=3):
    """A Dask array of unknown chunk sizes, of blocks of any kind."""
    parts = [
        da.from_delayed(delayed(a), (np.nan, width), meta=np.zeros((0, width))) for a in arrays
    ]
    return da.concatenate(parts, allow_unknown_chunksizes=True)


def near(X, Z):
    """A kernel of Python's."""
    return np.exp(-0.4 * ((X[:, None] - Z[None]) ** 2).sum(axis=2))


def chunks(X, y, weight):
    return [da.from_array(a, chunks=(130, *a.shape[1:])) for a in (X, y, weight)]


def pieces(X, y, weight):
    cuts = [slice(0, 20), slice(20, 20), slice(20, N)]
    columns = (blocks([a[cut, None] for cut in cuts], 1) for a in (y, weight))
    return [blocks([X[cut] for cut in cuts]), *columns]


def compressed(X, y, weight):
    rows = [sparse.csr_array(X[:200]), sparse.csr_array(X[200:])]
    return [blocks(rows), y, weight]


def frames(X, y, weight):
    frame = pd.DataFrame(X, columns=list("abc"))
    parts = [frame, pd.Series(y), pd.Series(weight)]
    return [dd.from_pandas(part, npartitions=3) for part in parts]


CASES = {
    "weights": ("SVC", {"C": 3.0}, Y, chunks),
    "squares": ("SVC", {"loss": "squared_hinge", "class_weight": "balanced"}, Y, pieces),
    "csr": ("SVC", {"C": 3.0}, Y, compressed),
    "polynomial": ("SVC", {"kernel": "poly", "coef0": 1.0, "gamma": "auto"}, Y, frames),
    "linear": ("SVC", {"kernel": "linear"}, Y, chunks),
    "object": ("SVC", {"kernel": RBF(0.3) + Linear().on([1])}, Y, pieces),
    "function": ("SVC", {"kernel": near}, Y, chunks),
    "pairs": ("SVC", {"C": 3.0, "class_weight": {0: 2.0}}, MANY, pieces),
    "against the rest": ("SVC", {"multi_class": "ovr"}, MANY, chunks),
    "regression": ("SVR", {"C": 3.0}, SCORE, pieces),
    "regression of csr": ("SVR", {"C": 3.0, "epsilon": 0.3}, SCORE, compressed),
    "one class": ("OneClassSVM", {"nu": 0.2}, Y, chunks),
}


def agree(one, many):
    """Both are the same model, as far as both are certified."""
    assert many.status_.name == "OPTIMAL"
    assert np.isclose(many.certificate_.primal, one.certificate_.primal, rtol=1e-6)
    for ours, theirs in zip(many.certificate_.parts, one.certificate_.parts, strict=True):
        assert ours.violation + ours.bound <= many.tol
        assert ours.primal >= theirs.dual - 1e-12 * abs(theirs.dual)
    assert np.allclose(many.intercept_, one.intercept_, atol=1e-5)
    if one.kernel == "linear":  # more support vectors than features: many dual variables do
        return
    assert many.support_.tolist() == one.support_.tolist()
    assert many.n_support_.tolist() == one.n_support_.tolist()
    coefficients = (
        each.toarray() if sparse.issparse(each) else each
        for each in (many.dual_coef_, one.dual_coef_)
    )
    assert np.allclose(*coefficients, atol=1e-4)


@pytest.mark.parametrize("case", CASES)
def test_the_answer_is_that_of_one_machine(client, case):
    name, params, y, form = CASES[case]
    rows = sparse.csr_array(X) if "csr" in case else X
    one = getattr(maxmargin, name)(**params, **TIGHT).fit(rows, y, WEIGHT)
    many = getattr(distributed, name)(**params, **TIGHT)
    given = form(X, y, WEIGHT)
    many.fit(*given)
    agree(one, many)
    method = "predict" if name == "SVR" else "decision_function"
    seen, expected = getattr(one, method)(rows), getattr(one, method)(NEW if rows is X else CSR)
    new = pd.DataFrame(NEW, columns=list("abc")) if form is frames else NEW if rows is X else CSR
    assert np.allclose(getattr(many, method)(new), expected, atol=1e-5)
    assert np.allclose(getattr(many, method)(given[0]).compute(), seen, atol=1e-5)


def test_what_it_says_about_itself_is_what_one_machine_would(client, tmp_path):
    data = [da.from_array(a, chunks=(90, *a.shape[1:])) for a in (X, Y)]
    model = distributed.SVC(C=2.0, gamma=0.3).fit(*data)
    problem = c_svc(check_data(X, np.where(Y == "yes", 1.0, -1.0)), RBF(0.3), C=2.0)
    beta = np.zeros(N)
    beta[model.support_] = model.dual_coef_[0]
    for found in (model.certificate_, model.certify(*data)):
        ours, apart = found.parts[0], problem.certify_point(beta).parts[0]
        assert np.isclose(ours.primal, apart.primal, rtol=1e-12)
        assert np.isclose(ours.dual, apart.dual, rtol=1e-12)
        assert abs(ours.violation - apart.violation) <= ours.bound + apart.bound
        assert ours.bound < 1e-9
    with pytest.raises(ValueError, match="dual variables are not feasible"):
        model.certify(data[0], data[1][::-1])
    with pytest.raises(ValueError, match="X has 90 rows but the model was fitted to 360"):
        model.certify(data[0][:90], data[1][:90])
    assert np.isclose(model.score(*data), maxmargin.SVC(C=2.0, gamma=0.3).fit(X, Y).score(X, Y))
    assert model.history_["violation"][-1] == model.certificate_.violation
    assert np.count_nonzero(model.alpha_) == len(model.support_)
    report = model.fit_report_
    assert report["kernel_entries"] > 0
    assert report["cluster"]["rounds"] > 4
    assert report["cluster"]["bytes_moved"] > 0
    assert report["cluster"]["client_seconds"] > 0
    maxmargin.save(model, tmp_path / "model")
    again = maxmargin.load(tmp_path / "model")
    assert type(again) is maxmargin.SVC
    assert np.array_equal(again.decision_function(NEW), model.decision_function(NEW))


def test_classes_may_be_apart(client):
    order = np.argsort(MANY, kind="stable")
    cuts = np.searchsorted(MANY[order], [1, 2, 3])
    rows, labels = np.split(X[order], cuts), np.split(MANY[order, None], cuts)
    one = maxmargin.SVC(**TIGHT).fit(X[order], MANY[order])
    agree(one, distributed.SVC(**TIGHT).fit(blocks(rows), blocks(labels, 1)))


@pytest.mark.parametrize(
    ("name", "params", "y"),
    [
        ("SVC", {"C": 1.0}, Y),
        ("SVR", {"C": 1.0, "epsilon": 0.2}, SCORE),
        ("OneClassSVM", {"nu": 0.5}, None),
    ],
)
def test_more_support_vectors_than_a_working_set_has(client, name, params, y):
    params = {**params, "tol": 1e-5, "cache_size": 0.01}
    one = getattr(maxmargin, name)(**params).fit(X, y)
    many = getattr(distributed, name)(**params).fit(X, y)
    assert len(many.support_) > outer_rounds.SMALLEST_SET
    assert many.status_.name == "OPTIMAL"
    assert np.isclose(many.certificate_.primal, one.certificate_.primal, rtol=1e-6)
    assert many.certificate_.worst.within(1e-5)


def test_support_vectors_of_many_workers_meet_by_and_by(client, monkeypatch):
    monkeypatch.setattr(outer_rounds, "FAN_IN", 1 + 1)
    samples = outer_rounds.OuterRounds._cascade

    def cut_up(rounds, found, settings):
        pieces = [[places[k::3] for places in each] for each in found for k in range(3)]
        return samples(rounds, pieces, settings)

    monkeypatch.setattr(outer_rounds.OuterRounds, "_cascade", cut_up)
    agree(maxmargin.SVC(**TIGHT).fit(X, MANY), distributed.SVC(**TIGHT).fit(X, MANY))


def test_the_worst_pair_is_in_every_working_set():
    way = RNG.normal(size=500)
    kind = RNG.integers(0, 3, 500)
    every = Candidates(np.arange(500), np.where(way > -1, way, -np.inf), -way, kind)
    for size in (4, 50, 400):
        chosen = every.best(size)
        assert len(chosen.places) <= size
        assert {every.up.argmax(), every.down.argmax()} <= set(chosen.places.tolist())


def test_probabilities_are_near_those_of_one_machine(client):
    one = maxmargin.SVC(calibration="sigmoid").fit(X, MANY)
    many = distributed.SVC(calibration="sigmoid").fit(da.from_array(X, chunks=(100, 3)), MANY)
    found, expected = many.predict_proba(NEW), one.predict_proba(NEW)
    assert np.allclose(found.sum(axis=1), 1.0)
    assert np.abs(found - expected).max() < 0.1  # folds are others
    assert np.array_equal(many.predict(NEW), many.classes_[found.argmax(axis=1)])


# ---- Faults --------------------------------------------------------------------------------------


class Fatal:
    """A function that kills the worker it is called on, once."""

    def __init__(self, function, once):
        self.function, self.once = function, once

    def __call__(self, *args):
        if not os.path.exists(self.once):
            with open(self.once, "w"):
                pass
            os.kill(os.getpid(), signal.SIGKILL)
        return self.function(*args)


PHASES = ["support_of_sample", "solve_sets", "update", "judge"]


@pytest.mark.parametrize("phase", PHASES)
def test_a_worker_killed_in_any_phase_changes_nothing(client, monkeypatch, tmp_path, phase):
    once = str(tmp_path / "once")
    monkeypatch.setattr(outer_rounds, phase, Fatal(getattr(outer_rounds, phase), once))
    many = distributed.SVC(**TIGHT).fit(X, Y)
    assert os.path.exists(once)
    assert many.fit_report_["cluster"]["workers_lost"] == 1
    agree(maxmargin.SVC(**TIGHT).fit(X, Y), many)


def test_an_error_of_a_kernel_is_raised(client):
    def short(X, Z):
        return np.zeros((len(X), 1))

    with pytest.raises(ValueError, match="kernel short returned shape"):
        distributed.SVC(kernel=short).fit(X, Y)


# ---- Limits --------------------------------------------------------------------------------------


def test_a_fit_that_is_told_to_stop_is_certified(client):
    rows = []

    def enough(row):
        rows.append(row)
        return len(rows) > 2

    with pytest.warns(UserWarning, match="ended early"):
        model = distributed.SVC(callback=enough, C=1e4, tol=1e-9).fit(X, Y)
    assert model.status_.name == "INTERRUPTED"
    assert 0 < model.certificate_.gap <= 1
    assert np.isclose(model.certify(X, Y).primal, model.certificate_.primal)
    assert model.predict(NEW).shape == (40,)


def wait_for_the_end(*_):
    end = time.monotonic() + 60
    while time.monotonic() < end and not cancelled():
        time.sleep(0.02)


def test_time_is_limited(client, monkeypatch):
    monkeypatch.setattr(
        machine, "_in_time", lambda *_: False
    )  # reading may take as long as it does
    monkeypatch.setattr(outer_rounds, "solve_sets", wait_for_the_end)
    with pytest.warns(UserWarning, match=r"time_limit=1.0 s was reached"):
        model = distributed.SVC(time_limit=1.0).fit(X, Y)
    assert model.status_.name == "TIME_LIMIT"
    assert model.certificate_.gap == 1.0  # nothing was found, and that is certified
    assert np.isclose(model.certificate_.primal, N)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_keeps_what_is_there(client, capfd):
    def interrupt(row):
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.warns(UserWarning, match="it was interrupted"):
        model = distributed.SVR(callback=interrupt, on_interrupt="keep", verbose=True).fit(X, SCORE)
    assert model.status_.name == "INTERRUPTED"
    assert "gap" in capfd.readouterr().err
    with pytest.raises(KeyboardInterrupt):
        distributed.SVR(callback=interrupt).fit(X, SCORE)
    assert client.submit(sum, [1, 2]).result(timeout=30) == 3


def test_steps_are_limited(client):
    with pytest.warns(UserWarning, match=r"max_iter=20"):
        model = distributed.SVC(max_iter=20, C=100.0).fit(X, Y)
    assert model.status_.name == "MAX_ITERATIONS"


def test_a_small_gap_can_be_asked_for(client):
    model = distributed.SVC(C=100.0, tol=0.1, tol_gap=1e-9).fit(X, Y)
    assert model.certificate_.gap <= 1e-9


def open_little_room(share, state, starts):
    return replace(open_rows(share, state, starts), room=2**20)


def test_support_vectors_that_do_not_fit_are_an_error(client, monkeypatch):
    monkeypatch.setattr(outer_rounds, "open_rows", open_little_room)
    with pytest.raises(MemoryError, match=r"about \d+ would.*Nystroem"):
        distributed.SVC(cache_size=0.59, tol=1e-6).fit(X, Y)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"kernel": "precomputed"}, 'kernel is "precomputed", which needs all rows'),
        ({"C": np.inf}, "C is inf, the hard margin"),
        ({"warm_start": True}, "warm_start is True"),
        ({"C": -1.0}, r"C is -1.0; it must be"),
    ],
)
def test_what_needs_all_rows_is_refused(params, said):
    with pytest.raises(ValueError, match=said):
        distributed.SVC(**params).fit(X, Y)
