"""Models on real data that tests of exports are parametrized over."""

from functools import cache
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from maxmargin import (
    SGDSVC,
    SGDSVR,
    SVC,
    SVR,
    HardMarginSVC,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
)
from maxmargin.kernels import RBF, Laplacian, Linear, Matern, Polynomial

#: Machines on wine, scaled to [0, 1], with every kernel.
KERNELS: dict[str, Any] = {
    "linear": "linear",
    "poly": "poly",
    "rbf": "rbf",
    "sigmoid": "sigmoid",
    "laplacian": "laplacian",
    "chi2": "chi2",
    "cosine": "cosine",
    "matern_half": Matern(1.0, nu=0.5),
    "matern": "matern",
    "matern_five": Matern(1.0, nu=2.5),
    "matern_smooth": Matern(2.0, nu=np.inf),
    "composed": RBF(0.4).on([0, 1]) * Polynomial(2, 0.5, 1.0) + 0.5 * Laplacian(0.2).on([3, 5]),
    "columns": (RBF(1.0) + Linear().on([0])).on([4, 2, 7]),
    "constant": RBF(1.0) + 3,
    "inner_products": 2 * Linear().on([1, 2]) + 1,
}
#: The other machines: the estimator, its data, whether scaled by StandardScaler.
MACHINES: dict[str, tuple[Any, str]] = {
    "sigmoids": (make_pipeline(StandardScaler(), SVC(C=10, calibration="sigmoid")), "cancer"),
    "venn_abers": (make_pipeline(StandardScaler(), SVC(calibration="venn-abers")), "cancer"),
    "coupled": (SVC(probability=True), "digits"),
    "softmax": (SVC(multi_class="ovr", calibration="sigmoid"), "iris"),
    "ties": (SVC(break_ties=True), "digits"),
    "pairs": (SVC(decision_function_shape="ovo"), "iris"),
    "raw": (SVC(), "cancer"),
    "nu_svc": (make_pipeline(MinMaxScaler(clip=True), NuSVC(nu=0.2)), "iris"),
    "hard": (HardMarginSVC(), "setosa"),
    "one_class": (OneClassSVM(nu=0.1), "digits"),
    "linear_svc": (make_pipeline(MinMaxScaler(), LinearSVC(calibration="sigmoid")), "digits"),
    "crammer_singer": (LinearSVC(multi_class="crammer_singer"), "iris"),
    "sgd_svc": (make_pipeline(StandardScaler(), SGDSVC(calibration="sigmoid")), "iris"),
    "perceptron": (Perceptron(), "iris"),
    "svr": (SVR(C=100), "diabetes"),
    "nu_svr": (NuSVR(C=100), "diabetes"),
    "linear_svr": (LinearSVR(), "diabetes"),
    "sgd_svr": (SGDSVR(), "diabetes"),
}
NAMES = [*KERNELS, *MACHINES]


@cache
def data(name: str) -> tuple[Any, Any]:
    if name == "setosa":
        X, y = load_iris(return_X_y=True)
        return X, y == 0
    if name == "wine":
        X, y = load_wine(return_X_y=True)
        return MinMaxScaler().fit_transform(X), np.array(["rot", 'a "b"', "weiß?"])[y]
    loader = {
        "iris": load_iris,
        "cancer": load_breast_cancer,
        "digits": load_digits,
        "diabetes": load_diabetes,
    }[name]
    X, y = loader(return_X_y=True)
    return X[:500], y[:500]


@cache
def fitted(name: str) -> tuple[Any, Any]:
    """The fitted model of a name, and the rows it was fitted to."""
    if name in KERNELS:
        X, y = data("wine")
        return SVC(kernel=KERNELS[name]).fit(X, y), X
    model, source = MACHINES[name]
    X, y = data(source)
    return model.fit(X, y), X


def expected(model: Any, rows: Any) -> dict[str, Any]:
    """What the model says, by the names of the results."""
    if not hasattr(model, "decision_function"):
        return {"prediction": model.predict(rows)}
    found = {"label": model.predict(rows), "decision": model.decision_function(rows)}
    if getattr(model, "steps", [[0, model]])[-1][1].model_.calibration is not None:
        found["probabilities"] = model.predict_proba(rows)
    return found


def assert_same(found: dict[str, Any], model: Any, rows: Any, dtype: str) -> None:
    """Labels are equal on every row; values within 1e-12, or 1e-5, of the largest."""
    tolerance = {"float64": 1e-12, "float32": 1e-5}[dtype]
    wanted = expected(model, rows.astype(np.float64))
    assert found.keys() == wanted.keys()
    for name, values in wanted.items():
        assert found[name].shape == values.shape
        if name == "label":
            np.testing.assert_array_equal(found[name], values)
        else:
            scale = np.abs(values).max()
            np.testing.assert_allclose(found[name], values, rtol=0, atol=tolerance * scale)
    if "probabilities" in found:
        classes = np.asarray(model.classes_)
        np.testing.assert_array_equal(
            classes[found["probabilities"].argmax(axis=1)], found["label"]
        )
