import numpy as np
import pytest
from sklearn import svm
from sklearn.datasets import load_iris, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.plots import ConvergenceDisplay


@pytest.fixture
def model():
    return SVC(C=10).fit(*make_moons(1500, noise=0.3, random_state=0))


def test_primal_falls_and_dual_rises(model):
    frame = ConvergenceDisplay.from_estimator(model).frame()
    assert (np.diff(frame["time"]) >= 0).all()
    assert frame["time"][0] == 0
    assert (np.diff(frame["primal"]) <= 0).all()
    assert (np.diff(frame["dual"]) >= 0).all()


def test_the_last_gap_is_the_certificates(model):
    frame = ConvergenceDisplay.from_estimator(model).frame()
    assert frame["gap"][-1] == model.certificate_.gap


def test_pipelines_are_asked_about_their_last_step():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    display = ConvergenceDisplay.from_estimator(pipeline, part=2)
    assert (display.history["part"] == 2).all()
    above, below = display.plot()
    assert above.get_title(loc="left") == "support vector machine, RBF kernel, C = 1"
    assert below.get_xlabel() == "time (ms)"


def test_what_is_refused(model):
    with pytest.raises(ValueError, match=r"part is 7; the fit has the parts 0 to 0"):
        ConvergenceDisplay.from_estimator(model, part=7)
    with pytest.raises(ValueError, match="without a history_"):
        ConvergenceDisplay.from_estimator(svm.SVC())
