"""The smallest C that an L1 penalty is worth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array

from maxmargin.estimators.classes import check_labels, check_names
from maxmargin.estimators.parameters import BOOLEAN, POSITIVE, check_parameters, one_of
from maxmargin.problems import one_vs_rest


def l1_min_c(
    X: Any,
    y: ArrayLike,
    *,
    loss: str = "squared_hinge",
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    intercept: str = "free",
) -> float:
    """Return the lowest C for which `LinearSVC(penalty="l1")` has a weight other than zero.

    Where it differs from scikit-learn's is in docs/differences.md.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Training rows.
    y : array-like of shape (n_samples,)
        Class labels.
    loss : {"squared_hinge", "logistic", "log"}, default="squared_hinge"
        The loss; "log" is scikit-learn's name of "logistic".
    fit_intercept, intercept_scaling, intercept
        As in `LinearSVC`. A free intercept is at its best without any weights; a penalised one is
        one more weight: intercept="penalized" has the values of scikit-learn's `l1_min_c`.

    Returns
    -------
    float
        The C at and below which all weights are zero, if classes have no weights of their own.

    Raises
    ------
    ValueError
        If every C gives weights of zero.

    Examples
    --------
    >>> from maxmargin import LinearSVC, l1_min_c
    >>> X, y = [[0.0], [1.0], [3.0]], [0, 0, 1]
    >>> C = l1_min_c(X, y)
    >>> [LinearSVC(penalty="l1", C=c).fit(X, y).coef_.any() for c in (0.99 * C, 1.01 * C)]
    [np.False_, np.True_]
    """
    loss = "logistic" if loss == "log" else loss
    check_parameters(
        {
            "loss": loss,
            "fit_intercept": fit_intercept,
            "intercept": intercept,
            "intercept_scaling": intercept_scaling,
        },
        {
            "fit_intercept": BOOLEAN,
            "loss": one_of("squared_hinge", "logistic"),
            "intercept": one_of("free", "penalized"),
            "intercept_scaling": POSITIVE,
        },
    )
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    names, codes = check_names(check_labels(y, X))
    steepest = 0.0
    for labels in (pair.y for pair in one_vs_rest(codes, len(names))):
        beta = labels / 2 if loss == "logistic" else 2 * labels
        if fit_intercept and intercept == "free":
            # The slopes of the losses at their best constant score sum to zero.
            ahead = (labels > 0).mean()
            share = np.where(labels > 0, 1 - ahead, ahead)
            beta = labels * share * (1 if loss == "logistic" else 4)
        slopes = np.abs(np.asarray(X.T @ beta))
        steepest = max(steepest, float(slopes.max()))
        if fit_intercept and intercept == "penalized":
            steepest = max(steepest, intercept_scaling * abs(float(beta.sum())))
    if steepest == 0.0:
        raise ValueError(
            "Ill-posed l1_min_c calculation: l1 will always select zero coefficients for this "
            "data, because no feature tells the classes apart."
        )
    return 1.0 / steepest
