"""Kernels in grids, on named columns, and with constants."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from instances import blobs
from maxmargin import SVC, SVR, load, save
from maxmargin.kernels import RBF, Constant, Linear, Polynomial, kernel_parameters, with_parameters

COMPOSED = 2 * RBF(0.5).on([0, 1]) + Polynomial(2, 0.5, 1.0) * Linear()


def test_every_parameter_can_be_read_and_set():
    for name, value in kernel_parameters(COMPOSED).items():
        assert with_parameters(COMPOSED, {name: value}) == COMPOSED
    changed = with_parameters(
        COMPOSED,
        {
            "parts__0__factor": 3.0,
            "parts__0__kernel__kernel__gamma": 0.1,
            "parts__1__parts__1": RBF(1),
        },
    )
    assert changed == 3 * RBF(0.1).on([0, 1]) + Polynomial(2, 0.5, 1.0) * RBF(1)


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("sigmas", "sigmas is no parameter of .*it has: parts"),
        ("parts__7__gamma", "parts are counted from 0 to 1"),
        ("parts__x", "parts are counted from 0 to 1"),
        ("parts__0__factor__gamma", "factor of .* is 2.0, which has no parameters"),
    ],
)
def test_what_is_no_parameter_is_refused(name, match):
    with pytest.raises(ValueError, match=match):
        with_parameters(COMPOSED, {name: 1.0})


def test_a_grid_goes_into_the_kernel():
    X, y = blobs(120, 4)
    model = make_pipeline(StandardScaler(), SVC(kernel=RBF(1.0) + Linear()))
    search = GridSearchCV(
        model, {"svc__kernel__parts__0__gamma": [1e-3, 0.1], "svc__C": [1.0]}, cv=3
    ).fit(X, y)
    best = search.best_params_["svc__kernel__parts__0__gamma"]
    assert search.best_estimator_[-1].model_.kernel == RBF(best) + Linear()
    assert model[-1].kernel == RBF(1.0) + Linear()


def test_parameters_of_an_estimator():
    model = SVC(kernel=RBF(0.5))
    assert model.get_params()["kernel__gamma"] == 0.5
    assert "kernel__gamma" not in model.get_params(deep=False)
    assert "kernel__gamma" not in SVC().get_params()
    other = clone(model).set_params(kernel__gamma=2.0, C=3.0)
    assert (other.kernel, other.C, model.kernel) == (RBF(2.0), 3.0, RBF(0.5))
    assert clone(other).kernel == RBF(2.0)
    # A new kernel and its parameter at once: the kernel comes first.
    assert SVC().set_params(kernel__gamma=4.0, kernel=RBF(1.0)).kernel == RBF(4.0)
    with pytest.raises(ValueError, match=r"kernel__gamma is a parameter of a kernel object.*'rbf'"):
        SVC().set_params(kernel__gamma=1.0)
    with pytest.raises(ValueError, match="nothing"):
        model.set_params(kernel__nothing=1.0)


@pytest.fixture
def table():
    X, y = blobs(80, 3)
    return pd.DataFrame(X, columns=["age", "height", "weight"]), y


def test_columns_by_name(table, tmp_path):
    X, y = table
    named = SVC(kernel=RBF(0.5).on(["weight", "age"]) + Linear()).fit(X, y)
    numbered = SVC(kernel=RBF(0.5).on([0, 2]) + Linear()).fit(X.to_numpy(), y)
    assert named.model_.kernel == numbered.model_.kernel
    np.testing.assert_array_equal(
        named.decision_function(X), numbered.decision_function(X.to_numpy())
    )
    named.certify(X, y)
    save(named, tmp_path / "model.maxmargin")
    again = load(tmp_path / "model.maxmargin")
    assert again.kernel == named.kernel
    np.testing.assert_array_equal(again.predict(X), named.predict(X))


def test_columns_of_columns_by_name(table):
    X, _ = table
    nested = (2 * RBF(0.5).on(["weight"]) * Linear()).on(["height", "weight"])
    model = SVR(kernel=nested).fit(X, X["age"])
    assert model.model_.kernel == (2 * RBF(0.5).on([1]) * Linear()).on([1, 2])


def test_names_that_are_not_there(table):
    X, y = table
    with pytest.raises(ValueError, match=r"column 'size' of .* is not there.*'age', 'height'"):
        SVC(kernel=RBF(0.5).on(["age", "size"])).fit(X, y)
    with pytest.raises(ValueError, match=r"by name, but the data have no names"):
        SVC(kernel=RBF(0.5).on(["age"])).fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match="chooses columns by name"):
        RBF(0.5).on(["age"])(X.to_numpy(), X.to_numpy())
    for columns in (["age", "age"], ["age", 1], "age", []):
        with pytest.raises(ValueError, match=r"different integers .* or different names"):
            RBF(0.5).on(columns)


def test_a_kernel_plus_a_number():
    X, y = blobs(100, 3)
    assert (RBF(0.5) + 1).parts == (RBF(0.5), Constant(1.0))
    assert 0.5 + Linear() == Constant(0.5) + Linear()
    kernel = Linear() + 2
    np.testing.assert_allclose(kernel(X, X), X @ X.T + 2)
    # Beside a free intercept a constant changes nothing.
    with_one, without = SVC(kernel=kernel).fit(X, y), SVC(kernel=Linear()).fit(X, y)
    np.testing.assert_allclose(with_one.dual_coef_, without.dual_coef_, atol=1e-8)
    with pytest.raises(ValueError, match=r"value is -1\.0; it must be a finite number greater"):
        RBF(0.5) + -1
    with pytest.raises(TypeError):
        RBF(0.5) + "one"
