"""From outputs to classes in a graph: votes, ties and zeros as in `maxmargin.models.Classes`."""

from __future__ import annotations

import numpy as np

from maxmargin.export.onnx.graph import Graph
from maxmargin.models import Classes


def winners(g: Graph, classes: Classes, outputs: str, *, break_ties: bool) -> str:
    """Add the nodes of the number of the class of each row, shape (n,).

    Parameters
    ----------
    g : Graph
        Where to.
    classes : Classes
        What the outputs speak for.
    outputs : str
        Outputs, shape (n, p).
    break_ties : bool
        Whether the highest score wins, instead of the first class with most votes.
    """
    if len(classes.names) == 2:
        only = g("Squeeze", outputs, np.array([1]))
        operator, edge = (
            ("GreaterOrEqual", -classes.rounding) if classes.zero else ("Greater", classes.rounding)
        )
        return g("Cast", g(operator, only, edge), to=7)  # 7 is int64
    if classes.scheme == "ovr":
        return g("ArgMax", outputs, axis=1, keepdims=0)
    totals = scores(g, classes, outputs) if break_ties else _votes(g, classes, outputs)
    if classes.precedence is None:
        return g("ArgMax", totals, axis=1, keepdims=0)
    ordered = g.columns(totals, classes.precedence)
    return g("Gather", classes.precedence, g("ArgMax", ordered, axis=1, keepdims=0), axis=0)


def scores(g: Graph, classes: Classes, outputs: str) -> str:
    """Add the nodes of the scores of classes from outputs of pairs, shape (n, k).

    Parameters
    ----------
    g, classes, outputs
        As in `winners`.
    """
    first, second = _members(len(classes.names))
    votes = _counted(g, g("GreaterOrEqual", outputs, 0.0), first, second)
    sums = g("MatMul", outputs, first - second)
    return g("Add", votes, g("Div", sums, g("Mul", g("Add", g("Abs", sums), 1.0), 3.0)))


def _votes(g: Graph, classes: Classes, outputs: str) -> str:
    first, second = _members(len(classes.names))
    wins = g("Greater", outputs, 0.0)
    if classes.precedence is not None:
        place = np.argsort(classes.precedence)
        at_zero = place[first.argmax(axis=1)] > place[second.argmax(axis=1)]
        wins = g("Or", wins, g("And", g("Equal", outputs, 0.0), at_zero))
    return _counted(g, wins, first, second)


def _counted(g: Graph, wins: str, first: np.ndarray, second: np.ndarray) -> str:
    """Count votes: of a pair that is won the first class has one, of others the second."""
    return g("Gemm", g.cast(wins), first - second, second.sum(axis=0))


def _members(n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return of each pair which class is its first, and which its second, shape (p, k) each."""
    first, second = np.triu_indices(n_classes, 1)
    unit = np.eye(n_classes)
    return unit[first], unit[second]
