"""Data as a picture uses them: a matrix of numbers, names, and the way back to what a model takes.

A column of texts is a column of numbers too, one for each different text, so that planes and
typical rows are those of any matrix; only its numbers have no order and no middle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

#: As many words are listed in a picture.
_TOLD = 5


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of features, whatever they came as.

    Make it with `of`.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame
        The data.
    names : list of str
        What the features are called.
    values : ndarray of shape (n, d)
        The features as numbers.
    texts : dict of int to list
        The different texts of a column, in the order of their numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> table = Table.of(pd.DataFrame({"size": [1.0, 2.0, 6.0], "town": ["Rom", "Bern", "Rom"]}))
    >>> table.values[:, 1], table.told(table.typical("median"))
    (array([0., 1., 0.]), {'size': '2', 'town': 'Rom'})
    >>> table.rows(np.array([[7.0, 1.0]]))
       size  town
    0   7.0  Bern
    """

    X: Any
    names: list[str]
    values: NDArray[np.float64]
    texts: dict[int, list[Any]]

    @classmethod
    def of(cls, X: Any) -> Table:
        """Read any data.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            The data.
        """
        if not hasattr(X, "columns"):
            return cls(X, names_of(X), dense(X).astype(np.float64), {})
        columns: list[NDArray[np.float64]] = []
        texts: dict[int, list[Any]] = {}
        for j, name in enumerate(X.columns):
            column = np.asarray(X[name])
            if column.dtype.kind not in "biuf" and any(isinstance(v, str) for v in column.tolist()):
                texts[j] = list(dict.fromkeys(column.tolist()))
                places = {text: place for place, text in enumerate(texts[j])}
                column = np.array([places[text] for text in column.tolist()])
            columns.append(column.astype(np.float64))
        return cls(X, names_of(X), np.column_stack(columns), texts)

    def rows(self, values: NDArray[np.float64]) -> Any:
        """Return numbers as rows of the kind that the data are.

        Parameters
        ----------
        values : ndarray of shape (n, d)
            Numbers as in `values`.
        """
        if not hasattr(self.X, "columns"):
            return values
        columns: dict[Any, Any] = {name: values[:, j] for j, name in enumerate(self.X.columns)}
        for j, texts in self.texts.items():
            columns[self.X.columns[j]] = [texts[int(code)] for code in values[:, j]]
        return type(self.X)(columns)

    def typical(self, fill: str | ArrayLike) -> NDArray[np.float64]:
        """Return a row in the middle: medians or means of numbers, the most frequent texts.

        Parameters
        ----------
        fill : {"median", "mean"} or array-like of shape (d,)
            Which, or the row itself.
        """
        if not isinstance(fill, str):
            row = np.array(fill, np.float64)
            if row.shape != (self.values.shape[1],):
                raise ValueError(
                    f"fill has shape {row.shape}; one value per feature is needed, "
                    f"({self.values.shape[1]},)."
                )
            return row
        if fill not in ("median", "mean"):
            raise ValueError(f"fill is {fill!r}; it must be 'median', 'mean' or a row of values.")
        row = np.asarray((np.median if fill == "median" else np.mean)(self.values, axis=0))
        for j in self.texts:
            row[j] = np.bincount(self.values[:, j].astype(np.int64)).argmax()
        return row

    def told(self, row: NDArray[np.float64]) -> dict[str, str]:
        """Return the values of a row by name, for people.

        Parameters
        ----------
        row : ndarray of shape (d,)
            Numbers as in `values`.
        """
        return {
            name: str(self.texts[j][int(row[j])]) if j in self.texts else f"{row[j]:.4g}"
            for j, name in enumerate(self.names)
        }

    def place(self, feature: int | str) -> int:
        """Return the place of a column of numbers.

        Parameters
        ----------
        feature : int or str
            Its place, which may count from the end, or its name.
        """
        names = self.names
        place = names.index(feature) if feature in names else feature
        if isinstance(place, str) or not -len(names) <= place < len(names):
            raise ValueError(
                f"features names {feature!r}, which X does not have; its columns are "
                f"{', '.join(names[:10])}{', ...' if len(names) > 10 else ''}."
            )
        place = int(place) % len(names)
        if place in self.texts:
            raise ValueError(f"features names {names[place]!r}, a column of texts: no axis has it.")
        return place


def listed(parts: list[str]) -> str:
    """Return the first of some words, and how many more there are.

    Parameters
    ----------
    parts : list of str
        Words.

    Examples
    --------
    >>> listed(list("abcdefg"))
    'a, b, c, d, e, 2 more'
    """
    more = [f"{len(parts) - _TOLD} more"] if len(parts) > _TOLD else []
    return ", ".join(parts[:_TOLD] + more)


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
