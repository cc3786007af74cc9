"""How sure a number is: 95 % intervals of shares, of areas under curves, and of anything else.

shares   Wilson's score interval
AUC      DeLong's variance of the two samples' placements, on the scale of log(a / (1 - a))
others   percentiles of the bootstrap: rows drawn with replacement, from a fixed seed
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, isfinite, log, nan, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata

Array = NDArray[np.float64]

#: Resamples of the bootstrap: fewer where there are so many rows that intervals are narrow anyway.
MOST_RESAMPLES, LEAST_RESAMPLES, DRAWS = 1000, 200, 2e7


@dataclass(frozen=True)
class Estimate:
    """A number and the ends of its interval.

    Parameters
    ----------
    value : float
        What was found on the rows.
    low, high : float
        Ends of the 95 % interval; NaN where it cannot be told.
    method : str
        How it was computed.

    Examples
    --------
    >>> Estimate(0.9, 0.82, 0.94, "Wilson").known
    True
    """

    value: float
    low: float
    high: float
    method: str

    @property
    def known(self) -> bool:
        """Whether there is an interval."""
        return isfinite(self.low) and isfinite(self.high)


def wilson(correct: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's interval of a share.

    Parameters
    ----------
    correct, n : int
        So many of so many.
    confidence : float
        How often such intervals hold the true share.

    Examples
    --------
    >>> low, high = wilson(90, 100)
    >>> round(low, 3), round(high, 3)
    (0.826, 0.945)
    """
    z = float(norm.ppf((1 + confidence) / 2))
    share = correct / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def share(correct: int, n: int) -> Estimate:
    """Return a share with Wilson's interval; of nothing it is not known.

    Parameters
    ----------
    correct, n : int
        So many of so many.

    Examples
    --------
    >>> share(90, 100).value
    0.9
    """
    if n == 0:
        return Estimate(nan, nan, nan, "Wilson")
    return Estimate(correct / n, *wilson(correct, n), "Wilson")


def area_under_roc(positive: NDArray[np.bool_], scores: Array) -> Estimate:
    """Return the area under the ROC curve with DeLong's interval.

    The area is the share of pairs, one row of each kind, that the scores put in order. Where that
    is all of them or none, the variance is not known, and neither is the interval.

    Parameters
    ----------
    positive : ndarray of bool, shape (n,)
        Which rows are of the kind that high scores speak for.
    scores : ndarray of shape (n,)
        The scores.

    Examples
    --------
    >>> area = area_under_roc(np.array([True, True, False, False]), np.array([3.0, 1.0, 2.0, 0.0]))
    >>> area.value, area.method
    (0.75, 'DeLong')
    """
    ours, others = scores[positive], scores[~positive]
    m, n = len(ours), len(others)
    if m == 0 or n == 0:
        return Estimate(nan, nan, nan, "DeLong")
    ranks = rankdata(np.concatenate([ours, others]))
    # Placements: of each row, the share of the other kind's rows that it is in order with.
    above = (ranks[:m] - rankdata(ours)) / n
    below = 1 - (ranks[m:] - rankdata(others)) / m
    area = float(above.mean())
    if m < 2 or n < 2 or not 0 < area < 1:
        return Estimate(area, nan, nan, "DeLong")
    spread = sqrt(above.var(ddof=1) / m + below.var(ddof=1) / n)
    half = float(norm.ppf(0.975)) * spread / (area * (1 - area))
    middle = log(area / (1 - area))
    low, high = (1 / (1 + exp(-(middle + side))) for side in (-half, half))
    return Estimate(area, low, high, "DeLong")


def bootstrap(
    statistics: Callable[[Array], Sequence[float]], n: int, *, seed: int = 0
) -> list[Estimate]:
    """Return numbers with the percentile intervals of resampled rows.

    Parameters
    ----------
    statistics : callable
        From how often each row counts to the numbers; NaN where there are none.
    n : int
        Number of rows.
    seed : int
        Of the draws.

    Examples
    --------
    >>> values = np.arange(100.0)
    >>> [mean] = bootstrap(lambda counts: [counts @ values / counts.sum()], 100)
    >>> mean.value, bool(43 < mean.low < mean.high < 56)
    (49.5, True)
    """
    rng = np.random.default_rng(seed)
    rounds = resamples(n)
    drawn = [
        statistics(np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64))
        for _ in range(rounds)
    ]
    found = []
    for value, column in zip(statistics(np.ones(n)), np.array(drawn).T, strict=True):
        known = column[np.isfinite(column)]
        low, high = np.quantile(known, [0.025, 0.975]) if len(known) > 0 else (nan, nan)
        # Resamples that all say the same have nothing to tell an interval by.
        low, high = (nan, nan) if low == high else (float(low), float(high))
        found.append(Estimate(float(value), low, high, "bootstrap"))
    return found


def resamples(n: int) -> int:
    """Return how many resamples of n rows are drawn.

    Parameters
    ----------
    n : int
        Number of rows.

    Examples
    --------
    >>> resamples(500), resamples(10**6)
    (1000, 200)
    """
    return int(np.clip(DRAWS / max(n, 1), LEAST_RESAMPLES, MOST_RESAMPLES))
