"""The programs: data in every form, parameters of every class, and what is asked of a model."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse
from sklearn.base import clone

from compatibility.observation import Observation

_rng = np.random.default_rng(3)
X = np.where(_rng.uniform(size=(48, 4)) < 0.3, 0.0, _rng.normal(size=(48, 4)).round(3))
TWO = (X @ [1.0, -1.0, 0.5, 0.0] + 0.8 * _rng.normal(size=48) > 0).astype(int)
THREE = np.digitize(X[:, 0] + 0.5 * X[:, 1] + 0.5 * _rng.normal(size=48), [-0.5, 0.4])
WORDS = np.array(["calm", "mild", "wild"])[THREE]
TARGETS = X @ [1.0, -2.0, 0.0, 0.5] + 0.3 * _rng.normal(size=48)
WEIGHT = _rng.uniform(0.2, 2.0, 48).round(2)
NEW = _rng.normal(size=(9, 4)).round(3)

FORMS = {
    "C order": lambda rows: rows,
    "F order": np.asfortranarray,
    "float32": lambda rows: rows.astype(np.float32),
    "integers": lambda rows: (4 * rows).round().astype(int),
    "list": lambda rows: rows.tolist(),
    "CSR matrix": sparse.csr_matrix,
    "CSR array": sparse.csr_array,
    "CSC": sparse.csc_matrix,
    "COO": sparse.coo_matrix,
    "LIL": sparse.lil_matrix,
    "pandas": lambda rows: pd.DataFrame(rows, columns=["a", "b", "c", "d"]),
    "polars": lambda rows: pl.DataFrame(rows, schema=["a", "b", "c", "d"]),
}


@dataclass
class Case:
    """A fit: parameters, data, and rows to predict."""

    options: dict[str, Any] = field(default_factory=dict)
    X: Any = field(default_factory=lambda: X)
    y: Any = None
    weight: Any = None
    new: Any = field(default_factory=lambda: NEW)


def _dot(A: Any, B: Any) -> Any:
    return np.asarray(A) @ np.asarray(B).T


#: Kernel machines: as precise as it goes, so that both end at the same point.
EXACT = {"tol": 1e-7}
KERNELS: dict[str, dict[str, Any]] = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 1.0},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.05},
    "auto": {"gamma": "auto"},
    "gamma": {"gamma": 0.7, "shrinking": False, "cache_size": 50},
    "callable": {"kernel": _dot},
}
CLASSIFIERS: dict[str, dict[str, Any]] = {
    "balanced": {"class_weight": "balanced"},
    "ovo": {"decision_function_shape": "ovo"},
    "break_ties": {"break_ties": True, "random_state": 0},
}
#: Linear machines: LIBLINEAR takes its time to the last digits.
STEPS = {"tol": 1e-8, "max_iter": 10**6, "random_state": 0}


def _kernel_cases(
    y: Any, own: dict[str, Any], shift: float = 0.0, **base: Any
) -> Iterator[tuple[str, Case]]:
    base, rows, new = {**EXACT, **base}, X + shift, NEW + shift
    for name, form in FORMS.items():
        yield name, Case(base, form(rows), y, new=form(new))
    for name, options in {**KERNELS, **own}.items():
        yield name, Case({**base, **options}, rows, y, new=new)
    yield "linear CSR", Case({**base, "kernel": "linear"}, sparse.csr_matrix(rows), y, new=new)
    yield "precomputed", Case({**base, "kernel": "precomputed"}, rows @ rows.T, y, new=new @ rows.T)
    yield "weight", Case({**base, "gamma": 0.3}, rows, y, WEIGHT, new)
    yield "weight and scale", Case(base, rows, y, WEIGHT, new)
    negative = np.where(X[:, 0] > 0.9, -1.0, 1.0)
    yield "negative weight", Case({**base, "gamma": 0.3}, rows, y, negative, new)


def _classifier_cases(own: dict[str, Any], **base: Any) -> Iterator[tuple[str, Case]]:
    yield from _kernel_cases(TWO, {**CLASSIFIERS, **own}, **base)
    for name, options in {"three": {}, **CLASSIFIERS, "linear": {"kernel": "linear"}}.items():
        yield f"{name} of three", Case({**EXACT, **base, **options}, y=THREE)
    yield "strings", Case({**EXACT, **base}, y=WORDS)
    yield "strings in a series", Case({**EXACT, **base}, y=pd.Series(WORDS))
    yield "three CSR", Case({**EXACT, **base}, sparse.csr_matrix(X), THREE)
    weights = {"calm": 1.3, "wild": 0.8}
    base = {**base, "class_weight": weights, "gamma": 0.3}
    yield "class weights", Case({**EXACT, **base}, y=WORDS, weight=WEIGHT)


def _linear_cases(y: Any, own: dict[str, Any], **base: Any) -> Iterator[tuple[str, Case]]:
    base = {**STEPS, **base}
    for name, form in FORMS.items():
        yield name, Case(base, form(X), y, new=form(NEW))
    yield "weight", Case(base, y=y, weight=WEIGHT)
    own = {
        "C": {"C": 0.1},
        "no intercept": {"fit_intercept": False},
        "scaled intercept": {"intercept_scaling": 5.0},
        "dual": {"dual": True},
        **own,
    }
    for name, options in own.items():
        yield name, Case({**base, **options}, y=y)


def _linear_svc_cases() -> Iterator[tuple[str, Case]]:
    losses = {
        "hinge": {"loss": "hinge", "dual": True, "C": 0.4},
        "l1": {"penalty": "l1", "dual": False},
        "balanced": {"class_weight": "balanced"},
    }
    yield from _linear_cases(TWO, losses)
    for name, options in {"three": {}, **losses}.items():
        yield f"{name} of three", Case({**STEPS, **options}, y=THREE)
    yield "strings", Case(STEPS, y=WORDS)
    yield "class weights", Case({**STEPS, "class_weight": {"calm": 2.0}}, y=WORDS)


def _linear_svr_cases() -> Iterator[tuple[str, Case]]:
    squared = {"loss": "squared_epsilon_insensitive"}
    # With epsilon 0 the primal has a kink at every row, and LIBLINEAR ends far from its minimum.
    own = {"squared": squared, "primal": {**squared, "dual": False}, "tube": {"epsilon": 0.5}}
    yield from _linear_cases(TARGETS, own, epsilon=0.2)


CASES: dict[str, dict[str, Case]] = {
    "SVC": dict(_classifier_cases({"C": {"C": 20.0}})),
    "NuSVC": dict(_classifier_cases({"nu": {"nu": 0.7}}, nu=0.5)),
    "SVR": dict(_kernel_cases(TARGETS, {"C": {"C": 9.0, "epsilon": 0.3}})),
    "NuSVR": dict(_kernel_cases(TARGETS, {"nu": {"nu": 0.3, "C": 9.0}})),
    # Far from the origin, from which the rows are to be separated.
    "OneClassSVM": dict(_kernel_cases(None, {"nu": {"nu": 0.2}}, shift=4.0)),
    "LinearSVC": dict(_linear_svc_cases()),
    "LinearSVR": dict(_linear_svr_cases()),
}


def names(kind: type, case: Case) -> list[str]:
    """Return every public name that a fitted model of scikit-learn has."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kind(**case.options).fit(case.X, case.y, case.weight)
    return [name for name in dir(model) if not name.startswith("_")]


def observe(kind: type, case: Case, public: list[str]) -> Observation:
    """Run a program that uses all of a class, and tell what it sees."""
    seen = Observation()
    model = kind(**case.options)
    for name in public:
        seen.see(f"has {name} before the fit", lambda name=name: hasattr(model, name))
    seen.see("predict before the fit", lambda: model.predict(case.new))
    seen.see("fit", lambda: model.fit(case.X, case.y, case.weight) is model)
    for name in public:
        seen.see(f"has {name}", lambda name=name: hasattr(model, name))
        if not inspect.isroutine(getattr(kind, name, None)) and name != "kernel":
            seen.see(name, lambda name=name: getattr(model, name))
    for method in ("predict", "decision_function", "score_samples", "fit_predict"):
        if method in public:
            seen.see(f"{method}()", lambda method=method: getattr(model, method)(case.new))
    if "score" in public:
        seen.see("score()", lambda: model.score(case.X, case.y, case.weight))
    if "sparsify" in public:
        model.fit(case.X, case.y, case.weight)
        seen.see("sparsify()", lambda: model.sparsify().coef_)
        seen.see("predict() of sparse", lambda: model.predict(case.new))
        seen.see("densify()", lambda: model.densify().coef_)
    parameters = set(inspect.signature(kind).parameters)
    for name in sorted(parameters & set(public) - {"kernel"}):
        seen.see(f"get_params {name}", lambda name=name: clone(model).get_params()[name])
    seen.see("set_params", lambda: model.set_params(tol=0.5).tol)
    seen.see("unknown parameter", lambda: model.set_params(width=1))
    seen.see("tags", lambda: repr(model.__sklearn_tags__()))
    seen.see("routing", lambda: repr(model.get_metadata_routing()))
    return seen
