import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from instances import blobs, laplacian
from maxmargin import SVC, SVR
from maxmargin.kernels import (
    RBF,
    Chi2,
    Cosine,
    Function,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    Sigmoid,
)


def rows():
    X, y = blobs(60, 4)
    return np.maximum(0, X), y


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("linear", Linear()),
        ("poly", Polynomial(3, 0.25, 0.5)),
        ("rbf", RBF(0.25)),
        ("sigmoid", Sigmoid(0.25, 0.5)),
        ("laplacian", Laplacian(0.25)),
        ("chi2", Chi2(0.25)),
        ("cosine", Cosine()),
        ("matern", Matern(RBF(0.25).sigma, nu=1.5)),
    ],
)
def test_names(name, kernel):
    X, y = rows()
    named = SVC(kernel=name, gamma="auto", coef0=0.5).fit(X, y)
    given = SVC(kernel=kernel, gamma=123.0, coef0=77.0).fit(X, y)
    np.testing.assert_array_equal(named.decision_function(X), given.decision_function(X))


@pytest.mark.parametrize("name", ["laplacian", "chi2", "matern"])
def test_gamma_scales_with_the_data(name):
    X, y = rows()
    gamma = 1 / (4 * X.var())
    found, expected = (SVC(kernel=name, gamma=g).fit(X, y) for g in ("scale", gamma))
    np.testing.assert_array_equal(found.decision_function(X), expected.decision_function(X))


def test_kernel_objects_are_parameters():
    X, y = rows()
    kernel = RBF(0.5).on([0, 1]) + 2 * Chi2(0.3)
    model = clone(SVC(kernel=kernel)).fit(X, y)
    assert model.kernel == kernel
    assert repr(SVC(kernel=kernel)) == f"SVC(kernel={kernel!r})"
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert model.certify(X, y).gap == pytest.approx(model.certificate_.gap, abs=1e-12)


def test_search_over_kernel_objects():
    X, y = rows()
    grid = {"kernel": ["chi2", RBF(sigma=1.0), Matern(), RBF(1.0) * Linear() + Cosine()]}
    search = GridSearchCV(SVC(), grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_params_["kernel"] in grid["kernel"]


def test_kernel_objects_take_rows_only():
    X, y = rows()
    with pytest.raises(ValueError, match="could not convert"):
        SVC(kernel=RBF()).fit(list("abc"), [0, 1, 1])
    for kernel in (Precomputed(), Function(laplacian)):
        with pytest.raises(ValueError, match=r"kernel is .*it must"):
            SVC(kernel=kernel).fit(X, y)


@pytest.mark.parametrize("machine", [SVC(kernel="chi2"), SVR(kernel=Chi2() + RBF())], ids=repr)
def test_negative_data_are_refused(machine, layout):
    X, y = rows()
    machine.fit(layout(X), y)
    X[7, 2] = -1.0
    for call in (lambda: machine.predict(layout(X)), lambda: machine.fit(layout(X), y)):
        with pytest.raises(ValueError, match=r"X\[7, 2\] is -1.0.*at least 0"):
            call()


def test_missing_columns_are_refused():
    X, y = rows()
    with pytest.raises(ValueError, match=r"column 4 of RBF.* is not there: the data have 4"):
        SVC(kernel=RBF().on([4])).fit(X, y)


def test_fitted_on_support_columns_alone():
    X, y = rows()
    K = Matern()(X, X)
    model = SVC(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(
        model.decision_function(K[:, model.support_]), model.decision_function(K), rtol=1e-13
    )
