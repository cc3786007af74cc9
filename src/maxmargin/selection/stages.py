"""Many rows: all candidates on few of them, the best on more, the best of these on all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxmargin.estimators.parameters import NONE, Rule, one_of

STAGES: Rule = one_of("auto") | Rule("be True", types=(bool,)) | NONE
#: "auto" is for more rows than this.
MANY_ROWS = 20_000
#: Shares of the rows; at least so many rows; candidates that the last stage has.
SHARES, LEAST_ROWS, LAST = (1 / 16, 1 / 4), 2_000, 20


def stage_sizes(n_rows: int, stages: bool | str | None) -> list[int]:
    """Return on how many rows candidates are judged, stage after stage; the last has all.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    stages : True, "auto" or None
        As in `GridSearchCV`.

    Examples
    --------
    >>> stage_sizes(40_000, "auto"), stage_sizes(10_000, "auto"), stage_sizes(10_000, True)
    ([2500, 10000, 40000], [10000], [2000, 2500, 10000])
    """
    if not stages or (stages == "auto" and n_rows <= MANY_ROWS):
        return [n_rows]
    sizes = {max(LEAST_ROWS, int(share * n_rows)) for share in SHARES}
    return [*sorted(size for size in sizes if size < n_rows), n_rows]


def sample_order(targets: NDArray[np.generic], classifies: bool) -> NDArray[np.int64]:
    """Order rows so that the first of them are a fair sample: of each class its share.

    Parameters
    ----------
    targets : ndarray of shape (n,)
        Numbers of classes, or the targets of a regression.
    classifies : bool
        Which of them.

    Examples
    --------
    >>> order = sample_order(np.array([0] * 8 + [1] * 4), True)
    >>> np.bincount(np.array([0] * 8 + [1] * 4)[order[:6]]).tolist()
    [4, 2]
    """
    shuffled = np.random.default_rng(0).permutation(len(targets))
    if not classifies:
        return shuffled
    # The j-th of m rows of a class stands at (j + 1/2) / m of the whole.
    by_class = shuffled[np.argsort(targets[shuffled], kind="stable")]
    counts = np.bincount(targets[by_class].astype(np.int64))
    counts = counts[counts > 0]
    place = np.concatenate([(np.arange(m) + 0.5) / m for m in counts])
    return np.asarray(by_class[np.argsort(place, kind="stable")])
