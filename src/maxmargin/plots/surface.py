"""A function on a rectangle, known precisely where it matters: near its level lines.

It is evaluated on a coarse grid first. Cells that a level may cross, their neighbours and those
with data in them are halved and evaluated again; elsewhere values are interpolated. The cost grows
with the length of the level lines instead of with the area.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from contourpy import contour_generator
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation

Evaluate = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Surface:
    """Values on a regular grid.

    Parameters
    ----------
    x : ndarray of shape (m,)
        Abscissae.
    y : ndarray of shape (n,)
        Ordinates.
    values : ndarray of shape (n, m)
        One value a grid point.
    n_evaluated : int
        How many of them were evaluated; the others are interpolated.

    Examples
    --------
    >>> circle = Surface.of(lambda p: np.hypot(p[:, 0], p[:, 1]), (-2, 2), (-2, 2), levels=[1.0])
    >>> circle.n_evaluated < circle.values.size / 3
    True
    >>> circle.nearest(np.array([[3.0, 4.0]]), level=1.0).round(2)
    array([[0.6, 0.8]])
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    values: NDArray[np.float64]
    n_evaluated: int

    @classmethod
    def of(
        cls,
        evaluate: Evaluate,
        x_limits: tuple[float, float],
        y_limits: tuple[float, float],
        levels: Sequence[float],
        *,
        points: NDArray[np.float64] | None = None,
        cells: int = 32,
        halvings: int = 3,
    ) -> Surface:
        """Evaluate a function, refining near its levels.

        Parameters
        ----------
        evaluate : callable
            From points of shape (k, 2) to values of shape (k,).
        x_limits, y_limits : pairs of float
            The rectangle.
        levels : sequence of float
            Values whose lines are wanted.
        points : ndarray of shape (p, 2), optional
            Where to look closely as well: kernels make small islands around data.
        cells : int
            Cells per side of the coarse grid.
        halvings : int
            How often cells may be halved.
        """
        x, y = np.linspace(*x_limits, cells + 1), np.linspace(*y_limits, cells + 1)
        values = evaluate(_mesh(x, y)).reshape(len(y), len(x))
        known = np.ones(values.shape, bool)
        for _ in range(halvings):
            chosen = _crossed(values, levels)
            if points is not None:
                chosen |= np.histogram2d(points[:, 1], points[:, 0], (y, x))[0] > 0
            x, y = _halved(x), _halved(y)
            values, known = _interpolated(values), _spread(known)
            missing = _corners(chosen) & ~known
            values[missing] = evaluate(_mesh(x, y)[missing.ravel()])
            known |= missing
        return cls(x, y, values, int(known.sum()))

    def lines(self, level: float) -> list[NDArray[np.float64]]:
        """Pieces of a level line, each of shape (k, 2).

        Parameters
        ----------
        level : float
            The value on the line.
        """
        pieces = contour_generator(self.x, self.y, self.values).lines(level)
        return [np.asarray(piece, np.float64) for piece in pieces]

    def nearest(self, points: NDArray[np.float64], level: float) -> NDArray[np.float64]:
        """Points of a level line nearest to the given ones, shape (p, 2).

        NaN where the line leaves the rectangle before it gets nearest, or does not exist.

        Parameters
        ----------
        points : ndarray of shape (p, 2)
            Points.
        level : float
            The value on the line.
        """
        pieces = self.lines(level)
        if not pieces:
            return np.full((len(points), 2), np.nan)
        start = np.concatenate([piece[:-1] for piece in pieces])
        step = np.concatenate([np.diff(piece, axis=0) for piece in pieces])
        ends = [p for piece in pieces if (piece[0] != piece[-1]).any() for p in piece[[0, -1]]]
        length = np.maximum((step**2).sum(axis=1), 1e-300)
        found = np.empty((len(points), 2))
        for i, point in enumerate(points):
            share = np.clip(((point - start) * step).sum(axis=1) / length, 0, 1)
            foot = start + share[:, None] * step
            found[i] = foot[((foot - point) ** 2).sum(axis=1).argmin()]
            if any((found[i] == end).all() for end in ends):
                found[i] = np.nan
        return found


def _mesh(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def _crossed(values: NDArray[np.float64], levels: Sequence[float]) -> NDArray[np.bool_]:
    """Cells with corners on both sides of a level, and their neighbours."""
    corners = np.stack([values[:-1, :-1], values[1:, :-1], values[:-1, 1:], values[1:, 1:]])
    low, high = corners.min(axis=0), corners.max(axis=0)
    crossed = np.any([(low <= level) & (level <= high) for level in levels], axis=0)
    return np.asarray(binary_dilation(crossed, np.ones((3, 3))))


def _halved(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.linspace(x[0], x[-1], 2 * len(x) - 1)


def _interpolated(values: NDArray[np.float64]) -> NDArray[np.float64]:
    rows, columns = values.shape
    fine = np.empty((2 * rows - 1, 2 * columns - 1))
    fine[::2, ::2] = values
    fine[1::2, ::2] = (values[:-1] + values[1:]) / 2
    fine[:, 1::2] = (fine[:, :-1:2] + fine[:, 2::2]) / 2
    return fine


def _spread(known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    rows, columns = known.shape
    fine = np.zeros((2 * rows - 1, 2 * columns - 1), bool)
    fine[::2, ::2] = known
    return fine


def _corners(chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Grid points, after halving, of the chosen cells."""
    rows, columns = chosen.shape
    fine = np.zeros((2 * rows + 1, 2 * columns + 1), bool)
    for i in range(3):
        for j in range(3):
            fine[i : i + 2 * rows : 2, j : j + 2 * columns : 2] |= chosen
    return fine
