"""From columns to features: fill, scale, encode; the steps before the machine in a pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from maxmargin.data.files.table import is_text


def steps_for(X: Any, *, fill: bool, standardize: bool) -> list[tuple[str, Any]]:
    """Choose the steps that come before the machine.

    Parameters
    ----------
    X : DataFrame, ndarray or CSR
        The training rows.
    fill : bool
        Whether to fill missing values: numbers by their median, texts by the most frequent.
    standardize : bool
        Whether to bring numbers to mean 0 and deviation 1.

    Examples
    --------
    >>> steps_for(np.eye(2), fill=False, standardize=True)
    [('scale', StandardScaler())]
    """
    if not hasattr(X, "columns"):
        return _number_steps(fill, standardize, sparse.issparse(X))
    texts = [column for column, kind in X.dtypes.items() if is_text(kind)]
    numbers = [column for column in X.columns if column not in texts]
    if not texts:
        return _number_steps(fill, standardize, False)
    encode: Any = OneHotEncoder(handle_unknown="ignore")
    if fill:
        imputer = SimpleImputer(strategy="most_frequent", missing_values=None)
        encode = make_pipeline(imputer, encode)
    parts = [("texts", encode, texts)]
    if numbers:
        steps = _number_steps(fill, standardize, False)
        parts.insert(0, ("numbers", Pipeline(steps) if steps else "passthrough", numbers))
    return [("columns", ColumnTransformer(parts))]


def without_missing(X: Any, y: NDArray[Any] | None) -> tuple[Any, NDArray[Any] | None]:
    """Leave out the rows in which anything is missing, the target included.

    Parameters
    ----------
    X : DataFrame or ndarray
        Rows.
    y : ndarray or None
        Their target.

    Examples
    --------
    >>> without_missing(np.array([[1.0], [np.nan]]), np.array([1, 2]))
    (array([[1.]]), array([1]))
    """
    bad = X.isna().any(axis=1).to_numpy() if hasattr(X, "columns") else np.isnan(X).any(axis=1)
    kept = np.flatnonzero(~bad if y is None else ~(bad | is_missing(y)))
    rows = X.iloc[kept].reset_index(drop=True) if hasattr(X, "columns") else X[kept]
    return rows, None if y is None else y[kept]


def is_missing(y: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where a target has no value.

    Parameters
    ----------
    y : ndarray
        Numbers or texts.

    Examples
    --------
    >>> is_missing(np.array(["a", None], dtype=object))
    array([False,  True])
    """
    return np.array([value is None or value != value for value in y.tolist()], bool)


def _number_steps(fill: bool, standardize: bool, compressed: bool) -> list[tuple[str, Any]]:
    steps: list[tuple[str, Any]] = []
    if fill and not compressed:
        steps.append(("fill", SimpleImputer(strategy="median")))
    if standardize:
        # The mean of sparse rows stays where it is, or they would not be sparse.
        steps.append(("scale", StandardScaler(with_mean=not compressed)))
    return steps
