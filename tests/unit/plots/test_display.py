"""What holds for every picture."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.image import imread
from sklearn.datasets import load_iris, make_moons

from maxmargin import (
    SGDSVC,
    SVC,
    SVR,
    HardMarginSVC,
    LinearSVC,
    LinearSVR,
    NuSVC,
    OneClassSVM,
    explain,
    plots,
    selection,
)
from maxmargin.kernels import RBF
from maxmargin.losses import Hinge
from maxmargin.optimizers import Constant, minimize
from maxmargin.problems import Objective

X, Y = make_moons(60, noise=0.2, random_state=0)
LINE, SIGNS = np.linspace(-2, 2, 20)[:, None], np.where(np.arange(20) < 10, -1.0, 1.0)
J = Objective(LINE, SIGNS, Hinge(), 1.0)
RUN = minimize(J, [2.0, 1.0], Constant(0.02), max_iter=20)


def searched(**grid):
    return selection.GridSearchCV(SVC(), grid, cv=2).fit(X, Y)


DISPLAYS = {
    "boundary": lambda: plots.BoundaryDisplay.from_estimator(SVC().fit(X, Y), X, Y),
    "c_path": lambda: plots.CPathDisplay(selection.c_path(X, Y)),
    "comparison": lambda: plots.ComparisonDisplay.from_parameters(SVC(), X, Y, C=[1, 10]),
    "convergence": lambda: plots.ConvergenceDisplay.from_estimator(SVC().fit(X, Y)),
    "explanation": lambda: plots.ExplanationDisplay(SVC().fit(X, Y).explain(X[:1])),
    "gram": lambda: plots.GramDisplay.from_kernel(X, Y),
    "importance": lambda: plots.ImportanceDisplay(
        explain.importances(SVC().fit(X, Y), X, Y, random_state=0)
    ),
    "influence": lambda: plots.InfluenceDisplay(explain.influences(SVC().fit(X, Y), X, Y)),
    "learning": lambda: selection.learning_curve(SVC(), X, Y, cv=2).display(),
    "lead": lambda: plots.LeadDisplay.from_estimator(
        SVC().fit(*load_iris(return_X_y=True)), *load_iris(return_X_y=True)
    ),
    "lift": lambda: plots.LiftDisplay.from_data(LINE, np.abs(LINE[:, 0]) > 1),
    "loss": plots.LossDisplay.from_losses,
    "margin": lambda: plots.MarginDisplay(np.linspace(-1, 3, 40)),
    "path": lambda: plots.PathDisplay.from_runs(J, RUN),
    "precision and recall": lambda: plots.PrecisionRecallDisplay.from_scores(
        {"a": Y == 1, "b": Y == 0}, {"a": X[:, 0], "b": -X[:, 1]}
    ),
    "prediction": lambda: plots.PredictionDisplay.from_estimator(
        SVR().fit(X, SIGNS.repeat(3)), X, SIGNS.repeat(3)
    ),
    "regression": lambda: plots.RegressionDisplay.from_estimators(LINE, SIGNS),
    "reliability": lambda: plots.ReliabilityDisplay.from_estimator(
        SVC(calibration="sigmoid").fit(X, Y), X, Y
    ),
    "residual": lambda: plots.ResidualDisplay(LINE[:, 0], SIGNS, epsilon=0.5),
    "roc": lambda: plots.RocDisplay.from_scores({"a": Y == 1}, {"a": X[:, 0]}),
    "search": lambda: searched(C=[1, 10], gamma=[0.1, 1]).display(),
    "subgradient": plots.SubgradientDisplay.from_loss,
    "support": lambda: plots.SupportDisplay(SVC().fit(X, Y).explain(X[:1])),
    "trace": lambda: plots.TraceDisplay.from_runs(RUN),
    "validation": lambda: searched(C=[1, 10]).display(),
}


def test_every_display_is_here():
    public = {name for name in plots.__all__ if name.endswith("Display")} - {"Display"}
    assert public == {type(make()).__name__ for make in DISPLAYS.values()}


@pytest.fixture(params=DISPLAYS)
def display(request):
    return DISPLAYS[request.param]()


def test_saved_pictures_are_not_blank(display, tmp_path):
    path = display.save(tmp_path / "picture.png", dpi=80)
    image = imread(path)[..., :3]
    assert min(image.shape[:2]) > 100
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 50
    assert "</svg>" in display.save(tmp_path / "picture.svg").read_text(encoding="utf-8")


def test_the_users_settings_stay_as_they_were(display):
    before = dict(mpl.rcParams)
    display.plot()
    assert dict(mpl.rcParams) == before


def test_frames_hold_arrays(display):
    frame = display.frame()
    assert frame
    assert all(isinstance(name, str) for name in frame)


def test_estimators_draw_themselves(tmp_path):
    ax = SVC().fit(X, Y).plot(X, Y, normal=True)
    assert ax.get_title(loc="left") == "support vector machine, RBF kernel, C = 1"
    iris = load_iris()
    ax = SVC().fit(iris.data, iris.target).plot(iris.data, iris.target, features=(2, 3))
    assert ax.get_xlabel() == "$x_{3}$"


def test_a_fit_does_not_load_matplotlib():
    code = "import sys, maxmargin; maxmargin.SVC().fit([[0.0], [1.0]], [0, 1]); "
    code += "sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for name in [name for name in sys.modules if name.startswith("maxmargin.plots")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ImportError, match=r"pip install maxmargin\[plot\]"):
        SVC().fit(X, Y).plot(X, Y)


def test_machines_of_all_kinds_draw_themselves():
    x = np.linspace(0, 3, 20)[:, None]
    assert SVR().fit(x, x[:, 0]).plot(x, x[:, 0]).get_ylabel() == "y"
    assert OneClassSVM(nu=0.1).fit(X).plot(X).get_title(loc="left").startswith("one-class machine")
    for machine in (
        LinearSVC(loss="hinge"),
        SGDSVC(random_state=0),
        NuSVC(),
        HardMarginSVC(gamma=9),
    ):
        assert machine.fit(X, Y).plot(X, Y).get_xlabel() == "$x_{1}$"
    assert LinearSVR().fit(X, Y).plot(X, Y) is not None
    with pytest.raises(ValueError, match=r"give them, SVC.plot\(X, y\)"):
        SVC().fit(X, Y).plot()
    with pytest.raises(ValueError, match=r"give them, OneClassSVM.plot\(X\)"):
        OneClassSVM().fit(X).plot()


def test_texts_of_displays_are_short(display):
    assert len(repr(display)) < 1500
    assert repr(display).startswith(type(display).__name__)
    with pytest.raises(AttributeError, match=r"use plot\(\)"):
        display.show  # noqa: B018


@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        (lambda: plots.LossDisplay(Hinge()), TypeError, r"LossDisplay.from_losses\(...\)"),
        (lambda: plots.TraceDisplay(RUN), TypeError, r"made with TraceDisplay.from_runs\("),
        (lambda: plots.TraceDisplay.from_run, AttributeError, r"use TraceDisplay.from_runs\("),
        (
            lambda: plots.BoundaryDisplay.from_model,
            AttributeError,
            "BoundaryDisplay.from_estimator",
        ),
        (lambda: plots.DecisionBoundaryDisplay, AttributeError, "use BoundaryDisplay"),
        (lambda: plots.plot_svm, AttributeError, r"use model.plot\(X, y\)"),
        (lambda: plots.lossdisplay, AttributeError, "did you mean 'LossDisplay'"),
        (lambda: RUN.plot(J), TypeError, "ax must be axes of matplotlib"),
        (lambda: SVC().fit(X, Y).plot(X, Y, margin=True), TypeError, "use margins="),
        (lambda: SVC().fit(X, Y).plot(X, Y, title="t"), TypeError, "axes.set_title"),
        (
            lambda: plots.GramDisplay.from_kernel(RBF(), X),
            TypeError,
            r"from_kernel\(X, y, kernel\)",
        ),
        (lambda: plots.LossDisplay.from_losses(["hinges"]), ValueError, "must be one of hinge"),
    ],
)
def test_wrong_guesses(wrong, error, text):
    with pytest.raises(error, match=text):
        wrong()


def test_losses_are_drawn_by_name_or_alone():
    by_name, alone = (plots.LossDisplay.from_losses(loss) for loss in ("hinge", Hinge()))
    assert by_name.names == alone.names == ("Hinge",)
    assert plots.SubgradientDisplay.from_loss("hinge").name == "Hinge"
