"""The same judge for every contestant: plain numpy, float64, none of the contestants' own code.

Every machine is one problem in signed variables b (an SVC: one for each pair of classes):

    min  1/2 b'Kb - t'b + epsilon |b|_1,  lower <= b <= upper,  sum b = total

    SVC          t = y = +-1    b between 0 and C y
    SVR          t = y          -C <= b <= C    with epsilon
    OneClassSVM  t = 0          0 <= b <= 1     total = nu n

With f = Kb, the exact Gaussian kernel K and the returned intercept c:

    dual       D = t'b - 1/2 b'f - epsilon |b|_1
    primal     P = 1/2 b'f + sum max(0, upper (r - epsilon), lower (r + epsilon)) + c total,
               r = t - f - c
    gap        (P - D) / max(|P|, |D|)
    violation  max of f - t + epsilon s where b can shrink, less its min where b can grow; s is the
               sign of b, or of the direction where b = 0: m - M of LIBSVM

A variable nearer to a bound or to zero than float32 can tell counts as being there.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.model import Model
from benchmarks.problem import Problem

BLOCK_BYTES = 128 << 20
#: Sparse rows of up to this many columns are multiplied as dense ones: that is faster.
NARROW = 1024


@dataclass(frozen=True)
class Verdict:
    """Objectives are summed over the pairs; of the other numbers the worst pair's counts."""

    dual: float
    primal: float
    gap: float
    violation: float
    infeasibility: float  # |sum b - total| / sum |b|, or how far b leaves its box, in units of it
    support_vectors: int


@dataclass(frozen=True)
class Canonical:
    """One problem in the form above, for some rows of the training data."""

    rows: NDArray[np.int64]
    target: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    epsilon: float = 0.0
    total: float = 0.0


def canonical(problem: Problem, model: Model) -> list[Canonical]:
    """What the model's columns of variables are solutions of."""
    n, y = len(problem.y), problem.y
    everything, one = np.arange(n), np.ones(n)
    if problem.machine == "SVR":
        C = problem.C * one
        return [Canonical(everything, y, -C, C, epsilon=problem.epsilon)]
    if problem.machine == "OneClassSVM":
        return [Canonical(everything, 0 * one, 0 * one, one, total=problem.nu * n)]
    parts = []
    for positive, negative in zip(model.positive, model.negative, strict=True):
        rows = np.flatnonzero(np.isin(y, (positive, negative)))
        t = np.where(y[rows] == positive, 1.0, -1.0)
        parts.append(Canonical(rows, t, np.minimum(0, t) * problem.C, np.maximum(0, t) * problem.C))
    return parts


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
    if sparse.issparse(X) and X.shape[1] <= NARROW:
        X = X.toarray()
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
    parts = []
    for p, part in enumerate(canonical(problem, model)):
        b = np.zeros(len(problem.y))
        b[model.support] = model.weights[:, p]
        parts.append(_judge(part, b[part.rows], values[part.rows, p], model.intercept[p]))
    dual, primal, gap, violation, infeasibility = np.array(parts).T
    return Verdict(
        dual=float(dual.sum()),
        primal=float(primal.sum()),
        gap=float(gap.max()),
        violation=float(violation.max()),
        infeasibility=float(infeasibility.max()),
        support_vectors=len(model.support),
    )


def _judge(part: Canonical, b, f, intercept) -> tuple[Any, ...]:
    t, lower, upper, epsilon = part.target, part.lower, part.upper, part.epsilon
    size = np.maximum(np.abs(lower), np.abs(upper))
    quadratic = 0.5 * (b @ f)
    dual = t @ b - quadratic - epsilon * np.abs(b).sum()
    r = t - f - intercept
    loss = np.maximum(0.0, np.maximum(upper * (r - epsilon), lower * (r + epsilon)))
    primal = quadratic + loss.sum() + intercept * part.total
    gap = (primal - dual) / max(abs(primal), abs(dual), np.finfo(float).tiny)

    near = np.finfo(np.float32).eps * size
    grows, shrinks = b < upper - near, b > lower + near
    up = (f - t + epsilon * np.where(b < -near, -1, 1))[grows].min(initial=np.inf)
    down = (f - t + epsilon * np.where(b > near, 1, -1))[shrinks].max(initial=-np.inf)
    imbalance = abs(b.sum() - part.total) / max(np.abs(b).sum(), np.finfo(float).tiny)
    overshoot = (np.abs(b - np.clip(b, lower, upper)) / size).max()
    return dual, primal, gap, max(0.0, down - up), max(imbalance, overshoot)
