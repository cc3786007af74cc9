"""Hard margins: the widest street where there is one, the evidence where there is none."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.preprocessing import StandardScaler

from instances import blobs, laplacian, rings
from judge import judge, machines
from maxmargin import (
    SVC,
    SVR,
    HardMarginSVC,
    InfeasibleError,
    LinearSVC,
    LinearSVR,
    NuSVR,
    Status,
    UndecidableError,
)


def separable(n=80, seed=0, gap=0.5, classes=2):
    """Clouds pushed apart along the first axis until slabs of width `gap` lie between them."""
    X, y = blobs(n, 3, classes, seed)
    X[:, 0] = 3.0 * y + (3.0 - gap) * (np.arctan(X[:, 0]) / np.pi)
    return X, y


KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 1.0},
    "rbf": {"kernel": "rbf"},
    "callable": {"kernel": laplacian},
}
kernels = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())


@kernels
@pytest.mark.parametrize("classes", [2, 3])
def test_margin(kernel, classes, seed, layout):
    # The judge takes the soft-margin problem with a C above every alpha: it has the same solution.
    X, y = separable(80, seed, classes=classes)
    model = HardMarginSVC(**kernel).fit(layout(X), y)
    assert model.status_ is Status.OPTIMAL
    soft = SVC(C=2 * model.alphas_.max(), **kernel).fit(X, y)
    for machine, margin in zip(machines(soft, X, y), model.margin_, strict=True):
        assert judge(machine).violation < 1e-9
        squared_norm = float(machine.b @ (machine.K + machine.offset) @ machine.b)
        assert margin == pytest.approx(1 / np.sqrt(squared_norm), rel=1e-6)
    np.testing.assert_allclose(
        model.decision_function(X), soft.decision_function(X), rtol=1e-5, atol=1e-5
    )
    assert (model.predict(X) == y).all()


@kernels
def test_no_row_is_inside(kernel, seed):
    X, y = separable(80, seed)
    model = HardMarginSVC(**kernel).fit(X, y)
    margins = np.where(y == 1, 1, -1) * model.decision_function(X)
    assert margins.min() >= 1 - model.tol
    np.testing.assert_allclose(margins[model.support_], 1, atol=model.tol)


def test_by_hand():
    model = HardMarginSVC(kernel="linear").fit([[0.0, 0.0], [0.0, 1.0], [4.0, 0.0]], [0, 0, 1])
    np.testing.assert_allclose(model.margin_, [2.0], rtol=1e-9)
    np.testing.assert_allclose(model.coef_, [[0.5, 0.0]], atol=1e-9)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6], ids="{:.0e}".format)
def test_units(scale):
    X, y = separable()
    one = HardMarginSVC(kernel="linear").fit(X, y).margin_
    np.testing.assert_allclose(
        HardMarginSVC(kernel="linear").fit(scale * X, y).margin_, scale * one
    )


INSEPARABLE = {
    "between": (np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])),
    "same point": (np.array([[0.0, 1.0], [0.0, 1.0], [3.0, 1.0]]), np.array([0, 1, 1])),
    "rings": rings(100),
    "clouds": blobs(120, 3, spread=2.0),
    "three classes": blobs(90, 2, 3, spread=2.0),
}


@pytest.mark.parametrize(("X", "y"), INSEPARABLE.values(), ids=INSEPARABLE.keys())
def test_evidence(X, y):
    with pytest.raises(InfeasibleError, match="cannot be separated") as error:
        HardMarginSVC(kernel="linear").fit(X, y)
    found = error.value.evidence
    points = []
    for rows, weights in (
        (found.positive_rows, found.positive_weights),
        (found.negative_rows, found.negative_weights),
    ):
        assert (weights >= 0).all()
        assert weights.sum() == pytest.approx(1, abs=1e-12)
        assert len(set(y[rows])) == 1
        points.append(weights @ X[rows])
    assert y[found.positive_rows[0]] != y[found.negative_rows[0]]
    scale = np.linalg.norm(X - X[0], axis=1).max()
    assert np.linalg.norm(points[0] - points[1]) <= 1e-8 * scale


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("gap", 10.0 ** -np.arange(1, 15), ids="{:.0e}".format)
def test_thin_margins(gap):
    # Never an endless run; never "cannot be separated" where a float64 solver can see the margin,
    # perhaps to fewer digits than tol asks for.
    X = np.array([[0.0], [1.0], [1.0 + gap], [2.0]])
    model = HardMarginSVC(kernel="linear", time_limit=10.0)
    if gap >= 1e-3:
        np.testing.assert_allclose(model.fit(X, [0, 0, 1, 1]).margin_, gap / 2, rtol=1e-6)
        return
    try:
        margin = model.fit(X, [0, 0, 1, 1]).margin_
    except (UndecidableError, InfeasibleError) as error:
        undecidable = isinstance(error, UndecidableError)
    else:
        np.testing.assert_allclose(margin, gap / 2, rtol=1e-2)
        return
    assert undecidable or gap <= 1e-8


# ---- Hard tubes ---------------------------------------------------------------------------------


def curve(n=50, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X @ [1.0, 2.0, -1.0] + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6], ids="{:.0e}".format)
def test_tube(epsilon, scale, seed, layout):
    # The flattest function of all that are within epsilon: no finite C has one as flat.
    X, y = curve(seed=seed)
    tol = 1e-6 * scale
    model = SVR(C=np.inf, epsilon=scale * epsilon, gamma=2.0, tol=tol).fit(layout(X), scale * y)
    assert model.status_ is Status.OPTIMAL
    residuals = np.abs(model.predict(X) - scale * y)
    np.testing.assert_allclose(residuals[model.support_], scale * epsilon, atol=tol)
    assert residuals.max() <= scale * epsilon + tol
    C = 10 * np.abs(model.dual_coef_).max()
    soft = SVR(C=C, epsilon=scale * epsilon, gamma=2.0, tol=tol).fit(X, scale * y)
    np.testing.assert_allclose(model.predict(X), soft.predict(X), atol=1e-4 * scale)
    found = model.certify(layout(X), scale * y)
    assert found.primal == pytest.approx(model.certificate_.primal, rel=1e-9)


def test_tube_by_hand():
    model = SVR(C=float("inf"), kernel="linear", epsilon=0.5).fit([[0.0], [2.0]], [0.0, 3.0])
    np.testing.assert_allclose(model.predict([[0.0], [1.0], [2.0]]), [0.5, 1.5, 2.5], atol=1e-9)


def test_rows_without_weight_need_not_be_in_the_tube():
    X, y = curve()
    y[3] += 100
    weight = np.where(np.arange(50) == 3, 0.0, 7.0)
    model = SVR(C=np.inf, kernel="linear", epsilon=0.5).fit(X, y, weight)
    rest = weight > 0
    plain = SVR(C=np.inf, kernel="linear", epsilon=0.5).fit(X[rest], y[rest])
    np.testing.assert_allclose(model.predict(X), plain.predict(X), atol=1e-9)


@pytest.mark.parametrize(
    ("X", "y"),
    [([[0.0], [0.0], [1.0]], [0.0, 1.0, 0.0]), curve(), curve(300, seed=1)],
    ids=["same point", "noise", "more noise"],
)
def test_evidence_against_a_tube(X, y):
    X, y = np.asarray(X), np.asarray(y)
    with pytest.raises(InfeasibleError, match=r"no function .*within epsilon.*finite C") as error:
        SVR(C=np.inf, kernel="linear", epsilon=0.02).fit(X, y)
    found = pickle.loads(pickle.dumps(error.value)).evidence
    above = found.positive_weights @ np.column_stack([X, y])[found.positive_rows]
    below = found.negative_weights @ np.column_stack([X, y])[found.negative_rows]
    scale = np.linalg.norm(X - X[0], axis=1).max()
    assert np.linalg.norm(above[:-1] - below[:-1]) <= 2e-8 * scale
    assert above[-1] - below[-1] - 2 * 0.02 == pytest.approx(found.excess, rel=1e-6)
    assert found.excess > 0
    # A large finite C is what can be had instead.
    assert np.isfinite(SVR(C=1e4, kernel="linear", epsilon=0.02).fit(X, y).predict(X)).all()


def test_a_tube_that_cannot_be_decided():
    X = np.array([[0.0], [1e-7], [1.0]])
    with pytest.raises((UndecidableError, InfeasibleError), match="within epsilon") as error:
        SVR(C=np.inf, epsilon=0.0, gamma=1.0).fit(X, [0.0, 1.0, 0.0])
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


@pytest.mark.parametrize("machine", [NuSVR, LinearSVC, LinearSVR])
def test_machines_without_a_hard_form_say_so(machine):
    X, y = blobs(30, 2)
    with pytest.raises(ValueError, match=r"^C is inf; it must be a finite number"):
        machine(C=np.inf).fit(X, y)


@pytest.mark.filterwarnings("ignore:The fit ended early. steps in float64")
def test_a_margin_at_the_limit_of_float64_is_one():
    """4e-6 wide: whether its certificate is within tol depends on the last digits of a machine."""
    X, y = make_blobs(300, random_state=0)
    model = HardMarginSVC().fit(StandardScaler().fit_transform(X), y)
    assert model.status_ <= Status.PRECISION
    assert model.certificate_.worst.within(2e-3)
    assert model.score(StandardScaler().fit_transform(X), y) == 1.0
