"""As many columns as the page draws: chosen ones, or principal components of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.prompt import Brief


@dataclass(frozen=True, eq=False, repr=False)
class Plane(Brief):
    """Rows in the columns that are drawn.

    Parameters
    ----------
    points : ndarray of shape (n, count)
        The rows there.
    features : tuple of str
        Names of the columns.
    note : str
        What was done to the data, in a sentence; empty if nothing.

    Examples
    --------
    >>> plane_of(np.eye(3), ["a", "b", "c"], 2, ["c", "a"]).points
    array([[0., 1.],
           [0., 0.],
           [1., 0.]])
    """

    points: NDArray[np.float64]
    features: tuple[str, ...]
    note: str = ""


def plane_of(
    X: NDArray[np.float64],
    names: Sequence[str],
    count: int,
    chosen: Sequence[str | int] | None = None,
) -> Plane:
    """Reduce rows to as many columns as can be drawn.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Rows.
    names : sequence of str
        Names of the columns.
    count : int
        How many are drawn: 2, or 1 in a regression.
    chosen : sequence of str or int, optional
        Which of them, by name or by place from 0. Without it all, where there are as many; else the
        first principal components of the columns, each scaled to standard deviation 1.

    Examples
    --------
    >>> plane_of(np.eye(3), ["a", "b", "c"], 2).note
    'the first 2 principal components of 3 standardised columns are shown (100% of their variance)'
    """
    if chosen:
        places = [_place(column, names) for column in chosen]
        if len(places) != count:
            raise ValueError(
                f"{len(places)} columns are chosen, {list(chosen)!r}; {count} can be drawn."
            )
        others = len(names) - count
        note = f"of {len(names)} columns {count} are shown; the others take no part"
        return Plane(X[:, places], tuple(names[k] for k in places), note if others else "")
    if X.shape[1] == count:
        return Plane(X, tuple(names))
    if X.shape[1] < count:
        raise ValueError(f"the data have {X.shape[1]} column of numbers; {count} are drawn.")
    return _components(X, count)


def _place(column: str | int, names: Sequence[str]) -> int:
    if column in names:
        return list(names).index(str(column))
    if isinstance(column, int | np.integer) and -len(names) <= column < len(names):
        return int(column)
    raise ValueError(f"there is no column {column!r} of numbers; there are {list(names)!r}.")


def _components(X: NDArray[np.float64], count: int) -> Plane:
    spread = X.std(axis=0)
    centred = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    # A direction and its opposite are the same component: its largest entry is to be positive.
    largest = np.abs(directions).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    share = float((sizes[:count] ** 2).sum() / max(float((sizes**2).sum()), 1e-300))
    what = "first principal component" if count == 1 else f"first {count} principal components"
    note = (
        f"the {what} of {X.shape[1]} standardised columns {'is' if count == 1 else 'are'} shown "
        f"({share:.0%} of their variance)"
    )
    points = centred @ (signs[:count, None] * directions[:count]).T
    return Plane(points, tuple(f"component {k + 1}" for k in range(count)), note)
