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

from maxmargin.data.files import FileError

#: A text column with more different words than this, or than half the rows, is no category.
_MOST_WORDS = 1000
_FEW_WORDS = 20


def steps_for(X: Any, *, fill: bool, standardize: bool, name: str) -> list[tuple[str, Any]]:
    """Choose the steps that come before the machine.

    Parameters
    ----------
    X : DataFrame, ndarray or CSR
        The training rows.
    fill : bool
        Whether to fill missing values: numbers by their median, texts by the most frequent.
    standardize : bool
        Whether to bring numbers to mean 0 and deviation 1.
    name : str
        The file's name, for the errors.

    Examples
    --------
    >>> steps_for(np.eye(2), fill=False, standardize=True, name="here")
    [('scale', StandardScaler())]
    """
    if not hasattr(X, "columns"):
        return _number_steps(fill, standardize, sparse.issparse(X))
    texts = [column for column, kind in X.dtypes.items() if kind != np.float64]
    numbers = [column for column in X.columns if column not in texts]
    if not texts:
        return _number_steps(fill, standardize, False)
    _check_words(X, texts, name)
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
    """Leave out the rows in which anything is missing.

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
    if sparse.issparse(X):
        return X, y
    bad = X.isna().any(axis=1).to_numpy() if hasattr(X, "columns") else np.isnan(X).any(axis=1)
    kept = np.flatnonzero(~bad)
    rows = X.iloc[kept].reset_index(drop=True) if hasattr(X, "columns") else X[kept]
    return rows, None if y is None else y[kept]


def _number_steps(fill: bool, standardize: bool, compressed: bool) -> list[tuple[str, Any]]:
    steps: list[tuple[str, Any]] = []
    if fill and not compressed:
        steps.append(("fill", SimpleImputer(strategy="median")))
    if standardize:
        # The mean of sparse rows stays where it is, or they would not be sparse.
        steps.append(("scale", StandardScaler(with_mean=not compressed)))
    return steps


def _check_words(X: Any, texts: list[str], name: str) -> None:
    for column in texts:
        words = X[column].nunique()
        if words > _MOST_WORDS or (words > _FEW_WORDS and 2 * words > X.shape[0]):
            raise FileError(
                f"column {column!r} has {words} different texts in {X.shape[0]} rows, too many for "
                f"a category; leave it out with --drop {column!r}",
                name,
            )
