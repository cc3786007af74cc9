"""An independent judge of linear machines: P and D from their definitions, in extended precision.

    P = 1/2 |w|^2 + p/2 c^2 + sum h(score)        D = -sum h*(-b) - 1/2 |X'b|^2 - (1'b)^2 / (2 p)

The losses are those of the calculus (`maxmargin.losses`), which the compiled core never sees.
"""

from typing import Any

import numpy as np

from maxmargin.losses import (
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)

Real = np.longdouble

MARGIN = {"hinge": Hinge(), "squared_hinge": SquaredHinge(), "logistic": Logistic()}


def residual(loss: str, epsilon: float) -> Any:
    if loss == "epsilon_insensitive":
        return EpsilonInsensitive(epsilon)
    if loss == "huber":
        return Huber(epsilon)
    return SquaredEpsilonInsensitive(epsilon)


def objectives(model: Any, X: Any, y: Any, weight: Any = None) -> list[tuple[float, float]]:
    """P and D of each problem of a fitted linear machine, with 1'b over |b|_1 checked."""
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X).astype(Real)
    s = np.ones(len(y)) if weight is None else np.asarray(weight, float)
    coef = np.atleast_2d(model.coef_).astype(Real)
    found = []
    for p in range(len(coef)):
        b = np.zeros(len(y), Real)
        b[model.support_] = model.dual_coef_[p]
        C, w, c = model.C * s, coef[p], Real(model.intercept_[p])
        if hasattr(model, "classes_"):
            positive = model.classes_[1] if len(coef) == 1 else model.classes_[p]
            sign = np.where(np.asarray(y) == positive, 1.0, -1.0)
            factor = model.class_weight_[np.searchsorted(model.classes_, y)]
            C = C * (factor if len(coef) == 1 else np.where(sign > 0, factor, 1.0))
            loss, z, slope = MARGIN[model.loss], sign * (X @ w + c), -sign * b
        else:
            loss, z, slope = residual(model.loss, model.epsilon), X @ w + c - y, -b
        here = C > 0
        assert not b[~here].any()
        conjugate = loss.conjugate((slope[here] / C[here]).astype(float))
        assert np.isfinite(conjugate).all(), "b leaves its box"
        if not hasattr(model, "classes_"):  # h is a function of r = score - y
            conjugate = conjugate + (slope[here] / C[here]) * np.asarray(y)[here]
        primal = w @ w / 2 + C[here] @ loss.value(z[here].astype(float))
        own = X.T @ b
        dual = -(C[here] @ conjugate) - own @ own / 2
        total, size = b.sum(), np.abs(b).sum()
        if model.fit_intercept and model.intercept == "penalized":
            penalty = 1 / model.intercept_scaling**2
            primal += penalty * c * c / 2
            dual -= total**2 / (2 * penalty)
        elif model.fit_intercept:
            assert abs(total) <= 1e-12 * max(size, 1e-300)
        found.append((float(primal), float(dual)))
    return found


def confirm(model: Any, X: Any, y: Any, weight: Any = None) -> None:
    """The certificate says what the judge finds."""
    for part, (primal, dual) in zip(
        model.certificate_.parts, objectives(model, X, y, weight), strict=True
    ):
        size = max(abs(primal), abs(dual), 1e-300)
        assert abs(part.primal - primal) <= 1e-10 * size
        assert abs(part.dual - dual) <= 1e-10 * size
        assert primal - dual <= (part.gap + 1e-10) * size
