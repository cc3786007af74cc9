"""Planes through feature space: x = origin + s u + t v with orthonormal u, v.

A picture shows two dimensions of d. Either two features, the others fixed at a typical value, or
the plane of the two directions along which the data vary most (principal components). Rows beside
the plane are not where the model has them; `note` says so, and what is fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.plots.table import Table, listed


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
    fixed : dict of str to str
        The other features and their values, where they are fixed.
    hides : bool
        Whether some of the data lie beside it.

    Examples
    --------
    >>> section = Section.of([[0.0, 5.0, 1.0], [1.0, 7.0, 3.0]], features=(0, 2))
    >>> section.coordinates([[0.5, 9.0, 2.0]])
    array([[0.5, 2. ]])
    >>> section.rows([[0.5, 2.0]])
    array([[0.5, 6. , 2. ]])
    >>> section.note
    'slice: $x_{2}$ = 6; rows beside it may be in another region'
    """

    origin: NDArray[np.float64]
    basis: NDArray[np.float64]
    names: tuple[str, str]
    fixed: dict[str, str]
    hides: bool

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
        table = Table.of(X)
        d = table.values.shape[-1]
        if table.values.ndim != 2 or d < 2:
            raise ValueError(
                f"X has shape {table.values.shape}; a plane needs two features or more. "
                "OutputDisplay draws data with any number of them."
            )
        if feature_names is not None:
            if len(feature_names) != d:
                raise ValueError(
                    f"feature_names has {len(feature_names)} names; X has {d} features."
                )
            table = replace(table, names=list(feature_names))
        if features is None:
            features = (0, 1) if d == 2 else "pca"
        if isinstance(features, str):
            made = cls._principal(table, features)
        else:
            made = cls._slice(table, features, fill)
        return replace(made, hides=not made.contains(X))

    @classmethod
    def _slice(cls, table: Table, features: Sequence[int | str], fill: str | ArrayLike) -> Section:
        wanted = list(features)
        if len(wanted) != 2 or wanted[0] == wanted[1]:
            raise ValueError(f"features is {features!r}; give two different columns.")
        first, second = (table.place(feature) for feature in wanted)
        names = table.names[first], table.names[second]
        origin = table.typical(fill)
        fixed = {name: value for name, value in table.told(origin).items() if name not in names}
        origin[[first, second]] = 0.0
        return cls(origin, np.eye(len(origin))[[first, second]], names, fixed, False)

    @classmethod
    def _principal(cls, table: Table, features: str) -> Section:
        if features != "pca":
            raise ValueError(
                f"features is {features!r}; give two columns, such as (0, 1), 'pca' or 'output'."
            )
        if table.texts:
            texts = ", ".join(table.names[j] for j in table.texts)
            raise ValueError(f"features is 'pca', but X has columns of texts ({texts}): give two.")
        rows = table.values
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
            {},
            False,
        )

    @property
    def note(self) -> str:
        """What a reader must know: what is fixed in the plane, and that rows lie beside it."""
        if not self.hides:
            return ""
        told = [f"{name} = {value}" for name, value in self.fixed.items()]
        what = (
            f"slice: {listed(told)}"
            if told
            else "plane of two principal components, through the mean"
        )
        return f"{what}; rows beside it may be in another region"

    def coordinates(self, X: ArrayLike) -> NDArray[np.float64]:
        """Project rows onto the plane, shape (n, 2).

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        """
        return np.asarray((Table.of(X).values - self.origin) @ self.basis.T)

    def rows(self, points: ArrayLike) -> NDArray[np.float64]:
        """Rows of feature space, shape (n, d), that points of the plane stand for.

        Parameters
        ----------
        points : array-like of shape (n, 2)
            Points.
        """
        return np.asarray(self.origin + np.asarray(points, np.float64) @ self.basis)

    def marks(self, levels: Sequence[float]) -> NDArray[np.float64]:
        """Return points that a picture must hold: none but the data.

        Parameters
        ----------
        levels : sequence of float
            Decision values.
        """
        return np.empty((0, 2))

    def contains(self, X: ArrayLike) -> bool:
        """Whether all rows lie in the plane, so that the picture hides nothing.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        """
        rows = Table.of(X).values
        away = np.abs(rows - self.rows(self.coordinates(rows))).max()
        return bool(away <= 1e-9 * max(np.abs(rows).max(), 1e-300))
