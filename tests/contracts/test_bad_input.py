"""Bad input gets an error that names the parameter, its value and the way out."""

import re

import numpy as np
import pytest
import scipy.sparse

from instances import blobs
from maxmargin import SVC

X, Y = blobs(20, 3)
K = X @ X.T


def _with(array, place, value):
    changed = np.array(array, float)
    changed[place] = value
    return changed


PARAMETERS = {
    "C": [0.0, -1.0, np.nan, "1", None],
    "kernel": ["gaussian", "RBF", 3, None],
    "degree": [-1, 2.5, "3"],
    "gamma": [-0.1, np.nan, np.inf, "large", None],
    "coef0": [np.nan, np.inf, "0"],
    "shrinking": ["yes", None],
    "tol": [0.0, -1e-3, np.nan, "small"],
    "cache_size": [0, -1, np.nan, "large"],
    "class_weight": ["heavy", 3, [1, 2]],
    "verbose": [-1, "yes"],
    "max_iter": [-2, 1.5, "many"],
    "decision_function_shape": ["ovx", None],
    "break_ties": ["yes", None],
    "time_limit": [0, -1.0, np.nan, "1 s"],
    "callback": [3, "print"],
    "on_interrupt": ["stop", None],
    "n_jobs": [0, 1.5, "all"],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name in PARAMETERS for value in PARAMETERS[name]]
)
def test_parameters(name, value):
    with pytest.raises(ValueError, match=f"^{name} is {re.escape(repr(value))}; it must ") as error:
        SVC(**{name: value}).fit(X, Y)
    assert len(str(error.value)) > len(f"{name} is {value!r}; it must be ")


DATA = {
    "NaN": (_with(X, (3, 1), np.nan), Y, "NaN"),
    "infinity": (_with(X, (3, 1), np.inf), Y, "infinity"),
    "empty": (X[:0], Y[:0], "0 sample"),
    "no columns": (X[:, :0], Y, r"0 feature"),
    "lengths": (X, Y[:-1], r"inconsistent numbers of samples.*20.*19"),
    "one dimension": (X[:, 0], Y, "2D array"),
    "three dimensions": (X[None], Y, "dim 3|3 dim"),
    "text": ([["a", "b"]] * 20, Y, "could not convert|numeric"),
    "complex": (X + 1j, Y, "[Cc]omplex"),
    "one class": (X, np.full(20, 7), "1 class.*7"),
    "real targets": (X, X[:, 0], "Unknown label type"),
    "NaN target": (X, _with(Y, 2, np.nan), "NaN"),
    "infinite target": (X, _with(Y, 2, np.inf), "infinity"),
    "no targets": (X, None, "y"),
    "columns of targets": (X, np.c_[Y, Y], "1d array|multilabel|shape"),
}


@pytest.mark.parametrize(("rows", "labels", "message"), DATA.values(), ids=DATA.keys())
def test_data(rows, labels, message):
    with pytest.raises(ValueError, match=message):
        SVC().fit(rows, labels)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_sparse_data(value):
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        SVC().fit(scipy.sparse.csr_array(_with(X, (3, 1), value)), Y)


WEIGHTS = {
    "all negative": (-np.ones(20), "all samples have zero or negative weights"),
    "NaN": (_with(np.ones(20), 4, np.nan), "NaN"),
    "infinite": (_with(np.ones(20), 4, np.inf), "infinity"),
    "too few": (np.ones(19), r"\(19,\)"),
    "all zero": (np.zeros(20), "non-zero"),
    "one class left": (
        (Y == 0).astype(float),
        "samples with positive weights belong to the same class.*1 class",
    ),
}


@pytest.mark.parametrize(("weight", "message"), WEIGHTS.values(), ids=WEIGHTS.keys())
def test_sample_weight(weight, message):
    with pytest.raises(ValueError, match=message):
        SVC().fit(X, Y, sample_weight=weight)


CLASS_WEIGHTS = {
    "zero": ({0: 0.0, 1: 1.0}, "class_weight"),
    "negative": ({0: -1.0}, "class_weight"),
    "unknown class": ({5: 1.0}, "class_weight"),
}


@pytest.mark.parametrize(
    ("class_weight", "message"), CLASS_WEIGHTS.values(), ids=CLASS_WEIGHTS.keys()
)
def test_class_weight(class_weight, message):
    with pytest.raises(ValueError, match=message):
        SVC(class_weight=class_weight).fit(X, Y)


MATRICES = {
    "asymmetric": (_with(K, (2, 5), 9.0), r"not symmetric: K\[2, 5\]"),
    "not square": (K[:, :-1], r"square.*\(20, 19\)"),
    "NaN": (_with(K, (2, 5), np.nan), "NaN"),
    "infinite": (_with(K, (2, 2), np.inf), "infinity"),
}


@pytest.mark.parametrize(("matrix", "message"), MATRICES.values(), ids=MATRICES.keys())
def test_kernel_matrix(matrix, message):
    with pytest.raises(ValueError, match=message):
        SVC(kernel="precomputed").fit(matrix, Y)


def plain(A, B):
    return np.asarray(A) @ np.asarray(B).T


FUNCTIONS = {
    "shape": (lambda A, B: plain(A, B)[:, 1:], r"returned shape \(20, 19\).*\(20, 20\)"),
    "vector": (lambda A, B: plain(A, B)[0], r"returned shape \(20,\).*\(20, 20\)"),
    "NaN": (lambda A, B: plain(A, B) * np.nan, "not finite"),
    "infinite": (lambda A, B: plain(A, B) + np.inf, "not finite"),
    "asymmetric": (lambda A, B: plain(A, 2 * B + 1), "not symmetric"),
}


@pytest.mark.parametrize(("function", "message"), FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_callable_kernel(function, message):
    with pytest.raises(ValueError, match=message):
        SVC(kernel=function).fit(X, Y)


def test_exception_in_callable_kernel():
    def broken(A, B):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        SVC(kernel=broken).fit(X, Y)


FAILURES = {
    "parameter": ({"C": -1.0}, X, Y),
    "data": ({}, _with(X, (0, 0), np.nan), Y),
    "wider data": ({}, _with(np.c_[X, X], (0, 0), np.nan), Y),
    "one class": ({}, np.c_[X, X], np.zeros(20)),
    "matrix": ({"kernel": "precomputed"}, K[:, :-1], Y),
    "function": ({"kernel": lambda A, B: plain(A, B)[1:]}, X, Y),
}


@pytest.mark.parametrize(("params", "rows", "labels"), FAILURES.values(), ids=FAILURES.keys())
def test_a_failed_fit_changes_nothing(params, rows, labels):
    model = SVC().fit(X, Y)
    before = dict(vars(model))
    model.set_params(**params)
    with pytest.raises(ValueError):
        model.fit(rows, labels)
    model.set_params(**{name: before[name] for name in params})
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


def test_not_fitted():
    from sklearn.exceptions import NotFittedError

    for method in ("predict", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(SVC(), method)(X)
    with pytest.raises(NotFittedError):
        SVC().certify(X, Y)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
def test_prediction_data(kernel):
    rows = K if kernel == "precomputed" else X
    model = SVC(kernel=kernel).fit(rows, Y)
    with pytest.raises(ValueError, match="feature"):
        model.predict(rows[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        model.predict(_with(rows, (0, 0), np.nan))


@pytest.mark.parametrize("n", [60, 1100])
@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_kernel_values_that_overflow(kernel, n):
    X, y = blobs(n, 3)
    with pytest.raises(ValueError, match="overflow float64; scale the data"):
        SVC(kernel=kernel, gamma=1.0).fit(X * 1e160, y)
