"""scikit-learn's callback protocol, where that version has it."""

import numpy as np
import pytest

from instances import blobs
from maxmargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM, Status

callback = pytest.importorskip("sklearn.callback")


class Recorder:
    """Counts tasks, and asks to stop at the end of one of them."""

    def __init__(self, stop_at=None):
        self.begun = self.ended = self.set_up = self.torn_down = 0
        self.stop_at = stop_at

    def setup(self, estimator, context):
        self.set_up += 1

    def teardown(self, estimator, context):
        self.torn_down += 1

    def on_fit_task_begin(self, estimator, context):
        self.begun += 1

    def on_fit_task_end(self, estimator, context):
        self.ended += 1
        return self.ended == self.stop_at


@pytest.mark.parametrize("machine", [SVC, NuSVC, SVR, NuSVR, OneClassSVM])
def test_every_task_that_begins_ends(machine):
    X, y = blobs(80, 3, 4)
    recorder = Recorder()
    machine().set_callbacks(recorder).fit(X, y)
    parts = 6 if machine in (SVC, NuSVC) else 1
    assert recorder.begun == recorder.ended >= parts + (parts > 1)
    assert recorder.set_up == recorder.torn_down == 1


def test_watching_a_fit_does_not_change_it():
    X, y = blobs(900, 3, 3)
    watched, alone = SVC().set_callbacks(Recorder()).fit(X, y), SVC().fit(X, y)
    np.testing.assert_array_equal(watched.dual_coef_, alone.dual_coef_)
    np.testing.assert_array_equal(watched.intercept_, alone.intercept_)


def test_a_callback_can_stop_the_fit():
    X, y = blobs(80, 3, 4)
    with pytest.warns(UserWarning, match="interrupted"):
        model = SVC().set_callbacks(Recorder(stop_at=2)).fit(X, y)
    assert model.status_ is Status.INTERRUPTED
    assert (model.n_iter_[2:] == 0).all()


def test_torn_down_when_the_fit_fails():
    X, y = blobs(80, 3, 4)
    recorder = Recorder()

    def broken(row):
        raise LookupError

    with pytest.raises(LookupError):
        SVC(callback=broken).set_callbacks(recorder).fit(X, y)
    assert recorder.set_up == recorder.torn_down == 1


def test_progress_bar(capsys):
    pytest.importorskip("rich")
    X, y = blobs(80, 3, 4)
    SVC().set_callbacks(callback.ProgressBar()).fit(X, y)
    assert "SVC" in capsys.readouterr().out
