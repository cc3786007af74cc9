"""Predictions for Dask collections: lazy, and block by block where the rows are."""

from __future__ import annotations

from itertools import repeat
from typing import Any

import dask
import dask.array as da
import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from maxmargin.distributed.cluster import computed
from maxmargin.distributed.partitions import blocks_of, split_column
from maxmargin.distributed.share import pooled


def blockwise(model: Any, X: Any, method: str = "predict") -> Any:
    """Have a fitted model, of one machine or of many, predict for a Dask collection.

    Parameters
    ----------
    model : estimator
        Fitted; anything with scikit-learn's methods, also a Pipeline.
    X : Dask array or dataframe
        Rows.
    method : str
        "predict", "decision_function", "predict_proba", "score_samples", "transform": one that
        returns a row for each row.

    Returns
    -------
    Dask array
        Lazy; of as many blocks as X has.

    Examples
    --------
    >>> import dask.array as da
    >>> from maxmargin import SVC
    >>> from maxmargin.distributed import blockwise
    >>> model = SVC().fit([[0.0], [1.0]], ["no", "yes"])
    >>> blockwise(model, da.from_array([[0.2], [0.9]], chunks=1)).compute()
    array(['no', 'yes'], dtype='<U3')
    """
    blocks, lengths = blocks_of(X)
    like = _probe(model, X, method)
    sent = dask.delayed(model, traverse=False)
    predict = dask.delayed(_predict)
    parts = [
        da.from_delayed(
            predict(sent, method, block, like[:0]), (length, *like.shape[1:]), meta=like[:0]
        )
        for block, length in zip(blocks, lengths or repeat(np.nan), strict=False)
    ]
    return da.concatenate(parts, allow_unknown_chunksizes=True)


def _predict(model: Any, method: str, block: Any, nothing: NDArray[Any]) -> NDArray[Any]:
    if block.shape[0] == 0:
        return nothing
    return np.asarray(getattr(model, method)(block))


def _probe(model: Any, X: Any, method: str) -> NDArray[Any]:
    """Return the prediction for a row of zeros, which tells type and shape of all."""
    if hasattr(X, "columns"):
        row = X._meta_nonempty.head(1)
    else:
        row = np.zeros((1, X.shape[1]))
        if getattr(getattr(model, "model_", None), "vectors", None) is not None:
            row = type(model.model_.vectors)(row) if _compressed(model) else row
    return np.asarray(getattr(model, method)(row))


def _compressed(model: Any) -> bool:
    return hasattr(model.model_.vectors, "tocsr")


def score_of(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return accuracy or R^2 of a model on Dask collections.

    Parameters
    ----------
    model : estimator
        Fitted.
    X, y, sample_weight : Dask collections or array-likes
        Partitioned alike, or of known lengths.

    Examples
    --------
    >>> import dask.array as da
    >>> from maxmargin import SVC
    >>> X = da.from_array([[0.0], [1.0]], chunks=1)
    >>> score_of(SVC().fit([[0.0], [1.0]], ["no", "yes"]), X, ["no", "no"])
    0.5
    """
    blocks, lengths = blocks_of(X)
    columns = []
    for name, given in (("y", y), ("sample_weight", sample_weight)):
        if given is None:
            columns.append([None] * len(blocks))
        else:
            if lengths is None and not hasattr(given, "dask"):
                lengths = computed([dask.delayed(_count)(block) for block in blocks])
            columns.append(split_column(name, given, lengths, len(blocks)))
    sent, judge = dask.delayed(model, traverse=False), dask.delayed(_judge)
    parts = [judge(sent, *each) for each in zip(blocks, *columns, strict=True)]
    found = computed(parts)
    total, _, spread = pooled([moments for moments, _ in found])
    lost = sum(loss for _, loss in found)
    return float(1.0 - lost / (spread if is_regressor(model) else total))


def _count(block: Any) -> int:
    return int(block.shape[0])


def _judge(model: Any, X: Any, y: Any, weight: Any) -> tuple[tuple[float, float, float], float]:
    """Moments of the targets of a block, and its sum of squared errors or of mistakes."""
    if X.shape[0] == 0:
        return (0.0, 0.0, 0.0), 0.0
    truth = np.asarray(getattr(y, "rows", y)).reshape(-1)
    each = np.ones(len(truth)) if weight is None else np.asarray(getattr(weight, "rows", weight))
    predicted = np.asarray(model.predict(X))
    if not is_regressor(model):
        return (float(each.sum()), 0.0, 0.0), float(each @ (predicted != truth))
    mean = float(each @ truth / each.sum())
    moments = (float(each.sum()), mean, float(each @ (truth - mean) ** 2))
    return moments, float(each @ (truth - predicted) ** 2)
