"""An independent judge of kernel machines.

From the data, the kernel's formula and a model's dual variables it recomputes what a certificate
claims, in extended precision and straight from the definitions; the compiled core is never asked.

    P = 1/2 b'Kb + sum_i C_i max(0, 1 - y_i ((Kb)_i + c))      D = y'b - 1/2 b'Kb
    violation = max{f_i : b_i can go down} - min{f_i : b_i can go up},   f = Kb - y
"""

from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import (
    RBF,
    Chi2,
    Columns,
    Cosine,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Product,
    Scaled,
    Sigmoid,
    Sum,
)

#: Eleven bits more than float64 where the platform has them: the judge's own rounding is then
#: far below any bound that it has to confirm.
Real = np.longdouble


@dataclass(frozen=True)
class Verdict:
    """What the judge finds about one binary problem."""

    primal: float
    dual: float
    gap: float
    violation: float
    infeasibility: float  # how far b is outside its box, or its sum from 0, against |b|_1


@dataclass(frozen=True)
class Machine:
    """One binary problem of a model: its matrix (less `offset`), labels, box and variables."""

    K: NDArray[Any]
    offset: float
    y: NDArray[np.float64]
    C: NDArray[np.float64]
    b: NDArray[np.float64]
    intercept: float


def _real(X: Any, Z: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Extended precision where it does not take too long."""
    real = Real if X.shape[0] * Z.shape[0] * X.shape[1] < 5e7 else np.float64
    return np.asarray(X, real), np.asarray(Z, real)


def squared_distances(X: Any, Z: Any) -> NDArray[Any]:
    X, Z = _real(X, Z)
    return sum((X[:, [k]] - Z[:, k]) ** 2 for k in range(X.shape[1]))


def dots(X: Any, Z: Any) -> NDArray[Any]:
    X, Z = _real(X, Z)
    return sum(X[:, [k]] * Z[:, k] for k in range(X.shape[1]))


def _sums(X: Any, Z: Any, term: Any) -> NDArray[Any]:
    X, Z = _real(X, Z)
    return sum(term(X[:, [k]], Z[:, k]) for k in range(X.shape[1]))


def values(kernel: Kernel, X: Any) -> NDArray[Any]:
    """Matrix of a kernel object, from its formula in extended precision."""
    X = np.asarray(X, Real)
    match kernel:
        case Sum(parts):
            return sum(values(part, X) for part in parts)
        case Product(parts):
            return prod(values(part, X) for part in parts)
        case Scaled(part, factor):
            return factor * values(part, X)
        case Columns(part, columns):
            return values(part, X[:, list(columns)])
        case Linear():
            return dots(X, X)
        case Polynomial(degree, gamma, coef0):
            return (Real(gamma) * dots(X, X) + Real(coef0)) ** degree
        case Sigmoid(gamma, coef0):
            return np.tanh(Real(gamma) * dots(X, X) + Real(coef0))
        case Cosine():
            lengths = np.sqrt((X**2).sum(axis=1))
            lengths[lengths == 0] = 1
            return dots(X, X) / lengths / lengths[:, None]
        case RBF(gamma):
            return np.exp(-Real(gamma) * squared_distances(X, X))
        case Laplacian(gamma):
            return np.exp(-Real(gamma) * _sums(X, X, lambda a, b: abs(a - b)))
        case Chi2(gamma):
            terms = _sums(X, X, lambda a, b: (a - b) ** 2 / np.where(a + b > 0, a + b, 1))
            return np.exp(-Real(gamma) * terms)
        case Matern(length_scale, np.inf):
            return np.exp(-squared_distances(X, X) / 2 / Real(length_scale) ** 2)
        case Matern(length_scale, nu):
            t = np.sqrt(2 * Real(nu) * squared_distances(X, X)) / Real(length_scale)
            return {0.5: 1, 1.5: 1 + t, 2.5: 1 + t + t**2 / 3}[nu] * np.exp(-t)
        case _:
            raise AssertionError(kernel)


def gram(X: Any, *, kernel: Any, gamma: float, degree: int, coef0: float) -> NDArray[Any]:
    """Kernel matrix less its offset: of the Gaussian k - 1, which is exact for a tiny gamma too."""
    if isinstance(kernel, Kernel):
        return values(kernel, X)
    if callable(kernel):
        return np.asarray(kernel(X, X), Real)
    if kernel == "precomputed":
        return np.asarray(X, Real)
    if kernel == "rbf":
        return np.expm1(-Real(gamma) * squared_distances(X, X))
    products = dots(X, X)
    if kernel == "linear":
        return products
    argument = Real(gamma) * products + Real(coef0)
    return np.tanh(argument) if kernel == "sigmoid" else argument**degree


def gamma_value(model: Any, X: Any, sample_weight: Any = None) -> float:
    """The documented value of gamma; "scale" counts each row by its weight."""
    if not isinstance(model.gamma, str) or callable(model.kernel) or model.kernel == "precomputed":
        return model.gamma if not isinstance(model.gamma, str) else 1.0
    if model.gamma == "auto":
        return 1 / X.shape[1]
    values = np.asarray(X, np.float64)
    weight = np.ones(len(values)) if sample_weight is None else np.asarray(sample_weight)
    mean = np.average(values.mean(axis=1), weights=weight)
    variance = np.average(((values - mean) ** 2).mean(axis=1), weights=weight)
    return 1 / (X.shape[1] * variance) if variance > 0 else 1.0


def machines(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Machine]:
    """The binary problems of a fitted SVC (ours or scikit-learn's), read off its attributes."""
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    y = np.asarray(y)
    K = gram(
        X,
        kernel=model.kernel,
        gamma=gamma_value(model, X, sample_weight),
        degree=model.degree,
        coef0=model.coef0,
    )
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, float)
    codes = np.searchsorted(model.classes_, y)
    C = model.C * weight * model.class_weight_[codes]
    binary = len(model.classes_) == 2
    found = []
    for p, (first, second) in enumerate(combinations(range(len(model.classes_)), 2)):
        rows = np.flatnonzero(((codes == first) | (codes == second)) & (weight > 0))
        positive = second if binary else first
        b = np.zeros(len(y))
        for own, other in ((first, second), (second, first)):
            mine = codes[model.support_] == own
            # Row r of dual_coef_ belongs to the r-th class other than the vector's own.
            row = 0 if binary else other - (other > own)
            b[model.support_[mine]] = model.dual_coef_[row, mine]
        found.append(
            Machine(
                K=K[np.ix_(rows, rows)],
                offset=1.0 if model.kernel == "rbf" else 0.0,
                y=np.where(codes[rows] == positive, 1.0, -1.0),
                C=C[rows],
                b=b[rows],
                intercept=float(model.intercept_[p]),
            )
        )
    return found


def judge(machine: Machine) -> Verdict:
    """Recompute what a certificate claims of one problem."""
    y, b, C = (np.asarray(v, Real) for v in (machine.y, machine.b, machine.C))
    Kb = machine.K @ b + Real(machine.offset) * b.sum()
    f = Kb - y
    quadratic, alpha = b @ Kb, y * b
    slack = np.maximum(0, 1 - y * (Kb + Real(machine.intercept)))
    primal, dual = quadratic / 2 + C @ slack, y @ b - quadratic / 2
    up = np.where(y > 0, alpha < C, alpha > 0)
    down = np.where(y > 0, alpha > 0, alpha < C)
    violation = max(0, f[down].max() - f[up].min()) if up.any() and down.any() else 0
    scale = max(abs(primal), abs(dual))
    size = max(float(np.abs(b).sum()), np.finfo(float).tiny)
    outside = np.maximum(np.maximum(-alpha, alpha - C), 0).max()
    return Verdict(
        primal=float(primal),
        dual=float(dual),
        gap=float((primal - dual) / scale) if scale > 0 else 0.0,
        violation=float(violation),
        infeasibility=float(max(outside, abs(b.sum()))) / size,
    )


def verdicts(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Verdict]:
    return [judge(machine) for machine in machines(model, X, y, sample_weight)]


def confirm(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Verdict]:
    """Assert that a model's certificate says what the judge finds, within its own bound."""
    problems = machines(model, X, y, sample_weight)
    found = [judge(machine) for machine in problems]
    assert len(found) == len(model.certificate_.parts)
    for machine, verdict, part in zip(problems, found, model.certificate_.parts, strict=True):
        assert verdict.infeasibility <= 1e-13
        assert abs(part.violation - verdict.violation) <= part.bound
        # Each f_i is off by at most bound / 2, so is the intercept; objectives weigh them with C.
        weight = float(machine.C.sum() + np.abs(machine.b).sum())
        rounding = 1e-13 * (abs(verdict.primal) + abs(verdict.dual) + weight)
        slack = part.bound * weight + rounding
        assert abs(part.primal - verdict.primal) <= slack
        assert abs(part.dual - verdict.dual) <= slack
        scale = max(abs(verdict.primal), abs(verdict.dual))
        assert abs(part.gap - max(verdict.gap, 0)) * scale <= 4 * slack
        if model.status_.name == "OPTIMAL":
            assert verdict.violation <= model.tol
    return found
