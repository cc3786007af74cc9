"""The same judge for every contestant: plain numpy, float64, none of the contestants' own code.

For each pair of classes, with y = +-1, b = y alpha, f = Kb, the exact Gaussian kernel K and the
returned intercept:

    dual       D = sum y b - 1/2 b'f
    primal     P = 1/2 b'f + C sum max(0, 1 - y (f + intercept))
    gap        (P - D) / max(|P|, |D|)
    violation  m - M, m = max of y - f where b can grow, M = min of y - f where b can shrink

A variable nearer to a bound than float32 can tell counts as being at it.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from benchmarks.model import Model
from benchmarks.problem import Problem

BLOCK_BYTES = 128 << 20


@dataclass(frozen=True)
class Verdict:
    """Objectives are summed over the pairs; of the other numbers the worst pair's counts."""

    dual: float
    primal: float
    gap: float
    violation: float
    infeasibility: float  # |sum b| / sum |b|, or how far b leaves its box, in units of C
    support_vectors: int


def judge(problem: Problem, models: list[Model]) -> list[Verdict]:
    """Judge all models of a problem in one pass over the kernel: they share support vectors."""
    support = np.unique(np.concatenate([model.support for model in models]))
    weights = [_scatter(model, support) for model in models]
    values = kernel_product(problem, support, np.hstack(weights))
    ends = np.cumsum([w.shape[1] for w in weights])[:-1]
    return [
        _verdict(problem, model, f)
        for model, f in zip(models, np.split(values, ends, axis=1), strict=True)
    ]


def kernel_product(problem: Problem, support, weights):
    """K[:, support] @ weights, a block of rows at a time."""
    X = problem.X.astype(np.float64)
    right = X[support]
    squares, right_squares = _squared_norms(X), _squared_norms(right)
    product = np.empty((X.shape[0], weights.shape[1]))
    step = max(1, BLOCK_BYTES // (8 * max(1, len(support))))
    for start in range(0, X.shape[0], step):
        rows = slice(start, start + step)
        dots = X[rows] @ right.T
        distances = -2.0 * (dots.toarray() if sparse.issparse(dots) else dots)
        distances += squares[rows, None]
        distances += right_squares
        np.maximum(distances, 0.0, out=distances)
        distances *= -problem.gamma
        product[rows] = np.exp(distances, out=distances) @ weights
    return product


def _squared_norms(X):
    return np.asarray((X.multiply(X) if sparse.issparse(X) else X * X).sum(axis=1)).ravel()


def _scatter(model: Model, support):
    weights = np.zeros((len(support), model.weights.shape[1]))
    weights[np.searchsorted(support, model.support)] = model.weights
    return weights


def _verdict(problem: Problem, model: Model, values) -> Verdict:
    pairs = range(len(model.positive))
    parts = [_judge_pair(problem, model, p, values[:, p]) for p in pairs]
    dual, primal, gap, violation, infeasibility = np.array(parts).T
    return Verdict(
        dual=float(dual.sum()),
        primal=float(primal.sum()),
        gap=float(gap.max()),
        violation=float(violation.max()),
        infeasibility=float(infeasibility.max()),
        support_vectors=len(model.support),
    )


def _judge_pair(problem: Problem, model: Model, p: int, values):
    classes = (model.negative[p], model.positive[p])
    rows = np.flatnonzero(np.isin(problem.y, classes))
    y = np.where(problem.y[rows] == model.positive[p], 1.0, -1.0)
    b = np.zeros(len(problem.y))
    b[model.support] = model.weights[:, p]
    b, f, C = b[rows], values[rows], problem.C

    quadratic = 0.5 * (b @ f)
    dual = y @ b - quadratic
    primal = quadratic + C * np.maximum(0.0, 1.0 - y * (f + model.intercept[p])).sum()
    gap = (primal - dual) / max(abs(primal), abs(dual))

    lower, upper, near = (
        np.minimum(0.0, y * C),
        np.maximum(0.0, y * C),
        np.finfo(np.float32).eps * C,
    )
    can_grow, can_shrink = b < upper - near, b > lower + near
    up = (y - f)[can_grow].max(initial=-np.inf)
    down = (y - f)[can_shrink].min(initial=np.inf)
    imbalance = abs(b.sum()) / max(np.abs(b).sum(), np.finfo(float).tiny)
    overshoot = np.abs(b - np.clip(b, lower, upper)).max() / C
    return dual, primal, gap, max(0.0, up - down), max(imbalance, overshoot)
