"""The door for those who use the lower layers directly; estimators have scikit-learn's."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from maxmargin.data.dataset import Dataset


def check_data(X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Dataset:
    """Turn arrays into a `Dataset`, or say what is wrong with them.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Rows, made CSR if sparse. float32 and float64 are kept, anything else becomes float64.
    y : array-like of shape (n,)
        Targets.
    sample_weight : array-like of shape (n,), optional
        Weights; all ones when left out.

    Returns
    -------
    Dataset
        Contiguous, finite and of consistent lengths.

    Examples
    --------
    >>> check_data([[0, 1], [1, 0]], [1, -1]).X.dtype
    dtype('float64')
    >>> check_data([[0.0], [float("nan")]], [1, -1])
    Traceback (most recent call last):
    ValueError: X has a value that is not finite in row 1, column 0; remove the row or impute it.
    """
    rows = _compressed(X) if sparse.issparse(X) else _finite(X, "X", 2)
    targets = _finite(y, "y", 1).astype(np.float64)
    given = np.ones(rows.shape[0]) if sample_weight is None else sample_weight
    weights = _finite(given, "sample_weight", 1).astype(np.float64)
    for name, values in (("y", targets), ("sample_weight", weights)):
        if len(values) != rows.shape[0]:
            raise ValueError(f"{name} has {len(values)} values but X has {rows.shape[0]} rows.")
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise ValueError(
            f"sample_weight[{row}] is {weights[row]}; weights must not be negative. "
            "To leave a row out, give it weight 0."
        )
    return Dataset(rows, targets, weights)


def canonical(X: Any) -> Any:
    """Make rows CSR without repeated entries, copying only when they are not.

    Parameters
    ----------
    X : sparse matrix or array
        Any format.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> twice = csr_array(([1.0, 1.0], [0, 0], [0, 2]), shape=(1, 2))
    >>> canonical(twice).nnz
    1
    """
    rows = X.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy() if rows is X else rows
        rows.sum_duplicates()
    if rows.indices.dtype != rows.indptr.dtype:
        rows = type(rows)(
            (rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)), rows.shape
        )
    return rows


def _compressed(X: Any) -> Any:
    rows = canonical(X)
    _finite(rows.data, "X", 1)
    return rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float64)


def _finite(given: ArrayLike, name: str, ndim: int) -> NDArray[np.floating]:
    values = np.asarray(given)
    if values.ndim != ndim:
        raise ValueError(f"{name} has {values.ndim} dimensions; it must have {ndim}.")
    if values.size == 0:
        raise ValueError(f"{name} is empty, its shape is {values.shape}.")
    if values.dtype.kind not in "fiub":
        raise ValueError(f"{name} has dtype {values.dtype}; it must be numeric.")
    bad = ~np.isfinite(values)
    if bad.any():
        place = [int(k) for k in np.argwhere(bad)[0]]
        where = f"row {place[0]}" + (f", column {place[1]}" if ndim == 2 else "")
        raise ValueError(
            f"{name} has a value that is not finite in {where}; remove the row or impute it."
        )
    dtype = np.float32 if values.dtype == np.float32 else np.float64
    return np.ascontiguousarray(values, dtype)
