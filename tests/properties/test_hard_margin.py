"""Hard margins: the widest street where there is one, the evidence where there is none."""

import numpy as np
import pytest

from instances import blobs, laplacian, rings
from judge import judge, machines
from maxmargin import SVC, HardMarginSVC, InfeasibleError, Status, UndecidableError


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


@pytest.mark.parametrize("gap", 10.0 ** -np.arange(1, 15), ids="{:.0e}".format)
def test_thin_margins(gap):
    # Never an endless run; never "cannot be separated" where a float64 solver can see the margin.
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
