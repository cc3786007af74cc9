"""Scalers of scikit-learn as one form: (x - shift) / divisor, perhaps between two bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

Array: TypeAlias = NDArray[np.float64]

SCALERS = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)


@dataclass(frozen=True, eq=False)
class Scaling:
    """(x - shift) / divisor of each column.

    Parameters
    ----------
    shift, divisor : ndarrays of shape (d,)
        What is subtracted and what is divided by.
    clip : pair of float or None
        Bounds of the result.

    Examples
    --------
    >>> Scaling.of(StandardScaler().fit([[0.0], [2.0]])).shift
    array([1.])
    """

    shift: Array
    divisor: Array
    clip: tuple[float, float] | None = None

    @classmethod
    def of(cls, scaler: Any) -> Scaling:
        """Return the form of a fitted scaler.

        Parameters
        ----------
        scaler : StandardScaler, MinMaxScaler, MaxAbsScaler or RobustScaler
            Fitted.
        """
        shift, divisor = np.zeros(scaler.n_features_in_), np.ones(scaler.n_features_in_)
        clip = None
        if isinstance(scaler, MinMaxScaler):
            # x scale_ + min_; an offset of the result becomes one of x.
            shift, divisor = -scaler.min_ / scaler.scale_, 1 / scaler.scale_
            if scaler.clip:
                clip = (float(scaler.feature_range[0]), float(scaler.feature_range[1]))
        elif isinstance(scaler, MaxAbsScaler):
            divisor = scaler.scale_
            if getattr(scaler, "clip", False):
                clip = (-1.0, 1.0)
        elif isinstance(scaler, RobustScaler):
            shift = scaler.center_ if scaler.with_centering else shift
            divisor = scaler.scale_ if scaler.with_scaling else divisor
        else:
            shift = scaler.mean_ if scaler.with_mean else shift
            divisor = scaler.scale_ if scaler.with_std else divisor
        return cls(np.asarray(shift, np.float64), np.asarray(divisor, np.float64), clip)
