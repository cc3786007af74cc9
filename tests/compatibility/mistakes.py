"""What programs do wrong, and what they are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from compatibility.observation import Observation
from compatibility.programs import NEW, TARGETS, THREE, TWO, WEIGHT, X

Mistake = Callable[[type], Any]

_HOLE = np.where(np.arange(X.size).reshape(X.shape) == 5, np.nan, X)


def _of_data(y: Any) -> dict[str, Mistake]:
    return {
        "NaN": lambda kind: kind().fit(_HOLE, y),
        "infinite": lambda kind: kind().fit(np.where(np.isnan(_HOLE), np.inf, X), y),
        "one dimension": lambda kind: kind().fit(X[:, 0], y),
        "no rows": lambda kind: kind().fit(X[:0], y[:0]),
        "lengths": lambda kind: kind().fit(X, y[:-1]),
        "no y": lambda kind: kind().fit(X, None),
        "words": lambda kind: kind().fit(X.astype(str).astype(object) + "x", y),
        "complex": lambda kind: kind().fit(X * 1j, y),
        "NaN weights": lambda kind: kind().fit(X, y, np.where(WEIGHT > 1, np.nan, 1.0)),
        "weights of zero": lambda kind: kind().fit(X, y, np.zeros(len(X))),
        "weights below zero": lambda kind: kind().fit(X, y, -WEIGHT),
        "two columns of y": lambda kind: kind().fit(X, np.c_[y, y]),
        "fewer features": lambda kind: kind().fit(X, y).predict(NEW[:, :3]),
        "NaN to predict": lambda kind: kind().fit(X, y).predict(np.full((1, 4), np.nan)),
    }


def _of_parameters(**values: Any) -> dict[str, Mistake]:
    return {
        f"{name}={value!r}": lambda kind, name=name, value=value: kind(**{name: value}).fit(X, TWO)
        for name, several in values.items()
        for value in several
    }


_CLASSES: dict[str, Mistake] = {
    "targets": lambda kind: kind().fit(X, TARGETS),
    "weights of one class": lambda kind: kind().fit(X, TWO, TWO),
    "unknown class": lambda kind: kind(class_weight={7: 2.0}).fit(X, TWO),
    "unknown class of three": lambda kind: kind(class_weight={7: 2.0}).fit(X, THREE),
}
_KERNELS: dict[str, Mistake] = {
    "not square": lambda kind: kind(kernel="precomputed").fit(X, TWO),
    "precomputed columns": lambda kind: (
        kind(kernel="precomputed").fit(X @ X.T, TWO).predict(NEW @ X[:5].T)
    ),
    "coef_ of RBF": lambda kind: kind().fit(X, TWO).coef_,
    "coef_ set": lambda kind: setattr(kind(kernel="linear").fit(X, TWO), "coef_", X[:1]),
    "sparse to predict": lambda kind: kind().fit(X, TWO).predict(sparse.csr_matrix(NEW)),
    **_of_parameters(
        kernel=["rbs", 3], gamma=["wide", -1.0], degree=[-1, 1.5], tol=[0.0, "a"], max_iter=[-2],
        cache_size=[0], coef0=["a"], shrinking=[2.5],
    ),
}  # fmt: skip
_CLASSIFIER: dict[str, Mistake] = {
    **_CLASSES,
    **_KERNELS,
    **_of_parameters(class_weight=["even", 3], decision_function_shape=["all"], break_ties=[None]),
    "break_ties of ovo": lambda kind: (
        kind(break_ties=True, decision_function_shape="ovo").fit(X, THREE).predict(NEW)
    ),
}
_LINEAR: dict[str, Mistake] = _of_parameters(
    C=[0.0, -1.0], tol=[0.0], max_iter=[-1], dual=[3], intercept_scaling=[0.0], loss=["square"],
)  # fmt: skip

MISTAKES: dict[str, dict[str, Mistake]] = {
    "SVC": {**_of_data(TWO), **_CLASSIFIER, **_of_parameters(C=[0.0, -1.0])},
    "NuSVC": {**_of_data(TWO), **_CLASSIFIER, **_of_parameters(nu=[0.0, 1.5])},
    "SVR": {**_of_data(TARGETS), **_KERNELS, **_of_parameters(C=[0.0], epsilon=[-1.0])},
    "NuSVR": {**_of_data(TARGETS), **_KERNELS, **_of_parameters(C=[0.0], nu=[0.0])},
    "OneClassSVM": {**_of_data(TWO), **_KERNELS, **_of_parameters(nu=[0.0, 2.0])},
    "LinearSVC": {
        **_of_data(TWO),
        **_CLASSES,
        **_LINEAR,
        **_of_parameters(penalty=["l3"], multi_class=["all"], class_weight=["even"]),
        "l1 and hinge": lambda kind: kind("l1", "hinge").fit(X, TWO),
        "hinge, primal": lambda kind: kind(loss="hinge", dual=False).fit(X, TWO),
        "l1, dual": lambda kind: kind("l1", dual=True).fit(X, TWO),
    },
    "LinearSVR": {
        **_of_data(TARGETS),
        **_LINEAR,
        **_of_parameters(epsilon=[-1.0]),
        "primal": lambda kind: kind(dual=False).fit(X, TARGETS),
    },
}


def observe_mistake(kind: type, mistake: Mistake) -> Observation:
    """Tell what becomes of it; a value that comes out at all is told by its type."""
    seen = Observation()
    seen.see("outcome", lambda: type(mistake(kind)).__name__)
    # LIBLINEAR goes through rows in random order, and sometimes has not converged.
    seen.seen.pop("outcome.warning ConvergenceWarning", None)
    return seen
