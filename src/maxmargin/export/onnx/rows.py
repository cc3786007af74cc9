"""Rows on their way through a graph: one matrix, or columns of numbers and of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from maxmargin.export.onnx.graph import Graph


@dataclass(frozen=True)
class Rows:
    """Rows as a matrix of numbers, or as columns.

    Parameters
    ----------
    g : Graph
        Whose names these are.
    parts : tuple of str
        One matrix, or one matrix of a single column for each column.
    width : int
        Number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> Rows(Graph(np.float32), ("a", "b"), 2).column(1)
    'b'
    """

    g: Graph
    parts: tuple[str, ...]
    width: int

    def matrix(self) -> str:
        """Return all columns as one matrix."""
        return self.parts[0] if len(self.parts) == 1 else self.g("Concat", *self.parts, axis=1)

    def column(self, place: int) -> str:
        """Return one column, shape (n, 1)."""
        if len(self.parts) == self.width:
            return self.parts[place]
        return self.g.columns(self.parts[0], [place])

    def chosen(self, places: Sequence[int]) -> Rows:
        """Return some columns in a given order."""
        if len(self.parts) == self.width:
            return Rows(self.g, tuple(self.parts[place] for place in places), len(places))
        if list(places) == list(range(self.width)):
            return self
        return Rows(self.g, (self.g.columns(self.parts[0], places),), len(places))
