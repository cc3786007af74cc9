"""Whatever the parameters: the fit ends, its status is honest, its certificate is confirmed."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from instances import blobs, rings, unscaled
from judge import confirm
from maxmargin import SVC, SVR, AdviceWarning, Status
from maxmargin.kernels import RBF, Chi2, Laplacian, Matern

DATA = {
    "rings": lambda: rings(120),
    "blobs": lambda: blobs(120, 5, spread=2.0),
    "unscaled": lambda: unscaled(100),
    "three": lambda: blobs(90, 3, 3, spread=1.5),
}


def honest(model, X, y):
    """Fit and judge. It ends by itself; what is not optimal says so, what is, is within tol."""
    model.set_params(time_limit=20)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert model.status_ is not Status.TIME_LIMIT
    verdicts = confirm(model, X, y)
    worst = max(verdict.violation for verdict in verdicts)
    assert all(issubclass(w.category, ConvergenceWarning | AdviceWarning) for w in caught)
    assert np.isfinite([verdict.gap for verdict in verdicts]).all()
    assert np.isfinite(model.decision_function(X)).all()
    if model.status_ is Status.OPTIMAL:
        assert worst <= model.tol
    else:
        assert model.certificate_.violation + model.certificate_.bound > model.tol
    return model


@pytest.mark.parametrize("data", DATA.values(), ids=DATA.keys())
@pytest.mark.parametrize("C", 10.0 ** np.arange(-8, 11, 2), ids="C{:.0e}".format)
def test_penalty(C, data):
    honest(SVC(C=C), *data())


@pytest.mark.parametrize("data", DATA.values(), ids=DATA.keys())
@pytest.mark.parametrize("gamma", 10.0 ** np.arange(-12, 13, 4), ids="gamma{:.0e}".format)
@pytest.mark.parametrize("C", [1e-8, 1.0, 1e10], ids="C{:.0e}".format)
def test_width(C, gamma, data):
    honest(SVC(C=C, gamma=gamma), *data())


@pytest.mark.parametrize("C", [1e-8, 1.0, 1e6, 1e10], ids="C{:.0e}".format)
@pytest.mark.parametrize(
    "kernel",
    [
        {"kernel": "linear"},
        {"kernel": "poly", "degree": 2, "coef0": 1.0},
        {"kernel": "poly", "degree": 7, "gamma": 1.0},
        {"kernel": "sigmoid", "gamma": 0.5},
        {"kernel": "sigmoid", "gamma": 10.0, "coef0": -1.0},
    ],
    ids=str,
)
@pytest.mark.parametrize("data", [DATA["rings"], DATA["blobs"]], ids=["rings", "blobs"])
def test_other_kernels(kernel, C, data):
    honest(SVC(C=C, **kernel), *data())


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150], ids="{:.0e}".format)
def test_units(scale):
    # gamma="scale" makes the kernel independent of the units of the data.
    X, y = rings(80)
    model = honest(SVC(), scale * X, y)
    reference = SVC().fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(scale * X), reference.decision_function(X), atol=1e-9
    )


def test_moderate_penalties_are_optimal():
    for C in (1e-8, 1e-4, 1.0, 1e4):
        assert honest(SVC(C=C), *rings(150)).status_ is Status.OPTIMAL


@pytest.mark.parametrize("kind", [Laplacian, Chi2, Matern, lambda g: RBF(g) * RBF(g) + Chi2(g)])
@pytest.mark.parametrize("gamma", 10.0 ** np.arange(-12, 13, 6), ids="gamma{:.0e}".format)
@pytest.mark.parametrize("C", [1e-8, 1e10], ids="C{:.0e}".format)
def test_width_of_other_kernels(C, gamma, kind, layout):
    X, y = blobs(60, 3, spread=2.0)
    honest(SVC(C=C, kernel=kind(gamma)), layout(np.abs(X)), y)


@pytest.mark.parametrize("C", [1e2, 1e5])
def test_low_rank_and_a_large_penalty(C):
    # 45 dimensions and 1,000 rows: hundreds of solutions, and as many bounds on the way to them.
    X, y = blobs(1000, 8, spread=3.0)
    model = honest(SVC(C=C, kernel="poly", degree=2, coef0=1.0), X, y)
    assert model.status_ is Status.OPTIMAL
    assert model.certificate_.gap < 1e-9


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_regression_on_columns_of_all_units(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 20)) * 10.0 ** rng.uniform(-3, 3, 20)
    y = X @ rng.normal(size=20) + rng.normal(size=600)
    model = SVR(kernel="linear", C=1e3, tol=0.1, time_limit=20).fit(X, y)
    assert model.status_ is Status.OPTIMAL
    assert model.certificate_.gap < 1e-3
