"""Checked training data: rows, targets or classes, weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, column_or_1d

from maxmargin.kernels import Kernel
from maxmargin.models import Classes
from maxmargin.problems import HeldRows


@dataclass(frozen=True, eq=False)
class Training:
    """What a machine is fitted to.

    Parameters
    ----------
    X : rows
        All rows, as the core takes them.
    y : ndarray
        Targets, or the numbers of the classes, of `rows`.
    weight : ndarray of float64
        What each of `rows` counts, without the classes' factors.
    rows : ndarray of int64
        Places of the rows that `y` and `weight` are about; of a classifier those that count.
    given : ndarray of float64, optional
        The caller's weights of all rows.
    classes : Classes, optional
        Of a classifier.
    class_weight : ndarray of float64, optional
        Its factor of each class.
    kernel : Kernel, optional
        Of a kernel machine.
    places : ndarray of int64, optional
        Where each row of X stood among those that were given, if X was gathered from them.
    shape : tuple of int, optional
        The shape of those.
    held : HeldRows, optional
        Rows that were set aside; their weight is 0.
    """

    X: Any
    y: NDArray[Any]
    weight: NDArray[np.float64]
    rows: NDArray[np.int64]
    given: NDArray[np.float64] | None = None
    classes: Classes | None = None
    class_weight: NDArray[np.float64] | None = None
    kernel: Kernel | None = None
    places: NDArray[np.int64] | None = None
    shape: tuple[int, ...] | None = None
    held: HeldRows | None = None

    @property
    def codes(self) -> NDArray[np.int64]:
        """Number of the class of each row of X; 0 where a row does not count."""
        codes = np.zeros(self.rows[-1] + 1, np.int64)
        codes[self.rows] = self.y
        return codes

    @property
    def factors(self) -> NDArray[np.float64]:
        """What each of `rows` counts, with the factor of its class."""
        if self.class_weight is None:
            return self.weight
        return np.asarray(self.weight * self.class_weight[self.y])


def check_weight(sample_weight: ArrayLike | None, like: Any) -> NDArray[np.float64]:
    """Return a weight for each row, or say what is wrong with them.

    Parameters
    ----------
    sample_weight : array-like of shape (n,), number or None
        What each row counts; None for one, a number for all the same. Rows of negative weight are
        left out, like those of weight zero.
    like : array-like of length n
        The rows.
    """
    if sample_weight is None:
        return np.ones(len(like))
    given = np.asarray(sample_weight)
    if given.ndim == 0:
        given = np.full(len(like), given)
    if given.dtype.kind in "biuf" and (given <= 0).all():
        raise ValueError(
            "Invalid input - all samples have zero or negative weights. Sample weights must "
            "contain at least one non-zero number that is positive."
        )
    if given.ndim == 1 and len(given) != len(like):
        raise ValueError(
            f"sample_weight and X have incompatible shapes: sample_weight.shape == {given.shape}, "
            f"expected ({len(like)},)!"
        )
    weight: NDArray[np.float64] = _check_sample_weight(given, like, dtype=np.float64)
    return np.maximum(weight, 0.0)


def check_targets(y: Any, X: Any, who: str) -> NDArray[np.float64]:
    """Return targets of a regression, or say what is wrong with them.

    Parameters
    ----------
    y : array-like of shape (n,)
        Targets.
    X : rows
        The rows they belong to.
    who : str
        The estimator, for the error.
    """
    if y is None:
        raise ValueError(f"This {who} estimator requires y to be passed, but the target y is None.")
    plain = type(y) is np.ndarray and y.ndim == 1 and y.dtype == np.float64
    targets: NDArray[np.float64] = (
        np.ascontiguousarray(y) if plain else column_or_1d(y, warn=True, dtype=np.float64)
    )
    # Of the slower checks only the words are wanted.
    if not plain or not np.isfinite(targets).all():
        assert_all_finite(targets, input_name="y")
    if not isinstance(X, np.ndarray) or len(X) != len(targets):
        check_consistent_length(X, targets)
    return targets


def regression_data(X: Any, y: Any, sample_weight: ArrayLike | None, who: str) -> Training:
    """Return checked rows with their targets and weights.

    Parameters
    ----------
    X : rows
        Checked.
    y, sample_weight : array-likes
        Targets and weights.
    who : str
        The estimator, for the errors.
    """
    targets = check_targets(y, X, who)
    weight = check_weight(sample_weight, targets)
    given = None if sample_weight is None else weight
    return Training(X, targets, weight, np.arange(len(targets)), given)


def check_finite(*coefficients: NDArray[np.float64]) -> None:
    """Refuse a model that numbers too large have made useless.

    Parameters
    ----------
    *coefficients : ndarrays
        What it predicts with.
    """
    if any(np.count_nonzero(np.isfinite(part)) < part.size for part in coefficients):
        raise ValueError(
            "The dual coefficients or intercepts are not finite. The input data may contain large "
            "values and need to be preprocessed: scale X, e.g. with "
            "sklearn.preprocessing.StandardScaler, and the targets of a regression."
        )


def check_gram(values: Any) -> NDArray[np.float64]:
    """Refuse a training kernel matrix that is not square or not symmetric.

    Parameters
    ----------
    values : array-like of shape (n, n)
        Kernel values of the training rows with each other.
    """
    K: NDArray[np.float64] = np.ascontiguousarray(values, np.float64)
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            "Precomputed matrix must be a square matrix. Input is a "
            f"{K.shape[0]}x{K.shape[1]} matrix: to fit it needs one row and one column per "
            f"sample, its shape is {K.shape}."
        )
    # In blocks of rows, so that a fit can be interrupted between them.
    blocks = [slice(begin, begin + 256) for begin in range(0, len(K), 256)]
    limit = 1e-8 * max(float(np.abs(K[rows]).max()) for rows in blocks)
    for rows in blocks:
        difference = np.abs(K[rows] - K[:, rows].T)
        if difference.max() <= limit:
            continue
        i, j = np.unravel_index(int(difference.argmax()), difference.shape)
        i += rows.start
        raise ValueError(
            f"kernel matrix is not symmetric: K[{i}, {j}] is {K[i, j]:g} but K[{j}, {i}] is "
            f"{K[j, i]:g}; use (K + K.T) / 2 if that is what you mean."
        )
    return K
