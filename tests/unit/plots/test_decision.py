import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.linear_model import LogisticRegression

from maxmargin import SVC
from maxmargin.models import Hyperplane, Margins
from maxmargin.optimizers import minimize, perceptron
from maxmargin.plots import BoundaryDisplay
from maxmargin.problems import Objective, soft_margin_primal
from maxmargin.solvers import solve_qp


@pytest.fixture
def blobs():
    X, y = make_blobs(80, centers=[[-1, -1], [1, 1]], cluster_std=0.9, random_state=0)
    return X, np.array(["minus", "plus"])[y]


@pytest.fixture
def linear(blobs):
    return SVC(kernel="linear").fit(*blobs)


@pytest.fixture
def display(linear, blobs):
    return BoundaryDisplay.from_estimator(linear, *blobs)


@pytest.fixture
def iris():
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


def test_points_agree_with_the_margins_of_the_hyperplane(display, linear, blobs):
    X, y = blobs
    plane = Hyperplane(linear.coef_[0], linear.intercept_[0])
    margins = Margins(plane, X, np.where(y == "plus", 1.0, -1.0))
    points = display.frame()["points"]
    np.testing.assert_allclose(points["decision"], plane.score(X), atol=1e-12)
    np.testing.assert_allclose(points["slack"], margins.slack, atol=1e-6)
    seen = np.isfinite(points["boundary"]).all(axis=1)
    assert seen.mean() > 0.9
    np.testing.assert_allclose(points["boundary"][seen], margins.nearest[seen], atol=1e-8)
    np.testing.assert_allclose(points["radius"][seen], margins.noise_radius[seen], atol=1e-8)


def test_slack_segments_end_on_the_points_own_margin_line(display, linear):
    points = display.frame()["points"]
    late = points[(points["slack"] > 0) & np.isfinite(points["margin"]).all(axis=1)]
    sign = np.where(late["code"] == 1, 1.0, -1.0)
    np.testing.assert_allclose(linear.decision_function(late["margin"]), sign, atol=1e-8)
    length = np.hypot(late["x"] - late["margin"][:, 0], late["y"] - late["margin"][:, 1])
    np.testing.assert_allclose(length, late["slack"] / np.linalg.norm(linear.coef_), atol=1e-8)


def test_points_on_time_have_no_segment(display):
    points = display.frame()["points"]
    assert np.isnan(points["margin"][points["slack"] == 0]).all()


def test_the_normal_spans_half_the_margin(display, linear):
    start, end = display.frame()["normal"]
    w = linear.coef_[0]
    np.testing.assert_allclose(end - start, w / (w @ w), atol=1e-8)


def test_alphas_are_those_of_the_model(display, linear):
    alpha = display.frame()["points"]["alpha"]
    np.testing.assert_array_equal(np.flatnonzero(alpha), np.sort(linear.support_))
    np.testing.assert_array_equal(alpha[linear.support_], linear.alphas_[0])


def test_curved_lines_lie_on_their_levels():
    X, y = make_moons(100, noise=0.2, random_state=0)
    model = SVC(gamma=2, C=5).fit(X, y)
    lines = BoundaryDisplay.from_estimator(model, X, y).frame()["lines"]
    assert set(lines) == {-1.0, 0.0, 1.0}
    for level, pieces in lines.items():
        assert pieces
        for piece in pieces:
            np.testing.assert_allclose(model.decision_function(piece), level, atol=0.02)


def test_regions_of_many_classes_are_the_predictions(iris):
    X, y = iris
    model = SVC().fit(X.iloc[:, :2], y)
    display = BoundaryDisplay.from_estimator(model, X.iloc[:, :2], y)
    frame = display.frame()
    i, j = np.random.default_rng(0).integers(len(frame["x"]), size=(2, 400))
    rows = pd.DataFrame(np.column_stack([frame["x"][j], frame["y"][i]]), columns=X.columns[:2])
    codes = np.searchsorted(model.classes_, model.predict(rows))
    assert (frame["values"][i, j] == codes).mean() > 0.995
    assert np.isnan(frame["points"]["slack"]).all()
    assert display.plot().get_xlabel() == "sepal length (cm)"


def test_a_pair_of_many_features_is_a_slice(iris):
    X, y = iris
    model = SVC().fit(X, y == "setosa")
    display = BoundaryDisplay.from_estimator(
        model, X, y == "setosa", features=("petal length (cm)", 0), fill="mean"
    )
    frame = display.frame()
    corner = X.mean().to_frame().T
    corner["petal length (cm)"], corner["sepal length (cm)"] = frame["x"][0], frame["y"][0]
    assert frame["values"][0, 0] == pytest.approx(model.decision_function(corner)[0])
    np.testing.assert_array_equal(frame["points"]["x"], X["petal length (cm)"])
    np.testing.assert_allclose(frame["points"]["decision"], model.decision_function(X))
    assert np.isnan(frame["points"]["radius"]).all()
    assert "slice: sepal width (cm) = 3.057, petal width (cm) = 1.199" in frame["note"]
    assert display.plot().get_xlabel() == "petal length (cm)"


@pytest.mark.parametrize("detail", ["slack", "projections", "noise"])
def test_hidden_features_forbid_distances(iris, detail):
    X, y = iris
    model = SVC().fit(X, y == "setosa")
    display = BoundaryDisplay.from_estimator(model, X, y == "setosa", features="pca")
    assert "plane of two principal components" in display.note
    with pytest.raises(ValueError, match=f"{detail}=True needs all points in the plane"):
        display.plot(**{detail: True})


def test_models_without_a_margin_show_only_the_boundary(blobs):
    X, y = blobs
    display = BoundaryDisplay.from_estimator(LogisticRegression().fit(X, y), X, y)
    frame = display.frame()
    assert list(frame["lines"]) == [0.0]
    assert frame["normal"] is None
    assert np.isnan(frame["points"]["alpha"]).all()
    labels = [text.get_text() for text in display.plot().get_legend().get_texts()]
    assert labels == ["minus", "plus", "boundary"]


def test_sparse_rows(linear, blobs):
    X, y = blobs
    model = SVC(kernel="linear").fit(csr_array(X), y)
    sparse = BoundaryDisplay.from_estimator(model, csr_array(X), y).frame()["points"]
    dense = BoundaryDisplay.from_estimator(linear, X, y).frame()["points"]
    np.testing.assert_allclose(sparse["alpha"], dense["alpha"], atol=1e-9)
    np.testing.assert_allclose(sparse["decision"], dense["decision"], atol=1e-9)


def test_constant_feature(blobs):
    X, y = blobs
    X = X * [1.0, 0.0]
    model = SVC(kernel="linear").fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    (low, high), pieces = display.limits[1], display.frame()["lines"][0.0]
    assert low < 0 < high
    assert pieces
    for piece in pieces:  # straight up, where the one feature says
        np.testing.assert_allclose(piece[:, 0], -model.intercept_[0] / model.coef_[0, 0], atol=1e-6)
    assert display.plot().get_ylim() == pytest.approx((low, high))


def test_everything_at_once(display):
    ax = display.plot(projections=True, noise=True, normal=True)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels[:2] == ["minus", "plus"]
    assert {"boundary", "slack", "projection", "noise tolerated"} <= set(labels)


def test_nothing_but_points(display):
    ax = display.plot(regions=False, margins=False, support=False, slack=False, legend=False)
    assert ax.get_legend() is None


def test_feature_names_are_those_given(linear, blobs):
    display = BoundaryDisplay.from_estimator(linear, *blobs, feature_names=["u", "v"], title="t")
    ax = display.plot()
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="left")) == ("u", "v", "t")


def test_a_hyperplane_is_drawn_like_the_classifier_it_came_from(display, linear, blobs):
    X, y = blobs
    signs = np.where(y == "plus", 1, -1)
    plane = BoundaryDisplay.from_estimator(Hyperplane.of(linear), X, signs).frame()
    for name in ("code", "decision", "slack", "radius"):
        np.testing.assert_allclose(plane["points"][name], display.frame()["points"][name])
    assert np.isnan(plane["points"]["alpha"]).all()


def test_noise_balls_have_one_radius_and_are_round():
    """That of the least distance to the boundary, around every point that is right."""
    X = np.array([[-9.0, 0.0], [-4.0, 1.0], [-1.0, 0.0], [1.0, 0.5], [3.0, 0.0], [8.0, 1.0]])
    y = np.array([0, 0, 0, 1, 1, 1])
    model = SVC(kernel="linear", C=100).fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    ax = display.plot(noise=True)
    [balls] = [part for part in ax.collections if type(part).__name__ == "EllipseCollection"]
    radius = Margins.of(model, X, y).smallest
    assert display.noise_radius == pytest.approx(radius)
    np.testing.assert_allclose(balls._widths, radius)  # halved by matplotlib
    assert len(balls._widths) == len(X)
    assert ax.get_aspect() == 1
    assert ax.get_xlim()[0] <= -9 - radius
    assert ax.get_xlim()[1] >= 8 + radius


def test_what_has_moved_is_drawn_where_it_was(linear, blobs):
    X, y = blobs
    before = X.copy()
    before[3] += [0.5, 1.0]
    display = BoundaryDisplay.from_estimator(linear, X, y)
    plain, ax = display.plot(), display.plot(moved_from=before)
    assert len(ax.texts) - len(plain.texts) == 1  # an arrow
    ghosts = [part for part in ax.collections if np.shape(part.get_offsets()) == (1, 2)]
    assert any(np.allclose(ghost.get_offsets(), before[3]) for ghost in ghosts)
    with pytest.raises(ValueError, match=r"moved_from has shape \(3, 2\); it must be \(80, 2\)"):
        display.plot(moved_from=before[:3])


def test_runs_and_solutions_are_drawn_as_hyperplanes(blobs):
    X, y = blobs[0], np.where(blobs[1] == "plus", 1, -1)
    J = Objective(X, y, "hinge", C=1.0)
    run = minimize(J, np.ones(3), 0.001, max_iter=5)
    for thing in (run, solve_qp(soft_margin_primal(X, y, C=1.0)), perceptron(X, y, max_passes=2)):
        points = BoundaryDisplay.from_estimator(thing, X, y).frame()["points"]
        assert np.allclose(points["decision"], Hyperplane.of(thing).score(X))
