"""Samples as the lectures' problems take them: a matrix of rows, and labels or targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.losses.loss import Array, array


def samples(X: ArrayLike, y: ArrayLike, *, signs: bool) -> tuple[Array, Array]:
    """Return finite X of shape (n, d) and y of shape (n,), or say what they must be.

    Parameters
    ----------
    X : array of shape (n, d)
        Samples.
    y : array of shape (n,)
        Labels -1 and +1, or targets.
    signs : bool
        Whether y must be labels.

    Examples
    --------
    >>> samples([[0.0], [1.0]], [-1, 1], signs=True)
    (array([[0.],
           [1.]]), array([-1.,  1.]))
    >>> samples([[0.0], [1.0]], ["no", "yes"], signs=True)
    Traceback (most recent call last):
    ValueError: y must be -1 or +1, got ['no' 'yes']; map the classes to -1 and +1 first, such as \
with np.where(y == 'yes', 1, -1)
    """
    X = array(X)
    labels = np.asarray(y)
    if X.ndim != 2 or labels.shape != (len(X),):
        cure = "; one feature is a column, X[:, None]" if X.ndim == 1 else ""
        if X.ndim == 1 and labels.ndim == 2:
            cure = "; X comes first, then y"
        raise ValueError(
            f"X must be (n, d) and y (n,), got shapes {X.shape} and {labels.shape}{cure}"
        )
    numeric = np.issubdtype(labels.dtype, np.number) or labels.dtype == bool
    if signs and not (numeric and np.all(np.abs(labels.astype(float)) == 1)):
        raise ValueError(_not_signs(labels))
    y = array(labels)
    if not (np.isfinite(X).all() and np.isfinite(y).all()):
        raise ValueError("X and y must be finite, got NaN or infinity; drop or fill those rows")
    return X, y


def _not_signs(y: Any) -> str:
    classes = np.unique(y)
    text = f"y must be -1 or +1, got {classes[:5]}; map the classes to -1 and +1 first"
    if len(classes) == 2:
        text += f", such as with np.where(y == {classes[1].item()!r}, 1, -1)"
    return text
