"""An independent judge of Crammer and Singer's machine: P and D from their definitions.

In extended precision, with beta_iy at most C_i, the other beta_ic at most 0 and sum_c beta_ic = 0:

    P = sum_c [1/2 |w_c|^2 + p/2 b_c^2] + sum_i C_i max(0, 1 + max_{c != y} f_c - f_y)
    D = sum_i beta_iy - sum_c [1/2 |X'beta_c|^2 + (1'beta_c)^2 / (2 p)]
"""

from typing import Any

import numpy as np

Real = np.longdouble


def primal(coef: Any, intercept: Any, X: Any, codes: Any, C: Any, penalty: float) -> float:
    """P of one row of weights per class."""
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X).astype(Real)
    coef, intercept = np.asarray(coef, Real), np.asarray(intercept, Real)
    scores, rows = X @ coef.T + intercept, np.arange(len(codes))
    own = scores[rows, codes].copy()
    scores += 1
    scores[rows, codes] = own
    loss = (C * (scores.max(axis=1) - own)).sum()
    return float((coef**2).sum() / 2 + penalty * (intercept**2).sum() / 2 + loss)


def objectives(model: Any, X: Any, y: Any, weight: Any = None) -> tuple[float, float]:
    """P and D of a fitted machine of more than two classes, whose dual point must be feasible."""
    codes = np.searchsorted(model.classes_, y)
    s = np.ones(len(codes)) if weight is None else np.asarray(weight, float)
    C = model.C * s * model.class_weight_[codes]
    beta = np.zeros((len(model.classes_), len(codes)), Real)
    beta[:, model.support_] = model.dual_coef_
    upper = np.where(np.arange(len(beta))[:, None] == codes, C, 0.0)
    assert (beta <= upper).all(), "beta leaves its box"
    assert (np.abs(beta.sum(axis=0)) <= 1e-14 * C).all(), "beta of a row does not sum to zero"
    penalised = model.fit_intercept and model.intercept == "penalized"
    penalty = 1 / model.intercept_scaling**2 if penalised else 0.0
    rows = np.asarray(X.toarray() if hasattr(X, "toarray") else X).astype(Real)
    dual = beta[codes, np.arange(len(codes))].sum() - ((beta @ rows) ** 2).sum() / 2
    totals = beta.sum(axis=1)
    if penalised:
        dual -= (totals**2).sum() / (2 * penalty)
    elif model.fit_intercept:
        assert (np.abs(totals) <= 1e-13 * C.sum()).all(), "beta of a class does not sum to zero"
    return primal(model.coef_, model.intercept_, X, codes, C, penalty), float(dual)


def confirm(model: Any, X: Any, y: Any, weight: Any = None) -> None:
    """The certificate says what the judge finds."""
    [part] = model.certificate_.parts
    P, D = objectives(model, X, y, weight)
    size = max(abs(P), abs(D))
    assert abs(part.primal - P) <= 1e-10 * size
    assert abs(part.dual - D) <= 1e-10 * size
    assert part.gap >= 0
    assert (part.gap + 1e-10) * size >= P - D
