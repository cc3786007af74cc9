"""From outputs to probabilities in a graph, as `maxmargin.models.calibration` has them."""

from __future__ import annotations

import numpy as np

from maxmargin.export.onnx.graph import Graph
from maxmargin.models import Calibration, Sigmoids, VennAbers

#: Ties are decided by so many roundings, as in `maxmargin.models.calibration`.
ROUNDINGS = 18
#: A pair that is certain would leave nothing to its loser, whatever the others say.
LEAST = 1e-7


def probabilities(g: Graph, calibration: Calibration, n_classes: int, outputs: str) -> str:
    """Add the nodes of the probabilities of classes, shape (n, k), before ties are decided.

    Parameters
    ----------
    g : Graph
        Where to.
    calibration : Sigmoids, Softmax or VennAbers
        How outputs become probabilities.
    n_classes : int
        k.
    outputs : str
        Outputs, shape (n, p).
    """
    if isinstance(calibration, VennAbers):
        return _venn_abers(g, calibration, outputs)
    exponents = g("Add", g("Mul", outputs, calibration.slopes), calibration.offsets)
    if not isinstance(calibration, Sigmoids):
        return g("Softmax", exponents, axis=1)
    if n_classes > 2:
        return _coupled(g, g("Sigmoid", g("Neg", exponents)), n_classes)
    # Two classes are the softmax of A f + B and 0.
    return g("Softmax", g("Concat", exponents, g.full(outputs, 1, 0.0), axis=1), axis=1)


def _venn_abers(g: Graph, calibration: VennAbers, outputs: str) -> str:
    """Find the interval by counting the scores below, which are compared all."""
    counts = [
        g("ReduceSum", g("Cast", g(operator, outputs, calibration.scores), to=7), np.array([1]))
        for operator in ("Greater", "GreaterOrEqual")
    ]
    place = g("Add", *counts)
    low = g("Gather", calibration.low, place, axis=0)
    high = g("Gather", calibration.high, place, axis=0)
    second = g("Div", high, g("Add", g("Sub", 1.0, low), high))
    return g("Concat", g("Sub", 1.0, second), second, axis=1)


def _coupled(g: Graph, pairs: str, k: int) -> str:
    """Couple pairs by Wu, Lin and Weng's second method, by elimination.

    With Q_ss = sum_t r_ts^2 and Q_st = -r_ts r_st the optimum has Q p = -b 1 and 1'p = 1, so that
    (Q + 11') p = (1 - b) 1: a positive definite system, which needs no pivots, up to a factor.
    """
    first, second = np.triu_indices(k, 1)
    n_pairs, cells = len(first), np.arange(k * k).reshape(k, k)
    squares, products = np.zeros((2, n_pairs, k * k))
    squares[np.arange(n_pairs), cells[second, second]] = 1
    products[np.arange(n_pairs), cells[first, second]] = 1
    products[np.arange(n_pairs), cells[second, first]] = 1
    losers = np.zeros((n_pairs, k * k))
    losers[np.arange(n_pairs), cells[first, first]] = 1
    r = g("Clip", pairs, LEAST, 1 - LEAST)
    rest = g("Sub", 1.0, r)
    system = g("MatMul", g("Mul", rest, rest), losers)
    system = g("Add", system, g("MatMul", g("Mul", r, r), squares))
    system = g("Sub", system, g("MatMul", g("Mul", r, rest), products))
    shape = g("Concat", g.rows(pairs), np.array([k, k]), axis=0)
    system = g("Reshape", g("Add", system, 1.0), shape)
    ones = g("Reshape", g.full(pairs, k, 1.0), g("Concat", g.rows(pairs), np.array([k, 1]), axis=0))
    solution = _solved(g, g("Concat", system, ones, axis=2), k)
    found = g("Max", g("Squeeze", solution, np.array([2])), 0.0)
    return g("Div", found, g("ReduceSum", found, np.array([1]), keepdims=1))


def _solved(g: Graph, system: str, k: int) -> str:
    """Solve systems (n, k, k + 1), right-hand sides last, by Gauss-Jordan elimination."""
    for j in range(k):
        pivots = g("Gather", system, np.array([j]), axis=1)
        row = g("Div", pivots, g("Gather", pivots, np.array([j]), axis=2))
        column = g("Gather", system, np.array([j]), axis=2)
        # Row j itself becomes the row that is divided by its pivot.
        own = np.zeros((k, 1))
        own[j] = 1
        factors = g("Mul", column, 1 - own)
        kept = g("Mul", system, 1 - own)
        system = g("Add", g("Sub", kept, g("Mul", factors, row)), g("Mul", row, own))
    return g("Gather", system, np.array([k]), axis=2)


def towards(g: Graph, given: str, codes: str, k: int, eps: float) -> str:
    """Add the nodes that let predicted classes have the largest probability.

    Where a class is not on top, it and those above it get their common mean, largest first and
    until none that is left is above that mean.

    Parameters
    ----------
    g : Graph
        Where to.
    given : str
        Probabilities, shape (n, k).
    codes : str
        Numbers of the predicted classes, shape (n,).
    k : int
        Number of classes.
    eps : float
        Relative rounding of the precision that they are given in.
    """
    # Not by factors of nearly 1, which runtimes leave out.
    apart = ROUNDINGS * eps
    less = 2 * apart / (1 + apart)
    winner = g("Unsqueeze", codes, np.array([1]))
    chosen = g("Equal", winner, np.arange(k))
    own = g("GatherElements", given, winner, axis=1)
    others = g("Where", chosen, -1.0, given)
    largest, _ = g.several("TopK", 2, others, np.array([k]), axis=1)
    at_top = g("Gather", largest, np.array([0]), axis=1)
    moved = g("Greater", at_top, g("Sub", own, g("Mul", own, less)))
    # means[:, t]: of the class itself and the t largest others; the sum of all is 1.
    before = np.triu(np.ones((k, k)), 1)[:, : k - 1]
    sums = g("Add", own, g("MatMul", largest, before))
    sums = g("Concat", sums, g.full(given, 1, 1.0), axis=1)
    means = g("Div", sums, np.arange(1.0, k + 1))
    above = g("Greater", largest, g("Sub", means, g("Mul", means, less)))
    # Above, and so are all before: none of them is not.
    failures = g("CumSum", g("Cast", g("Not", above), to=7), np.array(1))
    pooled = g("ReduceSum", g("Cast", g("Equal", failures, np.array(0)), to=7), np.array([1]))
    mean = g("GatherElements", means, pooled, axis=1)
    step = g("Mul", mean, apart)
    lowered = g("Min", given, g("Sub", mean, step))
    raised = g("Where", chosen, g("Add", mean, step), lowered)
    return g("Where", moved, raised, given)
