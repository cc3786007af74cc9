import time

import numpy as np
import pytest

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


def test_line(capsys):
    Progress(tol=1e-3, verbose=1, n_parts=3).see(row())
    out, err = capsys.readouterr()
    assert out == ""
    assert "problem 1/3" in err
    assert "4 support vectors" in err
