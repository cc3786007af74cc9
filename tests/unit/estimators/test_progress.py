import time
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC
from maxmargin.estimators.progress import Progress
from maxmargin.problems import TRACE, Status


def row(violation=0.5):
    return np.array([(0, 0.0, 10, 2.0, 1.0, 0.5, violation, 4)], TRACE)[0]


def test_nothing_to_stop_for():
    progress = Progress(tol=1e-3)
    assert progress.see(row()) is False
    assert progress.reason is None
    assert not progress.expired


def test_time_limit():
    progress = Progress(tol=1e-3, time_limit=0.01)
    time.sleep(0.02)
    assert progress.expired
    assert progress.see(row()) is True
    assert progress.reason is Status.TIME_LIMIT


@pytest.mark.parametrize("answer", [True, np.True_, 1])
def test_callback_stops(answer):
    progress = Progress(tol=1e-3, callback=lambda row: answer)
    assert progress.see(row()) is True
    assert progress.reason is Status.INTERRUPTED


def test_a_callback_that_has_said_stop_is_not_asked_again():
    calls = []
    progress = Progress(tol=1e-3, callback=lambda row: calls.append(row) or True)
    assert progress.see(row()) is True
    time.sleep(0.15)
    assert progress.see(row()) is True
    assert len(calls) == 1


def test_callback_is_not_called_too_often():
    calls = []
    progress = Progress(tol=1e-3, callback=calls.append)
    for _ in range(50):
        progress.see(row())
    assert len(calls) == 1
    assert calls[0]["iterations"] == 10


def test_what_is_known_of_some_rows_is_not_told_of_all():
    calls = []
    progress = Progress(tol=1e-3, callback=calls.append, verbose=1)
    progress.coarse = True
    progress.see(row(violation=1e-9))
    assert np.isinf([calls[0][name] for name in ("primal", "dual", "gap", "violation")]).all()


def test_a_rule_on_the_gap_is_not_met_by_a_sample():
    X = np.random.default_rng(0).normal(size=(6000, 8))
    y = X[:, 0] * X[:, 1] > 0
    model = SVC(C=10.0, gamma=1.0, callback=lambda row: row["gap"] < 0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    assert model.certify(X, y).gap < 0.11


def test_line(capsys):
    Progress(tol=1e-3, verbose=1, n_parts=3).see(row())
    out, err = capsys.readouterr()
    assert out == ""
    assert "problem 1/3" in err
    assert "4 support vectors" in err


def test_a_point_that_is_good_enough_waits_for_its_certificate(capsys):
    progress = Progress(tol=1e-3, verbose=1)
    progress.see(row(violation=5e-4))
    assert "making the certificate" in capsys.readouterr().err


def test_time_left_is_told_once_the_measure_falls_and_by_its_latest_rate():
    # Ten seconds in which hardly anything happens, then a tenth each second: to 1e-3 in the 15th.
    told, progress = [], Progress(tol=1e-3)
    for second in range(15):
        now = row(violation=2.0 * 0.1 ** max(0, second - 10))
        now["time"] = second
        told.append(progress._seconds_left(now))
    assert told[:11] == [None] * 11
    assert told[13] == pytest.approx(0.3, abs=0.2)
    assert told[14] == 0
