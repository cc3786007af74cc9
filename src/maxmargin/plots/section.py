"""Planes through feature space: x = origin + s u + t v with orthonormal u, v.

A picture shows two dimensions of d. Either two features, the others fixed at a typical value, or
the plane of the two directions along which the data vary most (principal components).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse


@dataclass(frozen=True, eq=False)
class Section:
    """A plane, and what its two axes are called.

    Parameters
    ----------
    origin : ndarray of shape (d,)
        Its point (0, 0).
    basis : ndarray of shape (2, d)
        Orthonormal directions u and v.
    names : tuple of two str
        Labels of its axes.

    Examples
    --------
    >>> section = Section.of([[0.0, 5.0, 1.0], [1.0, 7.0, 3.0]], features=(0, 2))
    >>> section.coordinates([[0.5, 9.0, 2.0]])
    array([[0.5, 2. ]])
    >>> section.rows([[0.5, 2.0]])
    array([[0.5, 6. , 2. ]])
    """

    origin: NDArray[np.float64]
    basis: NDArray[np.float64]
    names: tuple[str, str]

    @classmethod
    def of(
        cls,
        X: Any,
        features: Sequence[int | str] | str | None = None,
        fill: str | ArrayLike = "median",
        feature_names: Sequence[str] | None = None,
    ) -> Section:
        """Choose a plane through data.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The data, d >= 2; a data frame names the features.
        features : pair of int or str, "pca" or None
            Two columns, by place or name; or the plane of most variance. None takes the two there
            are, and "pca" if there are more.
        fill : {"median", "mean"} or array-like of shape (d,)
            What the other features are fixed at.
        feature_names : sequence of str, optional
            What the features are called, where X does not tell.
        """
        names = names_of(X) if feature_names is None else list(feature_names)
        rows = dense(X).astype(np.float64)
        if rows.ndim != 2 or rows.shape[1] < 2:
            raise ValueError(
                f"X has shape {rows.shape}; a plane needs two features or more. LiftDisplay draws "
                "data with one."
            )
        if len(names) != rows.shape[1]:
            raise ValueError(
                f"feature_names has {len(names)} names; X has {rows.shape[1]} features."
            )
        if features is None:
            features = (0, 1) if rows.shape[1] == 2 else "pca"
        if isinstance(features, str):
            return cls._principal(rows, features)
        first, second = _places(features, names)
        origin = _typical(rows, fill)
        origin[[first, second]] = 0.0
        return cls(origin, np.eye(rows.shape[1])[[first, second]], (names[first], names[second]))

    @classmethod
    def _principal(cls, rows: NDArray[np.float64], features: str) -> Section:
        if features != "pca":
            raise ValueError(
                f"features is {features!r}; give two columns, such as (0, 1), or 'pca'."
            )
        origin = rows.mean(axis=0)
        _, spread, directions = np.linalg.svd(rows - origin, full_matrices=False)
        # The sign of a direction is free: let its largest entry be positive.
        largest = np.abs(directions[:2]).argmax(axis=1)
        basis = directions[:2] * np.sign(directions[[0, 1], largest])[:, None]
        share = 100 * spread**2 / max(float(np.sum(spread**2)), 1e-300)
        return cls(
            origin,
            basis,
            (f"component 1 ({share[0]:.0f}% of variance)", f"component 2 ({share[1]:.0f}%)"),
        )

    def coordinates(self, X: ArrayLike) -> NDArray[np.float64]:
        """Project rows onto the plane, shape (n, 2).

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        """
        return np.asarray((dense(X).astype(np.float64) - self.origin) @ self.basis.T)

    def rows(self, points: ArrayLike) -> NDArray[np.float64]:
        """Rows of feature space, shape (n, d), that points of the plane stand for.

        Parameters
        ----------
        points : array-like of shape (n, 2)
            Points.
        """
        return np.asarray(self.origin + np.asarray(points, np.float64) @ self.basis)

    def contains(self, X: ArrayLike) -> bool:
        """Whether all rows lie in the plane, so that the picture hides nothing.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        """
        rows = dense(X).astype(np.float64)
        away = np.abs(rows - self.rows(self.coordinates(rows))).max()
        return bool(away <= 1e-9 * max(np.abs(rows).max(), 1e-300))


def dense(values: Any) -> NDArray[Any]:
    """Return an array of an array, a data frame or a sparse matrix.

    Parameters
    ----------
    values : array-like or sparse matrix
        Values.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> dense(csr_array([[0.0, 1.0]]))
    array([[0., 1.]])
    """
    return np.asarray(values.toarray() if issparse(values) else values)


def names_of(X: Any) -> list[str]:
    """Names of the columns of a data frame; x1, x2, ... of anything else.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Data.

    Examples
    --------
    >>> names_of([[1.0, 2.0]])
    ['$x_{1}$', '$x_{2}$']
    """
    if hasattr(X, "columns"):
        return [str(name) for name in X.columns]
    return [f"$x_{{{j + 1}}}$" for j in range(np.shape(X)[-1])]


def _places(features: Sequence[int | str], names: list[str]) -> tuple[int, int]:
    wanted = list(features)
    if len(wanted) != 2 or wanted[0] == wanted[1]:
        raise ValueError(f"features is {features!r}; give two different columns.")
    places = []
    for feature in wanted:
        place = names.index(feature) if feature in names else feature
        if isinstance(place, str) or not -len(names) <= place < len(names):
            raise ValueError(
                f"features names {feature!r}, which X does not have; its columns are "
                f"{', '.join(names[:10])}{', ...' if len(names) > 10 else ''}."
            )
        places.append(int(place) % len(names))
    return places[0], places[1]


def _typical(rows: NDArray[np.float64], fill: str | ArrayLike) -> NDArray[np.float64]:
    if isinstance(fill, str):
        if fill not in ("median", "mean"):
            raise ValueError(f"fill is {fill!r}; it must be 'median', 'mean' or a row of values.")
        return np.asarray(np.median(rows, axis=0) if fill == "median" else rows.mean(axis=0))
    row = np.array(fill, np.float64)
    if row.shape != (rows.shape[1],):
        raise ValueError(
            f"fill has shape {row.shape}; one value per feature is needed, ({rows.shape[1]},)."
        )
    return row
